/* recover_world.h - probes on simulated chips in this process, and their rows against the truth. */
#ifndef RECOVER_WORLD_H
#define RECOVER_WORLD_H

#include <check.h>

#include "core/chip.h"
#include "core/measure.h"
#include "dev/gpu/fault.h"

/* A simulated device whose chip is known, and what the last probe measured on it. */
struct bench_chip {
    struct ay_chip *chip;
    struct ay_faults *faults;
    struct ay_device dev;
    struct ay_rows rows;
    struct ay_error err;
};

/* text: what stands after "sim:", or the keys of a chip file. fault: NULL, or "ENTRY@N=WHAT". */
void chip_begin(struct bench_chip *c, const char *text, const char *fault);
void chip_end(struct bench_chip *c);

/* Standard effort, or quick. c->rows are the rows of that probe alone. */
void chip_measure(struct bench_chip *c, const struct ay_probe *p, bool is_quick);

/* Every row of c->rows is ok, or a skip that says why, and each ok row with a truth equals it
 * within its tolerance. The number of rows with a truth. */
size_t must_recover(const struct bench_chip *c, const struct ay_probe *p);

/* Every GPU probe of the registry. is_each: each has a row with a truth. The number of those. */
size_t must_recover_all(const char *text, bool is_quick, bool is_each);

/* All that the rows say, one a line, on the heap; is_bare: but for the kernel's name and hash. */
char *rows_text(const struct ay_rows *rows, bool is_bare);

#endif
