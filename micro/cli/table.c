#include "cli/table.h"

#include <stdlib.h>
#include <string.h>

#include "core/utf8.h"

static size_t n_characters(const char *text)
{
    size_t n = 0;
    for (const char *c = text; *c; c++)
        n += ((unsigned char)*c & 0xc0) != 0x80;
    return n;
}

static char *clean_copy(const char *text)
{
    const size_t room = 3 * strlen(text) + 1;
    char *copy = malloc(room);
    if (copy) ay_clean_text(text, copy, room);
    return copy;
}

void ay_table_add(struct ay_table *t, const char *const *cells)
{
    if (t->n_rows == t->cap) {
        const size_t cap = t->cap ? 2 * t->cap : 32;
        char *(*more)[AY_TABLE_COLUMNS] = realloc(t->rows, cap * sizeof *more);
        if (!more) return;
        t->rows = more;
        t->cap = cap;
    }
    char **row = t->rows[t->n_rows++];
    for (size_t i = 0; i < AY_TABLE_COLUMNS; i++)
        row[i] = i < t->n_columns ? clean_copy(cells[i] ? cells[i] : "") : NULL;
}

static void print_row(const struct ay_table *t, const char *const *row, const size_t *widths,
                      FILE *to)
{
    int n_blanks = 0; /* due before the next text: none at the end of a line */
    for (size_t i = 0; i < t->n_columns; i++) {
        const char *text = row[i] ? row[i] : "";
        const int pad = (int)(widths[i] - n_characters(text));
        const int is_right = (t->right >> i & 1) != 0;
        n_blanks += (i ? 2 : 0) + (is_right ? pad : 0);
        if (text[0]) {
            fprintf(to, "%*s%s", n_blanks, "", text);
            n_blanks = 0;
        }
        n_blanks += is_right ? 0 : pad;
    }
    fputc('\n', to);
}

void ay_table_print(const struct ay_table *t, FILE *to)
{
    size_t widths[AY_TABLE_COLUMNS];
    for (size_t i = 0; i < t->n_columns; i++) {
        widths[i] = n_characters(t->titles[i]);
        for (size_t k = 0; k < t->n_rows; k++) {
            const size_t n = t->rows[k][i] ? n_characters(t->rows[k][i]) : 0;
            if (n > widths[i]) widths[i] = n;
        }
    }
    print_row(t, t->titles, widths, to);
    for (size_t k = 0; k < t->n_rows; k++)
        print_row(t, (const char *const *)t->rows[k], widths, to);
}

void ay_table_close(struct ay_table *t)
{
    for (size_t k = 0; k < t->n_rows; k++)
        for (size_t i = 0; i < AY_TABLE_COLUMNS; i++)
            free(t->rows[k][i]);
    free(t->rows);
    memset(t, 0, sizeof *t);
}
