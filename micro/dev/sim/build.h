/* build.h - memory and failure while a program is built. */
#ifndef AY_SIM_BUILD_H
#define AY_SIM_BUILD_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/* Memory that is freed at once. Alignment is 16 bytes; blocks grow, so that many small pieces cost
 * a few mallocs. */
struct sim_arena {
    struct sim_block *blocks;
    char *at, *end;
};

/* A failure anywhere below leaves through `trap`: all memory is in the arenas, so nothing leaks,
 * and the hundred places that read a token need no test each. */
struct sim_build {
    jmp_buf trap;
    enum ay_status status;
    struct ay_error *err;
    struct sim_arena keep; /* lives as long as the module */
    struct sim_arena temp; /* until the module is built */
};

/* Zeroed memory; does not return when there is none. */
void *sim_take(struct sim_build *b, struct sim_arena *arena, size_t n_bytes);
void sim_arena_free(struct sim_arena *arena);

/* The bytes and a NUL, kept. */
const char *sim_keep_text(struct sim_build *b, const char *text, size_t n);

/* Makes room for one more element in *array (*cap elements, n used). */
void *sim_grow(struct sim_build *b, void *array, size_t n, size_t *cap, size_t elem_bytes);

/* *array (capacity in cap) gets room for one more element behind the n that it holds. */
#define SIM_GROW(b, array, n, cap) \
    ((array) = (n) < (cap) ? (array) : sim_grow((b), (array), (n), &(cap), sizeof *(array)))

/* Leaves with AY_USAGE and "PTX line L, column C: ..."; column 0 is left out. */
_Noreturn void sim_build_fail(struct sim_build *b, uint32_t line, uint32_t column, const char *fmt,
                              ...) __attribute__((format(printf, 4, 5)));

#endif
