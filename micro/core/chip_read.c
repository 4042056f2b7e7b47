#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chip_table.h"
#include "core/chip_value.h"

/* One `key = value` of a file; texts stand in a copy of the file. */
struct entry {
    char *key, *value;
    int line;
};

struct reading {
    char *copy;
    struct entry *entries;
    size_t n_entries;
    const char *file_name;
};

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r");
    size_t n = strlen(text);
    while (n && strchr(" \t\r", text[n - 1])) n--;
    text[n] = '\0';
    return text;
}

/* Splits the copy into entries, in place. */
static enum ay_status split(struct reading *r, struct ay_error *err)
{
    int line = 0;
    for (char *begin = r->copy, *next; begin; begin = next) {
        line++;
        next = strchr(begin, '\n');
        if (next) *next++ = '\0';
        begin[strcspn(begin, "#")] = '\0';
        char *const text = trimmed(begin);
        if (!*text) continue;
        char *const equals = strchr(text, '=');
        if (!equals || equals == text)
            return AY_FAIL(err, AY_IO, "%s:%d: '%.60s' is not of the form `key = value`",
                           r->file_name, line, text);
        *equals = '\0';
        r->entries[r->n_entries++] =
            (struct entry){.key = trimmed(text), .value = trimmed(equals + 1), .line = line};
    }
    return AY_OK;
}

static enum ay_status open_reading(const char *text, const char *file_name, struct reading *r,
                                   struct ay_error *err)
{
    size_t n_lines = 1;
    for (const char *c = text; *c; c++) n_lines += *c == '\n';
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a byte order mark is no key */
    *r = (struct reading){.copy = strdup(text),
                          .entries = calloc(n_lines, sizeof *r->entries),
                          .file_name = file_name};
    if (!r->copy || !r->entries)
        return AY_FAIL(err, AY_NOMEM, "no memory to read the chip file %s", file_name);
    return split(r, err);
}

static void close_reading(struct reading *r)
{
    free(r->copy);
    free(r->entries);
}

/* `base` may stand anywhere, so it is looked for first. "none": the file holds every key itself. */
static enum ay_status apply_base(const struct reading *r, struct ay_chip_draft *d, bool *has_base,
                                 struct ay_error *err)
{
    char where[160] = "";
    const char *base = "plain";
    int line = 0;
    for (size_t i = 0; i < r->n_entries; i++) {
        const struct entry *const e = &r->entries[i];
        if (strcmp(e->key, "base") != 0) continue;
        if (line)
            return AY_FAIL(err, AY_IO, "%s:%d: duplicate key 'base': line %d gave it already",
                           r->file_name, e->line, line);
        line = e->line;
        base = e->value;
        snprintf(where, sizeof where, "%.140s:%d: base: ", r->file_name, line);
    }
    *has_base = strcmp(base, "none") != 0;
    if (*has_base) return ay_chip_base(base, where, &d->chip, err);
    memset(&d->chip, 0, sizeof d->chip);
    return AY_OK;
}

static enum ay_status apply(const struct reading *r, const struct entry *e, struct ay_chip_draft *d,
                            struct ay_error *err)
{
    char complaint[AY_COMPLAINT_BYTES], known[AY_KEY_TEXT_BYTES];
    size_t member = 0;
    if (strcmp(e->key, "base") == 0) return AY_OK;
    const struct ay_key *const k = ay_find_key(e->key, &member);
    if (!k)
        return AY_FAIL(err, AY_IO, "%s:%d: unknown key '%.60s'; the nearest known key is '%s'",
                       r->file_name, e->line, e->key, ay_nearest_key(e->key, known));
    int *const given = &d->given_line[k->first + member];
    if (*given)
        return AY_FAIL(err, AY_IO, "%s:%d: duplicate key '%s': line %d gave it already",
                       r->file_name, e->line, e->key, *given);
    *given = e->line;
    if (!ay_set_value(&d->chip, k, member, e->value, complaint))
        return AY_FAIL(err, AY_IO, "%s:%d: %s: %s", r->file_name, e->line, e->key, complaint);
    return AY_OK;
}

/* Without a base each key but reported.* must be there. Names the first that is not. */
static enum ay_status check_complete(const struct ay_chip_draft *d, struct ay_error *err)
{
    char first[AY_KEY_TEXT_BYTES] = "";
    size_t n_missing = 0;
    for (const struct ay_key *k = ay_chip_keys(); k->head; k++)
        for (size_t i = 0; i < k->n_members; i++) {
            if (k->kind == AY_KEY_IS_REPORTED || d->given_line[k->first + i]) continue;
            if (n_missing++ == 0) ay_key_text(k, i, first);
        }
    if (n_missing == 0) return AY_OK;
    return AY_FAIL(err, AY_IO,
                   "%s: %zu required keys are missing, the first is '%s'; give them, or a `base` "
                   "to take them from", d->file_name, n_missing, first);
}

enum ay_status ay_chip_read(const char *text, const char *file_name, struct ay_chip_draft *d,
                            struct ay_error *err)
{
    struct reading r;
    bool has_base = false;
    memset(d, 0, sizeof *d);
    d->file_name = file_name;
    enum ay_status status = open_reading(text, file_name, &r, err);
    if (status == AY_OK) status = apply_base(&r, d, &has_base, err);
    for (size_t i = 0; status == AY_OK && i < r.n_entries; i++)
        status = apply(&r, &r.entries[i], d, err);
    if (status == AY_OK && !has_base) status = check_complete(d, err);
    close_reading(&r);
    return status;
}
