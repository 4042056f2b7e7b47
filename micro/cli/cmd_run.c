#include <errno.h>
#include <fnmatch.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/run_view.h"
#include "cli/session.h"
#include "core/stats.h"
#include "probes/registry.h"

enum { MAX_DEVICES = 32, MAX_PROBES = 512 };

static const struct ay_option OPTIONS[] = {
    {.name = "device", .letter = 'd', .value = "DEV", .is_repeatable = true,
     .help = "cuda:N, cuda:GPU-<uuid>, sim:NAME, sim:FILE.chip or host; default: every GPU"},
    {.name = "output", .letter = 'o', .value = "FILE", .help = "append the run to FILE (.jsonl)"},
    {.name = "quick", .help = "thin sweeps and wide intervals: a look"},
    {.name = "thorough", .help = "narrow intervals: 30 s a probe, 0.1 %"},
    {.name = "budget", .value = "S", .help = "seconds of sampling a probe may take (1, 5, 30)"},
    {.name = "precision", .value = "P",
     .help = "wanted half width of an interval: 0.5% or 0.005 (2 %, 0.5 %, 0.1 %)"},
    {.name = "jobs", .letter = 'j', .value = "N",
     .help = "workers for simulated devices; default: cores"},
    {.name = "seed", .value = "X", .help = "order of points and random data; recorded"},
    {.name = "json", .help = "the run file's records to stdout, and nothing else"},
    AY_FAULT_OPTION,
    {0},
};

static const struct ay_usage USAGE = {
    .command = "run",
    .operands = "[PATTERN…]",
    .summary = "measure",
    .text = "PATTERN is a shell pattern over the whole name: 'mem.*', '*latency'; none means all.\n"
            "Without a GPU the host's processor and the simulated chip sim:plain are measured.\n"
            "Each finished probe is on disk at once: a run that is killed loses the one in work.\n",
    .options = OPTIONS,
};

struct order { /* what the command line asks for */
    const char *devices[MAX_DEVICES];
    char names[MAX_DEVICES][160];
    size_t n_devices;
    const struct ay_probe *probes[MAX_PROBES];
    size_t n_probes;
    struct ay_effort effort;
    bool has_seed;
    uint32_t n_workers;
};

/* --- the command line ------------------------------------------------------------------------- */

static int choose_probes(const struct ay_args *args, struct order *o)
{
    const char *names[MAX_PROBES + 1];
    size_t n = 0;
    for (const struct ay_probe *const *p = ay_probes(); *p && n < MAX_PROBES; p++)
        names[n++] = (*p)->name;
    names[n] = NULL;
    for (size_t i = 0; i < args->n_operands; i++) {
        bool is_used = false;
        for (size_t k = 0; k < n; k++)
            is_used |= fnmatch(args->operands[i], names[k], 0) == 0;
        if (is_used) continue;
        const char *near = ay_nearest(args->operands[i], names);
        return ay_complain(AY_EXIT_USAGE, "no probe matches \"%s\"%s%s%s; assay list shows them",
                           args->operands[i], near ? "; did you mean \"" : "", near ? near : "",
                           near ? "\"?" : "");
    }
    for (size_t k = 0; k < n; k++) {
        bool is_chosen = args->n_operands == 0;
        for (size_t i = 0; i < args->n_operands; i++)
            is_chosen |= fnmatch(args->operands[i], names[k], 0) == 0;
        if (is_chosen) o->probes[o->n_probes++] = ay_probes()[k];
    }
    return AY_GO_ON;
}

/* A positive number; a '%' after it divides by 100 where that is allowed. */
static int number_option(const struct ay_args *args, const char *name, bool may_be_percent,
                         double *out)
{
    const char *text = ay_option_value(args, name, 0);
    char digits[40];
    struct ay_error err;
    if (!text) return AY_GO_ON;
    snprintf(digits, sizeof digits, "%s", text);
    const size_t n = strlen(digits);
    const bool is_percent = may_be_percent && n > 1 && digits[n - 1] == '%';
    if (is_percent) digits[n - 1] = 0;
    if (strlen(text) >= sizeof digits || ay_parse_number(digits, out, &err) != AY_OK || *out <= 0)
        return ay_complain(AY_EXIT_USAGE, "--%s %s: a positive number is wanted%s", name, text,
                           may_be_percent ? ", 0.5% or 0.005" : "");
    if (is_percent) *out /= 100;
    return AY_GO_ON;
}

/* 63 bits, as the run file's integers have. */
static int seed_option(const struct ay_args *args, struct order *o)
{
    const char *text = ay_option_value(args, "seed", 0);
    if (!text) return AY_GO_ON;
    char *end;
    errno = 0;
    const long long seed = strtoll(text, &end, 10);
    if (errno || end == text || *end || seed < 0)
        return ay_complain(AY_EXIT_USAGE, "--seed %s: a whole number from 0 to %lld is wanted",
                           text, (long long)INT64_MAX);
    o->has_seed = true;
    o->effort.seed = (uint64_t)seed;
    return AY_GO_ON;
}

static int choose_effort(const struct ay_args *args, struct order *o)
{
    const bool is_quick = ay_has_option(args, "quick"),
               is_thorough = ay_has_option(args, "thorough");
    struct ay_effort *e = &o->effort;
    double jobs = 0;
    if (is_quick && is_thorough)
        return ay_complain(AY_EXIT_USAGE, "--quick and --thorough exclude each other");
    *e = (struct ay_effort){.seed = 1,
                            .precision_ratio = is_quick ? 0.02 : is_thorough ? 0.001 : 0.005,
                            .budget_s = is_quick ? 1 : is_thorough ? 30 : 5,
                            .is_quick = is_quick};
    int code = number_option(args, "budget", false, &e->budget_s);
    if (code == AY_GO_ON) code = number_option(args, "precision", true, &e->precision_ratio);
    if (code == AY_GO_ON) code = seed_option(args, o);
    if (code == AY_GO_ON) code = number_option(args, "jobs", false, &jobs);
    if (code != AY_GO_ON) return code;
    if (e->precision_ratio >= 1)
        return ay_complain(AY_EXIT_USAGE, "--precision %s: below 100 %% is wanted",
                           ay_option_value(args, "precision", 0));
    if (jobs != (double)(uint32_t)jobs)
        return ay_complain(AY_EXIT_USAGE, "--jobs takes a whole number");
    cpu_set_t cores;
    const int n_cores = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    o->n_workers = jobs > 0 ? (uint32_t)jobs : (uint32_t)n_cores;
    return AY_GO_ON;
}

/* Every GPU; where there is none, this machine's processor and the simulated chip. */
static int default_devices(struct ay_session *session, struct order *o)
{
    json_t *list = ay_session_list(session);
    const json_t *gpus = json_object_get(list, "gpus");
    for (size_t i = 0; i < json_array_size(gpus) && i < MAX_DEVICES; i++) {
        const char *name = json_string_value(json_object_get(json_array_get(gpus, i), "name"));
        snprintf(o->names[i], sizeof o->names[i], "%s", name);
        o->devices[o->n_devices++] = o->names[i];
    }
    if (o->n_devices == 0) {
        const char *reason = json_string_value(json_object_get(list, "reason"));
        ay_complain(0, "no CUDA GPU here (%s): measuring host and the simulated sim:plain instead",
                    reason ? reason : "none found");
        o->devices[o->n_devices++] = "host";
        o->devices[o->n_devices++] = "sim:plain";
    }
    json_decref(list);
    return AY_GO_ON;
}

static int choose_devices(const struct ay_args *args, struct ay_session *session, struct order *o)
{
    const char *name;
    for (size_t i = 0; (name = ay_option_value(args, "device", i)); i++) {
        struct ay_device_spec spec;
        struct ay_error err;
        struct ay_chip *chip = NULL;
        if (o->n_devices == MAX_DEVICES)
            return ay_complain(AY_EXIT_USAGE, "at most %d devices a run", MAX_DEVICES);
        enum ay_status status = strlen(name) < sizeof o->names[0]
            ? ay_parse_device(name, &spec, &err)
            : AY_FAIL(&err, AY_USAGE, "a device name may be %zu bytes long", sizeof o->names[0]);
        if (status == AY_OK && spec.kind == AY_SPEC_SIM) {
            chip = malloc(sizeof *chip);
            status = chip ? ay_chip_load(spec.chip, chip, &err)
                          : AY_FAIL(&err, AY_NOMEM, "no memory for a chip");
            free(chip);
        }
        if (status != AY_OK) return ay_complain(ay_exit_of(status), "%s", err.text);
        o->devices[o->n_devices++] = name;
    }
    return o->n_devices ? AY_GO_ON : default_devices(session, o);
}

/* --- running ---------------------------------------------------------------------------------- */

struct truths { /* what the parent knows of a simulated device: never sent to a worker */
    struct ay_session *session;
    struct ay_chip *chip; /* NULL: real */
};

static bool truth(void *self, const struct ay_probe *p, const struct ay_row *row,
                  struct ay_truth *out)
{
    const struct truths *t = self;
    return t->chip && p->truth && p->truth(t->chip, row->quantity, &row->point, out);
}

static const char *hung_in(void *self, uint32_t entry, json_t *counts)
{
    const struct truths *t = self;
    return ay_hung_in(t->session->faults, entry, counts);
}

static uint64_t seed_for(const struct order *o, bool is_simulated)
{
    uint32_t random = 1; /* 32 bits: exact in any reader of the file */
    if (o->has_seed) return o->effort.seed;
    if (!is_simulated && getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) random = 1;
    return is_simulated ? 1 : random;
}

static enum ay_status run_device(struct order *o, size_t i, struct ay_session *session,
                                 struct ay_run_writer *writer, struct ay_run_view *view,
                                 struct ay_outcome *outcome, struct ay_error *err)
{
    struct truths truths = {.session = session};
    struct ay_device_spec spec;
    AY_TRY(ay_parse_device(o->devices[i], &spec, err));
    if (spec.kind == AY_SPEC_SIM) {
        truths.chip = malloc(sizeof *truths.chip);
        if (!truths.chip) return AY_FAIL(err, AY_NOMEM, "no memory for a chip");
        const enum ay_status status = ay_chip_load(spec.chip, truths.chip, err);
        if (status != AY_OK) {
            free(truths.chip);
            return status;
        }
    }
    struct ay_plan plan = ay_session_plan(session);
    plan.device = o->devices[i];
    plan.probes = o->probes;
    plan.n_probes = o->n_probes;
    plan.effort = o->effort;
    plan.effort.seed = seed_for(o, truths.chip != NULL);
    plan.n_workers = o->n_workers;
    plan.writer = writer;
    plan.listener = ay_run_listener(view);
    plan.self = &truths;
    plan.truth = truth;
    plan.hung_in = hung_in;
    const enum ay_status status = ay_run_device(&plan, outcome, err);
    free(truths.chip);
    return status;
}

static void add_up(struct ay_tally *sum, const struct ay_tally *t)
{
    sum->n_ok += t->n_ok;
    sum->n_skip += t->n_skip;
    sum->n_void += t->n_void;
    sum->n_error += t->n_error;
}

static int run_all(struct order *o, struct ay_session *session, struct ay_run_writer *writer,
                   struct ay_run_view *view)
{
    struct ay_tally sum = {0};
    size_t n_refused = 0;
    for (size_t i = 0; i < o->n_devices; i++) {
        struct ay_outcome outcome;
        struct ay_error err;
        const enum ay_status status = run_device(o, i, session, writer, view, &outcome, &err);
        ay_run_view_end(view);
        add_up(&sum, &outcome.tally);
        if (status == AY_IO || status == AY_NOMEM)
            return ay_complain(AY_EXIT_IO, "%s", err.text);
        if (status != AY_OK) {
            ay_complain(0, "%s: %s", o->devices[i], err.text);
            n_refused++;
        }
        if (outcome.signal) {
            ay_complain(0, "ended by signal %d (%s); what was finished is kept", outcome.signal,
                        strsignal(outcome.signal));
            return 128 + outcome.signal;
        }
    }
    if (n_refused == o->n_devices) return AY_EXIT_IO;
    fprintf(stderr, "assay: %llu ok, %llu skip, %llu void, %llu error\n",
            (unsigned long long)sum.n_ok, (unsigned long long)sum.n_skip,
            (unsigned long long)sum.n_void, (unsigned long long)sum.n_error);
    if (sum.n_void + sum.n_error > 0 || n_refused > 0) return AY_EXIT_BAD;
    return sum.n_ok > 0 ? AY_EXIT_OK : AY_EXIT_NOTHING;
}

static int run_order(const struct ay_args *args, struct order *o, struct ay_session *session)
{
    const char *path = ay_option_value(args, "output", 0);
    const bool is_json = ay_has_option(args, "json");
    struct ay_run_view view = {.has_table = !is_json,
                               .has_bar = ay_has_colour(STDERR_FILENO),
                               .has_colour = ay_has_colour(STDOUT_FILENO)};
    struct ay_run_writer *writer = NULL;
    struct ay_error err;
    const enum ay_status status = ay_run_open(path, is_json ? STDOUT_FILENO : -1, &writer, &err);
    if (status != AY_OK) return ay_complain(AY_EXIT_IO, "%s", err.text);
    const int code = run_all(o, session, writer, &view);
    ay_run_close(writer);
    ay_session_warn_unused(session);
    if (!path && !is_json && code != AY_EXIT_IO)
        ay_complain(0, "nothing was kept; -o FILE.jsonl keeps a run, --json prints its records");
    return code;
}

int ay_cmd_run(int argc, char **argv)
{
    struct ay_args args;
    struct ay_session session;
    int code = ay_parse_args(&USAGE, argc, argv, &args);
    if (code != AY_GO_ON) return code;
    struct order *o = calloc(1, sizeof *o);
    if (!o) return ay_complain(AY_EXIT_IO, "no memory");
    code = choose_probes(&args, o);
    if (code == AY_GO_ON) code = choose_effort(&args, o);
    if (code == AY_GO_ON) {
        code = ay_session_open(&args, &session);
        if (code == AY_GO_ON) {
            code = choose_devices(&args, &session, o);
            if (code == AY_GO_ON) code = run_order(&args, o, &session);
            ay_session_close(&session);
        }
    }
    free(o);
    return code;
}
