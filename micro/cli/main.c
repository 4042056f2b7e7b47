#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/version.h"

struct command {
    const char *name, *does;
    int (*run)(int argc, char **argv);
};

/* In the order in which people meet them. run NULL: a later version has it. */
static const struct command COMMANDS[] = {
    { "devices", "what can be measured here, and what is missing to measure more",
      ay_cmd_devices },
    { "list", "the probes: name, question, unit, needs", ay_cmd_list },
    { "explain", "a probe's notebook page: method, kernels, rules, pitfalls, sources",
      ay_cmd_explain },
    { "run", "measure, and keep every sample with -o FILE", ay_cmd_run },
    { "report", "tables, figures and a page from runs", ay_cmd_report },
    { "validate", "hold a run against a data sheet, a file or the planted truth",
      ay_cmd_validate },
    { "ask", "latency and rate of any PTX instruction", NULL },
    { "compare", "what changed between runs", NULL },
    { "place", "your kernels on the measured roofline", NULL },
    { "advise", "what the measured chip asks of a kernel", NULL },
    { "topo", "GPUs, NICs, NUMA nodes, links: who is near whom", NULL },
};
enum { N_COMMANDS = sizeof COMMANDS / sizeof COMMANDS[0] };

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (!strcmp(COMMANDS[i].name, name)) return &COMMANDS[i];
    return NULL;
}

/* --- help ------------------------------------------------------------------------------------- */

static void print_overview(FILE *to)
{
    fputs("usage: assay COMMAND …\n\nAssay measures what a GPU really does - latencies, rates, "
          "bandwidths, overheads -\nand says how far each number can be trusted.\n\n", to);
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (COMMANDS[i].run) fprintf(to, "  %-10s%s\n", COMMANDS[i].name, COMMANDS[i].does);
    fputs("  help      this text; assay help COMMAND: its options\n"
          "  --version the version and the commit it was built from\n\n"
          "A first run:    assay run --quick -o run.jsonl && assay report run.jsonl -o report\n"
          "Without a GPU:  assay run -d sim:plain 'mem.l1.*'\n\n"
          "Exit status: 0 all well, 1 a number is void or a verdict fails, 2 usage, 3 file or\n"
          "device, 77 nothing could be measured here, 128+n ended by signal n.\n", to);
}

static int unknown(const char *word)
{
    const char *names[N_COMMANDS + 2] = { "help" };
    size_t n = 1;
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (COMMANDS[i].run) names[n++] = COMMANDS[i].name;
    names[n] = NULL;
    if (word[0] == '-')
        return ay_complain(AY_EXIT_USAGE,
                           "no option %s here; options follow the command: assay help", word);
    const char *near = ay_nearest(word, names);
    if (!near) return ay_complain(AY_EXIT_USAGE, "no command \"%s\"; see assay help", word);
    return ay_complain(AY_EXIT_USAGE, "no command \"%s\"; did you mean \"%s\"?", word, near);
}

static int run_command(int argc, char **argv)
{
    const struct command *c = find(argv[0]);
    if (!c) return unknown(argv[0]);
    if (!c->run)
        return ay_complain(AY_EXIT_USAGE, "this version does not have \"%s\" yet (%s)", c->name,
                           c->does);
    return c->run(argc, argv);
}

static int help(int argc, char **argv)
{
    char dashes[] = "--help";
    if (argc < 2 || !strcmp(argv[1], "help")) {
        print_overview(stdout);
        return AY_EXIT_OK;
    }
    char *const asked[] = { argv[1], dashes, NULL };
    return run_command(2, (char **)asked);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return AY_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (!strcmp(word, "--worker")) return ay_cmd_worker(argc - 1, argv + 1);
    if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h"))
        return help(argc - 1, argv + 1);
    if (!strcmp(word, "--version")) {
        printf("assay %s (%s)\n", ay_version(), ay_commit());
        return AY_EXIT_OK;
    }
    return run_command(argc - 1, argv + 1);
}

/* --- standard descriptors --------------------------------------------------------------------- */

/* A closed descriptor 0, 1 or 2 would be the next file that is opened, and text would land in it.
 * Standard output takes a file that cannot be written to, so that writing still fails. */
static void hold_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
}

static bool has_reader(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    return poll(&p, 1, 0) != 1 || !(p.revents & POLLERR);
}

/* What stdio still holds is written here, where its failure can be told. A reader that has seen
 * enough ("assay list | head -1") is no failure. */
static int finish(int exit_code)
{
    errno = 0;
    const bool is_bad = ferror(stdout) != 0;
    const bool is_now_bad = fflush(stdout) != 0;
    if ((!is_bad && !is_now_bad) || errno == EPIPE || !has_reader(STDOUT_FILENO))
        return exit_code;
    return ay_complain(AY_EXIT_IO, "cannot write to standard output: %s",
                       errno ? strerror(errno) : "an earlier write failed");
}

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is an error of write(2), told as one */
    signal(SIGPIPE, SIG_IGN); /* a results file must be finished though nobody reads the table */
    return finish(dispatch(argc, argv));
}
