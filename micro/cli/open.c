#include "cli/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "dev/gpu/fault.h"
#include "dev/gpu/gpu.h"
#include "dev/host/host.h"
#include "dev/sim/sim.h"
#include "probes/registry.h"

enum { MAX_FAULTS = 32 };

enum ay_status ay_parse_device(const char *name, struct ay_device_spec *out, struct ay_error *err)
{
    *out = (struct ay_device_spec){.kind = AY_SPEC_HOST};
    if (strcmp(name, "host") == 0) return AY_OK;
    if (strncmp(name, "sim:", 4) == 0 && name[4]) {
        out->kind = AY_SPEC_SIM;
        out->chip = name + 4;
        return AY_OK;
    }
    if (strncmp(name, "cuda:", 5) == 0) {
        const char *rest = name + 5;
        const size_t n_digits = strspn(rest, "0123456789");
        out->kind = AY_SPEC_CUDA;
        if (n_digits > 0 && n_digits < 5 && !rest[n_digits]) {
            out->ordinal = atoi(rest);
            return AY_OK;
        }
        if (strncmp(rest, "GPU-", 4) == 0 || strncmp(rest, "MIG-", 4) == 0) {
            out->uuid = rest;
            return AY_OK;
        }
    }
    const char *const forms[] = {"host", "cuda:0", "sim:plain", "sim:odd", NULL};
    const char *near = ay_nearest(name, forms);
    return AY_FAIL(err, AY_USAGE, "no device is called \"%s\"; %s%s%shost, cuda:N, cuda:GPU-<uuid>,"
                   " sim:NAME, sim:random:SEED or sim:path/to/file.chip", name,
                   near ? "did you mean " : "a device is ", near ? near : "",
                   near ? "? A device is " : "");
}

/* --- faults ----------------------------------------------------------------------------------- */

static size_t texts_of(const json_t *array, const char *texts[MAX_FAULTS])
{
    size_t n = json_array_size(array);
    if (n > MAX_FAULTS) n = MAX_FAULTS;
    for (size_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(array, i));
        texts[i] = text ? text : "";
    }
    return n;
}

enum ay_status ay_check_faults(const json_t *array, struct ay_error *err)
{
    const char *texts[MAX_FAULTS];
    struct ay_faults *faults = NULL;
    if (json_array_size(array) > MAX_FAULTS)
        return AY_FAIL(err, AY_USAGE, "at most %d faults a run", MAX_FAULTS);
    AY_TRY(ay_faults_parse(texts, texts_of(array, texts), &faults, err));
    ay_faults_close(faults);
    return AY_OK;
}

/* Does "cuMemAlloc_v2@3=hang" speak of that entry? Its call number, 0: any call; -1: it does not.
 */
static long hang_at(const char *text, const char *entry)
{
    const size_t n = strlen(entry);
    const char *at = strchr(text, '@');
    if (!at || strncmp(text, entry, n) != 0 || (text[n] != '@' && text[n] != '_')) return -1;
    if (!strstr(at, "=hang")) return -1;
    return at[1] == '*' ? 0 : strtol(at + 1, NULL, 10);
}

const char *ay_hung_in(const json_t *array, uint32_t entry, json_t *counts)
{
    if (entry >= AY_N_ENTRIES) return NULL;
    const char *name = ay_entry_name((enum ay_entry)entry);
    json_int_t count = json_integer_value(json_object_get(counts, name));
    const char *texts[MAX_FAULTS];
    const size_t n = texts_of(array, texts);
    for (size_t i = 0; i < n; i++) {
        const long at = hang_at(texts[i], name);
        if (at > count) count = at;
    }
    if (counts) json_object_set_new(counts, name, json_integer(count));
    return name;
}

/* --- opening ---------------------------------------------------------------------------------- */

struct ay_opener {
    struct ay_faults *faults;
    volatile uint32_t *word;
};

enum ay_status ay_opener_new(volatile uint32_t *word, struct ay_opener **out, struct ay_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return AY_FAIL(err, AY_NOMEM, "no memory to open devices with");
    (*out)->word = word;
    return AY_OK;
}

void ay_opener_close(struct ay_opener *o)
{
    if (!o) return;
    ay_faults_close(o->faults);
    free(o);
}

/* The first job brings the faults and how often each entry was called before this worker. */
static enum ay_status take_faults(struct ay_opener *o, const json_t *array, const json_t *counts,
                                  struct ay_error *err)
{
    const char *texts[MAX_FAULTS];
    if (o->faults) return AY_OK;
    AY_TRY(ay_faults_parse(texts, texts_of(array, texts), &o->faults, err));
    if (counts) ay_faults_set_counts(o->faults, counts);
    ay_faults_watch(o->faults, o->word);
    return AY_OK;
}

static enum ay_status open_simulated(struct ay_opener *o, const char *chip_text, const char *name,
                                     struct ay_device *out, struct ay_error *err)
{
    struct ay_driver driver = {.self = NULL};
    struct ay_chip *chip = malloc(sizeof *chip);
    if (!chip) return AY_FAIL(err, AY_NOMEM, "no memory for a chip");
    enum ay_status status = ay_chip_load(chip_text, chip, err);
    if (status == AY_OK) status = sim_driver_open(chip, &driver, err);
    free(chip);
    AY_TRY(status);
    status = ay_faults_wrap(&driver, o->faults, err);
    if (status != AY_OK) {
        ay_driver_close(&driver);
        return status;
    }
    return ay_gpu_open(&driver, 0, NULL, name, true, out, err);
}

static enum ay_status open_device(void *self, const char *name, const json_t *faults,
                                  const json_t *counts, struct ay_device *out,
                                  struct ay_error *err)
{
    struct ay_opener *o = self;
    struct ay_device_spec spec;
    struct ay_driver driver = {.self = NULL};
    AY_TRY(take_faults(o, faults, counts, err));
    AY_TRY(ay_parse_device(name, &spec, err));
    switch (spec.kind) {
    case AY_SPEC_HOST: return ay_host_open(out, err);
    case AY_SPEC_SIM: return open_simulated(o, spec.chip, name, out, err);
    case AY_SPEC_CUDA:
        AY_TRY(ay_cuda_open(o->faults, &driver, err));
        return ay_gpu_open(&driver, spec.ordinal, spec.uuid, name, false, out, err);
    }
    return AY_FAIL(err, AY_USAGE, "no device is called \"%s\"", name);
}

/* --- what there is ---------------------------------------------------------------------------- */

static json_t *list_gpus(struct ay_opener *o, struct ay_error *err)
{
    struct ay_driver driver = {.self = NULL};
    struct ay_gpu_entry *gpus = NULL;
    size_t n = 0;
    if (ay_cuda_open(o->faults, &driver, err) != AY_OK) return NULL;
    const enum ay_status status = ay_gpu_list(&driver, &gpus, &n, err);
    ay_driver_close(&driver);
    if (status != AY_OK) return NULL;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "cuda:%zu", i);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:I}", "name", name, "product",
                            gpus[i].product, "pci", gpus[i].pci, "uuid", gpus[i].uuid, "arch",
                            gpus[i].arch, "sms", (int)gpus[i].n_sms, "memory_bytes",
                            (json_int_t)gpus[i].total_bytes));
    }
    free(gpus);
    return list;
}

/* {"gpus":[…] or null, "reason":"why no GPU"} */
static json_t *list(void *self, const json_t *faults, const json_t *counts)
{
    struct ay_opener *o = self;
    struct ay_error err = {.text = ""};
    json_t *gpus = NULL;
    if (take_faults(o, faults, counts, &err) == AY_OK) gpus = list_gpus(o, &err);
    return json_pack("{s:o, s:s}", "gpus", gpus ? gpus : json_null(), "reason",
                     gpus ? "" : err.text);
}

static json_t *machine(void *self)
{
    (void)self;
    return ay_host_environment();
}

static json_t *fault_counts(void *self)
{
    const struct ay_opener *o = self;
    return o->faults ? ay_faults_counts(o->faults) : NULL;
}

static json_t *unused_faults(void *self)
{
    const struct ay_opener *o = self;
    const char *names[MAX_FAULTS];
    json_t *array = json_array();
    const size_t n = o->faults ? ay_faults_unused(o->faults, names, MAX_FAULTS) : 0;
    for (size_t i = 0; i < n && i < MAX_FAULTS; i++)
        json_array_append_new(array, json_string(names[i]));
    return array;
}

struct ay_backends ay_backends_of(struct ay_opener *o)
{
    return (struct ay_backends){
        .self = o,
        .open = open_device,
        .list = list,
        .machine = machine,
        .fault_counts = fault_counts,
        .unused_faults = unused_faults,
        .probes = ay_probes(),
    };
}
