/* utf8.h - text as files and pages may carry it: valid UTF-8 without control bytes. */
#ifndef AY_UTF8_H
#define AY_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed sequence at `text` (1 to 4) and its code point, or 0 where there is
 * none: a stray, overlong or cut byte, a surrogate. Stops at NUL: a NUL is no sequence. */
size_t ay_utf8_next(const char *text, uint32_t *code);

/* `from` with each control character (also C1 and DEL) as a blank, and each byte that is not UTF-8
 * and each non-character as U+FFFD; cut at a character where `into` is short. Returns `into`.
 * A text of n bytes needs at most 3 * n + 1. `into` may not overlap `from`. */
const char *ay_clean_text(const char *from, char *into, size_t into_bytes);

#endif
