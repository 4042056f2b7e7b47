/* chip_table.h - the keys of chip files as a table, for the modules that read and print them. */
#ifndef AY_CHIP_TABLE_H
#define AY_CHIP_TABLE_H

#include <stddef.h>

#include "core/chip.h"

enum ay_key_kind {
    AY_KEY_IS_TEXT,
    AY_KEY_IS_WHOLE,
    AY_KEY_IS_REAL,
    AY_KEY_IS_WORD,
    AY_KEY_IS_DEAL,
    AY_KEY_IS_PIPES,
    AY_KEY_IS_REPORTED,
};

/* A line of chip_keys.def. The text of member i is head + members[i] + tail; a key that is no
 * family has one member, "". */
struct ay_key {
    enum ay_key_kind kind;
    const char *head, *tail;
    const char *const *members;
    size_t n_members;
    size_t offset, bytes;     /* of member 0 in struct ay_chip, and of one member */
    double min, max;          /* of numbers */
    const char *const *words; /* of AY_KEY_IS_WORD, by value; ends in NULL */
    size_t first;             /* number of member 0 among all members of all keys */
};

/* The table ends with head NULL. */
const struct ay_key *ay_chip_keys(void);
/* Members of all keys together. */
size_t ay_chip_n_keys(void);

enum { AY_KEY_TEXT_BYTES = 80, AY_MAX_CHIP_KEYS = 1024 };

/* Key text of a member. Returns `into`. */
const char *ay_key_text(const struct ay_key *k, size_t member, char into[AY_KEY_TEXT_BYTES]);
/* The key with that text, and its member; NULL: there is none. */
const struct ay_key *ay_find_key(const char *text, size_t *member);
/* The known key nearest to a text, into `into`. */
const char *ay_nearest_key(const char *text, char into[AY_KEY_TEXT_BYTES]);

static inline void *ay_key_at(struct ay_chip *c, const struct ay_key *k, size_t member)
{
    return (char *)c + k->offset + member * k->bytes;
}

/* --- between reading and checking ------------------------------------------------------------- */

/* A chip that is being read: which line gave which key (0: none, so it is the base's). */
struct ay_chip_draft {
    struct ay_chip chip;
    const char *file_name;
    int given_line[AY_MAX_CHIP_KEYS];
};

/* Fills in what follows (deals, latencies that are L1's) and refuses what does not fit together. */
enum ay_status ay_chip_finish(struct ay_chip_draft *d, struct ay_error *err) AY_CHECKED;

/* A built-in chip or random:SEED before ay_chip_finish. An unknown name is AY_USAGE with the
 * nearest one, or AY_IO where a file gave it: then `where` is not "" and begins the text. */
enum ay_status ay_chip_base(const char *name, const char *where, struct ay_chip *out,
                            struct ay_error *err) AY_CHECKED;
/* A chip file's text, on top of its base, before ay_chip_finish. */
enum ay_status ay_chip_read(const char *text, const char *file_name, struct ay_chip_draft *d,
                            struct ay_error *err) AY_CHECKED;

/* random:SEED before ay_chip_finish. */
enum ay_status ay_chip_draw(uint64_t seed, struct ay_chip *out, struct ay_error *err) AY_CHECKED;

#endif
