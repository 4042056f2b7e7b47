/* Stores of kernels to host memory: they arrive some time after they were issued. */
#include <stdlib.h>
#include <string.h>

#include "dev/sim/machine.h"

static void deliver(const struct sim_store *s) { memcpy(s->host, s->data, s->bytes); }

void sim_store_to_host(struct sim_machine *m, uint64_t t, uint8_t *host, const void *data,
                       uint32_t bytes)
{
    struct sim_map *sp = &m->space;
    if (sp->n_stores == sp->stores_capacity) {
        const uint32_t capacity = sp->stores_capacity ? 2 * sp->stores_capacity : 64;
        struct sim_store *more = realloc(sp->stores, capacity * sizeof *more);
        if (!more) { /* early is better than never */
            sim_settle(m, 1e300);
            memcpy(host, data, bytes);
            return;
        }
        sp->stores = more;
        sp->stores_capacity = capacity;
    }
    struct sim_store *s = &sp->stores[sp->n_stores++];
    *s = (struct sim_store){ .arrival_ns = sim_ns_of(m, t) + (double)m->chip->launch_flag_ns,
                             .host = host, .bytes = (uint8_t)bytes };
    memcpy(s->data, data, bytes);
}

void sim_settle(struct sim_machine *m, double ns)
{
    struct sim_map *sp = &m->space;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sp->n_stores; i++) {
        if (sp->stores[i].arrival_ns <= ns) deliver(&sp->stores[i]);
        else sp->stores[kept++] = sp->stores[i];
    }
    sp->n_stores = kept;
}

double sim_next_arrival_ns(const struct sim_machine *m)
{
    double last = 0;
    for (uint32_t i = 0; i < m->space.n_stores; i++)
        if (m->space.stores[i].arrival_ns > last) last = m->space.stores[i].arrival_ns;
    return last;
}

/* A load by the device sees the device's own stores at once: those that overlap are delivered, with
 * all before them so that their order stays. */
void sim_settle_range(struct sim_machine *m, const uint8_t *host, uint32_t bytes)
{
    struct sim_map *sp = &m->space;
    for (uint32_t i = sp->n_stores; i-- > 0;) {
        const struct sim_store *s = &sp->stores[i];
        if (s->host >= host + bytes || s->host + s->bytes <= host) continue;
        for (uint32_t k = 0; k <= i; k++) deliver(&sp->stores[k]);
        memmove(sp->stores, sp->stores + i + 1, (sp->n_stores - i - 1) * sizeof *sp->stores);
        sp->n_stores -= i + 1;
        return;
    }
}
