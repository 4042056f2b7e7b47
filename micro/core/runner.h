/* runner.h - the parent: deals probes to workers, judges their silence, keeps every finished row.
 *
 * The parent opens no driver. A crash, a hang or a sticky error costs one probe. */
#ifndef AY_RUNNER_H
#define AY_RUNNER_H

#include "core/measure.h"
#include "core/runfile.h"

/* What the caller wants to hear; each may be NULL. */
struct ay_listener {
    void *self;
    void (*started)(void *self, const json_t *run_record);
    void (*row)(void *self, const struct ay_row *row);
    /* n_done of n probes are done; doing: one in progress (or NULL); seconds_left < 0: unknown. */
    void (*progress)(void *self, const char *doing, size_t n_done, size_t n, double seconds_left);
};

struct ay_plan {
    const char *device;                   /* as typed */
    const struct ay_probe *const *probes; /* chosen ones, n_probes of them */
    size_t n_probes;
    struct ay_effort effort;
    uint32_t n_workers;     /* for simulated devices; hardware is measured one probe at a time */
    const json_t *faults;   /* array of texts, or NULL */
    json_t *fault_counts;   /* object; goes on from here and is brought up to date */
    json_t *unused_faults;  /* array, or NULL: receives the faults that no worker reached */
    struct ay_run_writer *writer;
    struct ay_listener listener;
    void *self; /* for the two below; both may be NULL */
    bool (*truth)(void *self, const struct ay_probe *p, const struct ay_row *row,
                  struct ay_truth *out);
    /* The name of entry point number `entry` in which a worker hung; brings counts up to date. */
    const char *(*hung_in)(void *self, uint32_t entry, json_t *counts);
};

struct ay_outcome {
    struct ay_tally tally;
    int signal;     /* the run was ended by it; 0: no */
    size_t n_left_out; /* probes of the other kind of device */
};

/* One device. AY_DEVICE: it could not be opened, nothing was written; AY_IO: a record could not be
 * written. Otherwise AY_OK, whatever the rows say. */
enum ay_status ay_run_device(const struct ay_plan *plan, struct ay_outcome *out,
                             struct ay_error *err) AY_CHECKED;

/* One question to a fresh worker ("list"); new reference to its answer. */
enum ay_status ay_ask_worker(const json_t *job, const struct ay_plan *plan, json_t **answer,
                             struct ay_error *err) AY_CHECKED;

#endif
