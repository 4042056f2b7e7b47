#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/chip_table.h"
#include "core/nearest.h"
#include "core/text.h"

#define FOLDER "micro/dev/sim/chips/"
#define ENDING ".chip"
#define RANDOM "random:"

/* No chip file comes near this; a file that does is something else. */
enum { MAX_FILE_BYTES = 1 << 20 };

/* --- built-in chips --------------------------------------------------------------------------- */

/* Name of the embedded chip in `text`, into `into`; false: it is no chip. */
static bool chip_name(const struct ay_text *text, char into[AY_KEY_TEXT_BYTES])
{
    const size_t n_folder = strlen(FOLDER), n_ending = strlen(ENDING), n = strlen(text->path);
    if (n <= n_folder + n_ending || strncmp(text->path, FOLDER, n_folder) != 0 ||
        strcmp(text->path + n - n_ending, ENDING) != 0)
        return false;
    snprintf(into, AY_KEY_TEXT_BYTES, "%.*s", (int)(n - n_folder - n_ending),
             text->path + n_folder);
    return true;
}

static enum ay_status no_such_chip(const char *name, const char *where, struct ay_error *err)
{
    char nearest[AY_KEY_TEXT_BYTES] = "plain", known[AY_KEY_TEXT_BYTES], all[200] = "";
    size_t least = (size_t)-1, used = 0;
    for (const struct ay_text *t = ay_texts; t->path; t++) {
        if (!chip_name(t, known)) continue;
        const size_t d = ay_edit_distance(name, known);
        if (d < least) memcpy(nearest, known, strlen(known) + 1);
        if (d < least) least = d;
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, " %s", known);
    }
    return AY_FAIL(err, *where ? AY_IO : AY_USAGE,
                   "%sno built-in chip is named '%.60s'; the nearest is '%s'. There are:%s, and "
                   "random:SEED; a file needs a '/' or the ending .chip", where, name, nearest,
                   all);
}

static enum ay_status parse_seed(const char *text, const char *where, uint64_t *seed,
                                 struct ay_error *err)
{
    char *end = NULL;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0) return AY_OK;
    return AY_FAIL(err, *where ? AY_IO : AY_USAGE,
                   "%s'random:%.60s': the seed must be a decimal number below 2^64, as in random:7",
                   where, text);
}

enum ay_status ay_chip_base(const char *name, const char *where, struct ay_chip *out,
                            struct ay_error *err)
{
    if (strncmp(name, RANDOM, strlen(RANDOM)) == 0) {
        uint64_t seed = 0;
        AY_TRY(parse_seed(name + strlen(RANDOM), where, &seed, err));
        return ay_chip_draw(seed, out, err);
    }
    for (const struct ay_text *t = ay_texts; t->path; t++) {
        char known[AY_KEY_TEXT_BYTES];
        if (!chip_name(t, known) || strcmp(known, name) != 0) continue;
        struct ay_chip_draft draft;
        AY_TRY(ay_chip_read(t->begin, t->path, &draft, err));
        *out = draft.chip;
        return AY_OK;
    }
    return no_such_chip(name, where, err);
}

/* --- files ------------------------------------------------------------------------------------ */

static enum ay_status read_file(const char *path, char **text, struct ay_error *err)
{
    *text = NULL;
    FILE *const f = fopen(path, "rb");
    if (!f)
        return AY_FAIL(err, AY_IO, "cannot open the chip file %s: %s", path, strerror(errno));
    char *const all = malloc(MAX_FILE_BYTES + 1);
    const size_t n = all ? fread(all, 1, MAX_FILE_BYTES + 1, f) : 0;
    const int problem = ferror(f) ? errno : 0;
    fclose(f);
    if (all && !problem && n <= MAX_FILE_BYTES) {
        all[n] = '\0';
        *text = all;
        if (strlen(all) == n) return AY_OK;
        *text = NULL;
    }
    free(all);
    if (!all) return AY_FAIL(err, AY_NOMEM, "no memory to read the chip file %s", path);
    if (problem)
        return AY_FAIL(err, AY_IO, "cannot read the chip file %s: %s", path, strerror(problem));
    return AY_FAIL(err, AY_IO, "%s is no chip file: %s", path,
                   n > MAX_FILE_BYTES ? "it is longer than 1 MiB" : "it holds NUL bytes");
}

static bool is_path(const char *text)
{
    const size_t n = strlen(text), n_ending = strlen(ENDING);
    return strchr(text, '/') || (n >= n_ending && strcmp(text + n - n_ending, ENDING) == 0);
}

static enum ay_status finish(struct ay_chip_draft *d, struct ay_chip *out, struct ay_error *err)
{
    AY_TRY(ay_chip_finish(d, err));
    *out = d->chip;
    return AY_OK;
}

enum ay_status ay_chip_parse(const char *text, const char *file_name, struct ay_chip *out,
                             struct ay_error *err)
{
    struct ay_chip_draft d;
    AY_TRY(ay_chip_read(text, file_name, &d, err));
    return finish(&d, out, err);
}

enum ay_status ay_chip_load(const char *device_text, struct ay_chip *out, struct ay_error *err)
{
    if (is_path(device_text)) {
        char *text = NULL;
        AY_TRY(read_file(device_text, &text, err));
        const enum ay_status status = ay_chip_parse(text, device_text, out, err);
        free(text);
        return status;
    }
    struct ay_chip_draft d;
    memset(&d, 0, sizeof d);
    d.file_name = device_text;
    AY_TRY(ay_chip_base(device_text, "", &d.chip, err));
    return finish(&d, out, err);
}

enum ay_status ay_chip_random(uint64_t seed, struct ay_chip *out, struct ay_error *err)
{
    struct ay_chip_draft d;
    memset(&d, 0, sizeof d);
    d.file_name = "random";
    AY_TRY(ay_chip_draw(seed, &d.chip, err));
    return finish(&d, out, err);
}
