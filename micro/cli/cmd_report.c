#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "core/runfile.h"
#include "core/text.h"
#include "core/version.h"
#include "probes/registry.h"
#include "report/report.h"

static const struct ay_option OPTIONS[] = {
    { .name = "output", .letter = 'o', .value = "DIR",
      .help = "where to; default: `report` beside the first RUN" },
    { 0 },
};

static const struct ay_usage USAGE = {
    .command = "report",
    .operands = "RUN…",
    .summary = "tables, figures and a page from runs",
    .text = "Writes DIR/index.html with figures (SVG, PNG, their gnuplot scripts and data), and\n"
            "the tables results.csv and results.md.",
    .n_least = 1,
    .options = OPTIONS,
};

/* "a/run.jsonl" -> "a/report"; the caller frees. */
static char *folder_beside(const char *path)
{
    char *folder = NULL;
    const char *slash = strrchr(path, '/');
    const int n = slash ? (int)(slash - path) + 1 : 0;
    return asprintf(&folder, "%.*sreport", n, path) < 0 ? NULL : folder;
}

static int write_report(const struct ay_run_file *const *files, size_t n_files, const char *folder)
{
    const struct ay_text *css = ay_find_text("reports/style/report.css");
    const struct ay_report_wants wants = {
        .folder = folder, .probes = ay_probes(), .css = css ? css->begin : "",
        .version = ay_version(),
        .plotter = { .program = "gnuplot", .version_ms = 5000, .plot_ms = 30000 },
    };
    struct ay_report_done done;
    struct ay_error err;
    const enum ay_status s = ay_report(files, n_files, &wants, &done, &err);
    if (s != AY_OK) return ay_complain(ay_exit_of(s), "%s", err.text);
    if (done.plot_problem[0])
        ay_warn_user("%zu of %zu figures were not drawn: %s; scripts and data are in %s",
                     done.n_figures - done.n_drawn, done.n_figures, done.plot_problem, folder);
    if (done.n_rows == 0) ay_warn_user("there are no results in it: the page says so");
    printf("%s/index.html\n", folder);
    return AY_EXIT_OK;
}

static int read_and_report(char **paths, size_t n, const char *folder)
{
    struct ay_run_file *files = calloc(n, sizeof *files);
    const struct ay_run_file **list = calloc(n, sizeof *list);
    int code = files && list ? AY_EXIT_OK : ay_complain(AY_EXIT_BAD, "out of memory");
    for (size_t i = 0; code == AY_EXIT_OK && i < n; i++) {
        struct ay_error err;
        const enum ay_status s = ay_run_read(paths[i], &files[i], &err);
        if (s != AY_OK) code = ay_complain(ay_exit_of(s), "%s", err.text);
        for (size_t k = 0; s == AY_OK && k < files[i].n_warnings; k++)
            ay_warn_user("%s: %s", files[i].path, files[i].warnings[k]);
        list[i] = &files[i];
    }
    char *beside = folder ? NULL : folder_beside(paths[0]);
    if (code == AY_EXIT_OK)
        code = folder || beside ? write_report(list, n, folder ? folder : beside)
                                : ay_complain(AY_EXIT_BAD, "out of memory");
    free(beside);
    for (size_t i = 0; files && i < n; i++)
        ay_run_file_close(&files[i]);
    free(files);
    free(list);
    return code;
}

int ay_cmd_report(int argc, char **argv)
{
    struct ay_args args;
    const int code = ay_parse_args(&USAGE, argc, argv, &args);
    if (code != AY_GO_ON) return code;
    const char *folder = ay_option_value(&args, "output", 0);
    if (folder && !folder[0]) return ay_complain(AY_EXIT_USAGE, "report: -o wants a folder");
    return read_and_report(args.operands, args.n_operands, folder);
}
