#include "dev/sim/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_block {
    struct sim_block *next;
    size_t n_bytes;
};

enum { ALIGN = 16, FIRST_BLOCK = 32 * 1024, LAST_BLOCK = 1024 * 1024 };

_Static_assert(sizeof(struct sim_block) % ALIGN == 0, "what follows a header is aligned");

static _Noreturn void no_memory(struct sim_build *b)
{
    b->status = AY_FAIL(b->err, AY_NOMEM, "no memory to decode PTX");
    longjmp(b->trap, 1);
}

void *sim_take(struct sim_build *b, struct sim_arena *arena, size_t n_bytes)
{
    if (n_bytes > SIZE_MAX / 4) no_memory(b);
    n_bytes = (n_bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (n_bytes > (size_t)(arena->end - arena->at)) {
        size_t size = arena->blocks ? arena->blocks->n_bytes * 2 : FIRST_BLOCK;
        if (size > LAST_BLOCK) size = LAST_BLOCK;
        if (size < n_bytes) size = n_bytes;
        struct sim_block *block = calloc(1, sizeof *block + size);
        if (!block) no_memory(b);
        block->next = arena->blocks;
        block->n_bytes = size;
        arena->blocks = block;
        arena->at = (char *)(block + 1);
        arena->end = arena->at + size;
    }
    void *got = arena->at;
    arena->at += n_bytes;
    return got;
}

void sim_arena_free(struct sim_arena *arena)
{
    for (struct sim_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *arena = (struct sim_arena){0};
}

const char *sim_keep_text(struct sim_build *b, const char *text, size_t n)
{
    char *kept = sim_take(b, &b->keep, n + 1);
    memcpy(kept, text, n);
    return kept;
}

void *sim_grow(struct sim_build *b, void *array, size_t n, size_t *cap, size_t elem_bytes)
{
    if (n < *cap) return array;
    const size_t more = *cap ? *cap * 2 : 32;
    void *bigger = sim_take(b, &b->temp, more * elem_bytes);
    if (n) memcpy(bigger, array, n * elem_bytes);
    *cap = more;
    return bigger;
}

_Noreturn void sim_build_fail(struct sim_build *b, uint32_t line, uint32_t column, const char *fmt,
                              ...)
{
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    char where[32] = "";
    if (column) snprintf(where, sizeof where, ", column %u", column);
    b->status = AY_FAIL(b->err, AY_USAGE, "PTX line %u%s: %s", line, where, what);
    longjmp(b->trap, 1);
}
