#include "probes/mem/homes.h"

#include "core/stats.h"
#include "probes/mem/stamps.h"

static const uint64_t PAGE_LINE[] = {0}; /* offset, behind the lines: see page_ring */

enum ay_status page_ring(struct ay_bench *b, const struct homes *h, struct ring *out,
                         struct ay_error *err)
{
    void *order;
    *out = (struct ring){.base = h->base + h->n_lines * WALK_LINE_BYTES, .n_nodes = 1,
                         .offsets = PAGE_LINE};
    AY_TRY(ay_host_scratch(b, sizeof *out->order, &order, err));
    out->order = order;
    return ay_write_chain(b, out->base, 1, out->offsets, out->order, err);
}

enum ay_status prepare_homes(struct ay_bench *b, const struct homes *h, struct ay_error *err)
{
    AY_TRY(ay_evict_l2(b, AY_ANY, err));
    return ay_touch(b, h->base, h->n_lines * WALK_LINE_BYTES, WALK_LINE_BYTES, h->toucher, err);
}

/* Modes of the brackets: none but one, or near and far with what lies between. */
static enum ay_status split(struct ay_bench *b, struct homes *h, struct ay_error *err)
{
    struct ay_estimate modes = {0};
    double *in_order;
    AY_TRY(sorted_copy(b, h->cycles, h->n_lines, &in_order, err));
    h->spread_ratio = (ay_quantile_sorted(in_order, h->n_lines, 0.95) -
                       ay_quantile_sorted(in_order, h->n_lines, 0.05)) /
                      ay_quantile_sorted(in_order, h->n_lines, 0.5);
    AY_TRY(ay_find_modes(h->cycles, h->n_lines, &modes, err));
    h->split = modes.n_modes == 2 ? (modes.modes[0].value + modes.modes[1].value) / 2 : 0;
    return AY_OK;
}

/* Near is what was near at both touches, far what was far: a line that had been pushed out of L2 at
 * one of them looks far and may be anything. again NULL: one touch, one mode. */
static void sort_lines(struct homes *h, const double *again)
{
    h->n_near = h->n_far = 0;
    for (uint64_t i = 0; i < h->n_lines; i++) {
        const uint64_t offset = i * WALK_LINE_BYTES;
        const bool is_far = again && h->cycles[i] >= h->split;
        if (again && is_far != (again[i] >= h->split)) continue;
        if (is_far) h->far[h->n_far++] = offset;
        else h->near[h->n_near++] = offset;
    }
}

/* Do far lines become near by being read? Then the second touch is of lines brought in anew. */
static enum ay_status touch_again(struct ay_bench *b, struct homes *h, uint32_t sm,
                                  const struct ring *lines, const struct ring *page,
                                  struct ay_error *err)
{
    enum { FEWEST_SHARE = 50 }; /* one line in so many is no partition */
    void *again;
    uint64_t n_far = 0, n_still_far = 0;
    AY_TRY(ay_host_scratch(b, h->n_lines * sizeof(double), &again, err));
    AY_TRY(stamp_again(b, sm, lines, page, h->cycles, again, err));
    for (uint64_t i = 0; i < h->n_lines; i++) {
        n_far += h->cycles[i] >= h->split;
        n_still_far += h->cycles[i] >= h->split && ((double *)again)[i] >= h->split;
    }
    h->is_replicated = n_still_far < n_far / 2;
    if (h->is_replicated) {
        AY_TRY(prepare_homes(b, h, err));
        AY_TRY(stamp_again(b, sm, lines, page, h->cycles, again, err));
    }
    sort_lines(h, again);
    if (h->n_far < h->n_lines / FEWEST_SHARE) h->split = 0;
    return AY_OK;
}

enum ay_status find_homes(struct ay_bench *b, uint32_t sm, uint64_t n_lines, struct homes *out,
                          struct ay_error *err)
{
    enum { MOST_TOUCHERS = 8 };
    struct ring lines, page;
    void *near, *far, *cycles;
    const uint32_t n_sms = ay_device_facts(b)->n_sms;
    *out = (struct homes){.n_lines = n_lines};
    AY_TRY(ay_scratch(b, (n_lines + 1) * WALK_LINE_BYTES, &out->base, err));
    AY_TRY(ay_host_scratch(b, n_lines * sizeof(uint64_t), &near, err));
    AY_TRY(ay_host_scratch(b, n_lines * sizeof(uint64_t), &far, err));
    AY_TRY(ay_host_scratch(b, n_lines * sizeof(double), &cycles, err));
    out->near = near;
    out->far = far;
    out->cycles = cycles;
    lines = (struct ring){.base = out->base, .n_nodes = n_lines, .stride_bytes = WALK_LINE_BYTES};
    AY_TRY(ay_host_scratch(b, n_lines * sizeof(uint64_t), (void **)&lines.order, err));
    AY_TRY(ay_write_ring(b, lines.base, n_lines, WALK_LINE_BYTES, NULL, lines.order, err));
    AY_TRY(page_ring(b, out, &page, err));
    for (uint32_t i = 1; i <= MOST_TOUCHERS && (i < n_sms || i == 1); i++) {
        out->toucher = n_sms > MOST_TOUCHERS ? (sm + i * (n_sms / (MOST_TOUCHERS + 1))) % n_sms
                                             : (sm + n_sms - i) % n_sms;
        AY_TRY(prepare_homes(b, out, err));
        AY_TRY(stamp_lines(b, sm, &lines, &page, out->cycles, err));
        AY_TRY(split(b, out, err));
        if (out->split == 0) continue;
        AY_TRY(touch_again(b, out, sm, &lines, &page, err));
        if (out->split > 0) return AY_OK;
    }
    sort_lines(out, NULL);
    return AY_OK;
}
