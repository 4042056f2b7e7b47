#include "core/chip.h"

#include <math.h>

#include "core/chip_table.h"
#include "core/chip_value.h"

#include <stdlib.h>
#include <string.h>

const char *ay_chip_arch_text(const struct ay_chip *c)
{
#define X(word) #word,
    static const char *const words[] = {AY_CHIP_ARCHS(X)};
#undef X
    return (unsigned)c->arch < AY_N_CHIP_ARCHS ? words[c->arch] : "?";
}

int ay_chip_arch_number(const struct ay_chip *c)
{
    return (int)strtol(ay_chip_arch_text(c) + strlen("sm_"), NULL, 10);
}

uint64_t ay_chip_l1_sets(const struct ay_chip *c)
{
    return c->l1_bytes / (c->l1_line_bytes * c->l1_ways);
}

uint64_t ay_chip_l2_sets(const struct ay_chip *c)
{
    return c->l2_bytes / (c->l2_line_bytes * c->l2_ways * c->l2_slices);
}

uint64_t ay_chip_l1_bytes_at(const struct ay_chip *c, int carveout_percent)
{
    if (!c->l1_unified || carveout_percent < 0) return c->l1_bytes;
    const uint64_t set_bytes = c->l1_line_bytes * c->l1_ways;
    const int64_t more = ((int64_t)c->l1_carveout_default_percent - carveout_percent) *
                         (int64_t)c->shared_bytes_per_sm / 100;
    const int64_t bytes = (int64_t)c->l1_bytes + more;
    if (bytes < (int64_t)set_bytes) return set_bytes;
    return (uint64_t)bytes / set_bytes * set_bytes;
}

uint64_t ay_chip_cycles_of_ns(const struct ay_chip *c, double ns)
{
    const double cycles = ns * c->sm_clock_mhz / 1000;
    /* A product that is whole but for its last bits must not round up by a cycle. */
    return (uint64_t)ceil(cycles - 1e-9 * cycles);
}

uint64_t ay_chip_dram_cycles(const struct ay_chip *c)
{
    return c->l2_near_latency_cycles + ay_chip_cycles_of_ns(c, c->dram_latency_ns);
}

bool ay_chip_has_far(const struct ay_chip *c)
{
    return c->l2_partitions > 1;
}

static uint32_t n_groups(const struct ay_deal *d, uint64_t sms)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < sms; i++)
        if (d->of[i] >= n) n = (uint32_t)d->of[i] + 1;
    return n;
}

uint32_t ay_chip_n_tpcs(const struct ay_chip *c)
{
    return n_groups(&c->sm_tpc, c->sms);
}

uint32_t ay_chip_n_gpcs(const struct ay_chip *c)
{
    return n_groups(&c->sm_gpc, c->sms);
}

double ay_chip_claim(const struct ay_reported *r, double truth)
{
    return r->is_set ? r->value : truth;
}

/* --- printing --------------------------------------------------------------------------------- */

static bool append_line(struct ay_growing *g, const struct ay_chip *c, const struct ay_key *k,
                        size_t member)
{
    char text[AY_KEY_TEXT_BYTES];
    const void *const at = (const char *)c + k->offset;
    if (k->kind == AY_KEY_IS_REPORTED && !((const struct ay_reported *)at)->is_set) return true;
    return ay_append(g, ay_key_text(k, member, text)) && ay_append(g, " = ") &&
           ay_append_value(g, c, k, member) && ay_append(g, "\n");
}

/* Keys of one family that follow each other are printed member by member. */
static const struct ay_key *append_family(struct ay_growing *g, const struct ay_chip *c,
                                          const struct ay_key *first, bool *is_fine)
{
    const struct ay_key *end = first + 1;
    while (end->head && end->members == first->members && first->n_members > 1) end++;
    for (size_t i = 0; i < first->n_members; i++)
        for (const struct ay_key *k = first; k < end; k++)
            *is_fine = *is_fine && append_line(g, c, k, i);
    return end;
}

char *ay_chip_describe(const struct ay_chip *c)
{
    struct ay_growing g = {0};
    bool is_fine = ay_append(&g, "# A whole chip: every key is here, none from a base.\n"
                                 "base = none\n");
    for (const struct ay_key *k = ay_chip_keys(); is_fine && k->head;)
        k = append_family(&g, c, k, &is_fine);
    if (is_fine) return g.text;
    free(g.text);
    return NULL;
}
