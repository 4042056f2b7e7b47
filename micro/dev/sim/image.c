/* Modules on a machine: their variables in device memory, their kernels' costs worked out. */
#include <stdlib.h>
#include <string.h>

#include "dev/sim/machine.h"

static uint8_t *segment_of(struct sim_machine *m, const struct sim_image *i, uint8_t space)
{
    const bool is_const = space == SIM_SPACE_CONST;
    const uint64_t va = is_const ? i->const_va : i->global_va;
    return va ? sim_host_pointer(m, va, 1) : NULL;
}

static enum ay_status place(struct sim_machine *m, const uint8_t *image, uint64_t bytes,
                            uint64_t *va, struct ay_error *err)
{
    if (bytes == 0) return AY_OK;
    AY_TRY(sim_allocate(m, bytes, va, err));
    if (image) memcpy(sim_host_pointer(m, *va, bytes), image, bytes);
    return AY_OK;
}

/* Addresses of variables inside initialisers. */
static void relocate(struct sim_machine *m, const struct sim_image *i)
{
    for (uint32_t k = 0; k < i->module->n_relocs; k++) {
        const struct sim_reloc *r = &i->module->relocs[k];
        uint64_t base = i->global_va;
        if (r->target_space == SIM_SPACE_CONST) base = r->is_generic ? SIM_CONST_WINDOW : 0;
        const uint64_t value = base + r->addend;
        uint8_t *at = segment_of(m, i, r->space);
        if (at) memcpy(at + r->offset, &value, r->bytes);
    }
}

static enum ay_status fill_image(struct sim_machine *m, struct sim_image *i, struct ay_error *err)
{
    const struct sim_module *p = i->module;
    AY_TRY(place(m, p->global_image, p->global_bytes, &i->global_va, err));
    AY_TRY(place(m, p->const_image, p->const_bytes, &i->const_va, err));
    i->const_host = segment_of(m, i, SIM_SPACE_CONST);
    relocate(m, i);
    i->codes = calloc(p->n_kernels + 1, sizeof *i->codes);
    if (!i->codes) return AY_FAIL(err, AY_NOMEM, "simulated module: out of memory");
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        i->codes[k].kernel = p->kernels[k];
        if (!sim_code_open(m, &i->codes[k]))
            return AY_FAIL(err, AY_NOMEM, "simulated module: out of memory");
    }
    return AY_OK;
}

enum ay_status sim_load(struct sim_machine *m, const struct sim_module *module,
                        struct sim_image **out, struct ay_error *err)
{
    struct sim_image *i = calloc(1, sizeof *i);
    if (!i) return AY_FAIL(err, AY_NOMEM, "simulated module: out of memory");
    i->module = module;
    i->next = m->images;
    m->images = i;
    const enum ay_status status = fill_image(m, i, err);
    if (status != AY_OK) sim_unload(m, i);
    else *out = i;
    return status;
}

void sim_unload(struct sim_machine *m, struct sim_image *image)
{
    struct sim_image **at = &m->images;
    while (*at && *at != image) at = &(*at)->next;
    if (!*at) return;
    *at = image->next;
    if (image->global_va) sim_release(m, image->global_va);
    if (image->const_va) sim_release(m, image->const_va);
    for (uint32_t k = 0; image->codes && k < image->module->n_kernels; k++)
        free(image->codes[k].statics);
    free(image->codes);
    free(image);
}

bool sim_symbol(const struct sim_image *image, const char *name, uint64_t *va, uint64_t *bytes)
{
    const struct sim_var *v = sim_find_var(image->module, name);
    if (!v || v->is_extern) return false;
    *va = (v->space == SIM_SPACE_CONST ? image->const_va : image->global_va) + v->offset;
    *bytes = v->bytes;
    return true;
}

const struct sim_module *sim_image_module(const struct sim_image *image) { return image->module; }
