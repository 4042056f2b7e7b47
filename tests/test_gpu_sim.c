/* test_gpu_sim.c - the same backend on the simulated GPU: what is launched runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/chip.h"
#include "dev/sim/sim.h"
#include "gpu_world.h"

static const unsigned char ptx[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    /* out[tid] = tid * factor */
    ".visible .entry scale(.param .align 8 .b8 args[16])\n{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [args];\n  ld.param.u32 %r1, [args+8];\n"
    "  cvta.to.global.u64 %d2, %d1;\n"
    "  mov.u32 %r2, %tid.x;\n  mul.lo.u32 %r3, %r2, %r1;\n"
    "  mul.wide.u32 %d3, %r2, 4;\n  add.u64 %d2, %d2, %d3;\n"
    "  st.global.u32 [%d2], %r3;\n  ret;\n}\n"
    ".visible .entry stray(.param .align 8 .b8 args[16])\n{\n"
    "  .reg .b32 %r<2>; .reg .b64 %d<2>;\n"
    "  mov.u64 %d1, 64;\n  mov.u32 %r1, 1;\n  st.global.u32 [%d1], %r1;\n  ret;\n}\n";

#define KERNEL_X(body) \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry x()\n{\n  " body "\n}\n"
static const unsigned char broken[] = KERNEL_X("mov.u32 %r1 %tid.x;");
static const unsigned char foreign[] = KERNEL_X("nonsense.b32;");

static const struct ay_image images[] = {
    {"mem/scale", "sm_90a", AY_IMAGE_PTX, ptx, ptx + sizeof ptx - 1},
    {"mem/broken", "sm_90a", AY_IMAGE_PTX, broken, broken + sizeof broken - 1},
    {"mem/foreign", "sm_90a", AY_IMAGE_PTX, foreign, foreign + sizeof foreign - 1},
    {0},
};
static const struct ay_kernel scale = {"mem/scale", "scale"};
static const struct ay_kernel stray = {"mem/scale", "stray"};

struct args {
    uint64_t out;
    uint32_t factor, unused;
};

struct bed {
    struct ay_faults *faults;
    struct ay_device dev;
    struct ay_error err;
};

static void set_up(struct bed *b, const char *chip_name, const char *fault)
{
    struct ay_driver driver;
    memset(b, 0, sizeof *b);
    struct ay_chip *chip = malloc(sizeof *chip);
    ck_assert_msg(ay_chip_load(chip_name, chip, &b->err) == AY_OK, "%s", b->err.text);
    ck_assert_msg(sim_driver_open(chip, &driver, &b->err) == AY_OK, "%s", b->err.text);
    free(chip);
    ck_assert_int_eq(ay_faults_parse(&fault, fault != NULL, &b->faults, &b->err), AY_OK);
    ck_assert_int_eq(ay_faults_wrap(&driver, b->faults, &b->err), AY_OK);
    const enum ay_status s = ay_gpu_open(&driver, 0, NULL, "sim:x", true, &b->dev, &b->err);
    ck_assert_msg(s == AY_OK, "%s", b->err.text);
    ((struct gpu *)b->dev.self)->images = images;
}

static void tear_down(struct bed *b)
{
    ay_device_close(&b->dev);
    ay_faults_close(b->faults);
}

enum { LANES = 64 };

static enum ay_status run_scale(struct bed *b, uint32_t out[LANES])
{
    const struct ay_device_ops *o = b->dev.ops;
    void *g = b->dev.self;
    ay_addr at;
    AY_TRY(o->alloc(g, 4 * LANES, &at, &b->err));
    AY_TRY(o->fill(g, at, 0xff, 4 * LANES, &b->err));
    const struct args args = {.out = at, .factor = 3};
    const struct ay_launch l = {.kernel = &scale, .n_ctas = 1, .n_threads = LANES, .args = &args,
                                .args_bytes = sizeof args};
    const enum ay_status s = o->launch(g, &l, &b->err);
    if (s == AY_OK) AY_TRY(o->read(g, out, at, 4 * LANES, &b->err));
    o->release(g, at);
    return s;
}

START_TEST(a_launched_kernel_runs_and_its_result_is_read_back)
{
    struct bed b;
    uint32_t out[LANES];
    set_up(&b, "plain", NULL);
    ck_assert_int_eq(b.dev.kind, AY_DEVICE_SIMULATED);
    ck_assert_msg(run_scale(&b, out) == AY_OK, "%s", b.err.text);
    for (uint32_t i = 0; i < LANES; i++) ck_assert_uint_eq(out[i], 3 * i);
    tear_down(&b);
}
END_TEST

START_TEST(a_launch_that_is_corrupted_leaves_memory_as_it_was)
{
    struct bed b;
    uint32_t out[LANES];
    set_up(&b, "plain", "cuLaunchKernel@1=corrupt");
    ck_assert_msg(run_scale(&b, out) == AY_OK, "%s", b.err.text);
    for (uint32_t i = 0; i < LANES; i++) ck_assert_uint_eq(out[i], 0xffffffffu);
    ck_assert_msg(run_scale(&b, out) == AY_OK, "%s", b.err.text);
    ck_assert_uint_eq(out[5], 15);
    tear_down(&b);
}
END_TEST

START_TEST(the_chip_describes_itself_as_a_driver_would)
{
    struct bed b;
    json_t *d, *e;
    set_up(&b, "plain", NULL);
    ck_assert_int_eq(b.dev.ops->describe(b.dev.self, &d, &e, &b.err), AY_OK);
    ck_assert_str_eq(json_string_value(json_object_get(d, "product")), "plain");
    ck_assert_str_eq(json_string_value(json_object_get(d, "arch")), "sm_90a");
    ck_assert_int_eq(json_integer_value(json_object_get(d, "sms")), b.dev.facts.n_sms);
    ck_assert_str_eq(json_string_value(json_object_get(e, "library")), "simulator");
    ck_assert(json_is_null(json_object_get(d, "pci_ids")));
    json_decref(d);
    json_decref(e);
    json_t *t = b.dev.ops->telemetry(b.dev.self);
    ck_assert_double_gt(json_number_value(json_object_get(t, "sm_clock_mhz")), 0);
    json_decref(t);
    tear_down(&b);
}
END_TEST

START_TEST(a_stray_store_loses_the_context_and_says_so)
{
    struct bed b;
    uint32_t out[LANES];
    const struct args args = {0};
    const struct ay_launch l = {.kernel = &stray, .args = &args, .args_bytes = sizeof args};
    set_up(&b, "plain", NULL);
    ck_assert_int_eq(b.dev.ops->launch(b.dev.self, &l, &b.err), AY_DEVICE);
    must_say(b.err.text, "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    ck_assert_int_eq(run_scale(&b, out), AY_DEVICE);
    tear_down(&b);
}
END_TEST

START_TEST(arguments_of_another_size_are_refused)
{
    struct bed b;
    const struct args args = {0};
    const struct ay_launch l = {.kernel = &scale, .args = &args, .args_bytes = 8};
    set_up(&b, "plain", NULL);
    ck_assert_int_eq(b.dev.ops->launch(b.dev.self, &l, &b.err), AY_DEVICE);
    must_say(b.err.text, "CUDA_ERROR_INVALID_VALUE");
    tear_down(&b);
}
END_TEST

START_TEST(ptx_that_cannot_be_read_is_said_with_its_line)
{
    struct bed b;
    const struct ay_kernel x = {"mem/broken", "x"};
    const struct ay_launch l = {.kernel = &x};
    set_up(&b, "plain", NULL);
    ck_assert_int_eq(b.dev.ops->launch(b.dev.self, &l, &b.err), AY_DEVICE);
    must_say(b.err.text, "CUDA_ERROR_INVALID_PTX (218)");
    must_say(b.err.text, "line 6");
    tear_down(&b);
}
END_TEST

START_TEST(an_instruction_that_is_not_simulated_is_a_skip_that_names_it)
{
    struct bed b;
    const struct ay_kernel x = {"mem/foreign", "x"};
    const struct ay_launch l = {.kernel = &x};
    set_up(&b, "plain", NULL);
    ck_assert_int_eq(b.dev.ops->launch(b.dev.self, &l, &b.err), AY_SKIP);
    must_say(b.err.text, "nonsense");
    tear_down(&b);
}
END_TEST

START_TEST(a_graph_of_kernels_runs_each_of_them)
{
    struct bed b;
    struct ay_graph *x;
    ay_addr at;
    uint32_t out[LANES] = {0};
    set_up(&b, "plain", NULL);
    const struct ay_device_ops *o = b.dev.ops;
    void *g = b.dev.self;
    ck_assert_int_eq(o->alloc(g, 4 * LANES, &at, &b.err), AY_OK);
    const struct args args = {.out = at, .factor = 7};
    const struct ay_launch l = {.kernel = &scale, .n_ctas = 1, .n_threads = LANES, .args = &args,
                                .args_bytes = sizeof args};
    ck_assert_int_eq(o->graph(g, &x, &b.err), AY_OK);
    ck_assert_msg(o->graph_add(g, x, AY_NODE_KERNEL, &l, -1, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_msg(o->graph_add(g, x, AY_NODE_COPY, NULL, 0, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_msg(o->graph_add(g, x, AY_NODE_EMPTY, NULL, 1, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_msg(o->graph_ready(g, x, false, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_msg(o->graph_upload(g, x, NULL, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_msg(o->graph_launch(g, x, NULL, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_msg(o->stream_wait(g, NULL, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_int_eq(o->read(g, out, at, sizeof out, &b.err), AY_OK);
    ck_assert_uint_eq(out[9], 63);
    o->graph_release(g, x);
    o->release(g, at);
    tear_down(&b);
}
END_TEST

START_TEST(a_machine_with_two_gpus_has_one_peer_whose_memory_can_be_written)
{
    struct bed b;
    uint32_t n, out = 0;
    ay_addr there, here;
    set_up(&b, "two", NULL);
    const struct ay_device_ops *o = b.dev.ops;
    void *g = b.dev.self;
    ck_assert_int_eq(o->peer_count(g, &n, &b.err), AY_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_msg(o->peer_alloc(g, 0, 64, &there, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_int_eq(o->alloc(g, 64, &here, &b.err), AY_OK);
    ck_assert_int_eq(o->fill(g, here, 0x5a, 64, &b.err), AY_OK);
    ck_assert_msg(o->peer_copy(g, 0, there, AY_SELF, here, 64, NULL, &b.err) == AY_OK, "%s",
                  b.err.text);
    ck_assert_int_eq(o->fill(g, here, 0, 64, &b.err), AY_OK);
    ck_assert_msg(o->peer_copy(g, AY_SELF, here, 0, there, 64, NULL, &b.err) == AY_OK, "%s",
                  b.err.text);
    ck_assert_int_eq(o->read(g, &out, here, 4, &b.err), AY_OK);
    ck_assert_uint_eq(out, 0x5a5a5a5au);
    o->release(g, here);
    o->peer_release(g, 0, there);
    tear_down(&b);
}
END_TEST

START_TEST(an_alias_shows_the_same_memory)
{
    struct bed b;
    struct ay_vmm *m;
    uint64_t unit;
    ay_addr at;
    uint32_t out = 0;
    set_up(&b, "plain", NULL);
    const struct ay_device_ops *o = b.dev.ops;
    void *g = b.dev.self;
    ck_assert_int_eq(o->vmm_granularity(g, &unit, &b.err), AY_OK);
    ck_assert_msg(o->vmm_create(g, unit, &m, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_msg(o->vmm_alias(g, m, 3, &at, &b.err) == AY_OK, "%s", b.err.text);
    ck_assert_int_eq(o->fill(g, at + 2 * unit, 0x33, 4, &b.err), AY_OK);
    ck_assert_int_eq(o->read(g, &out, at, 4, &b.err), AY_OK);
    ck_assert_uint_eq(out, 0x33333333u);
    o->vmm_release(g, m);
    tear_down(&b);
}
END_TEST

START_TEST(host_time_is_virtual_and_sleep_passes_it)
{
    struct bed b;
    set_up(&b, "plain", NULL);
    const uint64_t before = b.dev.ops->now_ns(b.dev.self);
    b.dev.ops->sleep_ns(b.dev.self, 3600u * 1000000000ull);
    ck_assert_uint_ge(b.dev.ops->now_ns(b.dev.self) - before, 3600u * 1000000000ull);
    tear_down(&b);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_launched_kernel_runs_and_its_result_is_read_back,
        a_launch_that_is_corrupted_leaves_memory_as_it_was,
        the_chip_describes_itself_as_a_driver_would,
        a_stray_store_loses_the_context_and_says_so,
        arguments_of_another_size_are_refused,
        ptx_that_cannot_be_read_is_said_with_its_line,
        an_instruction_that_is_not_simulated_is_a_skip_that_names_it,
        a_graph_of_kernels_runs_each_of_them,
        a_machine_with_two_gpus_has_one_peer_whose_memory_can_be_written,
        an_alias_shows_the_same_memory,
        host_time_is_virtual_and_sleep_passes_it,
    };
    return gpu_world_run("gpu_sim", tests, sizeof tests / sizeof tests[0]);
}
