#include "core/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/measure.h"
#include "core/row.h"
#include "core/seconds.h"

struct worker {
    const struct ay_backends *backends;
    int answers_fd;
    struct ay_device device;
    double last_beat_s;
};

/* --- answers ---------------------------------------------------------------------------------- */

/* Takes the reference. A parent that no longer reads ends the worker: there is nobody to work for.
 */
static void answer(struct worker *w, json_t *what)
{
    char *line = what ? ay_json_line(what) : NULL;
    json_decref(what);
    if (!line) _exit(1);
    const size_t n = strlen(line);
    line[n] = '\n';
    for (size_t done = 0; done < n + 1;) {
        const ssize_t wrote = write(w->answers_fd, line + done, n + 1 - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) _exit(1);
        done += (size_t)wrote;
    }
    free(line);
}

static void beat(void *self, double done_ratio)
{
    const double BEAT_S = 0.25;
    struct worker *w = self;
    const double now_s = ay_seconds();
    if (now_s - w->last_beat_s < BEAT_S) return;
    w->last_beat_s = now_s;
    answer(w, json_pack("{s:s, s:o}", "answer", "alive", "done",
                        done_ratio < 0 ? json_null() : json_real(done_ratio)));
}

static void answer_done(struct worker *w, bool is_healthy, enum ay_status status,
                        const struct ay_error *err)
{
    const struct ay_backends *b = w->backends;
    json_t *done = json_pack("{s:s, s:b}", "answer", "done", "healthy", is_healthy);
    json_t *counts = b->fault_counts ? b->fault_counts(b->self) : NULL;
    json_t *unused = b->unused_faults ? b->unused_faults(b->self) : NULL;
    if (counts) json_object_set_new(done, "counts", counts);
    if (unused) json_object_set_new(done, "unused", unused);
    if (status != AY_OK)
        json_object_set_new(done, "error", json_pack("{s:i, s:s}", "status", (int)status, "text",
                                                     err->text));
    answer(w, done);
}

/* --- jobs ------------------------------------------------------------------------------------- */

static enum ay_status open_device(struct worker *w, const json_t *job, struct ay_error *err)
{
    const struct ay_backends *b = w->backends;
    const char *name = json_string_value(json_object_get(job, "device"));
    if (!name) return AY_FAIL(err, AY_USAGE, "the job names no device");
    const bool is_open = w->device.ops != NULL;
    if (is_open && strcmp(w->device.name, name) == 0 && w->device.kind != AY_DEVICE_SIMULATED)
        return AY_OK;
    ay_device_close(&w->device);
    w->device = (struct ay_device){.name = ""};
    return b->open(b->self, name, json_object_get(job, "faults"), json_object_get(job, "counts"),
                   &w->device, err);
}

static enum ay_status describe(struct worker *w, const json_t *job, struct ay_error *err)
{
    json_t *device = NULL, *environment = NULL;
    AY_TRY(open_device(w, job, err));
    AY_TRY(w->device.ops->describe(w->device.self, &device, &environment, err));
    static const char *const KINDS[] = {"gpu", "host", "simulated"};
    json_t *all = json_pack("{s:s, s:s}", "name", w->device.name, "kind", KINDS[w->device.kind]);
    json_object_update_missing(all, device);
    json_decref(device);
    json_t *machine = w->backends->machine ? w->backends->machine(w->backends->self) : NULL;
    if (!environment) environment = json_object();
    json_object_update_missing(environment, machine);
    json_decref(machine);
    answer(w, json_pack("{s:s, s:o, s:o}", "answer", "device", "device", all, "environment",
                        environment));
    return AY_OK;
}

static const struct ay_probe *find_probe(const struct worker *w, const char *name)
{
    for (const struct ay_probe *const *p = w->backends->probes; *p; p++)
        if (name && strcmp((*p)->name, name) == 0) return *p;
    return NULL;
}

static enum ay_status measure(struct worker *w, const json_t *job, bool *is_healthy,
                              struct ay_error *err)
{
    const struct ay_probe *p = find_probe(w, json_string_value(json_object_get(job, "probe")));
    if (!p) return AY_FAIL(err, AY_USAGE, "the job's probe does not exist");
    const struct ay_effort effort = {
        .seed = (uint64_t)json_integer_value(json_object_get(job, "seed")),
        .precision_ratio = json_number_value(json_object_get(job, "precision")),
        .budget_s = json_number_value(json_object_get(job, "budget_s")),
        .is_quick = json_is_true(json_object_get(job, "quick")),
    };
    const struct ay_heartbeat heart = {beat, w};
    struct ay_rows rows = {0};
    *is_healthy = false;
    AY_TRY(open_device(w, job, err));
    enum ay_status status = ay_measure(&w->device, p, &effort, &heart, &rows, is_healthy, err);
    for (size_t i = 0; i < rows.n; i++)
        answer(w, json_pack("{s:s, s:o}", "answer", "row", "row", ay_row_to_json(&rows.rows[i])));
    ay_rows_close(&rows);
    return status;
}

static void run_job(struct worker *w, const json_t *job)
{
    const struct ay_backends *b = w->backends;
    const char *kind = json_string_value(json_object_get(job, "job"));
    struct ay_error err = {0};
    enum ay_status status;
    bool is_healthy = true;
    if (kind && strcmp(kind, "list") == 0) {
        json_t *list = b->list(b->self, json_object_get(job, "faults"),
                               json_object_get(job, "counts"));
        answer(w, json_pack("{s:s, s:o}", "answer", "list", "devices", list ? list : json_null()));
        status = AY_OK;
    } else if (kind && strcmp(kind, "describe") == 0) {
        status = describe(w, job, &err);
    } else if (kind && strcmp(kind, "probe") == 0) {
        status = measure(w, job, &is_healthy, &err);
    } else {
        status = AY_FAIL(&err, AY_USAGE, "unknown job");
    }
    answer_done(w, is_healthy, status, &err);
}

int ay_worker(const struct ay_backends *backends, int jobs_fd, int answers_fd)
{
    struct worker w = {.backends = backends, .answers_fd = answers_fd};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a worker does not outlive its parent */
    signal(SIGPIPE, SIG_IGN);
    FILE *jobs = fdopen(jobs_fd, "r");
    if (!jobs) return 1;
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, jobs) > 0) {
        json_t *job = json_loads(line, 0, NULL);
        if (!job) break;
        run_job(&w, job);
        json_decref(job);
    }
    free(line);
    fclose(jobs);
    ay_device_close(&w.device);
    return 0;
}
