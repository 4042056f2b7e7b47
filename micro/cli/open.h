/* open.h - where devices and probes meet: names people type, and the backend that answers them. */
#ifndef AY_OPEN_H
#define AY_OPEN_H

#include <jansson.h>

#include "core/chip.h"
#include "core/worker.h"

enum ay_spec_kind { AY_SPEC_CUDA, AY_SPEC_SIM, AY_SPEC_HOST };

struct ay_device_spec {
    enum ay_spec_kind kind;
    int ordinal;         /* cuda:N */
    const char *uuid;    /* cuda:GPU-…, cuda:MIG-…: into the name; else NULL */
    const char *chip;    /* sim:…: into the name; else NULL */
};

/* "cuda:0", "cuda:GPU-<uuid>", "sim:…", "host". AY_USAGE names the nearest form. */
enum ay_status ay_parse_device(const char *name, struct ay_device_spec *out,
                               struct ay_error *err) AY_CHECKED;

/* What a worker works with; `word` is the page shared with the parent (or NULL). */
struct ay_opener;
enum ay_status ay_opener_new(volatile uint32_t *word, struct ay_opener **out,
                             struct ay_error *err) AY_CHECKED;
void ay_opener_close(struct ay_opener *o); /* safe on NULL */
struct ay_backends ay_backends_of(struct ay_opener *o);

/* Faults as typed, read once in the parent so that a wrong one is told before anything runs. */
enum ay_status ay_check_faults(const json_t *texts, struct ay_error *err) AY_CHECKED;
/* For the runner: the entry's name, and its count raised past the fault that hung there, so that it
 * fires once. `texts` is the array of faults. */
const char *ay_hung_in(const json_t *texts, uint32_t entry, json_t *counts);

#endif
