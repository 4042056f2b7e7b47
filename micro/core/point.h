/* point.h - where in its sweep a row stands: named coordinates, each a number or a word. */
#ifndef AY_POINT_H
#define AY_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AY_MAX_COORDS = 6, AY_WORD_BYTES = 32 };

struct ay_coord {
    char axis[AY_WORD_BYTES]; /* "ring_bytes", "op": the unit is in the name */
    char word[AY_WORD_BYTES]; /* empty: the coordinate is `number` */
    uint64_t number;
};

struct ay_point {
    size_t n;
    struct ay_coord at[AY_MAX_COORDS];
};

/* Add one coordinate; the point is returned so that calls nest. An axis already there is set. */
struct ay_point ay_with_number(struct ay_point p, const char *axis, uint64_t number);
struct ay_point ay_with_word(struct ay_point p, const char *axis, const char *word);
/* Without that axis: a plateau has no ring_bytes. */
struct ay_point ay_without(struct ay_point p, const char *axis);

uint64_t ay_number(const struct ay_point *p, const char *axis); /* 0 where there is none */
const char *ay_word(const struct ay_point *p, const char *axis); /* "" where there is none */
bool ay_is_word(const struct ay_point *p, const char *axis, const char *word);
bool ay_same_point(const struct ay_point *a, const struct ay_point *b);

/* "ring_bytes=4096, op=ca"; returns `into`. */
const char *ay_point_text(const struct ay_point *p, char *into, size_t into_bytes);

#endif
