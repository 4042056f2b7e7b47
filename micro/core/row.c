#include "core/row.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

const char *ay_row_status_text(enum ay_row_status s)
{
    switch (s) {
    case AY_ROW_OK: return "ok";
    case AY_ROW_SKIP: return "skip";
    case AY_ROW_VOID: return "void";
    case AY_ROW_ERROR: return "error";
    }
    return "error";
}

struct ay_row *ay_add_row(struct ay_rows *rows)
{
    if (rows->n == rows->cap) {
        const size_t cap = rows->cap ? 2 * rows->cap : 16;
        struct ay_row *more = realloc(rows->rows, cap * sizeof *more);
        if (!more) return NULL;
        rows->rows = more;
        rows->cap = cap;
    }
    struct ay_row *row = &rows->rows[rows->n++];
    memset(row, 0, sizeof *row);
    return row;
}

void ay_rows_close(struct ay_rows *rows)
{
    if (!rows) return;
    for (size_t i = 0; i < rows->n; i++)
        free(rows->rows[i].samples);
    free(rows->rows);
    memset(rows, 0, sizeof *rows);
}

void ay_row_warn(struct ay_row *row, const char *fmt, ...)
{
    const size_t most = sizeof row->warnings / sizeof row->warnings[0];
    if (row->n_warnings == most) return; /* the first ones name the cause */
    char text[sizeof row->warnings[0]];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    ay_clean_text(text, row->warnings[row->n_warnings++], sizeof row->warnings[0]);
}
