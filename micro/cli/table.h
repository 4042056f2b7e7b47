/* table.h - columns of text on a terminal, as wide as they must be, two blanks between them. */
#ifndef AY_TABLE_H
#define AY_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum { AY_TABLE_COLUMNS = 8 };

struct ay_table {
    size_t n_columns;
    const char *titles[AY_TABLE_COLUMNS];
    unsigned right;                 /* bit i: column i stands right (numbers) */
    size_t n_rows, cap;
    char *(*rows)[AY_TABLE_COLUMNS]; /* owned copies */
};

/* Adds a row of n_columns texts (NULL: ""); they are cleaned and copied. What memory has no room
 * for is left out: a table is for the eye, the records are elsewhere. */
void ay_table_add(struct ay_table *t, const char *const *cells);
/* With a line of titles; widths count characters, not bytes. No blanks at the end of a line. */
void ay_table_print(const struct ay_table *t, FILE *to);
void ay_table_close(struct ay_table *t);

#endif
