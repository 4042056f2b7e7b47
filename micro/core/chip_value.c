#include "core/chip_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "core/units.h"

#define COMPLAIN(...) (snprintf(complaint, AY_COMPLAINT_BYTES, __VA_ARGS__), false)

/* --- reading ---------------------------------------------------------------------------------- */

/* Decimal digits alone; false also when 64 bits do not hold it. */
static bool parse_whole(const char *text, uint64_t *out)
{
    uint64_t x = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (x > (UINT64_MAX - digit) / 10) return false;
        x = 10 * x + digit;
    }
    *out = x;
    return true;
}

static bool is_out_of_range(const struct ay_key *k, double x, const char *value,
                            char complaint[AY_COMPLAINT_BYTES])
{
    char low[32], high[32];
    if (x >= k->min && x <= k->max) return false;
    (void)COMPLAIN("%.60s is out of range: %s … %s", value,
                   ay_format_number(k->min, 16, low, sizeof low),
                   ay_format_number(k->max, 16, high, sizeof high));
    return true;
}

static bool set_whole(uint64_t *at, const struct ay_key *k, const char *value,
                      char complaint[AY_COMPLAINT_BYTES])
{
    if (!parse_whole(value, at))
        return COMPLAIN("'%.60s' is not a whole number, which this key takes (no suffix, no point)",
                        value);
    return !is_out_of_range(k, (double)*at, value, complaint);
}

static bool parse_real(const struct ay_key *k, const char *value, double *x,
                       char complaint[AY_COMPLAINT_BYTES])
{
    struct ay_error ignored;
    if (ay_parse_number(value, x, &ignored) != AY_OK || !isfinite(*x))
        return COMPLAIN("'%.60s' is not a number, which this key takes (no suffix)", value);
    return !is_out_of_range(k, *x, value, complaint);
}

static bool set_word(void *at, const struct ay_key *k, const char *value,
                     char complaint[AY_COMPLAINT_BYTES])
{
    for (unsigned i = 0; k->words[i]; i++)
        if (strcmp(value, k->words[i]) == 0) {
            memcpy(at, &i, sizeof i);
            return true;
        }
    int used = snprintf(complaint, AY_COMPLAINT_BYTES, "'%.60s' is none of", value);
    for (unsigned i = 0; k->words[i]; i++)
        used += snprintf(complaint + used, AY_COMPLAINT_BYTES - (size_t)used, " %s", k->words[i]);
    return false;
}

static bool set_text(char *at, const struct ay_key *k, const char *value,
                     char complaint[AY_COMPLAINT_BYTES])
{
    if (!*value) return COMPLAIN("the value is missing");
    if (strlen(value) >= k->bytes)
        return COMPLAIN("the text is longer than %zu bytes", k->bytes - 1);
    for (const char *c = value; *c; c++)
        if (*c < 0x20 || *c > 0x7e) return COMPLAIN("the text may hold printable ASCII alone");
    memset(at, 0, k->bytes); /* no rest of a longer text, so that equal chips are equal bytes */
    memcpy(at, value, strlen(value));
    return true;
}

/* Takes the next word of a list parted by blanks or commas. false: there is none. */
static bool next_item(const char **text, char *into, size_t room)
{
    const char *c = *text + strspn(*text, " \t,");
    const size_t n = strcspn(c, " \t,");
    *text = c + n;
    if (n == 0) return false;
    snprintf(into, room, "%.*s", (int)n, c);
    return true;
}

static bool set_deal(struct ay_deal *at, const char *value, char complaint[AY_COMPLAINT_BYTES])
{
    char item[32];
    size_t n = 0;
    memset(at, 0, sizeof *at);
    at->is_even = strcmp(value, "even") == 0;
    while (!at->is_even && next_item(&value, item, sizeof item)) {
        uint64_t x = 0;
        if (!parse_whole(item, &x) || x >= AY_MAX_SMS)
            return COMPLAIN("'%s' is neither `even` nor a list of numbers below %d, one an SM",
                            item, AY_MAX_SMS);
        if (n == AY_MAX_SMS) return COMPLAIN("a list is at most %d long", AY_MAX_SMS);
        at->of[n++] = (uint16_t)x;
    }
    at->n_given = (uint16_t)n;
    if (!at->is_even && n == 0) return COMPLAIN("give `even` or a list of numbers, one an SM");
    return true;
}

static bool find_pipe(struct ay_chip *c, const char *name, unsigned *number)
{
    for (unsigned i = 0; i < AY_MAX_PIPES; i++) {
        if (!c->pipe_names[i][0]) snprintf(c->pipe_names[i], AY_PIPE_NAME_BYTES, "%s", name);
        if (strcmp(c->pipe_names[i], name) != 0) continue;
        *number = i;
        return true;
    }
    return false;
}

static bool set_pipes(struct ay_chip *c, uint32_t *at, const char *value,
                      char complaint[AY_COMPLAINT_BYTES])
{
    char item[64];
    *at = 0;
    while (next_item(&value, item, sizeof item)) {
        unsigned number = 0;
        if (strlen(item) >= AY_PIPE_NAME_BYTES ||
            item[strspn(item, "abcdefghijklmnopqrstuvwxyz0123456789_")])
            return COMPLAIN("'%.40s' is no name of a pipe: at most %d of a-z 0-9 _", item,
                            AY_PIPE_NAME_BYTES - 1);
        if (!find_pipe(c, item, &number))
            return COMPLAIN("'%s' is one pipe more than the %d that a chip may have", item,
                            AY_MAX_PIPES);
        *at |= (uint32_t)1 << number;
    }
    return *at || COMPLAIN("give the name of one pipe or of several");
}

bool ay_set_value(struct ay_chip *c, const struct ay_key *k, size_t member, const char *value,
                  char complaint[AY_COMPLAINT_BYTES])
{
    void *const at = ay_key_at(c, k, member);
    switch (k->kind) {
    case AY_KEY_IS_TEXT: return set_text(at, k, value, complaint);
    case AY_KEY_IS_WHOLE: return set_whole(at, k, value, complaint);
    case AY_KEY_IS_REAL: return parse_real(k, value, at, complaint);
    case AY_KEY_IS_WORD: return set_word(at, k, value, complaint);
    case AY_KEY_IS_DEAL: return set_deal(at, value, complaint);
    case AY_KEY_IS_PIPES: return set_pipes(c, at, value, complaint);
    case AY_KEY_IS_REPORTED: {
        struct ay_reported *const r = at;
        r->is_set = parse_real(k, value, &r->value, complaint);
        return r->is_set;
    }
    }
    return COMPLAIN("a key of an unknown kind");
}

/* --- printing --------------------------------------------------------------------------------- */

bool ay_append(struct ay_growing *g, const char *text)
{
    const size_t n = strlen(text);
    if (g->n_bytes + n + 1 > g->room) {
        const size_t room = 2 * g->room + n + 1;
        char *const longer = realloc(g->text, room);
        if (!longer) return false;
        g->text = longer;
        g->room = room;
    }
    memcpy(g->text + g->n_bytes, text, n + 1);
    g->n_bytes += n;
    return true;
}

/* The fewest digits that read back as the same number. */
static const char *shortest(double x, char *into, size_t room)
{
    for (int n_digits = 15; n_digits < 17; n_digits++) {
        double back = 0;
        struct ay_error ignored;
        if (ay_parse_number(ay_format_number(x, n_digits, into, room), &back, &ignored) == AY_OK &&
            back == x)
            return into;
    }
    return ay_format_number(x, 17, into, room);
}

static bool append_deal(struct ay_growing *g, const struct ay_deal *deal, uint64_t n)
{
    if (deal->is_even) return ay_append(g, "even");
    for (uint64_t i = 0; i < n; i++) {
        char item[16];
        snprintf(item, sizeof item, "%s%u", i ? " " : "", deal->of[i]);
        if (!ay_append(g, item)) return false;
    }
    return true;
}

static bool append_pipes(struct ay_growing *g, const struct ay_chip *c, uint32_t pipes)
{
    const char *gap = "";
    for (unsigned i = 0; i < AY_MAX_PIPES; i++) {
        if (!(pipes >> i & 1)) continue;
        if (!ay_append(g, gap) || !ay_append(g, c->pipe_names[i])) return false;
        gap = " ";
    }
    return true;
}

bool ay_append_value(struct ay_growing *g, const struct ay_chip *c, const struct ay_key *k,
                     size_t member)
{
    const void *const at = (const char *)c + k->offset + member * k->bytes;
    char text[64];
    uint64_t whole;
    uint32_t pipes;
    unsigned word;
    double real;
    switch (k->kind) {
    case AY_KEY_IS_TEXT: return ay_append(g, at);
    case AY_KEY_IS_WHOLE:
        memcpy(&whole, at, sizeof whole);
        snprintf(text, sizeof text, "%" PRIu64, whole);
        return ay_append(g, text);
    case AY_KEY_IS_REAL:
        memcpy(&real, at, sizeof real);
        return ay_append(g, shortest(real, text, sizeof text));
    case AY_KEY_IS_WORD:
        memcpy(&word, at, sizeof word);
        return ay_append(g, k->words[word]);
    case AY_KEY_IS_DEAL: return append_deal(g, at, c->sms);
    case AY_KEY_IS_PIPES:
        memcpy(&pipes, at, sizeof pipes);
        return append_pipes(g, c, pipes);
    case AY_KEY_IS_REPORTED:
        return ay_append(g, shortest(((const struct ay_reported *)at)->value, text, sizeof text));
    }
    return false;
}
