/* gpu_world.h - a GPU on the fake driver, with faults, and a check that nothing is left behind. */
#ifndef GPU_WORLD_H
#define GPU_WORLD_H

#include <check.h>

#include "dev/gpu/fault.h"
#include "dev/gpu/gpu_impl.h"
#include "fake_driver.h"

struct world {
    struct fake fake;
    struct ay_driver driver;
    struct ay_faults *faults;
    struct ay_device dev;
    struct ay_error err;
};

extern const struct ay_kernel world_kernel; /* in fake_images */

/* The text has that word in it. */
void must_say(const char *text, const char *word);

void world_begin(struct world *w);
void world_begin_with(struct world *w, const char *fault); /* NULL: none */
void gpu_world_open(struct world *w);                          /* GPU 0, with fake_images */
/* Closes all; whatever happened, nothing is left behind. */
void world_end(struct world *w);

/* Runs those tests; what main returns. */
int gpu_world_run(const char *name, const TTest *const *tests, size_t n);

#endif
