#include "report_world.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/utf8.h"

/* --- files ------------------------------------------------------------------------------------ */

void folder_open(struct world *w)
{
    ck_assert_ptr_nonnull(getcwd(w->home, sizeof w->home));
    snprintf(w->folder, sizeof w->folder, "/tmp/assay-report-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(w->folder));
    ck_assert_int_eq(chdir(w->folder), 0);
}

void folder_close(struct world *w)
{
    char command[WORLD_PATH_BYTES + 16];
    ck_assert_int_eq(chdir(w->home), 0);
    snprintf(command, sizeof command, "rm -rf '%s'", w->folder);
    ck_assert_int_eq(system(command), 0);
}

void world_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    ck_assert_msg(f != NULL, "cannot write %s", path);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

void world_write_json(const char *path, const char *text)
{
    char *json = strdup(text);
    ck_assert_ptr_nonnull(json);
    for (char *c = json; (c = strchr(c, '\''));)
        *c = '"';
    world_write(path, json);
    free(json);
}

char *world_read(const char *path)
{
    struct ay_out o = { 0 };
    struct ay_error err;
    if (ay_out_load(&o, path, &err) != AY_OK) return NULL;
    return o.text ? o.text : strdup("");
}

bool world_has(const char *path)
{
    return access(path, F_OK) == 0;
}

int world_count(const char *folder, const char *begin)
{
    DIR *d = opendir(folder);
    ck_assert_msg(d != NULL, "no folder %s", folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));)
        n += strncmp(e->d_name, begin, strlen(begin)) == 0 && strcmp(e->d_name, ".") != 0 &&
             strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

void world_script(const char *name, const char *body)
{
    char text[2048];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
    world_write(name, text);
    ck_assert_int_eq(chmod(name, 0755), 0);
}

/* --- runs ------------------------------------------------------------------------------------- */

static void put_row(FILE *f, const char *quantity, const char *point, int value)
{
    fprintf(f, "{\"record\":\"result\",\"probe\":\"mem.latency.curve\",\"quantity\":\"%s\","
               "\"point\":{%s},\"status\":\"ok\",\"unit\":\"cycles\",\"value\":%d,"
               "\"low\":%d,\"high\":%d,\"n\":9,\"stop\":\"exact\"}\n",
            quantity, point, value, value, value);
}

void world_curve(const char *path, const char *device, int n)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    json_t *name = ay_json_text(device);
    char *quoted = ay_json_line(name);
    fprintf(f, "{\"record\":\"run\",\"schema\":\"assay-run/1\",\"assay\":\"0\","
               "\"device\":{\"name\":%s,\"kind\":\"simulated\"},\"environment\":{}}\n", quoted);
    for (int i = 0; i < n; i++) {
        char point[64];
        snprintf(point, sizeof point, "\"ring_bytes\":%ld", 4096L << i);
        put_row(f, "value", point, i < n / 2 ? 33 : 200);
    }
    put_row(f, "plateau.1", "", 33);
    put_row(f, "plateau.2", "", 200);
    fprintf(f, "{\"record\":\"end\",\"complete\":true}\n");
    ck_assert_int_eq(fclose(f), 0);
    free(quoted);
    json_decref(name);
}

static const char *const PITFALLS[] = { "A ring of < 4 pages & \"cold\" shows the TLB.", NULL };
static const struct ay_quantity LATENCY[] = {
    { .name = "latency", .unit = AY_CYCLES, .text = "load-to-use latency" }, { 0 },
};
static const struct ay_probe L1_LATENCY = {
    .name = "mem.l1.latency",
    .question = "How many SM cycles until a global load that hits in L1 can be used?",
    .method = "One thread walks a ring of pointers.",
    .quantities = LATENCY,
    .pitfalls = PITFALLS,
};
static const struct ay_probe *const PROBES[] = { &L1_LATENCY, NULL };

enum ay_status world_report(const char *const *paths, size_t n, const char *folder,
                            const struct ay_plotter *plotter, struct ay_report_done *done,
                            struct ay_error *err)
{
    struct ay_run_file files[4];
    const struct ay_run_file *list[4] = { &files[0], &files[1], &files[2], &files[3] };
    ck_assert_uint_le(n, 4);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(ay_run_read(paths[i], &files[i], err) == AY_OK, "%s", err->text);
    const struct ay_report_wants wants = {
        .folder = folder, .probes = PROBES, .css = "/* style */\n", .version = "0",
        .plotter = *plotter,
    };
    const enum ay_status s = ay_report(list, n, &wants, done, err);
    for (size_t i = 0; i < n; i++)
        ay_run_file_close(&files[i]);
    return s;
}

const struct ay_plotter WORLD_NO_GNUPLOT = { "./no-gnuplot-here", 2000, 2000 };
const struct ay_plotter WORLD_GNUPLOT = { "gnuplot", 10000, 60000 };

struct ay_report_done world_make(const char *run, const char *folder,
                                 const struct ay_plotter *plotter)
{
    struct ay_report_done done;
    struct ay_error err = { 0 };
    ck_assert_msg(world_report(&run, 1, folder, plotter, &done, &err) == AY_OK, "%s", err.text);
    return done;
}

void world_assert_in(const char *path, const char *due)
{
    char *text = world_read(path);
    ck_assert_msg(text != NULL, "there is no %s", path);
    ck_assert_msg(strstr(text, due) != NULL, "%s does not hold \"%s\"", path, due);
    free(text);
}

void world_assert_not_in(const char *path, const char *text)
{
    char *whole = world_read(path);
    ck_assert_msg(whole != NULL, "there is no %s", path);
    ck_assert_msg(strstr(whole, text) == NULL, "%s holds \"%s\"", path, text);
    free(whole);
}

/* --- a small reader of XML -------------------------------------------------------------------- */

enum { MOST_OPEN = 64, NAME_BYTES = 64 };
struct xml {
    const char *at, *fault;
    size_t n_open;
    char open[MOST_OPEN][NAME_BYTES];
};

static bool is_name(char c)
{
    return strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.-", c) && c;
}

static size_t take_name(struct xml *x, char *into)
{
    size_t n = 0;
    while (is_name(x->at[n]) && n < NAME_BYTES - 1)
        n++;
    memcpy(into, x->at, n);
    into[n] = 0;
    x->at += n;
    return n;
}

static void skip_past(struct xml *x, const char *end)
{
    const char *at = strstr(x->at, end);
    if (at) x->at = at + strlen(end);
    else x->fault = "something is not closed";
}

static void take_reference(struct xml *x)
{
    const size_t n = strspn(++x->at, "#abcdefghijklmnopqrstuvwxyzABCDEFX0123456789");
    if (n == 0 || x->at[n] != ';') x->fault = "a bare &";
    else x->at += n + 1;
}

static void take_attribute(struct xml *x)
{
    char name[NAME_BYTES];
    const bool has_name = take_name(x, name) > 0;
    x->at += strspn(x->at, " \n\t");
    const bool has_value = *x->at == '=';
    x->at += has_value;
    x->at += strspn(x->at, " \n\t");
    if (!has_name || !has_value || (*x->at != '"' && *x->at != '\'')) {
        x->fault = "an attribute without name or quotes";
        return;
    }
    const char quote = *x->at++;
    while (!x->fault && *x->at && *x->at != quote)
        if (*x->at == '<') x->fault = "a < in an attribute";
        else if (*x->at == '&') take_reference(x);
        else x->at++;
    if (!x->fault && *x->at++ != quote) x->fault = "an attribute is not closed";
}

static void take_tag(struct xml *x)
{
    char name[NAME_BYTES];
    const bool is_end = *++x->at == '/';
    x->at += is_end;
    if (take_name(x, name) == 0) x->fault = "a bare <";
    if (is_end && !x->fault) {
        if (x->n_open == 0 || strcmp(x->open[--x->n_open], name) != 0)
            x->fault = "tags close in another order than they open";
        x->at += strspn(x->at, " \n\t");
        if (!x->fault && *x->at++ != '>') x->fault = "an end tag is not closed";
        return;
    }
    while (!x->fault) {
        x->at += strspn(x->at, " \r\n\t");
        if (*x->at == '>') {
            x->at++;
            if (x->n_open == MOST_OPEN) x->fault = "too deep for this reader";
            else memcpy(x->open[x->n_open++], name, sizeof name);
            return;
        }
        if (x->at[0] == '/' && x->at[1] == '>') {
            x->at += 2;
            return;
        }
        take_attribute(x);
    }
}

static const char *byte_fault(const char *text)
{
    while (*text) {
        uint32_t code = 0;
        const size_t n = ay_utf8_next(text, &code);
        if (n == 0) return "not UTF-8";
        if (code < 0x20 && code != '\n' && code != '\r' && code != '\t') return "a control byte";
        if ((code & 0xfffe) == 0xfffe) return "a non-character";
        text += n;
    }
    return NULL;
}

const char *xml_fault(const char *text)
{
    struct xml x = { .at = text, .fault = byte_fault(text) };
    size_t n_tags = 0;
    while (!x.fault && *x.at) {
        if (strncmp(x.at, "<?", 2) == 0) skip_past(&x, "?>");
        else if (strncmp(x.at, "<!--", 4) == 0) skip_past(&x, "-->");
        else if (strncmp(x.at, "<![CDATA[", 9) == 0) skip_past(&x, "]]>");
        else if (strncmp(x.at, "<!", 2) == 0) skip_past(&x, ">");
        else if (*x.at == '<') take_tag(&x), n_tags++;
        else if (*x.at == '&') take_reference(&x);
        else x.at++;
    }
    if (!x.fault && x.n_open) x.fault = "an element is not closed";
    if (!x.fault && n_tags == 0) x.fault = "no element at all";
    return x.fault;
}
