#include "core/utf8.h"

#include <stdbool.h>
#include <string.h>

size_t ay_utf8_next(const char *text, uint32_t *code)
{
    const unsigned char *t = (const unsigned char *)text;
    if (t[0] == 0) return 0;
    if (t[0] < 0x80) {
        *code = t[0];
        return 1;
    }
    const size_t n = t[0] >= 0xf0 ? 4 : t[0] >= 0xe0 ? 3 : 2;
    if (t[0] < 0xc2 || t[0] > 0xf4) return 0;
    uint32_t c = t[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) { /* a NUL is no continuation, so this never runs past the end */
        if ((t[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (t[i] & 0x3fu);
    }
    const uint32_t least = n == 4 ? 0x10000 : n == 3 ? 0x800 : 0x80;
    if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 0;
    *code = c;
    return n;
}

/* What no XML document may hold, escaped or not. */
static bool is_non_character(uint32_t c)
{
    return (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);
}

const char *ay_clean_text(const char *from, char *into, size_t into_bytes)
{
    if (into_bytes == 0) return into;
    size_t at = 0;
    while (*from) {
        uint32_t code = 0;
        size_t n = ay_utf8_next(from, &code);
        const char *text = from;
        size_t n_text = n;
        if (n == 0 || is_non_character(code)) {
            text = "\xef\xbf\xbd";
            n_text = 3;
        } else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            text = " ";
            n_text = 1;
        }
        if (at + n_text >= into_bytes) break;
        memcpy(into + at, text, n_text);
        at += n_text;
        from += n ? n : 1;
    }
    into[at] = 0;
    return into;
}
