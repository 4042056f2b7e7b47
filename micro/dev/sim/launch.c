/* Launches: asked for, started, dispatched CTA by CTA over the SMs, ended. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dev/sim/machine.h"

/* --- asked for -------------------------------------------------------------------------------- */

static void refuse(struct sim_launch *l, enum sim_fault fault, const char *text)
{
    l->result.fault = fault;
    snprintf(l->result.text, sizeof l->result.text, "%s: %s", l->config.kernel->name, text);
    l->is_done = true;
    l->result.first_cycle = l->result.end_cycle = l->config.start_cycle;
}

static void refuse_unsupported(struct sim_launch *l)
{
    const struct sim_kernel *k = l->config.kernel;
    uint32_t at = k->unsupported;
    for (uint32_t i = 0; i < at && i < k->n_uops; i++)
        if (k->uops[i].kind == SIM_GENERIC && !sim_generic_is_known(k, &k->uops[i])) at = i;
    if (at >= k->n_uops) return;
    char text[200];
    snprintf(text, sizeof text, "opcode %s at line %u is not simulated",
             sim_opcode(l->config.image->module, &k->uops[at]), k->uops[at].line);
    refuse(l, SIM_NOT_SIMULATED, text);
}

static void check_block(const struct sim_machine *m, struct sim_launch *l)
{
    const struct sim_launch_config *c = &l->config;
    uint64_t threads = 1;
    bool fits = true;
    for (int d = 0; d < 3; d++) {
        threads *= c->block[d];
        if (c->grid[d] == 0 || c->block[d] == 0) fits = false;
        if (c->kernel->reqntid[d] && c->kernel->reqntid[d] != c->block[d]) fits = false;
    }
    if (!fits || threads > m->chip->threads_per_cta)
        refuse(l, SIM_BAD_SHAPE, "a grid or block that this kernel or chip cannot have");
    else if (c->kernel->maxntid[0] &&
             threads > (uint64_t)c->kernel->maxntid[0] *
                       (c->kernel->maxntid[1] ? c->kernel->maxntid[1] : 1) *
                       (c->kernel->maxntid[2] ? c->kernel->maxntid[2] : 1))
        refuse(l, SIM_BAD_SHAPE, "more threads than .maxntid");
    else if (c->params_bytes < c->kernel->param_bytes)
        refuse(l, SIM_BAD_SHAPE, "fewer parameter bytes than the kernel has");
}

static void check_cluster(const struct sim_machine *m, struct sim_launch *l)
{
    l->cluster_ctas = 1;
    for (int d = 0; d < 3; d++) {
        const uint32_t own = l->config.kernel->cluster[d];
        l->cluster[d] = l->config.cluster[d] ? l->config.cluster[d] : own ? own : 1;
        if (l->config.cluster[d] || own) l->is_cluster = true;
        l->cluster_ctas *= l->cluster[d];
        if (l->config.grid[d] % l->cluster[d] || (own && own != l->cluster[d]))
            refuse(l, SIM_BAD_CLUSTER, "the cluster does not divide the grid");
    }
    if (l->is_done) return;
    memcpy(l->config.cluster, l->cluster, sizeof l->cluster);
    if (l->cluster_ctas > m->chip->cluster_max_ctas)
        refuse(l, SIM_BAD_CLUSTER, "a larger cluster than this chip has");
}

static void check_resources(const struct sim_machine *m, struct sim_launch *l)
{
    const uint32_t per_sm = sim_occupancy(m, &l->config);
    if (per_sm == 0)
        refuse(l, SIM_NO_RESOURCES, "too many registers or too much shared memory for one CTA");
    else if (l->cluster_ctas > 1 && sim_max_clusters(m, &l->config) == 0)
        refuse(l, SIM_BAD_CLUSTER, "no GPC can hold one cluster");
    else if (l->config.is_cooperative && l->n_ctas > (uint64_t)per_sm * m->n_sms)
        refuse(l, SIM_TOO_LARGE, "more CTAs than can be resident, in a cooperative launch");
}

static double gaussian(struct sim_machine *m)
{
    const double u = ((double)(sim_draw(m) >> 11) + 0.5) / 9007199254740992.0;
    const double v = (double)(sim_draw(m) >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* One factor a launch: samples are launches, so it is samples that scatter. */
static double noise_of(struct sim_machine *m)
{
    const struct ay_chip *c = m->chip;
    if (c->noise_sigma_ratio == 0 && c->outlier_probability == 0) return 1;
    double noise = 1 + c->noise_sigma_ratio * gaussian(m);
    if ((double)(sim_draw(m) >> 11) / 9007199254740992.0 < c->outlier_probability)
        noise *= c->outlier_ratio;
    return noise < 0.5 ? 0.5 : noise;
}

static const struct sim_code *code_of(const struct sim_image *image, const struct sim_kernel *k)
{
    for (uint32_t i = 0; i < image->module->n_kernels; i++)
        if (image->codes[i].kernel == k) return &image->codes[i];
    return NULL;
}

enum ay_status sim_start(struct sim_machine *m, const struct sim_launch_config *config,
                         struct sim_launch **out, struct ay_error *err)
{
    const struct sim_code *code = code_of(config->image, config->kernel);
    if (!code) return AY_FAIL(err, AY_USAGE, "simulated launch: the kernel is not of this image");
    struct sim_launch *l = calloc(1, sizeof *l);
    const size_t bytes = config->params_bytes > code->kernel->param_bytes
                             ? config->params_bytes : code->kernel->param_bytes;
    if (l) l->params = calloc(1, bytes + 16);
    if (!l || !l->params) {
        free(l);
        return AY_FAIL(err, AY_NOMEM, "simulated launch: out of memory");
    }
    l->config = *config;
    l->code = code;
    l->id = ++m->next_launch_id;
    if (config->params_bytes) memcpy(l->params, config->params, config->params_bytes);
    l->start_cycle = sim_max(config->start_cycle, m->cycle);
    l->start_ns = sim_ns_of(m, l->start_cycle);
    l->n_ctas = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
    l->noise = noise_of(m);
    refuse_unsupported(l);
    if (!l->is_done) check_block(m, l);
    if (!l->is_done) check_cluster(m, l);
    if (!l->is_done) check_resources(m, l);
    if (!l->is_done && config->is_cooperative) l->workspace = m->workspace;
    struct sim_launch **at = &m->launches;
    while (*at) at = &(*at)->next;
    *at = l;
    *out = l;
    return AY_OK;
}

/* --- started, dispatched ---------------------------------------------------------------------- */

uint64_t sim_next_start(const struct sim_machine *m)
{
    uint64_t first = SIM_NEVER;
    for (const struct sim_launch *l = m->launches; l; l = l->next)
        if (!l->is_done && !l->has_started && l->start_cycle < first) first = l->start_cycle;
    return first;
}

static bool is_idle(const struct sim_machine *m)
{
    for (uint32_t i = 0; i < m->n_sms; i++)
        if (m->sms[i].n_ctas) return false;
    return true;
}

/* Each launch finds L1 empty; its size follows the carve-out when nothing else is running. */
static void prepare_l1(struct sim_machine *m, const struct sim_launch *l)
{
    const struct ay_chip *c = m->chip;
    const uint64_t bytes = ay_chip_l1_bytes_at(c, l->config.carveout_percent);
    uint64_t sets = bytes / (c->l1_line_bytes * c->l1_ways);
    if (sets < 1) sets = 1;
    const bool resize = is_idle(m) && sets != m->sms[0].l1.sets.n;
    for (uint32_t i = 0; i < m->n_sms; i++) {
        if (resize) sim_tags_resize(&m->sms[i].l1, sets);
        else sim_tags_clear(&m->sms[i].l1);
    }
}

bool sim_start_due(struct sim_machine *m, uint64_t now)
{
    bool any = false;
    for (struct sim_launch *l = m->launches; l; l = l->next) {
        if (l->is_done || l->has_started || l->start_cycle > now) continue;
        sim_warm_up(m, now);
        prepare_l1(m, l);
        l->has_started = true;
        l->result.first_cycle = l->start_cycle;
        any = true;
    }
    if (any) sim_dispatch(m, now);
    return any;
}

static struct sim_sm *emptiest_sm(struct sim_machine *m, const struct sim_need *need, int64_t gpc)
{
    struct sim_sm *best = NULL;
    for (uint32_t i = 0; i < m->n_sms; i++) {
        struct sim_sm *sm = &m->sms[i];
        if (gpc >= 0 && m->chip->sm_gpc.of[i] != gpc) continue;
        if (best && sm->n_ctas >= best->n_ctas) continue;
        if (sim_room_for(m, sm, need)) best = sm;
    }
    return best;
}

/* The GPC with the most room for the cluster's CTAs; -1: none has enough. */
static int64_t roomiest_gpc(struct sim_machine *m, const struct sim_need *need, uint32_t n_ctas)
{
    int64_t best = -1;
    uint32_t most = n_ctas - 1;
    for (uint32_t g = 0; g < ay_chip_n_gpcs(m->chip); g++) {
        uint32_t room = 0;
        for (uint32_t i = 0; i < m->n_sms; i++)
            if (m->chip->sm_gpc.of[i] == g) room += sim_room_for(m, &m->sms[i], need);
        if (room > most) {
            most = room;
            best = g;
        }
    }
    return best;
}

/* CTAs of one cluster start together. */
static bool place_cluster(struct sim_machine *m, struct sim_launch *l, uint64_t now)
{
    const struct sim_need need = sim_cta_needs(m, &l->config);
    const int64_t gpc = l->is_cluster ? roomiest_gpc(m, &need, l->cluster_ctas) : -1;
    if (l->is_cluster ? gpc < 0 : !emptiest_sm(m, &need, -1)) return false;
    uint64_t t = now;
    if (l->config.cta_interval_ns > 0)
        t = sim_max(t, sim_cycle_of(m, l->start_ns + (double)l->next_cta *
                                                         l->config.cta_interval_ns));
    struct sim_cluster *c = calloc(1, sizeof *c);
    for (uint32_t i = 0; c && i < l->cluster_ctas; i++) {
        struct sim_cta *cta = sim_cta_new(m, l, emptiest_sm(m, &need, gpc), l->next_cta, t);
        if (!cta) break;
        cta->cluster = c;
        c->ctas[i] = cta;
        c->n_ctas++;
        c->n_live_ctas++;
        c->n_live += cta->n_live_threads;
        l->next_cta++;
        l->live_ctas++;
    }
    if (c && c->n_ctas == l->cluster_ctas) return true;
    if (c && c->n_ctas == 0) free(c);
    l->result.fault = SIM_NO_RESOURCES;
    snprintf(l->result.text, sizeof l->result.text, "out of memory on the host");
    m->faulty = l;
    return false;
}

/* In order: a later launch gets what an earlier one has no CTA left for. */
void sim_dispatch(struct sim_machine *m, uint64_t now)
{
    for (struct sim_launch *l = m->launches; l; l = l->next) {
        if (l->is_done || !l->has_started) continue;
        while (l->next_cta < l->n_ctas)
            if (!place_cluster(m, l, now)) return;
    }
}
