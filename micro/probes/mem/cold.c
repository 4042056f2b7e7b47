#include "probes/mem/cold.h"

#include "core/stats.h"

enum { PAIR_BYTES = 4 * WALK_LINE_BYTES }; /* a pair begins on such a boundary */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A step through n parts that visits all, neighbours about 0.38 n visits apart. */
static uint64_t part_step(uint64_t n)
{
    uint64_t step = n * 97 / 256 | 1;
    while (n > 1 && greatest_divisor(step, n) != 1) step += 2;
    return step;
}

/* Places are in the first half of a part, in random order; the second half has the page's line. */
static enum ay_status draw_places(struct ay_bench *b, uint64_t n, struct cold_taken *taken,
                                  struct ay_error *err)
{
    AY_TRY(ay_host_scratch(b, n * sizeof(uint64_t), (void **)&taken->places, err));
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t j = ay_random_below(ay_bench_random(b), i + 1);
        taken->places[i] = taken->places[j];
        taken->places[j] = i;
    }
    return AY_OK;
}

/* The next n of them. */
static enum ay_status take_places(struct ay_bench *b, uint64_t n_there, uint64_t n,
                                  struct cold_taken *taken, const uint64_t **places,
                                  struct ay_error *err)
{
    if (!taken->places) AY_TRY(draw_places(b, n_there, taken, err));
    if (taken->n_places + n > n_there)
        return AY_FAIL(err, AY_USAGE, "%llu lines asked of a part that has %llu",
                       (unsigned long long)(taken->n_places + n), (unsigned long long)n_there);
    *places = taken->places + taken->n_places;
    taken->n_places += n;
    taken->n_layouts++;
    return AY_OK;
}

static enum ay_status chain(struct ay_bench *b, ay_addr base, uint64_t n, const uint64_t *offsets,
                            struct ring *out, struct ay_error *err)
{
    void *order;
    AY_TRY(ay_host_scratch(b, n * sizeof(uint64_t), &order, err));
    for (uint64_t i = 0; i < n; i++) ((uint64_t *)order)[i] = i;
    *out = (struct ring){.base = base, .n_nodes = n, .offsets = offsets, .order = order};
    return ay_write_chain(b, base, n, offsets, out->order, err);
}

enum ay_status lay_cold(struct ay_bench *b, ay_addr base, uint64_t n_parts, uint64_t part_bytes,
                        uint64_t n_lines_a_part, enum cold_rows rows, struct cold_taken *taken,
                        struct cold *out, struct ay_error *err)
{
    const bool is_paired = rows == COLD_ROWS_OPEN;
    const uint64_t place_bytes = is_paired ? PAIR_BYTES : WALK_LINE_BYTES;
    const uint64_t n_places = is_paired ? n_lines_a_part / 2 : n_lines_a_part;
    const uint64_t step = part_step(n_parts);
    struct cold_taken alone = {.places = NULL};
    const uint64_t *places = NULL;
    void *lines, *pages;
    AY_TRY(ay_host_scratch(b, n_parts * n_lines_a_part * sizeof(uint64_t), &lines, err));
    AY_TRY(ay_host_scratch(b, n_parts * sizeof(uint64_t), &pages, err));
    if (!taken) taken = &alone;
    AY_TRY(take_places(b, part_bytes / 2 / place_bytes, n_places, taken, &places, err));
    uint64_t *line = lines;
    for (uint64_t i = 0; i < n_places; i++)
        for (uint64_t v = 0; v < n_parts; v++) {
            const uint64_t at = v * step % n_parts * part_bytes + places[i] * place_bytes;
            *line++ = at;
            if (is_paired) *line++ = at + WALK_LINE_BYTES;
        }
    for (uint64_t v = 0; v < n_parts; v++)
        ((uint64_t *)pages)[v] =
            (v * step % n_parts + 1) * part_bytes - taken->n_layouts * WALK_LINE_BYTES;
    out->n_lines_a_visit = is_paired ? 2 : 1;
    AY_TRY(chain(b, base, (uint64_t)(line - (uint64_t *)lines), lines, &out->lines, err));
    return chain(b, base, n_parts, pages, &out->pages, err);
}

enum { STEPS_A_SET = CHASE_STEP * (1 + 2 + 3 + 4) };

uint64_t cold_steps(uint32_t n_sets)
{
    return CHASE_STEP + (uint64_t)n_sets * STEPS_A_SET;
}

enum ay_status empty_l2(struct ay_bench *b, uint32_t sm, struct ay_error *err)
{
    return ay_evict_l2(b, ay_device_facts(b)->n_sms > 1 ? (int)sm : AY_ANY, err);
}

/* Pages are brought in up to the one before the first that is timed: a TLB that forgets the oldest
 * then has all of them where it can hold all, and else none that comes soon. */
enum ay_status walk_cold(struct ay_bench *b, const struct ay_kernel *k, uint32_t sm,
                         const struct cold *c, uint32_t n_sets, uint64_t *cycles,
                         struct ay_error *err)
{
    struct walk w = {.kernel = k, .sm = sm, .warm = &c->pages, .timed = &c->lines};
    uint64_t unused;
    if (cold_steps(n_sets) > c->lines.n_nodes)
        return AY_FAIL(err, AY_USAGE, "%u walks need more lines than %llu", n_sets,
                       (unsigned long long)c->lines.n_nodes);
    AY_TRY(walk_once(b, &w, 1, 1, &unused, err));
    w.skip_steps = CHASE_STEP;
    for (uint32_t i = 0; i < n_sets * CHASE_LENGTHS; i++) {
        const uint32_t length = 1 + i % CHASE_LENGTHS;
        w.warm_end = c->pages.n_nodes + w.skip_steps / c->n_lines_a_visit;
        AY_TRY(walk_once(b, &w, length, 1, &cycles[i], err));
        w.skip_steps += (uint64_t)length * CHASE_STEP;
    }
    return AY_OK;
}

double cold_loads(uint32_t i)
{
    return (double)((1 + i % CHASE_LENGTHS) * CHASE_STEP);
}

void add_cold(struct ay_samples *out, const char *quantity, const struct ay_point *at,
              const uint64_t *cycles, uint32_t n_sets)
{
    for (uint32_t i = 0; i < n_sets * CHASE_LENGTHS; i++)
        ay_sample(out, quantity, at, cold_loads(i), (double)cycles[i]);
}

enum ay_status cold_slope(const uint64_t *cycles, uint32_t n_sets, struct ay_estimate *out,
                          struct ay_error *err)
{
    struct ay_samples s = {0};
    const struct ay_point nowhere = {0};
    add_cold(&s, "slope", &nowhere, cycles, n_sets);
    const enum ay_status status = s.n ? ay_estimate(&s.series[0], AY_SLOPE, out, err)
                                      : AY_FAIL(err, AY_NOMEM, "no memory for samples");
    ay_samples_close(&s);
    return status;
}
