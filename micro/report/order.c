#include "report/order.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *title;
} FAMILIES[] = {
    { "mem", "Memory hierarchy" },       { "alu", "Instruction pipelines" },
    { "tensor", "Matrix units" },        { "sync", "Synchronisation" },
    { "async", "Asynchronous copies" },  { "launch", "From the host to the first warp" },
    { "link", "Between memories" },      { "host", "This machine\xe2\x80\x99s processor" },
};
enum { N_FAMILIES = sizeof FAMILIES / sizeof FAMILIES[0] };

size_t ay_family_length(const char *probe)
{
    return strcspn(probe, ".");
}

bool ay_same_family(const char *a, const char *b)
{
    const size_t n = ay_family_length(a);
    return n == ay_family_length(b) && memcmp(a, b, n) == 0;
}

static size_t rank_of(const char *probe)
{
    size_t i = 0;
    while (i < N_FAMILIES && !ay_same_family(FAMILIES[i].word, probe))
        i++;
    return i;
}

const char *ay_family_title(const char *family)
{
    const size_t i = rank_of(family);
    return i < N_FAMILIES ? FAMILIES[i].title : family;
}

static int compare_points(const struct ay_point *a, const struct ay_point *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        const struct ay_coord *x = &a->at[i], *y = &b->at[i];
        int by = strcmp(x->axis, y->axis);
        if (by == 0) by = strcmp(x->word, y->word);
        if (by == 0) by = (x->number > y->number) - (x->number < y->number);
        if (by) return by;
    }
    return (a->n > b->n) - (a->n < b->n);
}

static int compare(const void *left, const void *right)
{
    const struct ay_row *a = *(const struct ay_row *const *)left;
    const struct ay_row *b = *(const struct ay_row *const *)right;
    const size_t x = rank_of(a->probe), y = rank_of(b->probe);
    if (x != y) return x < y ? -1 : 1;
    int by = strcmp(a->probe, b->probe);
    if (by == 0) by = strverscmp(a->quantity, b->quantity); /* plateau.10 after plateau.9 */
    return by ? by : compare_points(&a->point, &b->point);
}

const struct ay_row **ay_ordered_rows(const struct ay_run *run)
{
    if (run->rows.n == 0) return NULL;
    const struct ay_row **rows = malloc(run->rows.n * sizeof *rows);
    if (!rows) return NULL;
    for (size_t i = 0; i < run->rows.n; i++)
        rows[i] = &run->rows.rows[i];
    qsort(rows, run->rows.n, sizeof *rows, compare);
    return rows;
}

const struct ay_probe *ay_probe_named(const struct ay_probe *const *probes, const char *name)
{
    for (; probes && *probes; probes++)
        if (strcmp((*probes)->name, name) == 0) return *probes;
    return NULL;
}
