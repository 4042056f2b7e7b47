#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/session.h"
#include "core/text.h"

static const struct ay_option OPTIONS[] = {
    {.name = "describe", .value = "DEV",
     .help = "one device: a simulated one as its chip file, else as a run would record it"},
    {.name = "json", .help = "the list as one JSON object"},
    AY_FAULT_OPTION,
    {0},
};

static const struct ay_usage USAGE = {
    .command = "devices",
    .operands = "",
    .summary = "what can be measured here, and what is missing to measure more",
    .text = "Exit status is 0 also where there is no GPU: the reason is printed.\n",
    .n_most = 0,
    .options = OPTIONS,
};

/* --- describe --------------------------------------------------------------------------------- */

static int describe_chip(const char *chip_text)
{
    struct ay_error err;
    struct ay_chip *chip = malloc(sizeof *chip);
    if (!chip) return ay_complain(AY_EXIT_IO, "no memory for a chip");
    const enum ay_status status = ay_chip_load(chip_text, chip, &err);
    char *text = status == AY_OK ? ay_chip_describe(chip) : NULL;
    free(chip);
    if (status != AY_OK) return ay_complain(ay_exit_of(status), "%s", err.text);
    if (!text) return ay_complain(AY_EXIT_IO, "no memory for a chip's text");
    fputs(text, stdout);
    free(text);
    return AY_EXIT_OK;
}

static int describe_real(struct ay_session *s, const char *name)
{
    struct ay_error err;
    json_t *answer = NULL;
    struct ay_plan plan = ay_session_plan(s);
    plan.device = name;
    json_t *job = json_pack("{s:s, s:s, s:O, s:O}", "job", "describe", "device", name, "faults",
                            s->faults, "counts", s->counts);
    const enum ay_status status = ay_ask_worker(job, &plan, &answer, &err);
    json_decref(job);
    if (status != AY_OK) return ay_complain(ay_exit_of(status), "%s: %s", name, err.text);
    json_object_del(answer, "answer");
    json_dumpf(answer, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(answer);
    return AY_EXIT_OK;
}

static int describe(struct ay_session *s, const char *name)
{
    struct ay_device_spec spec;
    struct ay_error err;
    const enum ay_status status = ay_parse_device(name, &spec, &err);
    if (status != AY_OK) return ay_complain(ay_exit_of(status), "%s", err.text);
    return spec.kind == AY_SPEC_SIM ? describe_chip(spec.chip) : describe_real(s, name);
}

/* --- list ------------------------------------------------------------------------------------- */

static const char *member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static void print_gpus(const json_t *devices)
{
    const json_t *gpus = json_object_get(devices, "gpus");
    for (size_t i = 0; i < json_array_size(gpus); i++) {
        const json_t *g = json_array_get(gpus, i);
        printf("%-14s %s, %s, %lld SMs, %.1f GiB, PCI %s\n", member(g, "name"),
               member(g, "product"), member(g, "arch"),
               (long long)json_integer_value(json_object_get(g, "sms")),
               (double)json_integer_value(json_object_get(g, "memory_bytes")) / (1 << 30),
               member(g, "pci"));
    }
    if (json_array_size(gpus) == 0) printf("%-14s none: %s\n", "cuda", member(devices, "reason"));
}

/* Names of the embedded chips: NAME of …/chips/NAME.chip. */
static void print_chips(void)
{
    printf("%-14s simulated GPUs:", "sim:NAME");
    for (const struct ay_text *t = ay_texts; t->path; t++) {
        const char *base = strrchr(t->path, '/');
        const char *dot = strrchr(t->path, '.');
        if (!base || !dot || strcmp(dot, ".chip") != 0) continue;
        printf(" %.*s", (int)(dot - base - 1), base + 1);
    }
    printf(", random:SEED, or a chip file\n");
}

static int list(struct ay_session *s, bool is_json)
{
    json_t *devices = ay_session_list(s);
    if (!devices) return ay_complain(AY_EXIT_IO, "no memory for the list of devices");
    if (is_json) {
        json_dumpf(devices, stdout, JSON_INDENT(2));
        putchar('\n');
    } else {
        print_gpus(devices);
        printf("%-14s this machine's processor\n", "host");
        print_chips();
    }
    json_decref(devices);
    ay_session_warn_unused(s);
    return AY_EXIT_OK;
}

int ay_cmd_devices(int argc, char **argv)
{
    struct ay_args args;
    struct ay_session session;
    int code = ay_parse_args(&USAGE, argc, argv, &args);
    if (code != AY_GO_ON) return code;
    if (args.n_operands > 0)
        return ay_complain(AY_EXIT_USAGE, "devices takes no operand; --describe %s shows one",
                           args.operands[0]);
    code = ay_session_open(&args, &session);
    if (code != AY_GO_ON) return code;
    const char *name = ay_option_value(&args, "describe", 0);
    code = name ? describe(&session, name) : list(&session, ay_has_option(&args, "json"));
    ay_session_close(&session);
    return code;
}
