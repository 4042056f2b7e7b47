#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/row.h"
#include "core/utf8.h"

/* A text that grows; once memory has run out it stays failed. */
struct line {
    char *text;
    size_t n, cap;
    bool is_out_of_memory;
};

static void put(struct line *l, const char *text, size_t n)
{
    if (l->is_out_of_memory) return;
    if (l->n + n + 1 > l->cap) {
        const size_t cap = 2 * l->cap + n + 256;
        char *more = realloc(l->text, cap);
        if (!more) {
            l->is_out_of_memory = true;
            return;
        }
        l->text = more;
        l->cap = cap;
    }
    memcpy(l->text + l->n, text, n);
    l->n += n;
    l->text[l->n] = 0;
}

static void put_text(struct line *l, const char *text)
{
    put(l, text, strlen(text));
}

static void put_string(struct line *l, const char *text)
{
    const size_t room = 3 * strlen(text) + 1;
    char *clean = malloc(room);
    if (!clean) {
        l->is_out_of_memory = true;
        return;
    }
    ay_clean_text(text, clean, room);
    put(l, "\"", 1);
    for (const char *c = clean; *c; c++) {
        if (*c == '"' || *c == '\\') put(l, "\\", 1);
        put(l, c, 1);
    }
    put(l, "\"", 1);
    free(clean);
}

static void put_real(struct line *l, double x)
{
    char text[64];
    for (int n_digits = 15; n_digits <= 17; n_digits++) {
        double back = 0;
        struct ay_error err;
        ay_format_number(x, n_digits, text, sizeof text);
        if (ay_parse_number(text, &back, &err) == AY_OK && back == x) break;
    }
    put_text(l, text);
    if (!strpbrk(text, ".eEn")) put(l, ".0", 2); /* stays a real when read back */
}

static void put_value(struct line *l, const json_t *v);

static void put_object(struct line *l, const json_t *v)
{
    const char *key;
    json_t *member, *object = (json_t *)(uintptr_t)v; /* jansson iterates non-const only */
    bool is_first = true;
    put(l, "{", 1);
    json_object_foreach(object, key, member) {
        if (!is_first) put(l, ",", 1);
        is_first = false;
        put_string(l, key);
        put(l, ":", 1);
        put_value(l, member);
    }
    put(l, "}", 1);
}

static void put_value(struct line *l, const json_t *v)
{
    char text[32];
    switch (json_typeof(v)) {
    case JSON_OBJECT: put_object(l, v); break;
    case JSON_ARRAY:
        put(l, "[", 1);
        for (size_t i = 0; i < json_array_size(v); i++) {
            if (i) put(l, ",", 1);
            put_value(l, json_array_get(v, i));
        }
        put(l, "]", 1);
        break;
    case JSON_STRING: put_string(l, json_string_value(v)); break;
    case JSON_INTEGER:
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
        put_text(l, text);
        break;
    case JSON_REAL: put_real(l, json_real_value(v)); break;
    case JSON_TRUE: put_text(l, "true"); break;
    case JSON_FALSE: put_text(l, "false"); break;
    case JSON_NULL: put_text(l, "null"); break;
    }
}

char *ay_json_line(const json_t *json)
{
    struct line l = { 0 };
    put_value(&l, json);
    if (!l.is_out_of_memory) return l.text;
    free(l.text);
    return NULL;
}

json_t *ay_json_number(double x)
{
    if (!isfinite(x)) return json_null();
    /* 2^63 itself does not fit; every integral double below it does, exactly. */
    if (x == trunc(x) && fabs(x) < 9223372036854775808.0) return json_integer((json_int_t)x);
    return json_real(x);
}

json_t *ay_json_text(const char *text)
{
    const size_t room = 3 * strlen(text) + 1;
    char *clean = malloc(room);
    if (!clean) return NULL;
    json_t *json = json_string(ay_clean_text(text, clean, room));
    free(clean);
    return json;
}
