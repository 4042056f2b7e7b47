/* probe.h - what a probe is: one const struct, no code outside it. */
#ifndef AY_PROBE_H
#define AY_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "core/estimate.h"
#include "core/units.h"

enum { AY_ANY = -1 };

enum ay_belongs { AY_ON_GPU, AY_ON_HOST };

enum ay_feature {
    AY_HAS_CLUSTERS = 1 << 0,
    AY_HAS_TMA = 1 << 1,
    AY_HAS_PEERS = 1 << 2,
    AY_HAS_GRAPHS = 1 << 3,
};

struct ay_needs {      /* unmet: one `skip` row that says which */
    int min_sm;        /* 80 for sm_80; 0: any */
    unsigned features; /* of enum ay_feature */
};

/* A row of a probe: what it is called, what it counts, how it follows from samples. */
struct ay_quantity {
    const char *name;  /* "latency", "plateau" (rows plateau.1, plateau.2, …) */
    enum ay_unit unit;
    enum ay_unit beside; /* AY_NS, AY_GB_PER_S … stands beside the value; AY_NO_UNIT: nothing */
    enum ay_estimator estimator;
    const char *text;  /* for people: "load-to-use latency, near partition" */
    const char *const *labels; /* of a class, ends in NULL; else NULL */
};

/* A swept parameter: words, or numbers first, first*times, … up to last. { 0 } ends the list. */
struct ay_axis {
    const char *name;
    const char *const *words; /* ends in NULL; NULL: numbers */
    uint64_t first, last, times;
};

/* Where a kernel comes from: `entry` in the images of `source` ("mem/chase"). { 0 } ends a list. */
struct ay_kernel {
    const char *source, *entry;
};

/* What the timed region (between two clock reads; where there are several pairs, between each), or
 * the whole kernel, must contain. */
struct ay_sass_rule {
    const char *entry;     /* kernel; NULL: every kernel of the probe */
    const char *op;        /* glob over opcode with suffixes: "LDG.E.64*"; '|' separates choices */
    int at_least, at_most; /* AY_ANY: no bound */
    const char *why;
    enum { AY_IN_REGION, AY_IN_KERNEL } where;
    int min_sm, max_sm; /* architectures it speaks of; 0: no bound */
};

struct ay_truth {
    double value, tolerance; /* absolute, in the row's unit */
};

struct ay_bench; /* core/bench.h: what run may touch */
struct ay_chip;  /* core/chip.h: what truth may read */
struct ay_rows;  /* core/row.h: the rows so far, for conclude */

struct ay_probe {
    const char *name;     /* "mem.l1.latency"; the stem is mem/l1_latency */
    const char *question; /* one sentence that ends in '?' */
    const char *method;   /* a paragraph for the notebook page */
    enum ay_belongs belongs;
    struct ay_needs needs;
    const struct ay_quantity *quantities; /* { 0 } ends the list */
    const struct ay_axis *axes;           /* NULL: one point without coordinates */
    /* NULL: every combination of the axes is a point; else those for which this is true. */
    bool (*is_point)(const struct ay_point *at);
    const struct ay_kernel *kernels;      /* NULL: none (host) */
    /* One pass at one point: adds samples for one or more rows. Called again, with all scratch
     * taken back in between, until the intervals are narrow enough. */
    enum ay_status (*run)(struct ay_bench *b, const struct ay_point *at, struct ay_samples *out,
                          struct ay_error *err);
    uint32_t max_passes; /* at one point, for a `run` that is a whole sweep; 0: no bound */
    /* NULL, or: rows that follow from the rows of all points (plateaus of a curve). */
    enum ay_status (*conclude)(const struct ay_rows *all, struct ay_rows *more,
                               struct ay_error *err);
    /* In closed form what the chip makes true; false: this row has no truth. Called by the parent
     * alone, after the row came back. */
    bool (*truth)(const struct ay_chip *chip, const char *quantity, const struct ay_point *at,
                  struct ay_truth *out);
    const struct ay_sass_rule *sass;
    const char *const *pitfalls; /* ends in NULL */
    const char *const *sources;  /* keys of micro/SOURCES.md; ends in NULL */
};

/* The quantity of that row name ("plateau.2" is `plateau`), or NULL. */
const struct ay_quantity *ay_quantity_of(const struct ay_probe *p, const char *row_quantity);

/* What start-up checks of a descriptor: names, units, lists that end, a run. AY_USAGE names probe
 * and field. */
enum ay_status ay_check_probe(const struct ay_probe *p, struct ay_error *err) AY_CHECKED;

/* Points of the cross product of the axes. n_most > 0 thins each numeric axis to that many.
 * points[0 … n-1], at most cap, and the number there are. */
size_t ay_points(const struct ay_probe *p, size_t n_most, struct ay_point *points, size_t cap);

#endif
