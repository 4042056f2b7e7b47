#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runfile.h"
#include "core/utf8.h"

/* Where the reader stands, and the rows of the run at hand by hash, to find one given twice. */
struct reader {
    struct ay_run_file *file;
    size_t line;
    const char *text; /* the line */
    uint64_t n_unknown;
    size_t n_slots;
    size_t *slots; /* row number + 1, 0: free */
};

static void warn(struct ay_run_file *f, const char *text)
{
    if (f->n_warnings < sizeof f->warnings / sizeof f->warnings[0])
        snprintf(f->warnings[f->n_warnings++], sizeof f->warnings[0], "%s", text);
}

/* A fault of one member: `what` is "member: text"; the column is the member's where it is found. */
static enum ay_status fault(const struct reader *r, const char *what, struct ay_error *err)
{
    char key[64];
    const size_t n = strcspn(what, ":");
    size_t column = 1;
    if (n + 3 < sizeof key) {
        snprintf(key, sizeof key, "\"%.*s\"", (int)n, what);
        const char *at = strstr(r->text, key);
        if (at) column = (size_t)(at - r->text) + 1;
    }
    return AY_FAIL(err, AY_IO, "%s:%zu:%zu: %s", r->file->path, r->line, column, what);
}

/* --- one row once ----------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

static uint64_t hash_row(const struct ay_row *row)
{
    uint64_t h = 31 * hash_text(row->probe) + hash_text(row->quantity);
    for (size_t i = 0; i < row->point.n; i++) { /* a sum: the order of axes says nothing */
        const struct ay_coord *c = &row->point.at[i];
        h += (hash_text(c->axis) ^ (hash_text(c->word) + c->number)) * 0x9e3779b97f4a7c15u;
    }
    return h ^ h >> 32;
}

static size_t *slot_of(struct reader *r, const struct ay_rows *rows, const struct ay_row *row)
{
    size_t i = (size_t)hash_row(row) & (r->n_slots - 1);
    for (; r->slots[i]; i = (i + 1) & (r->n_slots - 1)) {
        const struct ay_row *other = &rows->rows[r->slots[i] - 1];
        if (strcmp(other->probe, row->probe) == 0 && strcmp(other->quantity, row->quantity) == 0 &&
            ay_same_point(&other->point, &row->point))
            break;
    }
    return &r->slots[i];
}

/* Room for one more at a load of at most a half. */
static enum ay_status grow_slots(struct reader *r, const struct ay_rows *rows,
                                 struct ay_error *err)
{
    if (2 * (rows->n + 1) <= r->n_slots) return AY_OK;
    const size_t n_slots = r->n_slots ? 2 * r->n_slots : 256;
    free(r->slots);
    r->slots = calloc(n_slots, sizeof *r->slots);
    r->n_slots = r->slots ? n_slots : 0;
    if (!r->slots) return AY_FAIL(err, AY_NOMEM, "%s: out of memory", r->file->path);
    for (size_t i = 0; i < rows->n; i++)
        *slot_of(r, rows, &rows->rows[i]) = i + 1;
    return AY_OK;
}

/* --- records ---------------------------------------------------------------------------------- */

/* Texts of run and end records go to tables and pages: no control bytes from here on. */
static void clean(json_t *v)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(v)) {
        json_object_foreach(v, key, member)
            clean(member);
    } else if (json_is_array(v)) {
        json_array_foreach(v, i, member)
            clean(member);
    } else if (json_is_string(v)) {
        json_t *text = ay_json_text(json_string_value(v));
        if (text) json_string_set(v, json_string_value(text));
        json_decref(text);
    }
}

/* "assay-run/1" or "assay-run/1.2": the number before the dot is what readers must know. */
static enum ay_status check_schema(const struct reader *r, const json_t *record,
                                   struct ay_error *err)
{
    static const char stem[] = "assay-run/";
    const char *schema = json_string_value(json_object_get(record, "schema"));
    if (!schema) return fault(r, "schema: is missing or no text", err);
    const char *major = schema + sizeof stem - 1;
    const size_t n = strncmp(schema, stem, sizeof stem - 1) == 0 ? strspn(major, "0123456789") : 0;
    char text[160];
    if (n == 0 || (major[n] != 0 && major[n] != '.') || major[0] == '0') {
        snprintf(text, sizeof text, "schema: \"%.60s\" is not " AY_SCHEMA, schema);
        return fault(r, text, err);
    }
    if (n == 1 && major[0] == '1') return AY_OK;
    snprintf(text, sizeof text, "schema: %.60s is newer than this assay reads (" AY_SCHEMA
             "): use a newer assay", schema);
    return fault(r, text, err);
}

static enum ay_status take_run(struct reader *r, json_t *record, struct ay_error *err)
{
    struct ay_run_file *f = r->file;
    AY_TRY(check_schema(r, record, err));
    if (!json_is_object(json_object_get(record, "device")))
        return fault(r, "device: is missing or no object", err);
    if (f->n == f->cap) {
        const size_t cap = f->cap ? 2 * f->cap : 4;
        struct ay_run *more = realloc(f->runs, cap * sizeof *more);
        if (!more) return AY_FAIL(err, AY_NOMEM, "%s: out of memory", f->path);
        f->runs = more;
        f->cap = cap;
    }
    struct ay_run *run = &f->runs[f->n++];
    memset(run, 0, sizeof *run);
    clean(record);
    run->record = json_incref(record);
    if (r->slots) memset(r->slots, 0, r->n_slots * sizeof *r->slots);
    return AY_OK;
}

static void count(struct ay_tally *t, enum ay_row_status s)
{
    if (s == AY_ROW_OK) t->n_ok++;
    else if (s == AY_ROW_SKIP) t->n_skip++;
    else if (s == AY_ROW_VOID) t->n_void++;
    else t->n_error++;
}

static enum ay_status take_result(struct reader *r, struct ay_run *run, const json_t *record,
                                  struct ay_error *err)
{
    struct ay_row row;
    const enum ay_status s = ay_row_from_json(record, &row, err);
    if (s == AY_IO) {
        char what[sizeof err->text];
        snprintf(what, sizeof what, "%.400s", err->text);
        return fault(r, what, err);
    }
    AY_TRY(s);
    enum ay_status added = grow_slots(r, &run->rows, err);
    size_t *slot = added == AY_OK ? slot_of(r, &run->rows, &row) : NULL;
    struct ay_row *to = NULL;
    if (slot && *slot)
        added = fault(r, "probe: this row (probe, quantity, point) is in this run already", err);
    else if (slot && !(to = ay_add_row(&run->rows)))
        added = AY_FAIL(err, AY_NOMEM, "%s: out of memory", r->file->path);
    if (added != AY_OK) {
        free(row.samples);
        return added;
    }
    *to = row;
    *slot = run->rows.n;
    count(&run->tally, row.status);
    return AY_OK;
}

static enum ay_status take(struct reader *r, json_t *record, struct ay_error *err)
{
    struct ay_run_file *f = r->file;
    const char *kind = json_string_value(json_object_get(record, "record"));
    if (!kind) return fault(r, "record: is missing: not a record of a run file", err);
    if (strcmp(kind, "run") == 0) return take_run(r, record, err);
    if (f->n == 0) return fault(r, "record: stands before any run record", err);
    struct ay_run *run = &f->runs[f->n - 1];
    if (run->end) return fault(r, "record: stands after its run's end record", err);
    if (strcmp(kind, "result") == 0) return take_result(r, run, record, err);
    if (strcmp(kind, "end") != 0) {
        r->n_unknown++; /* of a later version with this schema */
        return AY_OK;
    }
    clean(record);
    run->end = json_incref(record);
    run->is_complete = json_is_true(json_object_get(record, "complete"));
    return AY_OK;
}

/* --- lines ------------------------------------------------------------------------------------ */

static enum ay_status take_line(struct reader *r, const char *text, size_t n, bool has_newline,
                                struct ay_error *err)
{
    r->text = text;
    r->line++;
    json_error_t at;
    json_t *record = json_loadb(text, n, JSON_REJECT_DUPLICATES, &at);
    if (!record && !has_newline) {
        char said[sizeof r->file->warnings[0]];
        snprintf(said, sizeof said, "line %zu is torn (its run was killed): dropped", r->line);
        warn(r->file, said);
        return AY_OK;
    }
    if (!record)
        return AY_FAIL(err, AY_IO, "%s:%zu:%d: not JSON: %s", r->file->path, r->line,
                       at.column > 0 ? at.column : 1, at.text);
    const enum ay_status s = take(r, record, err);
    json_decref(record);
    return s;
}

static enum ay_status read_lines(struct reader *r, FILE *in, struct ay_error *err)
{
    char *line = NULL;
    size_t cap = 0;
    enum ay_status s = AY_OK;
    errno = 0;
    for (ssize_t n; s == AY_OK && (n = getline(&line, &cap, in)) > 0; errno = 0) {
        const bool has_newline = line[n - 1] == '\n';
        if (has_newline) line[--n] = 0;
        s = take_line(r, line, (size_t)n, has_newline, err);
    }
    if (s == AY_OK && (ferror(in) || errno == ENOMEM))
        s = AY_FAIL(err, AY_IO, "cannot read %s: %s", r->file->path, strerror(errno));
    free(line);
    return s;
}

enum ay_status ay_run_read(const char *path, struct ay_run_file *out, struct ay_error *err)
{
    memset(out, 0, sizeof *out);
    ay_clean_text(path, out->path, sizeof out->path);
    FILE *in = fopen(path, "re");
    if (!in) return AY_FAIL(err, AY_IO, "cannot read %s: %s", out->path, strerror(errno));
    struct reader r = { .file = out };
    enum ay_status s = read_lines(&r, in, err);
    fclose(in);
    free(r.slots);
    if (s == AY_OK && out->n == 0)
        s = AY_FAIL(err, AY_IO, "%s:%zu:1: no run record: not a run file, or a run that was killed "
                    "before it began", out->path, r.line ? r.line : (size_t)1);
    if (s != AY_OK) {
        ay_run_file_close(out);
        return s;
    }
    if (r.n_unknown) {
        char said[sizeof out->warnings[0]];
        snprintf(said, sizeof said, "%" PRIu64 " records of a kind that this assay does not know: "
                 "left out", r.n_unknown);
        warn(out, said);
    }
    return AY_OK;
}

void ay_run_file_close(struct ay_run_file *f)
{
    if (!f) return;
    for (size_t i = 0; i < f->n; i++) {
        json_decref(f->runs[i].record);
        json_decref(f->runs[i].end);
        ay_rows_close(&f->runs[i].rows);
    }
    free(f->runs);
    memset(f, 0, sizeof *f);
}

const char *ay_run_device_text(const struct ay_run *run, const char *member)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(run->record, "device"), member));
    return text ? text : "";
}

bool ay_run_is_simulated(const struct ay_run *run)
{
    return strcmp(ay_run_device_text(run, "kind"), "simulated") == 0;
}
