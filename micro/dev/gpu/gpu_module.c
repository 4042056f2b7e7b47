/* gpu_module.c - from a kernel's name to a loaded function: image, module, entry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev/gpu/gpu_impl.h"

/* --- which image ------------------------------------------------------------------------------ */

/* "sm_90a" -> 90; 0: no such name. */
static int arch_number(const char *arch, bool *is_exact)
{
    if (strncmp(arch, "sm_", 3)) return 0;
    char *end;
    const long n = strtol(arch + 3, &end, 10);
    *is_exact = *end == 'a';
    return (int)n;
}

/* Does code for `arch` run on this chip, and how well does it fit? 0: it does not. Code for sm_90a
 * runs on 9.0 alone; code for sm_86 on every 8.x from 8.6 on [ptx-isa 11.1.2]. */
static int fitness(const char *arch, int sm_arch)
{
    bool is_exact = false;
    const int n = arch_number(arch, &is_exact);
    if (n == 0 || n / 10 != sm_arch / 10 || n > sm_arch) return 0;
    if (is_exact) return n == sm_arch ? 2 * n + 1 : 0;
    return 2 * n;
}

static const struct ay_image *best(const struct ay_image *images, const char *source,
                                   enum ay_image_kind kind, int sm_arch)
{
    const struct ay_image *found = NULL;
    int found_fitness = 0;
    for (const struct ay_image *i = images; i->source; i++) {
        if (i->kind != kind || strcmp(i->source, source)) continue;
        const int fit = kind == AY_IMAGE_FATBIN ? 1 : fitness(i->arch, sm_arch);
        if (fit <= found_fitness) continue;
        found = i;
        found_fitness = fit;
    }
    return found;
}

/* The driver compiles the fatbin's PTX for chips that came later; it was made for this one. */
enum { FATBIN_PTX_ARCH = 75 };

const struct ay_image *gpu_pick_image(const struct ay_image *images, const char *source,
                                      int sm_arch, bool wants_ptx, bool is_to_load)
{
    if (wants_ptx) return best(images, source, AY_IMAGE_PTX, sm_arch);
    const struct ay_image *cubin = best(images, source, AY_IMAGE_CUBIN, sm_arch);
    const struct ay_image *fatbin = best(images, source, AY_IMAGE_FATBIN, sm_arch);
    if (!cubin && sm_arch < FATBIN_PTX_ARCH) return NULL;
    /* Without a cubin the driver makes the code, which nobody has checked: the fatbin's own hash,
     * to which no verdict belongs, says so. */
    if (is_to_load || !cubin) return fatbin ? fatbin : cubin;
    return cubin;
}

static enum ay_status pick(struct gpu *g, const char *source, bool is_to_load,
                           const struct ay_image **out, struct ay_error *err)
{
    *out = gpu_pick_image(g->images, source, g->sm_arch, g->d.wants_ptx, is_to_load);
    if (*out) return AY_OK;
    if (!g->images[0].source)
        return AY_FAIL(err, AY_SKIP, "built without nvcc: this program carries no kernels");
    return AY_FAIL(err, AY_SKIP, "no image of %s for %s", source, g->arch);
}

enum ay_status gpu_image_of(void *self, const struct ay_kernel *k, const struct ay_image **out,
                            struct ay_error *err)
{
    return pick(self, k->source, false, out, err);
}

/* --- loading ---------------------------------------------------------------------------------- */

/* The compiler's log up to its first line's end. */
static void first_line(char *log)
{
    while (*log == '\n' || *log == '\r') memmove(log, log + 1, strlen(log));
    log[strcspn(log, "\r\n")] = '\0';
}

/* "8.0" of PTX text; "" of machine code. */
static void ptx_version(const struct ay_image *i, char into[16])
{
    *into = '\0';
    if (i->kind != AY_IMAGE_PTX) return;
    const char *at = strstr((const char *)i->begin, ".version");
    if (at && sscanf(at, ".version %15[0-9.]", into) != 1) *into = '\0';
}

static enum ay_status load_failed(struct gpu *g, const struct ay_image *i, CUresult r, char *log,
                                  struct ay_error *err)
{
    char version[16];
    ptx_version(i, version);
    first_line(log);
    return ay_refused(err, &g->d, AY_ENTRY_cuModuleLoadDataEx, r,
                      "of %s for %s (%s%s%sdriver for CUDA %d.%d)%s%.*s", i->source, g->arch,
                      *version ? "PTX " : "", version, *version ? ", " : "",
                      g->driver_version / 1000, g->driver_version % 1000 / 10,
                      *log ? ", which says: " : "", 200, log);
}

static enum ay_status load(struct gpu *g, const struct ay_image *i, CUmodule *out,
                           struct ay_error *err)
{
    char log[2048] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    *out = NULL;
    const CUresult r = g->d.ModuleLoadDataEx(g->d.self, out, i->begin, 2, options, values);
    log[sizeof log - 1] = '\0';
    if (r != CUDA_SUCCESS) return load_failed(g, i, r, log, err);
    GPU_GIVEN(*out, ModuleLoadDataEx);
    return AY_OK;
}

static enum ay_status module_of(struct gpu *g, const char *source, struct gpu_module **out,
                                struct ay_error *err)
{
    for (*out = g->modules; *out; *out = (*out)->next)
        if (!strcmp((*out)->source, source)) return AY_OK;
    const struct ay_image *image;
    AY_TRY(pick(g, source, true, &image, err));
    struct gpu_module *m = calloc(1, sizeof *m);
    if (m) m->source = strdup(source);
    if (!m || !m->source) {
        free(m);
        return AY_FAIL(err, AY_NOMEM, "no memory to load %s", source);
    }
    m->image = image;
    const enum ay_status s = load(g, image, &m->handle, err);
    if (s != AY_OK) {
        free((char *)m->source);
        free(m);
        return s;
    }
    m->next = g->modules;
    g->modules = m;
    *out = m;
    return AY_OK;
}

/* Lazy loading would put a module's arrival into the first launch, and into a wait for ever where
 * that launch stands behind a kernel that spins: FuncLoad, where the driver has it, loads now. */
static enum ay_status look_up(struct gpu *g, struct gpu_module *m, const char *entry,
                              CUfunction *out, struct ay_error *err)
{
    *out = NULL;
    const CUresult r = g->d.ModuleGetFunction(g->d.self, out, m->handle, entry);
    if (r == CUDA_ERROR_NOT_FOUND)
        return AY_FAIL(err, AY_SKIP, "the image of %s for %s has no kernel %s", m->source, g->arch,
                       entry);
    if (r != CUDA_SUCCESS)
        return ay_refused(err, &g->d, AY_ENTRY_cuModuleGetFunction, r, "of kernel %s", entry);
    GPU_GIVEN(*out, ModuleGetFunction);
    if (g->d.FuncLoad) GPU_CALL(FuncLoad, (*out), "of kernel %s", entry);
    return AY_OK;
}

enum ay_status gpu_function_of(struct gpu *g, const struct ay_kernel *k, struct gpu_function **out,
                               struct ay_error *err)
{
    struct gpu_module *m;
    AY_TRY(module_of(g, k->source, &m, err));
    for (*out = m->functions; *out; *out = (*out)->next)
        if (!strcmp((*out)->entry, k->entry)) return AY_OK;
    CUfunction handle;
    AY_TRY(look_up(g, m, k->entry, &handle, err));
    struct gpu_function *f = calloc(1, sizeof *f);
    if (f) f->entry = strdup(k->entry);
    if (!f || !f->entry) {
        free(f);
        return AY_FAIL(err, AY_NOMEM, "no memory for kernel %s", k->entry);
    }
    f->handle = handle;
    f->next = m->functions;
    m->functions = f;
    *out = f;
    return AY_OK;
}

void gpu_unload_modules(struct gpu *g)
{
    while (g->modules) {
        struct gpu_module *m = g->modules;
        g->modules = m->next;
        GPU_QUIET(ModuleUnload, (m->handle));
        while (m->functions) {
            struct gpu_function *f = m->functions;
            m->functions = f->next;
            free((char *)f->entry);
            free(f);
        }
        free((char *)m->source);
        free(m);
    }
}
