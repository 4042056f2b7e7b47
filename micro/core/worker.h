/* worker.h - the process that opens devices: jobs come in as JSON Lines, answers go out.
 *
 *   job {"job":"list"|"describe"|"probe","device":"sim:plain","probe":"mem.l1.latency","seed":1,
 *            "precision":0.005,"budget_s":5,"quick":false,"faults":["…"],"counts":{…}}
 *   answer  {"answer":"row","row":{…}}, {"answer":"alive","done":0.5},
 *           {"answer":"device","device":{…},"environment":{…}}, {"answer":"list",…},
 *           {"answer":"done","healthy":true,"counts":{…},"unused":["cuX"],"error":{status,text}}
 */
#ifndef AY_WORKER_H
#define AY_WORKER_H

#include <jansson.h>

#include "core/device.h"

/* How a worker comes by devices; the cli fills it, since only there devices and probes meet. */
struct ay_backends {
    void *self;
    /* faults: the job's array of texts (or NULL), counts: calls so far (or NULL). */
    enum ay_status (*open)(void *self, const char *name, const json_t *faults, const json_t *counts,
                           struct ay_device *out, struct ay_error *err);
    /* What can be measured here, for `assay devices`; new reference, or NULL when out of memory. */
    json_t *(*list)(void *self, const json_t *faults, const json_t *counts);
    /* What a run record's environment says of this machine whatever the device; new reference, NULL
     * when out of memory. The device's own members come first. */
    json_t *(*machine)(void *self);
    /* Calls of each entry point since the first job, and faults never reached; new references or
     * NULL. */
    json_t *(*fault_counts)(void *self);
    json_t *(*unused_faults)(void *self);
    const struct ay_probe *const *probes; /* ends in NULL */
};

/* Reads jobs from jobs_fd until it closes. A device is kept from job to job, but a simulated one is
 * opened anew for each probe, so that no row depends on what ran before. The exit code. */
int ay_worker(const struct ay_backends *backends, int jobs_fd, int answers_fd);

#endif
