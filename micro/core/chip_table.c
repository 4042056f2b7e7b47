#include "core/chip_table.h"

#include <stdio.h>
#include <string.h>

#include "core/nearest.h"

/* --- names of families and words -------------------------------------------------------------- */

#define X(name) #name,
static const char *const members_alu[] = {AY_ALU_CLASSES(X)};
static const char *const members_wgmma[] = {AY_WGMMA_TYPES(X)};
static const char *const members_tcgen05[] = {AY_TCGEN05_KINDS(X)};
static const char *const members_warp[] = {AY_WARP_OPS(X)};
static const char *const members_fence[] = {AY_FENCE_SCOPES(X)};
static const char *const members_data[] = {AY_DATA_KINDS(X)};
static const char *const words_AY_CHIP_ARCHS[] = {AY_CHIP_ARCHS(X) NULL};
static const char *const words_AY_CHIP_POLICIES[] = {AY_CHIP_POLICIES(X) NULL};
static const char *const words_AY_CHIP_HASHES[] = {AY_CHIP_HASHES(X) NULL};
static const char *const words_AY_CHIP_REPLICATES[] = {AY_CHIP_REPLICATES(X) NULL};
static const char *const words_AY_TLB_SCOPES[] = {AY_TLB_SCOPES(X) NULL};
static const char *const words_AY_ALU_SCOPES[] = {AY_ALU_SCOPES(X) NULL};
static const char *const words_AY_ROUNDINGS[] = {AY_ROUNDINGS(X) NULL};
#undef X
#define X(type, m, n, k) #type ".m" #m "n" #n "k" #k,
static const char *const members_mma[] = {AY_MMAS(X)};
#undef X
static const char *const no_members[] = {""};

/* --- numbering: one enumerator a member, so that each key knows its first --------------------- */

#define NUMBER(field, n) FIRST_##field, LAST_##field = FIRST_##field + (n) - 1,
enum {
#define AY_KEY_TEXT(key, field, size) NUMBER(field, 1)
#define AY_KEY_WHOLE(key, field, lo, hi) NUMBER(field, 1)
#define AY_KEY_REAL(key, field, lo, hi) NUMBER(field, 1)
#define AY_KEY_WORD(key, field, type, WORDS) NUMBER(field, 1)
#define AY_KEY_DEAL(key, field) NUMBER(field, 1)
#define AY_KEYS_WHOLE(h, t, field, FAMILY, n, lo, hi) NUMBER(field, n)
#define AY_KEYS_REAL(h, t, field, FAMILY, n, lo, hi) NUMBER(field, n)
#define AY_KEYS_WORD(h, t, field, FAMILY, n, type, WORDS) NUMBER(field, n)
#define AY_KEYS_PIPES(h, t, field, FAMILY, n) NUMBER(field, n)
#define AY_KEY_REPORTED(key, field, lo, hi) NUMBER(field, 1)
#include "core/chip_keys.def"
    N_KEYS
};
_Static_assert((int)N_KEYS <= (int)AY_MAX_CHIP_KEYS, "given_line of chip_table.h must grow");

/* --- the table -------------------------------------------------------------------------------- */

#define SIZE(field) sizeof(((struct ay_chip *)0)->field)
#define ONE(k, key, field, lo, hi, w) \
    {k, key, "", no_members, 1, offsetof(struct ay_chip, field), SIZE(field), lo, hi, w, \
     FIRST_##field},
#define MANY(k, h, t, field, FAMILY, n, lo, hi, w) \
    {k, h, t, members_##FAMILY, n, offsetof(struct ay_chip, field), SIZE(field[0]), lo, hi, w, \
     FIRST_##field},

static const struct ay_key keys[] = {
#define AY_KEY_TEXT(key, field, size) ONE(AY_KEY_IS_TEXT, key, field, 0, 0, NULL)
#define AY_KEY_WHOLE(key, field, lo, hi) ONE(AY_KEY_IS_WHOLE, key, field, lo, hi, NULL)
#define AY_KEY_REAL(key, field, lo, hi) ONE(AY_KEY_IS_REAL, key, field, lo, hi, NULL)
#define AY_KEY_WORD(key, field, type, WORDS) ONE(AY_KEY_IS_WORD, key, field, 0, 0, words_##WORDS)
#define AY_KEY_DEAL(key, field) ONE(AY_KEY_IS_DEAL, key, field, 0, 0, NULL)
#define AY_KEYS_WHOLE(h, t, field, FAMILY, n, lo, hi) \
    MANY(AY_KEY_IS_WHOLE, h, t, field, FAMILY, n, lo, hi, NULL)
#define AY_KEYS_REAL(h, t, field, FAMILY, n, lo, hi) \
    MANY(AY_KEY_IS_REAL, h, t, field, FAMILY, n, lo, hi, NULL)
#define AY_KEYS_WORD(h, t, field, FAMILY, n, type, WORDS) \
    MANY(AY_KEY_IS_WORD, h, t, field, FAMILY, n, 0, 0, words_##WORDS)
#define AY_KEYS_PIPES(h, t, field, FAMILY, n) \
    MANY(AY_KEY_IS_PIPES, h, t, field, FAMILY, n, 0, 0, NULL)
#define AY_KEY_REPORTED(key, field, lo, hi) ONE(AY_KEY_IS_REPORTED, key, field, lo, hi, NULL)
#include "core/chip_keys.def"
    {0},
};

const struct ay_key *ay_chip_keys(void)
{
    return keys;
}

size_t ay_chip_n_keys(void)
{
    return N_KEYS;
}

const char *ay_key_text(const struct ay_key *k, size_t member, char into[AY_KEY_TEXT_BYTES])
{
    snprintf(into, AY_KEY_TEXT_BYTES, "%s%s%s", k->head, k->members[member], k->tail);
    return into;
}

/* The member whose text stands between head and tail of the key; n_members: none. */
static size_t find_member(const struct ay_key *k, const char *text)
{
    const size_t n = strlen(text), n_head = strlen(k->head), n_tail = strlen(k->tail);
    size_t i = 0;
    if (n < n_head + n_tail || strncmp(text, k->head, n_head) != 0 ||
        strcmp(text + n - n_tail, k->tail) != 0)
        return k->n_members;
    const size_t n_between = n - n_head - n_tail;
    while (i < k->n_members && (strlen(k->members[i]) != n_between ||
                                strncmp(text + n_head, k->members[i], n_between) != 0))
        i++;
    return i;
}

const struct ay_key *ay_find_key(const char *text, size_t *member)
{
    for (const struct ay_key *k = keys; k->head; k++) {
        *member = find_member(k, text);
        if (*member < k->n_members) return k;
    }
    return NULL;
}

const char *ay_nearest_key(const char *text, char into[AY_KEY_TEXT_BYTES])
{
    size_t least = (size_t)-1;
    for (const struct ay_key *k = keys; k->head; k++)
        for (size_t i = 0; i < k->n_members; i++) {
            char known[AY_KEY_TEXT_BYTES];
            const size_t d = ay_edit_distance(text, ay_key_text(k, i, known));
            if (d >= least) continue;
            least = d;
            snprintf(into, AY_KEY_TEXT_BYTES, "%s", known);
        }
    return into;
}
