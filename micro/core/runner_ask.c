#include "core/runner_ask.h"

#include <poll.h>
#include <string.h>

#include "core/seconds.h"

enum { SILENCE_S = 10, SILENCE_BUDGETS = 3, POLL_MS = 200 };

double ay_silence_s(const struct ay_plan *plan)
{
    return SILENCE_S + SILENCE_BUDGETS * plan->effort.budget_s;
}

void ay_take_counts(const struct ay_plan *plan, const json_t *answer)
{
    json_t *counts = json_object_get(answer, "counts");
    json_t *unused = json_object_get(answer, "unused");
    if (plan->fault_counts && counts) json_object_update(plan->fault_counts, counts);
    if (plan->unused_faults && unused) {
        json_array_clear(plan->unused_faults);
        json_array_extend(plan->unused_faults, unused);
    }
}

enum ay_status ay_ask(struct ay_process *p, const json_t *job, const struct ay_plan *plan,
                      json_t **answer, struct ay_error *err)
{
    const double limit_s = ay_seconds() + ay_silence_s(plan);
    *answer = NULL;
    AY_TRY(ay_process_send(p, job, err));
    for (bool is_closed = false;;) {
        for (json_t *a; (a = ay_process_next(p));) {
            const char *kind = json_string_value(json_object_get(a, "answer"));
            const json_t *fault = json_object_get(a, "error");
            if (kind && strcmp(kind, "done") == 0) {
                enum ay_status status = AY_OK;
                ay_take_counts(plan, a);
                if (fault)
                    status = AY_FAIL(err,
                                     (enum ay_status)json_integer_value(
                                         json_object_get(fault, "status")),
                                     "%s", json_string_value(json_object_get(fault, "text")));
                json_decref(a);
                return status;
            }
            if (kind && strcmp(kind, "alive") != 0 && !*answer) *answer = json_incref(a);
            json_decref(a);
        }
        if (is_closed) return AY_FAIL(err, AY_DEVICE, "crash: the worker left without an answer");
        if (ay_seconds() > limit_s) {
            const char *entry = *p->word && plan->hung_in
                ? plan->hung_in(plan->self, *p->word - 1, plan->fault_counts) : NULL;
            return AY_FAIL(err, AY_DEVICE, "hung in %s: silent for %.0f s",
                           entry ? entry : "opening the device", ay_silence_s(plan));
        }
        struct pollfd fd = {.fd = p->answers_fd, .events = POLLIN};
        poll(&fd, 1, POLL_MS);
        AY_TRY(ay_process_fill(p, &is_closed, err));
    }
}

enum ay_status ay_ask_worker(const json_t *job, const struct ay_plan *plan, json_t **answer,
                             struct ay_error *err)
{
    struct ay_process p;
    AY_TRY(ay_process_start(&p, err));
    const enum ay_status status = ay_ask(&p, job, plan, answer, err);
    if (status == AY_OK) ay_process_dismiss(&p);
    else ay_process_end(&p, NULL);
    return status;
}
