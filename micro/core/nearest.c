#include "core/nearest.h"

#include <string.h>

enum { MAX_BYTES = 127 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t ay_edit_distance(const char *a, const char *b)
{
    const size_t na = strnlen(a, MAX_BYTES), nb = strnlen(b, MAX_BYTES);
    size_t rows[3][MAX_BYTES + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; j++) before[j] = last[j] = j;
    for (size_t i = 1; i <= na; i++) {
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t d = last[j - 1] + (a[i - 1] != b[j - 1]);
            d = least(d, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d = least(d, before[j - 2] + 1);
            now[j] = d;
        }
        size_t *const spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[nb];
}
