/* coalesce.h - from the lanes' addresses to the lines and sectors that a request touches. */
#ifndef SIM_COALESCE_H
#define SIM_COALESCE_H

#include <stdint.h>

enum { SIM_MAX_LINES = 128 };

struct sim_request {
    uint32_t n, n_sectors;
    uint64_t line[SIM_MAX_LINES];    /* address >> line_shift, in order of first touch */
    uint64_t address[SIM_MAX_LINES]; /* of a lane that touches it */
    uint32_t sectors[SIM_MAX_LINES]; /* bit a sector */
};

void sim_coalesce(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t line_shift,
                  uint32_t sector_shift, struct sim_request *out);

/* Lane i at first + i * bytes, for all 32. */
int sim_is_consecutive(const uint64_t *addr, uint32_t bytes);

#endif
