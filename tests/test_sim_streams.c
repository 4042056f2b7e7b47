#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dev/sim/engine.h"
#include "sim_bed.h"

/* --- host time -------------------------------------------------------------------------------- */

START_TEST(host_time_passes_in_calls_alone)
{
    struct bed b = bed_opened("");
    const double first = bed_now(b), second = bed_now(b), third = bed_now(b);
    ck_assert_double_eq(second - first, third - second);
    b.d.sleep_ns(b.d.self, 1000);
    ck_assert_double_eq(bed_now(b) - third, 1000 + (second - first));
    bed_close(b);
}
END_TEST

START_TEST(a_launch_costs_its_call_and_the_bytes_of_its_arguments)
{
    struct bed b = bed_opened("launch.call_ns = 2345\nlaunch.arg_ns_per_kib = 1024\n");
    const double clock_ns = -(bed_now(b) - bed_now(b));
    CUdeviceptr out = bed_memory(b, 16);
    uint64_t ns = 0;
    bed_warm(b);
    double before = bed_now(b);
    bed_run(b, "empty", NULL);
    const double get_ns = 100; /* cuModuleGetFunction, which bed_run() calls too */
    ck_assert_double_eq_tol(bed_now(b) - before, 2345 + get_ns + fabs(clock_ns), 1);
    before = bed_now(b);
    bed_run(b, "spin", (void *[]){&out, &ns});
    ck_assert_double_eq_tol(bed_now(b) - before, 2345 + 16 + get_ns + fabs(clock_ns), 1);
    bed_close(b);
}
END_TEST

START_TEST(the_first_instruction_runs_start_ns_after_the_call)
{
    struct bed b = bed_opened(FINE "launch.start_ns = 5432\nlaunch.idle_after_ms = 1000\n");
    CUfunction f = bed_function(b, "stamp");
    CUdeviceptr out = bed_memory(b, 8);
    bed_warm(b);
    const double begin_ns = bed_now(b);
    OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&out}, NULL);
    OK(StreamSynchronize, b.s);
    const double first_ns = (double)bed_word(b, out) + 1e12;
    ck_assert_double_eq_tol(first_ns - begin_ns, 5432, 3);
    bed_close(b);
}
END_TEST

START_TEST(the_first_launch_is_cold_and_one_after_a_pause_starts_late)
{
    struct bed b = bed_opened(FINE "launch.idle_after_ms = 1\n");
    CUfunction f = bed_function(b, "stamp");
    CUdeviceptr out = bed_memory(b, 8);
    double begin_ns = bed_now(b);
    OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&out}, NULL);
    ck_assert_double_eq_tol(bed_now(b) - begin_ns, 2000 + 40000 + 2, 30);
    OK(StreamSynchronize, b.s);
    b.d.sleep_ns(b.d.self, 2000000);
    begin_ns = bed_now(b);
    OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&out}, NULL);
    ck_assert_double_eq_tol(bed_now(b) - begin_ns, 2000 + 2, 30);
    OK(StreamSynchronize, b.s);
    ck_assert_double_eq_tol((double)bed_word(b, out) + 1e12 - begin_ns, 4000 + 20000 + 2, 3);
    bed_close(b);
}
END_TEST

START_TEST(synchronising_returns_sync_ns_after_the_end)
{
    struct bed b = bed_opened(FINE);
    CUdeviceptr out = bed_memory(b, 16);
    uint64_t ns = 50000;
    bed_warm(b);
    bed_run(b, "spin", (void *[]){&out, &ns});
    OK(StreamSynchronize, b.s);
    const double back_ns = bed_now(b);
    const double end_ns = (double)bed_word(b, out + 8) + 1e12;
    /* the stores' way to L2 is part of the kernel */
    ck_assert_double_eq_tol(back_ns - end_ns, 1500, 400);
    bed_close(b);
}
END_TEST

/* --- streams ---------------------------------------------------------------------------------- */

START_TEST(empty_kernels_follow_gap_ns_apart)
{
    enum { N = 20 };
    struct bed b = bed_opened(FINE "launch.gap_ns = 3210\n");
    CUdeviceptr out = bed_memory(b, 8 * N);
    CUfunction f = bed_function(b, "stamp");
    bed_warm(b);
    for (uint64_t i = 0; i < N; i++) {
        CUdeviceptr at = out + 8 * i;
        OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&at}, NULL);
    }
    OK(StreamSynchronize, b.s);
    for (uint64_t i = 2; i < N; i++)
        ck_assert_double_eq_tol((double)bed_word(b, out + 8 * i) -
                                    (double)bed_word(b, out + 8 * i - 8),
                                3210, 2);
    bed_close(b);
}
END_TEST

START_TEST(a_long_kernel_is_followed_gap_ns_after_its_end)
{
    struct bed b = bed_opened(FINE);
    CUdeviceptr out = bed_memory(b, 32), second = out + 16;
    uint64_t ns = 20000;
    bed_warm(b);
    bed_run(b, "spin", (void *[]){&out, &ns});
    bed_run(b, "spin", (void *[]){&second, &ns});
    OK(StreamSynchronize, b.s);
    const double gap_ns = (double)bed_word(b, second) - (double)bed_word(b, out + 8);
    ck_assert_double_ge(gap_ns, 1000);
    ck_assert_double_le(gap_ns, 1400); /* and its stores' way to L2 */
    bed_close(b);
}
END_TEST

START_TEST(kernels_of_two_streams_run_side_by_side)
{
    struct bed b = bed_opened(FINE);
    CUstream other;
    CUdeviceptr out = bed_memory(b, 32), second = out + 16;
    uint64_t ns = 100000;
    OK(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    bed_warm(b);
    bed_run(b, "spin", (void *[]){&out, &ns});
    OK(LaunchKernel, bed_function(b, "spin"), 1, 1, 1, 1, 1, 1, 0, other, (void *[]){&second, &ns},
       NULL);
    GIVES(CUDA_ERROR_NOT_READY, StreamQuery, b.s);
    OK(CtxSynchronize);
    OK(StreamQuery, b.s);
    ck_assert_uint_lt(bed_word(b, second), bed_word(b, out + 8));
    bed_close(b);
}
END_TEST

START_TEST(an_event_orders_two_streams_and_tells_the_time_between)
{
    struct bed b = bed_opened(FINE);
    CUstream other;
    CUevent begin, end;
    CUdeviceptr out = bed_memory(b, 32), second = out + 16;
    uint64_t ns = 50000;
    float ms;
    OK(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    OK(EventCreate, &begin, 0);
    OK(EventCreate, &end, 0);
    bed_warm(b);
    OK(EventRecord, begin, b.s);
    bed_run(b, "spin", (void *[]){&out, &ns});
    OK(EventRecord, end, b.s);
    OK(StreamWaitEvent, other, end, 0);
    OK(LaunchKernel, bed_function(b, "spin"), 1, 1, 1, 1, 1, 1, 0, other, (void *[]){&second, &ns},
       NULL);
    GIVES(CUDA_ERROR_NOT_READY, EventQuery, end);
    GIVES(CUDA_ERROR_NOT_READY, EventElapsedTime, &ms, begin, end);
    OK(EventSynchronize, end);
    OK(EventElapsedTime, &ms, begin, end);
    ck_assert_double_eq_tol((double)ms * 1e6, 50000 + 4000, 1000);
    OK(StreamSynchronize, other);
    ck_assert_uint_gt(bed_word(b, second), bed_word(b, out + 8));
    bed_close(b);
}
END_TEST

START_TEST(a_full_queue_holds_the_call)
{
    struct bed b = bed_opened(FINE "launch.gap_ns = 10000\n");
    CUfunction f = bed_function(b, "empty");
    double slowest = 0;
    bed_warm(b);
    for (int i = 0; i < 1400; i++) {
        const double before = bed_now(b);
        OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, NULL, NULL);
        slowest = fmax(slowest, bed_now(b) - before);
    }
    ck_assert_double_gt(slowest, 8000);
    OK(StreamSynchronize, b.s);
    bed_close(b);
}
END_TEST

/* The kernel of sim_bed_ptx_90, allowed to begin when the one before it lets it. */
static void run_dependent(struct bed b, CUmodule m, CUdeviceptr out)
{
    CUfunction f;
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
    a.value.programmaticStreamSerializationAllowed = 1;
    const CUlaunchConfig c = {1, 1, 1, 1, 1, 1, 0, b.s, &a, 1};
    OK(ModuleGetFunction, &f, m, "dependent");
    OK(LaunchKernelEx, &c, f, (void *[]){&out}, NULL);
}

START_TEST(a_dependent_launch_begins_at_the_trigger_and_waits_for_the_end)
{
    struct bed b = bed_opened(FINE "launch.pdl_gap_ns = 234\n");
    CUmodule m;
    CUfunction early;
    CUdeviceptr out = bed_memory(b, 64), second = out + 16, third = out + 32;
    uint64_t ns = 50000;
    OK(ModuleLoadData, &m, sim_bed_ptx_90);
    OK(ModuleGetFunction, &early, m, "early");
    bed_warm(b);
    OK(LaunchKernel, early, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&out, &ns}, NULL);
    run_dependent(b, m, second);
    bed_run(b, "stamp", (void *[]){&third});
    OK(StreamSynchronize, b.s);
    /* the call itself comes later than the trigger */
    ck_assert_uint_lt(bed_word(b, second), bed_word(b, out) + 5000);
    ck_assert_uint_ge(bed_word(b, second + 8), bed_word(b, out + 8));
    ck_assert_uint_ge(bed_word(b, third), bed_word(b, out + 8));
    bed_close(b);
}
END_TEST

START_TEST(without_a_trigger_a_dependent_launch_follows_pdl_gap_ns_after_the_end)
{
    struct bed b = bed_opened(FINE "launch.pdl_gap_ns = 234\n");
    CUmodule m;
    CUdeviceptr out = bed_memory(b, 64), second = out + 16;
    uint64_t ns = 50000;
    OK(ModuleLoadData, &m, sim_bed_ptx_90);
    bed_warm(b);
    bed_run(b, "spin", (void *[]){&out, &ns});
    run_dependent(b, m, second);
    OK(StreamSynchronize, b.s);
    const double gap_ns = (double)bed_word(b, second) - (double)bed_word(b, out + 8);
    ck_assert_double_ge(gap_ns, 234);
    ck_assert_double_le(gap_ns, 234 + 400); /* and its stores' way to L2 */
    bed_close(b);
}
END_TEST

START_TEST(over_the_limit_for_a_window_the_clock_falls_and_rises_when_it_is_over)
{
    struct bed b = bed_opened("power_idle_watts = 50\npower_limit_watts = 60\n"
                          "power_window_ms = 0.1\npower_per_flop_pj = 1000\n");
    CUmodule m;
    CUfunction work;
    nvmlDevice_t device;
    unsigned mhz, milliwatts;
    unsigned long long reasons;
    uint32_t few = 4000, many = 40000; /* 16 cycles each: 43 us, 0.4 ms */
    OK(ModuleLoadData, &m, sim_bed_ptx_90);
    OK(ModuleGetFunction, &work, m, "work");
    ck_assert_int_eq(b.d.nvmlDeviceGetHandleByPciBusId(b.d.self, "0000:01:00.0", &device), 0);
    OK(LaunchKernel, work, 1, 1, 1, 128, 1, 1, 0, b.s, (void *[]){&few}, NULL);
    OK(StreamSynchronize, b.s);
    ck_assert_int_eq(b.d.nvmlDeviceGetClockInfo(b.d.self, device, NVML_CLOCK_SM, &mhz), 0);
    ck_assert_uint_eq(mhz, 1500);
    OK(LaunchKernel, work, 1, 1, 1, 128, 1, 1, 0, b.s, (void *[]){&many}, NULL);
    OK(StreamSynchronize, b.s);
    ck_assert_int_eq(b.d.nvmlDeviceGetClockInfo(b.d.self, device, NVML_CLOCK_SM, &mhz), 0);
    ck_assert_uint_eq(mhz, 1000);
    ck_assert_int_eq(b.d.nvmlDeviceGetCurrentClocksEventReasons(b.d.self, device, &reasons), 0);
    ck_assert_uint_eq(reasons, NVML_REASON_SW_POWER_CAP);
    ck_assert_int_eq(b.d.nvmlDeviceGetPowerUsage(b.d.self, device, &milliwatts), 0);
    ck_assert_uint_gt(milliwatts, 50000);
    for (int i = 0; i < 40; i++) b.d.sleep_ns(b.d.self, 10000);
    ck_assert_int_eq(b.d.nvmlDeviceGetClockInfo(b.d.self, device, NVML_CLOCK_SM, &mhz), 0);
    ck_assert_uint_eq(mhz, 1500);
    bed_close(b);
}
END_TEST

/* --- host and device watch each other --------------------------------------------------------- */

START_TEST(the_host_sees_a_flag_flag_ns_after_the_kernel_raised_it)
{
    struct bed b = bed_opened(FINE "launch.flag_ns = 876\n");
    volatile uint32_t *flag;
    CUdeviceptr at;
    CUfunction f = bed_function(b, "raise");
    OK(MemHostAlloc, (void **)&flag, 4, 0);
    OK(MemHostGetDevicePointer, &at, (void *)(uintptr_t)flag, 0);
    bed_warm(b);
    const double begin_ns = bed_now(b);
    OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&at}, NULL);
    ck_assert_uint_eq(*flag, 0);
    double seen_ns = bed_now(b);
    while (!*flag && seen_ns < begin_ns + 1e6) seen_ns = bed_now(b);
    ck_assert_double_eq_tol(seen_ns - begin_ns, 4000 + 876, 60);
    bed_close(b);
}
END_TEST

START_TEST(a_kernel_that_watches_a_host_word_holds_its_stream_until_the_host_writes)
{
    struct bed b = bed_opened(FINE);
    volatile uint32_t *flag;
    CUdeviceptr at, out = bed_memory(b, 16), after = out + 8;
    OK(MemHostAlloc, (void **)&flag, 4, 0);
    OK(MemHostGetDevicePointer, &at, (void *)(uintptr_t)flag, 0);
    bed_warm(b);
    bed_run(b, "wait_flag", (void *[]){&at, &out});
    bed_run(b, "stamp", (void *[]){&after});
    b.d.sleep_ns(b.d.self, 200000);
    GIVES(CUDA_ERROR_NOT_READY, StreamQuery, b.s);
    const double open_ns = bed_now(b);
    *flag = 1;
    OK(StreamSynchronize, b.s);
    const double seen_ns = (double)bed_word(b, out) + 1e12;
    ck_assert_double_ge(seen_ns, open_ns);
    ck_assert_double_le(seen_ns, open_ns + 3000);
    ck_assert_uint_gt(bed_word(b, after), bed_word(b, out));
    bed_close(b);
}
END_TEST

START_TEST(a_stream_waits_for_a_word_and_writes_one)
{
    struct bed b = bed_opened(FINE);
    volatile uint32_t *flag;
    CUdeviceptr at, out = bed_memory(b, 16);
    uint32_t seen;
    OK(MemHostAlloc, (void **)&flag, 4, 0);
    OK(MemHostGetDevicePointer, &at, (void *)(uintptr_t)flag, 0);
    bed_warm(b);
    OK(StreamWaitValue32, b.s, at, 7, CU_STREAM_WAIT_VALUE_GEQ);
    OK(StreamWriteValue32, b.s, out, 42, 0);
    b.d.sleep_ns(b.d.self, 100000);
    *flag = 6;
    b.d.sleep_ns(b.d.self, 100000);
    GIVES(CUDA_ERROR_NOT_READY, StreamQuery, b.s);
    *flag = 8;
    OK(StreamSynchronize, b.s);
    OK(MemcpyDtoH, &seen, out, sizeof seen);
    ck_assert_uint_eq(seen, 42);
    bed_close(b);
}
END_TEST

START_TEST(a_stream_waits_for_a_word_that_a_kernel_writes)
{
    struct bed b = bed_opened(FINE);
    CUstream other;
    CUdeviceptr flag = bed_memory(b, 16), out = flag + 8;
    OK(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    OK(StreamWaitValue32, other, flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    OK(StreamWriteValue32, other, out, 42, 0);
    bed_run(b, "raise", (void *[]){&flag});
    OK(StreamSynchronize, other);
    ck_assert_uint_eq(bed_word(b, out), 42);
    bed_close(b);
}
END_TEST

START_TEST(a_wait_that_nobody_ends_is_an_error_and_no_hang)
{
    struct bed b = bed_opened("");
    CUdeviceptr flag = bed_memory(b, 8);
    OK(StreamWaitValue32, b.s, flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    GIVES(CUDA_ERROR_LAUNCH_TIMEOUT, StreamSynchronize, b.s);
    ck_assert_ptr_nonnull(strstr(b.d.last_reason(b.d.self), "nobody writes"));
    bed_close(b);
}
END_TEST

static void note(void *user_data)
{
    *(int *)user_data += 1;
}

START_TEST(a_host_function_is_called_in_its_turn)
{
    struct bed b = bed_opened("");
    CUdeviceptr out = bed_memory(b, 16);
    uint64_t ns = 100000;
    int n_calls = 0;
    bed_warm(b);
    bed_run(b, "spin", (void *[]){&out, &ns});
    OK(LaunchHostFunc, b.s, note, &n_calls);
    ck_assert_int_eq(n_calls, 0);
    OK(StreamSynchronize, b.s);
    ck_assert_int_eq(n_calls, 1);
    bed_close(b);
}
END_TEST

/* --- graphs ----------------------------------------------------------------------------------- */

/* A graph of n stamps into out[i], each after the one before or all side by side. */
static CUgraphExec stamps(struct bed b, CUdeviceptr out, uint64_t n, bool is_line)
{
    CUgraph g;
    CUgraphNode before = NULL, node;
    CUgraphExec exec;
    OK(GraphCreate, &g, 0);
    for (uint64_t i = 0; i < n; i++) {
        CUdeviceptr at = out + 8 * i;
        void *params[] = {&at};
        const CUDA_KERNEL_NODE_PARAMS p = {.func = bed_function(b, "stamp"),
                                           .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
                                           .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
                                           .kernelParams = params};
        OK(GraphAddKernelNode, &node, g, &before, is_line && i > 0, &p);
        before = node;
    }
    OK(GraphInstantiateWithFlags, &exec, g, 0);
    OK(GraphDestroy, g);
    return exec;
}

START_TEST(a_line_of_nodes_runs_node_device_ns_apart)
{
    enum { N = 50 };
    struct bed b = bed_opened(FINE "graph.node_device_ns = 777\n");
    CUdeviceptr out = bed_memory(b, 8 * N);
    CUgraphExec exec = stamps(b, out, N, true);
    OK(GraphLaunch, exec, b.s);
    OK(StreamSynchronize, b.s);
    for (uint64_t i = 1; i < N; i++)
        ck_assert_double_eq_tol((double)bed_word(b, out + 8 * i) -
                                    (double)bed_word(b, out + 8 * i - 8),
                                777, 2);
    OK(GraphExecDestroy, exec);
    bed_close(b);
}
END_TEST

START_TEST(a_fan_of_nodes_is_issued_fan_node_ns_apart)
{
    enum { N = 20 };
    struct bed b = bed_opened(FINE "graph.fan_node_ns = 123\n");
    CUdeviceptr out = bed_memory(b, 8 * N);
    CUgraphExec exec = stamps(b, out, N, false);
    OK(GraphLaunch, exec, b.s);
    OK(StreamSynchronize, b.s);
    uint64_t first = UINT64_MAX, last = 0;
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t ns = bed_word(b, out + 8 * i);
        first = ns < first ? ns : first;
        last = ns > last ? ns : last;
    }
    ck_assert_double_eq_tol((double)(last - first), 123 * (N - 1), 3);
    bed_close(b);
}
END_TEST

START_TEST(launching_a_graph_costs_the_host_by_the_node)
{
    struct bed b = bed_opened("graph.launch_ns = 3333\ngraph.node_host_ns = 11\n");
    CUdeviceptr out = bed_memory(b, 8 * 100);
    CUgraphExec exec = stamps(b, out, 100, true);
    OK(GraphUpload, exec, b.s);
    const double begin_ns = bed_now(b);
    OK(GraphLaunch, exec, b.s);
    ck_assert_double_eq_tol(bed_now(b) - begin_ns, 3333 + 1100 + 10, 1);
    OK(StreamSynchronize, b.s);
    bed_close(b);
}
END_TEST

static double story(const char *chip_text)
{
    struct bed b = bed_opened(chip_text);
    CUdeviceptr out = bed_memory(b, 1024);
    CUgraphExec exec = stamps(b, out, 10, true);
    for (int i = 0; i < 5; i++) {
        OK(GraphLaunch, exec, b.s);
        bed_run(b, "stamp", (void *[]){&out});
    }
    OK(StreamSynchronize, b.s);
    const double ns = bed_now(b) + (double)bed_word(b, out);
    bed_close(b);
    return ns;
}

START_TEST(the_same_calls_get_the_same_answers)
{
    ck_assert_double_eq(story(""), story(""));
    ck_assert_double_eq(story("base = noisy\n"), story("base = noisy\n"));
    ck_assert_double_ne(story("base = noisy\n"), story("base = noisy\nseed = 8\n"));
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("sim_streams");
    TCase *const t = tcase_create("sim_streams");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, host_time_passes_in_calls_alone);
    tcase_add_test(t, a_launch_costs_its_call_and_the_bytes_of_its_arguments);
    tcase_add_test(t, the_first_instruction_runs_start_ns_after_the_call);
    tcase_add_test(t, the_first_launch_is_cold_and_one_after_a_pause_starts_late);
    tcase_add_test(t, synchronising_returns_sync_ns_after_the_end);
    tcase_add_test(t, empty_kernels_follow_gap_ns_apart);
    tcase_add_test(t, a_long_kernel_is_followed_gap_ns_after_its_end);
    tcase_add_test(t, kernels_of_two_streams_run_side_by_side);
    tcase_add_test(t, an_event_orders_two_streams_and_tells_the_time_between);
    tcase_add_test(t, a_full_queue_holds_the_call);
    tcase_add_test(t, a_dependent_launch_begins_at_the_trigger_and_waits_for_the_end);
    tcase_add_test(t, without_a_trigger_a_dependent_launch_follows_pdl_gap_ns_after_the_end);
    tcase_add_test(t, over_the_limit_for_a_window_the_clock_falls_and_rises_when_it_is_over);
    tcase_add_test(t, the_host_sees_a_flag_flag_ns_after_the_kernel_raised_it);
    tcase_add_test(t, a_kernel_that_watches_a_host_word_holds_its_stream_until_the_host_writes);
    tcase_add_test(t, a_stream_waits_for_a_word_and_writes_one);
    tcase_add_test(t, a_stream_waits_for_a_word_that_a_kernel_writes);
    tcase_add_test(t, a_wait_that_nobody_ends_is_an_error_and_no_hang);
    tcase_add_test(t, a_host_function_is_called_in_its_turn);
    tcase_add_test(t, a_line_of_nodes_runs_node_device_ns_apart);
    tcase_add_test(t, a_fan_of_nodes_is_issued_fan_node_ns_apart);
    tcase_add_test(t, launching_a_graph_costs_the_host_by_the_node);
    tcase_add_test(t, the_same_calls_get_the_same_answers);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
