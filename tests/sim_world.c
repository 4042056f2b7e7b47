#include "sim_world.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "dev/sim/cache.h"

void world_open(struct sim_world *w, const char *chip_keys, const char *ptx)
{
    struct ay_error err = { 0 };
    enum ay_status s = ay_chip_parse(chip_keys, "test.chip", &w->chip, &err);
    ck_assert_msg(s == AY_OK, "%s", err.text);
    s = sim_open(&w->chip, &w->m, &err);
    ck_assert_msg(s == AY_OK, "%s", err.text);
    s = sim_module_parse(ptx, strlen(ptx), &w->module, &err);
    ck_assert_msg(s == AY_OK, "%s", err.text);
    s = sim_load(w->m, w->module, &w->image, &err);
    ck_assert_msg(s == AY_OK, "%s", err.text);
    sim_set_watchdog(w->m, 0, 20);
}

void world_close(struct sim_world *w)
{
    sim_close(w->m);
    sim_module_close(w->module);
}

struct sim_launch_config world_config(const struct sim_world *w, const struct world_launch *l)
{
    struct sim_launch_config c = {
        .image = w->image,
        .kernel = sim_find_kernel(w->module, l->kernel),
        .grid = { l->ctas ? l->ctas : 1, 1, 1 },
        .block = { l->threads ? l->threads : 32, 1, 1 },
        .dynamic_shared_bytes = l->shared_bytes,
        .carveout_percent = l->carveout ? l->carveout : -1,
        .is_cooperative = l->is_cooperative,
        .params = l->args,
        .params_bytes = sizeof l->args,
        .start_cycle = l->start_cycle,
    };
    if (l->cluster)
        for (int d = 0; d < 3; d++) c.cluster[d] = d == 0 ? l->cluster : 1;
    ck_assert_msg(c.kernel != NULL, "no kernel %s", l->kernel);
    return c;
}

struct sim_result world_try(struct sim_world *w, const struct world_launch *l)
{
    struct ay_error err = { 0 };
    struct sim_result r;
    const struct sim_launch_config c = world_config(w, l);
    ck_assert_msg(sim_launch(w->m, &c, &r, &err) == AY_OK, "%s", err.text);
    return r;
}

struct sim_result world_run(struct sim_world *w, const struct world_launch *l)
{
    const struct sim_result r = world_try(w, l);
    ck_assert_msg(r.fault == SIM_FINE, "%s", r.text);
    return r;
}

uint64_t world_alloc(struct sim_world *w, uint64_t bytes)
{
    struct ay_error err = { 0 };
    uint64_t va;
    ck_assert_msg(sim_allocate(w->m, bytes, &va, &err) == AY_OK, "%s", err.text);
    return va;
}

uint64_t *world_words(struct sim_world *w, uint64_t va, uint64_t n)
{
    uint64_t *p = sim_host_pointer(w->m, va, 8 * n);
    ck_assert_ptr_nonnull(p);
    return p;
}

void world_ring(struct sim_world *w, uint64_t va, uint64_t n, uint64_t stride)
{
    uint8_t *p = sim_host_pointer(w->m, va, (n - 1) * stride + 8);
    uint64_t *order = malloc(n * sizeof *order);
    ck_assert(p && order);
    for (uint64_t i = 0; i < n; i++) order[i] = i;
    for (uint64_t i = n - 1; i > 1; i--) { /* node 0 stays the first */
        const uint64_t k = 1 + sim_mix(i * 77 + 5) % i, x = order[i];
        order[i] = order[k];
        order[k] = x;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t next = va + order[(i + 1) % n] * stride;
        memcpy(p + order[i] * stride, &next, 8);
    }
    free(order);
}

#define LD3(load)  load " %rd1, [%rd1];\n" load " %rd1, [%rd1];\n" load " %rd1, [%rd1];\n"
#define LD7(load) LD3(load) LD3(load) load " %rd1, [%rd1];\n"
#define CHASE(name, load)                                                  \
    ".visible .entry chase_" name "(.param .u64 a0, .param .u64 a1, .param .u64 a2)\n" \
    "{\n"                                                                  \
    "  .reg .b64 %rd<8>; .reg .pred %p<2>;\n"                              \
    "  .shared .align 8 .b8 sink[8];\n"                                    \
    "  ld.param.u64 %rd1, [a0]; ld.param.u64 %rd2, [a1]; ld.param.u64 %rd3, [a2];\n" \
    "  mov.u64 %rd4, %clock64;\n"                                          \
    "again:\n"                                                             \
    "  " load " %rd1, [%rd1];\n"                                           \
    "  add.s64 %rd2, %rd2, -16;\n"                                         \
    LD7(load)                                                              \
    "  setp.ne.s64 %p1, %rd2, 0;\n"                                        \
    LD7(load) load " %rd1, [%rd1];\n"                                      \
    "  @%p1 bra again;\n"                                                  \
    "  st.volatile.shared.u64 [sink], %rd1;\n"                             \
    "  mov.u64 %rd5, %clock64;\n"                                          \
    "  st.global.u64 [%rd3], %rd4; st.global.u64 [%rd3+8], %rd5;\n"        \
    "  st.global.u64 [%rd3+16], %rd1;\n"                                   \
    "  ret;\n"                                                             \
    "}\n"

const char world_chases[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    CHASE("ca", "ld.global.ca.u64")
    CHASE("cg", "ld.global.cg.u64")
    CHASE("plain", "ld.global.u64")
    CHASE("nc", "ld.global.nc.u64")
    CHASE("volatile", "ld.volatile.global.u64")
    CHASE("generic", "ld.u64")
    CHASE("64", "ld.global.L2::64B.u64")
    CHASE("128", "ld.global.L2::128B.u64")
    CHASE("256", "ld.global.L2::256B.u64")
    CHASE("acquire", "ld.acquire.gpu.global.u64");

static uint64_t elapsed(struct sim_world *w, const char *kernel, uint64_t p, uint64_t n,
                        uint64_t out)
{
    world_run(w, &(struct world_launch){ .kernel = kernel, .threads = 1, .args = { p, n, out } });
    const uint64_t *r = world_words(w, out, 3);
    return r[1] - r[0];
}

double world_latency(struct sim_world *w, const char *kernel, uint64_t p, uint64_t n)
{
    const uint64_t out = world_alloc(w, 64);
    ck_assert_uint_eq(n % 16, 0);
    elapsed(w, kernel, p, n, out);
    p = world_words(w, out, 3)[2];
    sim_release(w->m, out);
    return world_cold_latency(w, kernel, p, n);
}

double world_cold_latency(struct sim_world *w, const char *kernel, uint64_t p, uint64_t n)
{
    const uint64_t out = world_alloc(w, 64);
    const uint64_t one = elapsed(w, kernel, p, n, out);
    const uint64_t two = elapsed(w, kernel, world_words(w, out, 3)[2], 2 * n, out);
    sim_release(w->m, out);
    return (double)(two - one) / (double)n;
}

char *world_repeat(char *into, size_t bytes, const char *line, uint32_t n)
{
    const size_t one = strlen(line);
    size_t at = strlen(into);
    for (uint32_t i = 0; i < n && at + one + 1 < bytes; i++, at += one)
        memcpy(into + at, line, one + 1);
    return into;
}
