#include "dev/gpu/fault.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "dev/gpu/diagnose.h"
#include "dev/gpu/fault_impl.h"
#include "dev/gpu/known.h"

enum { NAME_BYTES = 80 };

/* --- names of entry points -------------------------------------------------------------------- */

/* "cuMemAlloc_v2", "cuMemcpyDtoH_v2_ptds" -> without the suffixes. */
static void strip_suffixes(char *name)
{
    for (char *u; (u = strrchr(name, '_')); *u = '\0') {
        const size_t n_digits = u[1] == 'v' ? strspn(u + 2, "0123456789") : 0;
        const bool is_version = n_digits && !u[2 + n_digits];
        if (!is_version && strcmp(u, "_ptsz") && strcmp(u, "_ptds")) return;
    }
}

static int table_entry(const char *name)
{
    /* Its name before driver 535; the driver table asks for either. */
    if (!strcmp(name, "nvmlDeviceGetCurrentClocksThrottleReasons"))
        return AY_ENTRY_nvmlDeviceGetCurrentClocksEventReasons;
    for (int e = 0; e < AY_N_ENTRIES; e++)
        if (!strcmp(ay_entry_name((enum ay_entry)e), name)) return e;
    return -1;
}

struct search {
    const char *wanted;
    bool is_known;
    size_t best;
    char nearest[NAME_BYTES];
};

static void search_words(struct search *s, const char *prefix, const char *words)
{
    char name[NAME_BYTES];
    for (const char *w = words; *w;) {
        const size_t n = strcspn(w, " ");
        snprintf(name, sizeof name, "%s%.*s", prefix, (int)n, w);
        const size_t d = ay_edit_distance(s->wanted, name);
        if (d < s->best) {
            s->best = d;
            snprintf(s->nearest, sizeof s->nearest, "%s", name);
        }
        w += n;
        while (*w == ' ') w++;
    }
    s->is_known = s->best == 0;
}

static enum ay_status parse_entry(struct fault *f, const char *text, size_t n,
                                  struct ay_error *err)
{
    if (n == 0 || n >= NAME_BYTES)
        return AY_FAIL(err, AY_USAGE, "--fault %s: an entry point is missing before @; write it "
                       "as cuMemAlloc@1=2", text);
    snprintf(f->typed, sizeof f->typed, "%.*s", (int)n, text);
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s", f->typed);
    strip_suffixes(name);
    f->entry = table_entry(name);
    if (f->entry >= 0) return AY_OK;
    struct search s = {.wanted = name, .best = NAME_BYTES};
    search_words(&s, "cu", ay_known_cuda);
    if (!s.is_known) search_words(&s, "nvml", ay_known_nvml);
    if (s.is_known) return AY_OK;
    return AY_FAIL(err, AY_USAGE, "--fault %s: no driver or NVML entry point is called %s; the "
                   "nearest is %s", text, f->typed, s.nearest);
}

/* --- when and what ---------------------------------------------------------------------------- */

static int nvml_code_of(const char *name)
{
    static const struct {
        const char *name;
        int code;
    } codes[] = {
#define X(n) {#n, n}
        X(NVML_ERROR_UNINITIALIZED), X(NVML_ERROR_INVALID_ARGUMENT), X(NVML_ERROR_NOT_SUPPORTED),
        X(NVML_ERROR_NO_PERMISSION), X(NVML_ERROR_NOT_FOUND), X(NVML_ERROR_DRIVER_NOT_LOADED),
        X(NVML_ERROR_FUNCTION_NOT_FOUND), X(NVML_ERROR_GPU_IS_LOST), X(NVML_ERROR_UNKNOWN),
        X(NVML_ERROR_LIB_RM_VERSION_MISMATCH),
#undef X
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (!strcmp(codes[i].name, name)) return codes[i].code;
    return -1;
}

/* A whole decimal number of at most 9 digits; -1 otherwise. */
static int64_t number_of(const char *text, size_t n)
{
    if (n == 0 || n > 9) return -1;
    int64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)text[i])) return -1;
        v = v * 10 + (text[i] - '0');
    }
    return v;
}

static enum ay_status parse_effect(struct fault *f, const char *text, const char *effect,
                                   struct ay_error *err)
{
    f->kind = FAULT_CODE;
    if (!strcmp(effect, "hang")) f->kind = FAULT_HANG;
    if (!strcmp(effect, "corrupt")) f->kind = FAULT_CORRUPT;
    if (f->kind != FAULT_CODE) return AY_OK;
    f->code = (int)number_of(effect, strlen(effect));
    if (f->code < 0) f->code = ay_cuda_code_of(effect);
    if (f->code < 0) f->code = nvml_code_of(effect);
    if (f->code > 0) return AY_OK;
    if (f->code == 0)
        return AY_FAIL(err, AY_USAGE, "--fault %s: 0 is success; a call that reports success and "
                       "does nothing is =corrupt", text);
    return AY_FAIL(err, AY_USAGE, "--fault %s: %s is no result; give a number, a CUDA_ERROR_ or "
                   "NVML_ERROR_ name, hang, or corrupt", text, *effect ? effect : "nothing");
}

static enum ay_status parse_one(struct fault *f, const char *text, struct ay_error *err)
{
    const size_t n = strcspn(text, "@=");
    AY_TRY(parse_entry(f, text, n, err));
    if (text[n] != '@')
        return AY_FAIL(err, AY_USAGE, "--fault %s: say at which call: %s@1=2, or %s@*=2 for each",
                       text, f->typed, f->typed);
    const char *at = text + n + 1;
    const size_t n_at = strcspn(at, "=");
    if (at[n_at] != '=')
        return AY_FAIL(err, AY_USAGE, "--fault %s: say what happens: =CODE, =hang or =corrupt",
                       text);
    const bool is_each = n_at == 1 && *at == '*';
    const int64_t number = is_each ? 0 : number_of(at, n_at);
    if (!is_each && number < 1)
        return AY_FAIL(err, AY_USAGE, "--fault %s: %.*s is no call number; calls count from 1, * "
                       "is each", text, (int)n_at, at);
    f->at = (uint64_t)number;
    return parse_effect(f, text, at + n_at + 1, err);
}

enum ay_status ay_faults_parse(const char *const *texts, size_t n, struct ay_faults **out,
                               struct ay_error *err)
{
    *out = NULL;
    struct ay_faults *f = calloc(1, sizeof *f);
    if (f) f->list = calloc(n + 1, sizeof *f->list);
    if (!f || !f->list) {
        free(f);
        return AY_FAIL(err, AY_NOMEM, "no memory for %zu faults", n);
    }
    for (size_t i = 0; i < n; i++) {
        const enum ay_status s = parse_one(&f->list[i], texts[i], err);
        if (s != AY_OK) {
            ay_faults_close(f);
            return s;
        }
    }
    f->n = n;
    *out = f;
    return AY_OK;
}

void ay_faults_close(struct ay_faults *f)
{
    if (!f) return;
    free(f->list);
    free(f);
}

/* --- counts ----------------------------------------------------------------------------------- */

json_t *ay_faults_counts(const struct ay_faults *f)
{
    json_t *counts = json_object();
    for (int e = 0; counts && e < AY_N_ENTRIES; e++)
        if (f->counts[e] && json_object_set_new(counts, ay_entry_name((enum ay_entry)e),
                                                json_integer((json_int_t)f->counts[e]))) {
            json_decref(counts);
            counts = NULL;
        }
    return counts;
}

void ay_faults_set_counts(struct ay_faults *f, const json_t *counts)
{
    for (int e = 0; e < AY_N_ENTRIES; e++) {
        const json_t *n = json_object_get(counts, ay_entry_name((enum ay_entry)e));
        f->counts[e] = json_is_integer(n) && json_integer_value(n) > 0
                           ? (uint64_t)json_integer_value(n)
                           : 0;
    }
}

size_t ay_faults_unused(const struct ay_faults *f, const char **names, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct fault *x = &f->list[i];
        if (x->entry >= 0 && f->counts[x->entry]) continue;
        if (n < max) names[n] = x->typed;
        n++;
    }
    return n;
}

void ay_faults_watch(struct ay_faults *f, volatile uint32_t *where)
{
    f->watch = where;
}

bool ay_faults_want_standin(const struct ay_faults *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->list[i].entry == AY_ENTRY_cuInit ||
            f->list[i].entry == AY_ENTRY_cuDriverGetVersion ||
            f->list[i].entry == AY_ENTRY_cuDeviceGetCount)
            return true;
    return false;
}
