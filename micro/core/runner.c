#include "core/runner.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/runner_ask.h"
#include "core/seconds.h"
#include "core/version.h"

enum { MAX_WORKERS = 64, POLL_MS = 200 };

struct seat { /* a worker and what it is doing */
    struct ay_process process;
    const struct ay_probe *probe; /* NULL: idle */
    size_t n_rows;                /* of this probe, so far */
    double heard_s, done_ratio;
};

struct run {
    const struct ay_plan *plan;
    struct ay_outcome *outcome;
    const struct ay_probe **queue; /* those that belong to this device */
    size_t n_queue, n_taken, n_done;
    struct seat seats[MAX_WORKERS];
    size_t n_seats;
    int signals_fd;
    double begun_s;
    bool is_host;
};

/* --- records ---------------------------------------------------------------------------------- */

static enum ay_status keep(struct run *r, const struct ay_row *row, struct ay_error *err)
{
    json_t *json = ay_row_to_json(row);
    if (!json) return AY_FAIL(err, AY_NOMEM, "no memory for a record");
    const enum ay_status status = ay_run_write(r->plan->writer, json, err);
    json_decref(json);
    AY_TRY(status);
    struct ay_tally *t = &r->outcome->tally;
    uint64_t *const counts[] = {&t->n_ok, &t->n_skip, &t->n_void, &t->n_error};
    ++*counts[row->status];
    if (r->plan->listener.row) r->plan->listener.row(r->plan->listener.self, row);
    return AY_OK;
}

static enum ay_status keep_error(struct run *r, const struct ay_probe *p, const char *reason,
                                 struct ay_error *err)
{
    struct ay_row row = {.status = AY_ROW_ERROR, .unit = p->quantities[0].unit};
    snprintf(row.probe, sizeof row.probe, "%s", p->name);
    snprintf(row.quantity, sizeof row.quantity, "%s", p->quantities[0].name);
    snprintf(row.reason, sizeof row.reason, "%s", reason);
    return keep(r, &row, err);
}

static enum ay_status write_run(struct run *r, const json_t *description, struct ay_error *err)
{
    char started[32];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    json_t *record = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:O, s:O}", "record", "run",
                               "schema", AY_SCHEMA, "assay", ay_version(), "commit", ay_commit(),
                               "started", started, "seed", (json_int_t)r->plan->effort.seed,
                               "device", json_object_get(description, "device"), "environment",
                               json_object_get(description, "environment"));
    if (!record) return AY_FAIL(err, AY_NOMEM, "no memory for the run record");
    const enum ay_status status = ay_run_write(r->plan->writer, record, err);
    if (status == AY_OK && r->plan->listener.started)
        r->plan->listener.started(r->plan->listener.self, record);
    json_decref(record);
    return status;
}

static enum ay_status write_end(struct run *r, struct ay_error *err)
{
    const struct ay_tally *t = &r->outcome->tally;
    const double elapsed_s = round((ay_seconds() - r->begun_s) * 1e3) / 1e3;
    json_t *end = json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:o}", "record", "end", "complete",
                            r->outcome->signal == 0 && r->n_done == r->n_queue, "ok",
                            (json_int_t)t->n_ok, "skip", (json_int_t)t->n_skip, "void",
                            (json_int_t)t->n_void, "error", (json_int_t)t->n_error, "seconds",
                            ay_json_number(elapsed_s));
    if (!end) return AY_FAIL(err, AY_NOMEM, "no memory for the end record");
    const enum ay_status status = ay_run_write(r->plan->writer, end, err);
    json_decref(end);
    return status;
}

/* --- what workers say ------------------------------------------------------------------------- */

static enum ay_status take_row(struct run *r, struct seat *s, const json_t *answer,
                               struct ay_error *err)
{
    struct ay_row row = {.n_samples = 0};
    AY_TRY(ay_row_from_json(json_object_get(answer, "row"), &row, err));
    if (r->plan->truth && row.status == AY_ROW_OK)
        row.has_planted = r->plan->truth(r->plan->self, s->probe, &row, &row.planted);
    s->n_rows++;
    const enum ay_status status = keep(r, &row, err);
    free(row.samples);
    return status;
}

static enum ay_status take_done(struct run *r, struct seat *s, const json_t *answer,
                                struct ay_error *err)
{
    const json_t *fault = json_object_get(answer, "error");
    ay_take_counts(r->plan, answer);
    if (fault) {
        char reason[520];
        snprintf(reason, sizeof reason, "driver: %s",
                 json_string_value(json_object_get(fault, "text")));
        AY_TRY(keep_error(r, s->probe, reason, err));
    } else if (s->n_rows == 0) {
        AY_TRY(keep_error(r, s->probe, "crash: the worker was done without a row", err));
    }
    s->probe = NULL;
    r->n_done++;
    if (!json_is_true(json_object_get(answer, "healthy"))) ay_process_end(&s->process, NULL);
    return AY_OK;
}

static enum ay_status take_answer(struct run *r, struct seat *s, json_t *answer,
                                  struct ay_error *err)
{
    const char *kind = json_string_value(json_object_get(answer, "answer"));
    enum ay_status status = AY_OK;
    s->heard_s = ay_seconds();
    if (!kind || !s->probe) {
        status = AY_OK;
    } else if (strcmp(kind, "row") == 0) {
        status = take_row(r, s, answer, err);
    } else if (strcmp(kind, "alive") == 0) {
        const json_t *done = json_object_get(answer, "done");
        if (json_is_number(done)) s->done_ratio = json_number_value(done);
    } else if (strcmp(kind, "done") == 0) {
        status = take_done(r, s, answer, err);
    }
    json_decref(answer);
    return status;
}

/* The probe of a worker that is gone, or that has been silent for too long, is an error row. */
static enum ay_status lose(struct run *r, struct seat *s, bool is_hung, struct ay_error *err)
{
    const struct ay_plan *plan = r->plan;
    const struct ay_probe *p = s->probe;
    const uint32_t word = s->process.word ? *s->process.word : 0;
    char reason[200];
    int how = 0;
    ay_process_end(&s->process, &how);
    if (is_hung) {
        const char *entry = word && plan->hung_in
                                ? plan->hung_in(plan->self, word - 1, plan->fault_counts) : NULL;
        snprintf(reason, sizeof reason, "hung in %s: silent for %.0f s, ended",
                 entry ? entry : "the probe, outside the driver", ay_silence_s(plan));
    } else if (WIFSIGNALED(how)) {
        snprintf(reason, sizeof reason, "crash: the worker ended by signal %d (%s)", WTERMSIG(how),
                 strsignal(WTERMSIG(how)));
    } else {
        snprintf(reason, sizeof reason, "crash: the worker left with exit code %d",
                 WEXITSTATUS(how));
    }
    s->probe = NULL;
    if (!p) return AY_OK;
    r->n_done++;
    return keep_error(r, p, reason, err);
}

/* --- dealing ---------------------------------------------------------------------------------- */

static json_t *new_job(const struct ay_plan *plan, const char *kind, const struct ay_probe *p)
{
    json_t *job = json_pack("{s:s, s:s, s:I, s:f, s:f, s:b}", "job", kind, "device", plan->device,
                            "seed", (json_int_t)plan->effort.seed, "precision",
                            plan->effort.precision_ratio, "budget_s", plan->effort.budget_s,
                            "quick", (int)plan->effort.is_quick);
    if (p) json_object_set_new(job, "probe", json_string(p->name));
    if (plan->faults) json_object_set(job, "faults", (json_t *)(uintptr_t)plan->faults);
    if (plan->fault_counts) json_object_set(job, "counts", plan->fault_counts);
    return job;
}

static enum ay_status deal(struct run *r, struct seat *s, struct ay_error *err)
{
    const struct ay_probe *p = r->queue[r->n_taken++];
    struct ay_error why;
    if (!s->process.pid) AY_TRY(ay_process_start(&s->process, err));
    json_t *job = new_job(r->plan, "probe", p);
    s->probe = p;
    s->n_rows = 0;
    s->heard_s = ay_seconds();
    s->done_ratio = 0;
    const enum ay_status status = ay_process_send(&s->process, job, &why);
    json_decref(job);
    return status == AY_OK ? AY_OK : lose(r, s, false, err);
}

static void tell_progress(const struct run *r)
{
    const struct ay_listener *l = &r->plan->listener;
    if (!l->progress) return;
    double done = (double)r->n_done;
    const char *doing = NULL;
    for (size_t i = 0; i < r->n_seats; i++)
        if (r->seats[i].probe) {
            done += r->seats[i].done_ratio;
            doing = r->seats[i].probe->name;
        }
    const double elapsed_s = ay_seconds() - r->begun_s;
    const double left_s = done > 0 ? elapsed_s * ((double)r->n_queue - done) / done : -1;
    l->progress(l->self, doing, r->n_done, r->n_queue, left_s);
}

static enum ay_status hear(struct run *r, struct seat *s, short events, struct ay_error *err)
{
    bool is_closed = false;
    if (events & (POLLIN | POLLHUP)) {
        AY_TRY(ay_process_fill(&s->process, &is_closed, err));
        for (json_t *a; s->process.pid && (a = ay_process_next(&s->process));)
            AY_TRY(take_answer(r, s, a, err));
    }
    if (s->process.pid && is_closed) return lose(r, s, false, err);
    if (s->probe && ay_seconds() - s->heard_s > ay_silence_s(r->plan)) return lose(r, s, true, err);
    return AY_OK;
}

static enum ay_status turn(struct run *r, struct ay_error *err)
{
    struct pollfd fds[MAX_WORKERS + 1];
    for (size_t i = 0; i < r->n_seats; i++) {
        struct seat *s = &r->seats[i];
        while (!s->probe && r->n_taken < r->n_queue) AY_TRY(deal(r, s, err));
        fds[i] = (struct pollfd){.fd = s->process.pid ? s->process.answers_fd : -1,
                                 .events = POLLIN};
    }
    fds[r->n_seats] = (struct pollfd){.fd = r->signals_fd, .events = POLLIN};
    tell_progress(r);
    if (r->n_done == r->n_queue) return AY_OK;
    if (poll(fds, r->n_seats + 1, POLL_MS) < 0 && errno != EINTR)
        return AY_FAIL(err, AY_IO, "cannot wait for workers: %s", strerror(errno));
    if (fds[r->n_seats].revents & POLLIN) {
        struct signalfd_siginfo info;
        if (read(r->signals_fd, &info, sizeof info) == sizeof info)
            r->outcome->signal = (int)info.ssi_signo;
        return AY_OK;
    }
    for (size_t i = 0; i < r->n_seats; i++)
        if (fds[i].fd >= 0) AY_TRY(hear(r, &r->seats[i], fds[i].revents, err));
    return AY_OK;
}

/* --- one device ------------------------------------------------------------------------------- */

static void queue_probes(struct run *r, const json_t *description)
{
    const char *kind = json_string_value(
        json_object_get(json_object_get(description, "device"), "kind"));
    r->is_host = kind && strcmp(kind, "host") == 0;
    const bool is_simulated = kind && strcmp(kind, "simulated") == 0;
    const enum ay_belongs here = r->is_host ? AY_ON_HOST : AY_ON_GPU;
    for (size_t i = 0; i < r->plan->n_probes; i++)
        if (r->plan->probes[i]->belongs == here) r->queue[r->n_queue++] = r->plan->probes[i];
    r->outcome->n_left_out = r->plan->n_probes - r->n_queue;
    r->n_seats = is_simulated ? r->plan->n_workers : 1;
    if (r->n_seats > MAX_WORKERS) r->n_seats = MAX_WORKERS;
    if (r->n_seats < 1 || json_array_size(r->plan->faults) > 0) r->n_seats = 1;
}

static enum ay_status describe(struct run *r, json_t **description, struct ay_error *err)
{
    struct ay_process *first = &r->seats[0].process;
    json_t *job = new_job(r->plan, "describe", NULL);
    enum ay_status status = ay_process_start(first, err);
    if (status == AY_OK) status = ay_ask(first, job, r->plan, description, err);
    json_decref(job);
    return status;
}

static enum ay_status run_all(struct run *r, struct ay_error *err)
{
    json_t *description = NULL;
    enum ay_status status = describe(r, &description, err);
    if (status != AY_OK) {
        ay_process_end(&r->seats[0].process, NULL);
        json_decref(description);
        return status;
    }
    queue_probes(r, description);
    status = write_run(r, description, err);
    json_decref(description);
    while (status == AY_OK && r->n_done < r->n_queue && !r->outcome->signal) status = turn(r, err);
    for (size_t i = 0; i < r->n_seats; i++) {
        if (status == AY_OK && !r->outcome->signal) ay_process_dismiss(&r->seats[i].process);
        else ay_process_end(&r->seats[i].process, NULL);
    }
    return status == AY_OK ? write_end(r, err) : status;
}

enum ay_status ay_run_device(const struct ay_plan *plan, struct ay_outcome *out,
                             struct ay_error *err)
{
    struct run *r = calloc(1, sizeof *r);
    *out = (struct ay_outcome){.signal = 0};
    if (r) r->queue = calloc(plan->n_probes + 1, sizeof *r->queue);
    if (!r || !r->queue) {
        free(r);
        return AY_FAIL(err, AY_NOMEM, "no memory for a run");
    }
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &before);
    r->plan = plan;
    r->outcome = out;
    r->begun_s = ay_seconds();
    r->signals_fd = signalfd(-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC);
    const enum ay_status status = run_all(r, err);
    close(r->signals_fd);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(r->queue);
    free(r);
    return status;
}
