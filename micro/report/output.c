#include "report/output.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

static bool make_room(struct ay_out *o, size_t n)
{
    if (o->is_out_of_memory) return false;
    if (o->n + n + 1 <= o->cap) return true;
    const size_t cap = 2 * o->cap + n + 256;
    char *more = realloc(o->text, cap);
    if (!more) {
        o->is_out_of_memory = true;
        return false;
    }
    o->text = more;
    o->cap = cap;
    return true;
}

void ay_out_bytes(struct ay_out *o, const char *bytes, size_t n)
{
    if (!make_room(o, n)) return;
    memcpy(o->text + o->n, bytes, n);
    o->n += n;
    o->text[o->n] = 0;
}

void ay_out_put(struct ay_out *o, const char *text)
{
    ay_out_bytes(o, text, strlen(text));
}

void ay_out_format(struct ay_out *o, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0 && make_room(o, (size_t)n)) {
        vsnprintf(o->text + o->n, (size_t)n + 1, fmt, again);
        o->n += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

/* Puts each byte of the cleaned text, or what `instead` gives for it. */
static void put_escaped(struct ay_out *o, const char *text, const char *(*instead)(char c))
{
    const size_t room = 3 * strlen(text) + 1;
    char *clean = malloc(room);
    if (!clean) {
        o->is_out_of_memory = true;
        return;
    }
    ay_clean_text(text, clean, room);
    for (const char *c = clean; *c; c++) {
        const char *other = instead(*c);
        if (other) ay_out_put(o, other);
        else ay_out_bytes(o, c, 1);
    }
    free(clean);
}

static const char *html_of(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

static const char *markdown_of(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '|': return "\\|";
    case '\\': return "\\\\";
    case '`': return "\\`";
    case '*': return "\\*";
    case '_': return "\\_";
    case '[': return "\\[";
    case ']': return "\\]";
    case '~': return "\\~";
    default: return NULL;
    }
}

void ay_out_html(struct ay_out *o, const char *text)
{
    put_escaped(o, text, html_of);
}

void ay_out_markdown(struct ay_out *o, const char *text)
{
    put_escaped(o, text, markdown_of);
}

void ay_out_csv(struct ay_out *o, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        ay_out_put(o, text);
        return;
    }
    ay_out_put(o, "\"");
    for (const char *c = text; *c; c++)
        ay_out_bytes(o, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    ay_out_put(o, "\"");
}

void ay_out_base64(struct ay_out *o, const char *bytes, size_t n)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = (const unsigned char *)bytes;
    for (size_t i = 0; i < n; i += 3) {
        const size_t n_here = n - i < 3 ? n - i : 3;
        const uint32_t bits = (uint32_t)b[i] << 16 | (n_here > 1 ? (uint32_t)b[i + 1] << 8 : 0) |
                              (n_here > 2 ? b[i + 2] : 0u);
        char four[4];
        for (size_t k = 0; k < 4; k++)
            four[k] = k <= n_here ? DIGITS[bits >> (18 - 6 * k) & 63] : '=';
        ay_out_bytes(o, four, sizeof four);
    }
}

void ay_out_close(struct ay_out *o)
{
    free(o->text);
    memset(o, 0, sizeof *o);
}
