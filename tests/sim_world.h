/* sim_world.h - a simulated machine with one PTX module, for tests of the engine. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include "core/chip.h"
#include "dev/sim/engine.h"
#include "dev/sim/program.h"

struct sim_world {
    struct ay_chip chip;
    struct sim_machine *m;
    struct sim_module *module;
    struct sim_image *image;
};

/* chip_keys: lines of a chip file on top of plain, or a whole name with "base = …". */
void world_open(struct sim_world *w, const char *chip_keys, const char *ptx);
void world_close(struct sim_world *w);

struct world_launch {
    const char *kernel;
    uint32_t ctas, threads, cluster, shared_bytes;
    int carveout; /* 0: default */
    bool is_cooperative;
    uint64_t args[8]; /* parameters, all .u64 */
    uint64_t start_cycle;
};
struct sim_launch_config world_config(const struct sim_world *w, const struct world_launch *l);
/* Runs it to its end, whatever that is. */
struct sim_result world_try(struct sim_world *w, const struct world_launch *l);
/* The same, and it must have gone well. */
struct sim_result world_run(struct sim_world *w, const struct world_launch *l);

uint64_t world_alloc(struct sim_world *w, uint64_t bytes);
uint64_t *world_words(struct sim_world *w, uint64_t va, uint64_t n);
/* A ring of n nodes, stride bytes apart, in an order that no prefetcher would guess. */
void world_ring(struct sim_world *w, uint64_t va, uint64_t n, uint64_t stride);

/* chase_OP(p, n, out): n dependent loads (a multiple of 16) from p on; out[0] begin, out[1] end,
 * out[2] last pointer. OP: ca cg nc plain volatile generic acquire. */
extern const char world_chases[];
/* Cycles a load: the slope of n loads from p on and 2 n more from where those ended; `cold` does it
 * at once, the other walks n loads before that. */
double world_cold_latency(struct sim_world *w, const char *kernel, uint64_t p, uint64_t n);
double world_latency(struct sim_world *w, const char *kernel, uint64_t p, uint64_t n);

/* Appends the line n times. */
char *world_repeat(char *into, size_t bytes, const char *line, uint32_t n);

#endif
