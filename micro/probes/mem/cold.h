/* cold.h - lines that are in no cache, in pages that are in the TLB, in rows that are shut. */
#ifndef AY_MEM_COLD_H
#define AY_MEM_COLD_H

#include "probes/mem/walk.h"

/* Memory in equal parts. A walk goes through the parts in one fixed order, neighbours far apart in
 * time, and finds a line it has not touched yet at each visit; `pages` has one more line of each
 * part, to bring its page into the TLB. */
struct cold {
    struct ring lines, pages;
    uint64_t n_lines_a_visit; /* that follow each other in one part */
};

/* Places of a part that earlier layouts of the same memory have taken; zeroed at the start. Layouts
 * that share one do not meet, so that one eviction serves them all. */
struct cold_taken {
    uint64_t *places; /* all places of a part in random order, host scratch */
    uint64_t n_places, n_layouts;
};

enum cold_rows {
    COLD_ROWS_SHUT, /* each step in a row that no recent step was in */
    COLD_ROWS_OPEN, /* steps in pairs: the second is the neighbour of the first, in its row */
};

/* n_parts parts of part_bytes from base on, with n_lines_a_part lines each (two a pair). taken:
 * NULL for the only layout of that memory. */
enum ay_status lay_cold(struct ay_bench *b, ay_addr base, uint64_t n_parts, uint64_t part_bytes,
                        uint64_t n_lines_a_part, enum cold_rows rows, struct cold_taken *taken,
                        struct cold *out, struct ay_error *err) AY_CHECKED;

/* L2 emptied, by the SMs but `sm` where there are others. */
enum ay_status empty_l2(struct ay_bench *b, uint32_t sm, struct ay_error *err) AY_CHECKED;
/* L2 has been emptied: n_sets walks of the four lengths by `sm`, each line touched
 * once. cycles[set * CHASE_LENGTHS + length - 1]. One more walk before them, untimed, opens and
 * shuts what the eviction left. The lines must suffice: cold_steps(n_sets). */
enum ay_status walk_cold(struct ay_bench *b, const struct ay_kernel *k, uint32_t sm,
                         const struct cold *c, uint32_t n_sets, uint64_t *cycles,
                         struct ay_error *err) AY_CHECKED;
uint64_t cold_steps(uint32_t n_sets);

/* Loads of walk i of such a list; all as samples of a row; and their slope alone, with the
 * interval. */
double cold_loads(uint32_t i);
void add_cold(struct ay_samples *out, const char *quantity, const struct ay_point *at,
              const uint64_t *cycles, uint32_t n_sets);
enum ay_status cold_slope(const uint64_t *cycles, uint32_t n_sets, struct ay_estimate *out,
                          struct ay_error *err) AY_CHECKED;

#endif
