#include "core/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct ay_coord *find(const struct ay_point *p, const char *axis)
{
    for (size_t i = 0; i < p->n; i++)
        if (!strcmp(p->at[i].axis, axis)) return &p->at[i];
    return NULL;
}

/* The place of an axis in *p, made when there is room; NULL: there is none. */
static struct ay_coord *place(struct ay_point *p, const char *axis)
{
    for (size_t i = 0; i < p->n; i++)
        if (!strcmp(p->at[i].axis, axis)) return &p->at[i];
    if (p->n >= AY_MAX_COORDS) return NULL;
    struct ay_coord *c = &p->at[p->n++];
    *c = (struct ay_coord){ 0 };
    snprintf(c->axis, sizeof c->axis, "%s", axis);
    return c;
}

struct ay_point ay_with_number(struct ay_point p, const char *axis, uint64_t number)
{
    struct ay_coord *c = place(&p, axis);
    if (c) {
        memset(c->word, 0, sizeof c->word);
        c->number = number;
    }
    return p;
}

struct ay_point ay_with_word(struct ay_point p, const char *axis, const char *word)
{
    struct ay_coord *c = place(&p, axis);
    if (c) {
        memset(c->word, 0, sizeof c->word);
        snprintf(c->word, sizeof c->word, "%s", word);
        c->number = 0;
    }
    return p;
}

struct ay_point ay_without(struct ay_point p, const char *axis)
{
    size_t n = 0;
    for (size_t i = 0; i < p.n; i++)
        if (strcmp(p.at[i].axis, axis)) p.at[n++] = p.at[i];
    for (size_t i = n; i < p.n; i++) p.at[i] = (struct ay_coord){ 0 };
    p.n = n;
    return p;
}

uint64_t ay_number(const struct ay_point *p, const char *axis)
{
    const struct ay_coord *c = find(p, axis);
    return c ? c->number : 0;
}

const char *ay_word(const struct ay_point *p, const char *axis)
{
    const struct ay_coord *c = find(p, axis);
    return c ? c->word : "";
}

bool ay_is_word(const struct ay_point *p, const char *axis, const char *word)
{
    return !strcmp(ay_word(p, axis), word);
}

/* The order of the coordinates says nothing: a point read from a file is the point written. */
bool ay_same_point(const struct ay_point *a, const struct ay_point *b)
{
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct ay_coord *c = find(b, a->at[i].axis);
        if (!c || strcmp(c->word, a->at[i].word) || c->number != a->at[i].number) return false;
    }
    return true;
}

const char *ay_point_text(const struct ay_point *p, char *into, size_t into_bytes)
{
    if (into_bytes == 0) return into;
    into[0] = 0;
    size_t at = 0;
    for (size_t i = 0; i < p->n && at < into_bytes; i++) {
        const struct ay_coord *c = &p->at[i];
        const char *comma = i ? ", " : "";
        const int n = c->word[0]
            ? snprintf(into + at, into_bytes - at, "%s%s=%s", comma, c->axis, c->word)
            : snprintf(into + at, into_bytes - at, "%s%s=%" PRIu64, comma, c->axis, c->number);
        at += (size_t)n;
    }
    return into;
}
