/* homes.h - which lines one SM finds near in L2 and which far, told by stamped single touches. */
#ifndef AY_MEM_HOMES_H
#define AY_MEM_HOMES_H

#include "core/bench.h"
#include "core/estimate.h"
#include "probes/mem/walk.h"

/* Lines of one buffer, and what a first touch of each cost. All arrays are host scratch. */
struct homes {
    ay_addr base;
    uint64_t n_lines;
    double *cycles;      /* of line i: raw bracket, clock read to clock read */
    double split;        /* between the two modes; 0: one mode */
    uint64_t n_near, n_far;
    uint64_t *near, *far;/* offsets of the lines of each mode; one mode: all are near */
    uint32_t toucher;    /* the SM that put the lines into L2 */
    double spread_ratio; /* of all brackets, 5th to 95th percentile over the median */
    bool is_replicated;  /* a second touch of far lines was near */
};

/* Lines into L2 by another SM, TLB warm, then each touched once, stamped, in random order. Other
 * SMs are tried as the toucher until two modes show, since where L2 replicates a toucher of one's
 * own partition leaves everything near. */
enum ay_status find_homes(struct ay_bench *b, uint32_t sm, uint64_t n_lines, struct homes *out,
                          struct ay_error *err) AY_CHECKED;

/* L2 emptied and the lines put back by h->toucher: near and far as at the start. */
enum ay_status prepare_homes(struct ay_bench *b, const struct homes *h,
                             struct ay_error *err) AY_CHECKED;

/* A line of the same pages that no ring uses: a ring of one, to warm the TLB with. */
enum ay_status page_ring(struct ay_bench *b, const struct homes *h, struct ring *out,
                         struct ay_error *err) AY_CHECKED;

#endif
