#include "cli/session.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

int ay_session_open(const struct ay_args *args, struct ay_session *out)
{
    struct ay_error err;
    *out = (struct ay_session){json_array(), json_object(), json_array()};
    const char *text;
    for (size_t i = 0; (text = ay_option_value(args, "fault", i)); i++)
        json_array_append_new(out->faults, json_string(text));
    const enum ay_status status = ay_check_faults(out->faults, &err);
    if (status == AY_OK) return AY_GO_ON;
    ay_session_close(out);
    return ay_complain(AY_EXIT_USAGE, "%s", err.text);
}

void ay_session_close(struct ay_session *s)
{
    json_decref(s->faults);
    json_decref(s->counts);
    json_decref(s->unused);
}

static const char *hung_in(void *self, uint32_t entry, json_t *counts)
{
    const struct ay_session *s = self;
    return ay_hung_in(s->faults, entry, counts);
}

struct ay_plan ay_session_plan(struct ay_session *s)
{
    return (struct ay_plan){.faults = s->faults,
                            .fault_counts = s->counts,
                            .unused_faults = s->unused,
                            .self = s,
                            .hung_in = hung_in};
}

void ay_session_warn_unused(const struct ay_session *s)
{
    for (size_t i = 0; i < json_array_size(s->unused); i++) {
        const char *name = json_string_value(json_array_get(s->unused, i));
        char entry[80];
        snprintf(entry, sizeof entry, "%.*s", (int)strcspn(name, "_"), name);
        if (json_integer_value(json_object_get(s->counts, entry)) > 0) continue; /* hung there */
        ay_warn_user("the fault on %s never fired: this run makes no such call; assay devices "
                     "and assay run make different ones",
                     name);
    }
}

json_t *ay_session_list(struct ay_session *s)
{
    struct ay_error err;
    json_t *answer = NULL, *devices = NULL;
    const struct ay_plan plan = ay_session_plan(s);
    json_t *job = json_pack("{s:s, s:O, s:O}", "job", "list", "faults", s->faults, "counts",
                            s->counts);
    const enum ay_status status = ay_ask_worker(job, &plan, &answer, &err);
    json_decref(job);
    if (status == AY_OK) devices = json_incref(json_object_get(answer, "devices"));
    else devices = json_pack("{s:n, s:s}", "gpus", "reason", err.text);
    json_decref(answer);
    return devices;
}
