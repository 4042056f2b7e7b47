#include "report/plot.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/child.h"
#include "report/output.h"

/* --- can it draw? ----------------------------------------------------------------------------- */

static bool is_version(const char *said, int *major, int *minor)
{
    return sscanf(said, "gnuplot %9d.%9d", major, minor) == 2 && *major >= 0 && *minor >= 0;
}

bool ay_can_plot(const struct ay_plotter *p, char *why, size_t why_bytes)
{
    static const char wanted[] = "figures need gnuplot 5.4 or newer (Debian: gnuplot-nox)";
    const char *const argv[] = { p->program, "--version", NULL };
    struct ay_child_end end;
    struct ay_error err;
    int major = 0, minor = 0;
    why[0] = 0;
    if (ay_run_child(argv, NULL, p->version_ms, &end, &err) != AY_OK)
        snprintf(why, why_bytes, "%s", err.text);
    else if (end.is_interrupted)
        snprintf(why, why_bytes, "interrupted");
    else if (end.is_missing)
        snprintf(why, why_bytes, "%s was not found: %s", p->program, wanted);
    else if (end.is_timed_out)
        snprintf(why, why_bytes, "%s did not tell its version within %u ms: %s", p->program,
                 (unsigned)p->version_ms, wanted);
    else if (!is_version(end.said, &major, &minor))
        snprintf(why, why_bytes, "%s did not tell its version (it said \"%.80s\"): %s", p->program,
                 end.said, wanted);
    else if (major < 5 || (major == 5 && minor < 4))
        snprintf(why, why_bytes, "%s is version %d.%d: %s", p->program, major, minor, wanted);
    return why[0] == 0;
}

/* --- is the picture whole? -------------------------------------------------------------------- */

static bool is_whole_svg(const struct ay_out *o)
{
    static const char end[] = "</svg>";
    size_t n = o->n;
    while (n > 0 && strchr(" \r\n\t", o->text[n - 1]))
        n--;
    return n > sizeof end && memcmp(o->text + n - (sizeof end - 1), end, sizeof end - 1) == 0 &&
           strlen(o->text) == o->n && strstr(o->text, "<svg");
}

/* A PNG ends in the twelve bytes of its IEND chunk. */
static bool is_whole_png(const struct ay_out *o)
{
    static const char begin[] = "\x89PNG\r\n\x1a\n", end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
    return o->n > 64 && memcmp(o->text, begin, sizeof begin - 1) == 0 &&
           memcmp(o->text + o->n - (sizeof end - 1), end, sizeof end - 1) == 0;
}

/* Puts the new picture in its place, or takes it away. */
static bool adopt(const char *folder, const char *stem, const char *new_stem, const char *suffix,
                  bool (*is_whole)(const struct ay_out *))
{
    char from[4096], to[4096];
    struct ay_out picture = { 0 };
    struct ay_error err;
    if (snprintf(from, sizeof from, "%s/%s.%s", folder, new_stem, suffix) >= (int)sizeof from ||
        snprintf(to, sizeof to, "%s/%s.%s", folder, stem, suffix) >= (int)sizeof to)
        return false;
    const bool is_good = ay_out_load(&picture, from, &err) == AY_OK && is_whole(&picture) &&
                         rename(from, to) == 0;
    if (!is_good) unlink(from);
    ay_out_close(&picture);
    return is_good;
}

/* --- draw ------------------------------------------------------------------------------------- */

static void explain(const struct ay_plotter *p, const struct ay_child_end *end, const char *stem,
                    struct ay_plotted *out)
{
    const char *lacks = out->has_svg ? "no PNG" : out->has_png ? "no SVG" : "no picture";
    char how[64];
    if (end->is_timed_out) snprintf(how, sizeof how, "stopped after %u ms", (unsigned)p->plot_ms);
    else if (end->signal) snprintf(how, sizeof how, "ended by signal %d", end->signal);
    else snprintf(how, sizeof how, "exit code %d", end->exit_code);
    snprintf(out->why, sizeof out->why, "%s made %s of %s.gp (%s)%s%.200s", p->program, lacks, stem,
             how, end->said[0] ? ": " : "", end->said);
}

void ay_plot(const struct ay_plotter *p, const char *folder, const char *stem,
             struct ay_plotted *out)
{
    memset(out, 0, sizeof *out);
    char new_stem[128], set_out[160], script[128];
    snprintf(new_stem, sizeof new_stem, ".%.80s.%ld.new", stem, (long)getpid());
    snprintf(set_out, sizeof set_out, "out = '%s'", new_stem);
    snprintf(script, sizeof script, "%.80s.gp", stem);
    const char *const argv[] = { p->program, "-d", "-e", set_out, script, NULL };

    sigset_t ours, before; /* what gnuplot left is taken away before a signal ends this process */
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    sigprocmask(SIG_BLOCK, &ours, &before);
    struct ay_child_end end;
    struct ay_error err;
    if (ay_run_child(argv, folder, p->plot_ms, &end, &err) == AY_OK) {
        out->has_svg = adopt(folder, stem, new_stem, "svg", is_whole_svg);
        out->has_png = adopt(folder, stem, new_stem, "png", is_whole_png);
        if (!out->has_svg || !out->has_png) explain(p, &end, stem, out);
    } else {
        snprintf(out->why, sizeof out->why, "%s", err.text);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}
