#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dev/sim/engine.h"
#include "dev/sim/sim.h"

/* Fine steps, so that what is measured is what happened; no L2 miss is as long as 1 us. */
#define FINE "globaltimer_step_ns = 1\nevent_step_ns = 1\n"

static const char PTX[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 8 .u64 total;\n"
    /* out[0] = %globaltimer at the first instruction */
    ".visible .entry stamp(.param .u64 out)\n{\n"
    " .reg .b64 %rd<3>;\n"
    " mov.u64 %rd1, %globaltimer;\n"
    " ld.param.u64 %rd2, [out];\n"
    " st.global.u64 [%rd2], %rd1;\n"
    " ret;\n}\n"
    ".visible .entry empty()\n{\n ret;\n}\n"
    /* out[0] = begin, out[1] = end, as soon as ns have gone by */
    ".visible .entry spin(.param .u64 out, .param .u64 ns)\n{\n"
    " .reg .b64 %rd<6>;\n .reg .pred %p<2>;\n"
    " mov.u64 %rd1, %globaltimer;\n"
    " ld.param.u64 %rd2, [out];\n"
    " ld.param.u64 %rd3, [ns];\n"
    "again:\n"
    " mov.u64 %rd4, %globaltimer;\n"
    " sub.u64 %rd5, %rd4, %rd1;\n"
    " setp.lt.u64 %p1, %rd5, %rd3;\n"
    " @%p1 bra again;\n"
    " st.global.u64 [%rd2], %rd1;\n"
    " st.global.u64 [%rd2+8], %rd4;\n"
    " ret;\n}\n"
    /* waits until *flag != 0, then out[0] = %globaltimer */
    ".visible .entry wait_flag(.param .u64 flag, .param .u64 out)\n{\n"
    " .reg .b64 %rd<4>;\n .reg .b32 %r<2>;\n .reg .pred %p<2>;\n"
    " ld.param.u64 %rd1, [flag];\n"
    " ld.param.u64 %rd2, [out];\n"
    "again:\n"
    " ld.volatile.global.u32 %r1, [%rd1];\n"
    " setp.eq.u32 %p1, %r1, 0;\n"
    " @%p1 bra again;\n"
    " mov.u64 %rd3, %globaltimer;\n"
    " st.global.u64 [%rd2], %rd3;\n"
    " ret;\n}\n"
    ".visible .entry raise(.param .u64 flag)\n{\n"
    " .reg .b64 %rd<2>;\n .reg .b32 %r<2>;\n"
    " ld.param.u64 %rd1, [flag];\n"
    " mov.u32 %r1, 1;\n"
    " st.volatile.global.u32 [%rd1], %r1;\n"
    " ret;\n}\n"
    /* data[i] += add, i = the thread's number in the grid */
    ".visible .entry bump(.param .u64 data, .param .u32 add)\n{\n"
    " .reg .b64 %rd<4>;\n .reg .b32 %r<8>;\n"
    " ld.param.u64 %rd1, [data];\n"
    " ld.param.u32 %r1, [add];\n"
    " mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mov.u32 %r4, %tid.x;\n"
    " mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    " mul.wide.u32 %rd2, %r5, 4;\n"
    " add.s64 %rd3, %rd1, %rd2;\n"
    " ld.global.u32 %r6, [%rd3];\n"
    " add.u32 %r7, %r6, %r1;\n"
    " st.global.u32 [%rd3], %r7;\n"
    " ret;\n}\n"
    ".visible .entry unheard_of()\n{\n"
    " .reg .b32 %r<2>;\n"
    " frobnicate.b32 %r1, 1;\n"
    " ret;\n}\n";

static const char PTX_90[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    /* lets its dependants begin at once, then works on for ns: out[0] = begin, out[1] = end */
    ".visible .entry early(.param .u64 out, .param .u64 ns)\n{\n"
    " .reg .b64 %rd<6>;\n .reg .pred %p<2>;\n"
    " mov.u64 %rd1, %globaltimer;\n"
    " griddepcontrol.launch_dependents;\n"
    " ld.param.u64 %rd2, [out];\n"
    " ld.param.u64 %rd3, [ns];\n"
    "again:\n"
    " mov.u64 %rd4, %globaltimer;\n"
    " sub.u64 %rd5, %rd4, %rd1;\n"
    " setp.lt.u64 %p1, %rd5, %rd3;\n"
    " @%p1 bra again;\n"
    " st.global.u64 [%rd2], %rd1;\n"
    " st.global.u64 [%rd2+8], %rd4;\n"
    " ret;\n}\n"
    /* out[0] = begin, out[1] = when what was before had ended */
    ".visible .entry dependent(.param .u64 out)\n{\n"
    " .reg .b64 %rd<4>;\n"
    " mov.u64 %rd1, %globaltimer;\n"
    " ld.param.u64 %rd2, [out];\n"
    " griddepcontrol.wait;\n"
    " mov.u64 %rd3, %globaltimer;\n"
    " st.global.u64 [%rd2], %rd1;\n"
    " st.global.u64 [%rd2+8], %rd3;\n"
    " ret;\n}\n"
    /* fused multiply-adds, one behind the other */
    ".visible .entry work(.param .u32 n)\n{\n"
    " .reg .b32 %r<3>;\n .reg .f32 %f<2>;\n .reg .pred %p<2>;\n"
    " ld.param.u32 %r1, [n];\n"
    " mov.f32 %f1, 0f3F800000;\n"
    "again:\n"
    " fma.rn.f32 %f1, %f1, %f1, %f1;\n"
    " sub.u32 %r1, %r1, 1;\n"
    " setp.ne.u32 %p1, %r1, 0;\n"
    " @%p1 bra again;\n"
    " ret;\n}\n";

struct bed {
    struct ay_driver d;
    CUcontext context;
    CUmodule module;
    CUstream s;
};

/* d.ENTRY(self, …) must succeed. */
#define OK(entry, ...)                                                                      \
    do {                                                                                    \
        const CUresult r_ = b.d.entry(b.d.self __VA_OPT__(, ) __VA_ARGS__);                 \
        ck_assert_msg(r_ == CUDA_SUCCESS, "cu" #entry ": %d %s", (int)r_,                   \
                      b.d.last_reason(b.d.self) ? b.d.last_reason(b.d.self) : "");          \
    } while (0)
#define GIVES(code, entry, ...) \
    ck_assert_int_eq(b.d.entry(b.d.self __VA_OPT__(, ) __VA_ARGS__), code)

static struct bed opened(const char *chip_text)
{
    struct bed b;
    struct ay_chip chip;
    struct ay_error err;
    enum ay_status status = ay_chip_parse(chip_text, "test", &chip, &err);
    if (status == AY_OK) status = sim_driver_open(&chip, &b.d, &err);
    ck_assert_msg(status == AY_OK, "%s", status == AY_OK ? "" : err.text);
    CUdevice device;
    OK(Init, 0);
    OK(DeviceGet, &device, 0);
    OK(DevicePrimaryCtxRetain, &b.context, device);
    OK(CtxSetCurrent, b.context);
    OK(ModuleLoadData, &b.module, PTX);
    OK(StreamCreate, &b.s, CU_STREAM_NON_BLOCKING);
    return b;
}

static CUfunction function(struct bed b, const char *name)
{
    CUfunction f;
    OK(ModuleGetFunction, &f, b.module, name);
    return f;
}

static CUdeviceptr memory(struct bed b, size_t bytes)
{
    CUdeviceptr at;
    OK(MemAlloc, &at, bytes);
    OK(MemsetD8, at, 0, bytes);
    return at;
}

static void run(struct bed b, const char *name, void **params)
{
    OK(LaunchKernel, function(b, name), 1, 1, 1, 1, 1, 1, 0, b.s, params, NULL);
}

static uint64_t word(struct bed b, CUdeviceptr at)
{
    uint64_t x;
    OK(MemcpyDtoH, &x, at, sizeof x);
    return x;
}

static double now(struct bed b)
{
    return (double)b.d.now_ns(b.d.self);
}

/* A launch whose cost is not looked at: the first in a context is dearer. */
static void warm(struct bed b)
{
    run(b, "empty", NULL);
    OK(StreamSynchronize, b.s);
}

static void close_bed(struct bed b)
{
    ay_driver_close(&b.d);
}

/* --- what the device says --------------------------------------------------------------------- */

static int attribute(struct bed b, CUdevice_attribute a)
{
    int x;
    OK(DeviceGetAttribute, &x, a, 0);
    return x;
}

START_TEST(the_driver_says_what_the_chip_is)
{
    struct bed b = opened("base = odd\n");
    char name[32], pci[32];
    int n, version;
    size_t bytes;
    OK(DriverGetVersion, &version);
    ck_assert_int_eq(version, 13000);
    OK(DeviceGetCount, &n);
    ck_assert_int_eq(n, 1);
    OK(DeviceGetName, name, sizeof name, 0);
    ck_assert_str_eq(name, "odd");
    OK(DeviceGetPCIBusId, pci, sizeof pci, 0);
    ck_assert_str_eq(pci, "0000:01:00.0");
    OK(DeviceTotalMem, &bytes, 0);
    ck_assert_uint_eq(bytes, 4294967296);
    ck_assert_int_eq(attribute(b, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 6);
    ck_assert_int_eq(attribute(b, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), 718848);
    ck_assert_int_eq(attribute(b, CU_DEVICE_ATTRIBUTE_CLOCK_RATE), 1237000);
    ck_assert_int_eq(attribute(b, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
    ck_assert_int_eq(attribute(b, CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
    close_bed(b);
}
END_TEST

START_TEST(a_lying_driver_lies_in_attributes_and_telemetry)
{
    struct bed b = opened("reported.l2_bytes = 0\nreported.sm_clock_mhz = 999\nreported.sms = 7\n");
    nvmlDevice_t device;
    unsigned mhz;
    ck_assert_int_eq(attribute(b, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), 0);
    ck_assert_int_eq(attribute(b, CU_DEVICE_ATTRIBUTE_CLOCK_RATE), 999000);
    ck_assert_int_eq(attribute(b, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 7);
    ck_assert_int_eq(b.d.nvmlDeviceGetHandleByPciBusId(b.d.self, "00000000:01:00.0", &device), 0);
    ck_assert_int_eq(b.d.nvmlDeviceGetClockInfo(b.d.self, device, NVML_CLOCK_SM, &mhz), 0);
    ck_assert_uint_eq(mhz, 999);
    ck_assert_int_eq(b.d.nvmlDeviceGetClockInfo(b.d.self, device, NVML_CLOCK_MEM, &mhz), 0);
    ck_assert_uint_eq(mhz, 1500);
    close_bed(b);
}
END_TEST

/* --- host time -------------------------------------------------------------------------------- */

START_TEST(host_time_passes_in_calls_alone)
{
    struct bed b = opened("");
    const double first = now(b), second = now(b), third = now(b);
    ck_assert_double_eq(second - first, third - second);
    b.d.sleep_ns(b.d.self, 1000);
    ck_assert_double_eq(now(b) - third, 1000 + (second - first));
    close_bed(b);
}
END_TEST

START_TEST(a_launch_costs_its_call_and_the_bytes_of_its_arguments)
{
    struct bed b = opened("launch.call_ns = 2345\nlaunch.arg_ns_per_kib = 1024\n");
    const double clock_ns = -(now(b) - now(b));
    CUdeviceptr out = memory(b, 16);
    uint64_t ns = 0;
    warm(b);
    double before = now(b);
    run(b, "empty", NULL);
    const double get_ns = 100; /* cuModuleGetFunction, which run() calls too */
    ck_assert_double_eq_tol(now(b) - before, 2345 + get_ns + fabs(clock_ns), 1);
    before = now(b);
    run(b, "spin", (void *[]){&out, &ns});
    ck_assert_double_eq_tol(now(b) - before, 2345 + 16 + get_ns + fabs(clock_ns), 1);
    close_bed(b);
}
END_TEST

START_TEST(the_first_instruction_runs_start_ns_after_the_call)
{
    struct bed b = opened(FINE "launch.start_ns = 5432\nlaunch.idle_after_ms = 1000\n");
    CUfunction f = function(b, "stamp");
    CUdeviceptr out = memory(b, 8);
    warm(b);
    const double begin_ns = now(b);
    OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&out}, NULL);
    OK(StreamSynchronize, b.s);
    const double first_ns = (double)word(b, out) + 1e12;
    ck_assert_double_eq_tol(first_ns - begin_ns, 5432, 3);
    close_bed(b);
}
END_TEST

START_TEST(the_first_launch_is_cold_and_one_after_a_pause_starts_late)
{
    struct bed b = opened(FINE "launch.idle_after_ms = 1\n");
    CUfunction f = function(b, "stamp");
    CUdeviceptr out = memory(b, 8);
    double begin_ns = now(b);
    OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&out}, NULL);
    ck_assert_double_eq_tol(now(b) - begin_ns, 2000 + 40000 + 2, 30);
    OK(StreamSynchronize, b.s);
    b.d.sleep_ns(b.d.self, 2000000);
    begin_ns = now(b);
    OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&out}, NULL);
    ck_assert_double_eq_tol(now(b) - begin_ns, 2000 + 2, 30);
    OK(StreamSynchronize, b.s);
    ck_assert_double_eq_tol((double)word(b, out) + 1e12 - begin_ns, 4000 + 20000 + 2, 3);
    close_bed(b);
}
END_TEST

START_TEST(synchronising_returns_sync_ns_after_the_end)
{
    struct bed b = opened(FINE);
    CUdeviceptr out = memory(b, 16);
    uint64_t ns = 50000;
    warm(b);
    run(b, "spin", (void *[]){&out, &ns});
    OK(StreamSynchronize, b.s);
    const double back_ns = now(b);
    const double end_ns = (double)word(b, out + 8) + 1e12;
    /* the stores' way to L2 is part of the kernel */
    ck_assert_double_eq_tol(back_ns - end_ns, 1500, 400);
    close_bed(b);
}
END_TEST

/* --- streams ---------------------------------------------------------------------------------- */

START_TEST(empty_kernels_follow_gap_ns_apart)
{
    enum { N = 20 };
    struct bed b = opened(FINE "launch.gap_ns = 3210\n");
    CUdeviceptr out = memory(b, 8 * N);
    CUfunction f = function(b, "stamp");
    warm(b);
    for (uint64_t i = 0; i < N; i++) {
        CUdeviceptr at = out + 8 * i;
        OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&at}, NULL);
    }
    OK(StreamSynchronize, b.s);
    for (uint64_t i = 2; i < N; i++)
        ck_assert_double_eq_tol((double)word(b, out + 8 * i) - (double)word(b, out + 8 * i - 8),
                                3210, 2);
    close_bed(b);
}
END_TEST

START_TEST(a_long_kernel_is_followed_gap_ns_after_its_end)
{
    struct bed b = opened(FINE);
    CUdeviceptr out = memory(b, 32), second = out + 16;
    uint64_t ns = 20000;
    warm(b);
    run(b, "spin", (void *[]){&out, &ns});
    run(b, "spin", (void *[]){&second, &ns});
    OK(StreamSynchronize, b.s);
    const double gap_ns = (double)word(b, second) - (double)word(b, out + 8);
    ck_assert_double_ge(gap_ns, 1000);
    ck_assert_double_le(gap_ns, 1400); /* and its stores' way to L2 */
    close_bed(b);
}
END_TEST

START_TEST(kernels_of_two_streams_run_side_by_side)
{
    struct bed b = opened(FINE);
    CUstream other;
    CUdeviceptr out = memory(b, 32), second = out + 16;
    uint64_t ns = 100000;
    OK(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    warm(b);
    run(b, "spin", (void *[]){&out, &ns});
    OK(LaunchKernel, function(b, "spin"), 1, 1, 1, 1, 1, 1, 0, other, (void *[]){&second, &ns},
       NULL);
    GIVES(CUDA_ERROR_NOT_READY, StreamQuery, b.s);
    OK(CtxSynchronize);
    OK(StreamQuery, b.s);
    ck_assert_uint_lt(word(b, second), word(b, out + 8));
    close_bed(b);
}
END_TEST

START_TEST(an_event_orders_two_streams_and_tells_the_time_between)
{
    struct bed b = opened(FINE);
    CUstream other;
    CUevent begin, end;
    CUdeviceptr out = memory(b, 32), second = out + 16;
    uint64_t ns = 50000;
    float ms;
    OK(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    OK(EventCreate, &begin, 0);
    OK(EventCreate, &end, 0);
    warm(b);
    OK(EventRecord, begin, b.s);
    run(b, "spin", (void *[]){&out, &ns});
    OK(EventRecord, end, b.s);
    OK(StreamWaitEvent, other, end, 0);
    OK(LaunchKernel, function(b, "spin"), 1, 1, 1, 1, 1, 1, 0, other, (void *[]){&second, &ns},
       NULL);
    GIVES(CUDA_ERROR_NOT_READY, EventQuery, end);
    GIVES(CUDA_ERROR_NOT_READY, EventElapsedTime, &ms, begin, end);
    OK(EventSynchronize, end);
    OK(EventElapsedTime, &ms, begin, end);
    ck_assert_double_eq_tol((double)ms * 1e6, 50000 + 4000, 1000);
    OK(StreamSynchronize, other);
    ck_assert_uint_gt(word(b, second), word(b, out + 8));
    close_bed(b);
}
END_TEST

START_TEST(a_full_queue_holds_the_call)
{
    struct bed b = opened(FINE "launch.gap_ns = 10000\n");
    CUfunction f = function(b, "empty");
    double slowest = 0;
    warm(b);
    for (int i = 0; i < 1400; i++) {
        const double before = now(b);
        OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, NULL, NULL);
        slowest = fmax(slowest, now(b) - before);
    }
    ck_assert_double_gt(slowest, 8000);
    OK(StreamSynchronize, b.s);
    close_bed(b);
}
END_TEST

/* The kernel of PTX_90, allowed to begin when the one before it lets it. */
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
    struct bed b = opened(FINE "launch.pdl_gap_ns = 234\n");
    CUmodule m;
    CUfunction early;
    CUdeviceptr out = memory(b, 64), second = out + 16, third = out + 32;
    uint64_t ns = 50000;
    OK(ModuleLoadData, &m, PTX_90);
    OK(ModuleGetFunction, &early, m, "early");
    warm(b);
    OK(LaunchKernel, early, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&out, &ns}, NULL);
    run_dependent(b, m, second);
    run(b, "stamp", (void *[]){&third});
    OK(StreamSynchronize, b.s);
    /* the call itself comes later than the trigger */
    ck_assert_uint_lt(word(b, second), word(b, out) + 5000);
    ck_assert_uint_ge(word(b, second + 8), word(b, out + 8));
    ck_assert_uint_ge(word(b, third), word(b, out + 8));
    close_bed(b);
}
END_TEST

START_TEST(without_a_trigger_a_dependent_launch_follows_pdl_gap_ns_after_the_end)
{
    struct bed b = opened(FINE "launch.pdl_gap_ns = 234\n");
    CUmodule m;
    CUdeviceptr out = memory(b, 64), second = out + 16;
    uint64_t ns = 50000;
    OK(ModuleLoadData, &m, PTX_90);
    warm(b);
    run(b, "spin", (void *[]){&out, &ns});
    run_dependent(b, m, second);
    OK(StreamSynchronize, b.s);
    const double gap_ns = (double)word(b, second) - (double)word(b, out + 8);
    ck_assert_double_ge(gap_ns, 234);
    ck_assert_double_le(gap_ns, 234 + 400); /* and its stores' way to L2 */
    close_bed(b);
}
END_TEST

START_TEST(over_the_limit_for_a_window_the_clock_falls_and_rises_when_it_is_over)
{
    struct bed b = opened("power_idle_watts = 50\npower_limit_watts = 60\n"
                          "power_window_ms = 0.1\npower_per_flop_pj = 1000\n");
    CUmodule m;
    CUfunction work;
    nvmlDevice_t device;
    unsigned mhz, milliwatts;
    unsigned long long reasons;
    uint32_t few = 4000, many = 40000; /* 16 cycles each: 43 us, 0.4 ms */
    OK(ModuleLoadData, &m, PTX_90);
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
    close_bed(b);
}
END_TEST

/* --- memory ----------------------------------------------------------------------------------- */

START_TEST(what_the_host_writes_a_kernel_changes_and_the_host_reads)
{
    enum { N = 4096 };
    struct bed b = opened("");
    static uint32_t data[N];
    CUdeviceptr at;
    uint32_t add = 1000;
    OK(MemAlloc, &at, sizeof data);
    for (uint32_t i = 0; i < N; i++) data[i] = i;
    OK(MemcpyHtoD, at, data, sizeof data);
    OK(LaunchKernel, function(b, "bump"), N / 128, 1, 1, 128, 1, 1, 0, b.s,
       (void *[]){&at, &add}, NULL);
    OK(StreamSynchronize, b.s);
    memset(data, 0, sizeof data);
    OK(MemcpyDtoH, data, at, sizeof data);
    for (uint32_t i = 0; i < N; i++) ck_assert_uint_eq(data[i], i + 1000);
    ck_assert_uint_eq(sim_driver_last_counters(&b.d)->ctas, N / 128);
    ck_assert_uint_eq(sim_driver_last_counters(&b.d)->warps, N / 32);
    OK(MemFree, at);
    GIVES(CUDA_ERROR_INVALID_VALUE, MemFree, at);
    close_bed(b);
}
END_TEST

START_TEST(memory_runs_out_and_comes_back)
{
    struct bed b = opened("dram_bytes = 268435456\n");
    CUdeviceptr at, more;
    size_t n_free, total;
    OK(MemGetInfo, &n_free, &total);
    ck_assert_uint_eq(total, 268435456);
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, MemAlloc, &at, total + 1);
    OK(MemAlloc, &at, total / 2);
    GIVES(CUDA_ERROR_OUT_OF_MEMORY, MemAlloc, &more, total / 2 + 4194304);
    OK(MemFree, at);
    size_t again;
    OK(MemGetInfo, &again, &total);
    ck_assert_uint_eq(again, n_free);
    close_bed(b);
}
END_TEST

static double timed_copy(struct bed b, CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    CUevent begin, end;
    float ms;
    OK(EventCreate, &begin, 0);
    OK(EventCreate, &end, 0);
    OK(EventRecord, begin, b.s);
    OK(MemcpyAsync, to, from, bytes, b.s);
    OK(EventRecord, end, b.s);
    OK(StreamSynchronize, b.s);
    OK(EventElapsedTime, &ms, begin, end);
    return (double)ms * 1e6;
}

START_TEST(a_copy_takes_startup_and_bytes_over_rate)
{
    enum { BYTES = 1 << 20 };
    struct bed b = opened(FINE "event_record_ns = 0\n");
    void *host;
    CUdeviceptr device = memory(b, 2 * BYTES), other = device + BYTES;
    OK(MemHostAlloc, &host, BYTES, 0);
    CUdeviceptr pinned = (CUdeviceptr)(uintptr_t)host;
    ck_assert_double_eq_tol(timed_copy(b, device, pinned, BYTES), 2000 + BYTES / 25.0, 5);
    ck_assert_double_eq_tol(timed_copy(b, pinned, device, BYTES), 2200 + BYTES / 24.0, 5);
    ck_assert_double_eq_tol(timed_copy(b, other, device, BYTES), 1500 + BYTES / 20.0, 5);
    ck_assert_double_eq_tol(timed_copy(b, device, pinned, 4), 2000, 5);
    OK(MemFreeHost, host);
    close_bed(b);
}
END_TEST

START_TEST(pageable_memory_is_copied_slower_and_the_call_waits)
{
    enum { BYTES = 1 << 20 };
    struct bed b = opened(FINE);
    void *const host = calloc(1, BYTES);
    CUdeviceptr device = memory(b, BYTES);
    const double begin_ns = now(b);
    OK(MemcpyHtoDAsync, device, host, BYTES, b.s);
    ck_assert_double_ge(now(b) - begin_ns, 2000 + BYTES / 8.0);
    OK(StreamQuery, b.s);
    free(host);
    close_bed(b);
}
END_TEST

/* How long n copies in n streams take together. */
static double copies_ns(struct bed b, int n, void *host, CUdeviceptr device, size_t bytes)
{
    const double begin_ns = now(b);
    for (int i = 0; i < n; i++) {
        CUstream s;
        OK(StreamCreate, &s, CU_STREAM_NON_BLOCKING);
        OK(MemcpyHtoDAsync, device, host, bytes, s);
    }
    OK(CtxSynchronize);
    return now(b) - begin_ns;
}

START_TEST(as_many_copies_run_at_once_as_there_are_engines)
{
    enum { BYTES = 16 << 20 };
    struct bed b = opened("copy.engines = 2\n");
    void *host;
    CUdeviceptr device = memory(b, BYTES);
    OK(MemHostAlloc, &host, BYTES, 0);
    const double one = copies_ns(b, 1, host, device, BYTES);
    const double two = copies_ns(b, 2, host, device, BYTES);
    const double three = copies_ns(b, 3, host, device, BYTES);
    ck_assert_double_lt(two, 1.1 * one);
    ck_assert_double_gt(three, 1.9 * one);
    close_bed(b);
}
END_TEST

START_TEST(virtual_memory_shows_one_piece_at_two_addresses)
{
    struct bed b = opened("");
    const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    const CUmemAccessDesc access = {.location = prop.location,
                                    .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr at;
    size_t unit;
    uint32_t add = 5, seen = 0;
    OK(MemGetAllocationGranularity, &unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    OK(MemCreate, &handle, unit, &prop, 0);
    OK(MemAddressReserve, &at, 2 * unit, 0, 0, 0);
    OK(MemMap, at, unit, 0, handle, 0);
    OK(MemMap, at + unit, unit, 0, handle, 0);
    OK(MemSetAccess, at, 2 * unit, &access, 1);
    OK(MemsetD8, at, 0, unit);
    run(b, "bump", (void *[]){&at, &add});
    OK(StreamSynchronize, b.s);
    OK(MemcpyDtoH, &seen, at + unit, sizeof seen);
    ck_assert_uint_eq(seen, 5);
    OK(MemUnmap, at, unit);
    OK(MemUnmap, at + unit, unit);
    OK(MemAddressFree, at, 2 * unit);
    OK(MemRelease, handle);
    close_bed(b);
}
END_TEST

/* --- host and device watch each other --------------------------------------------------------- */

START_TEST(the_host_sees_a_flag_flag_ns_after_the_kernel_raised_it)
{
    struct bed b = opened(FINE "launch.flag_ns = 876\n");
    volatile uint32_t *flag;
    CUdeviceptr at;
    CUfunction f = function(b, "raise");
    OK(MemHostAlloc, (void **)&flag, 4, 0);
    OK(MemHostGetDevicePointer, &at, (void *)(uintptr_t)flag, 0);
    warm(b);
    const double begin_ns = now(b);
    OK(LaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, b.s, (void *[]){&at}, NULL);
    ck_assert_uint_eq(*flag, 0);
    double seen_ns = now(b);
    while (!*flag && seen_ns < begin_ns + 1e6) seen_ns = now(b);
    ck_assert_double_eq_tol(seen_ns - begin_ns, 4000 + 876, 60);
    close_bed(b);
}
END_TEST

START_TEST(a_kernel_that_watches_a_host_word_holds_its_stream_until_the_host_writes)
{
    struct bed b = opened(FINE);
    volatile uint32_t *flag;
    CUdeviceptr at, out = memory(b, 16), after = out + 8;
    OK(MemHostAlloc, (void **)&flag, 4, 0);
    OK(MemHostGetDevicePointer, &at, (void *)(uintptr_t)flag, 0);
    warm(b);
    run(b, "wait_flag", (void *[]){&at, &out});
    run(b, "stamp", (void *[]){&after});
    b.d.sleep_ns(b.d.self, 200000);
    GIVES(CUDA_ERROR_NOT_READY, StreamQuery, b.s);
    const double open_ns = now(b);
    *flag = 1;
    OK(StreamSynchronize, b.s);
    const double seen_ns = (double)word(b, out) + 1e12;
    ck_assert_double_ge(seen_ns, open_ns);
    ck_assert_double_le(seen_ns, open_ns + 3000);
    ck_assert_uint_gt(word(b, after), word(b, out));
    close_bed(b);
}
END_TEST

START_TEST(a_stream_waits_for_a_word_and_writes_one)
{
    struct bed b = opened(FINE);
    volatile uint32_t *flag;
    CUdeviceptr at, out = memory(b, 16);
    uint32_t seen;
    OK(MemHostAlloc, (void **)&flag, 4, 0);
    OK(MemHostGetDevicePointer, &at, (void *)(uintptr_t)flag, 0);
    warm(b);
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
    close_bed(b);
}
END_TEST

START_TEST(a_stream_waits_for_a_word_that_a_kernel_writes)
{
    struct bed b = opened(FINE);
    CUstream other;
    CUdeviceptr flag = memory(b, 16), out = flag + 8;
    OK(StreamCreate, &other, CU_STREAM_NON_BLOCKING);
    OK(StreamWaitValue32, other, flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    OK(StreamWriteValue32, other, out, 42, 0);
    run(b, "raise", (void *[]){&flag});
    OK(StreamSynchronize, other);
    ck_assert_uint_eq(word(b, out), 42);
    close_bed(b);
}
END_TEST

START_TEST(a_wait_that_nobody_ends_is_an_error_and_no_hang)
{
    struct bed b = opened("");
    CUdeviceptr flag = memory(b, 8);
    OK(StreamWaitValue32, b.s, flag, 1, CU_STREAM_WAIT_VALUE_EQ);
    GIVES(CUDA_ERROR_LAUNCH_TIMEOUT, StreamSynchronize, b.s);
    ck_assert_ptr_nonnull(strstr(b.d.last_reason(b.d.self), "nobody writes"));
    close_bed(b);
}
END_TEST

static void note(void *user_data)
{
    *(int *)user_data += 1;
}

START_TEST(a_host_function_is_called_in_its_turn)
{
    struct bed b = opened("");
    CUdeviceptr out = memory(b, 16);
    uint64_t ns = 100000;
    int n_calls = 0;
    warm(b);
    run(b, "spin", (void *[]){&out, &ns});
    OK(LaunchHostFunc, b.s, note, &n_calls);
    ck_assert_int_eq(n_calls, 0);
    OK(StreamSynchronize, b.s);
    ck_assert_int_eq(n_calls, 1);
    close_bed(b);
}
END_TEST

/* --- what is refused -------------------------------------------------------------------------- */

START_TEST(wrong_launches_are_refused_and_harm_nothing)
{
    struct bed b = opened("");
    CUfunction empty = function(b, "empty"), stamp = function(b, "stamp"), f;
    CUdeviceptr out = memory(b, 8);
    GIVES(CUDA_ERROR_INVALID_VALUE, LaunchKernel, empty, 1, 1, 1, 0, 1, 1, 0, b.s, NULL, NULL);
    GIVES(CUDA_ERROR_INVALID_VALUE, LaunchKernel, empty, 0, 1, 1, 1, 1, 1, 0, b.s, NULL, NULL);
    GIVES(CUDA_ERROR_INVALID_VALUE, LaunchKernel, empty, 1, 1, 1, 1025, 1, 1, 0, b.s, NULL, NULL);
    GIVES(CUDA_ERROR_INVALID_VALUE, LaunchKernel, empty, 1, 1, 1, 1, 1, 1, 50000, b.s, NULL, NULL);
    GIVES(CUDA_ERROR_INVALID_VALUE, LaunchKernel, stamp, 1, 1, 1, 1, 1, 1, 0, b.s, NULL, NULL);
    GIVES(CUDA_ERROR_INVALID_HANDLE, LaunchKernel, NULL, 1, 1, 1, 1, 1, 1, 0, b.s, NULL, NULL);
    GIVES(CUDA_ERROR_INVALID_HANDLE, LaunchKernel, empty, 1, 1, 1, 1, 1, 1, 0, (CUstream)&out,
          NULL, NULL);
    GIVES(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, LaunchCooperativeKernel, empty, 4 * 32 + 1, 1,
          1, 1, 1, 1, 0, b.s, NULL);
    OK(LaunchCooperativeKernel, empty, 4 * 32, 1, 1, 1, 1, 1, 0, b.s, NULL);
    OK(FuncSetAttribute, empty, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 150000);
    OK(LaunchKernel, empty, 1, 1, 1, 1, 1, 1, 150000, b.s, NULL, NULL);
    GIVES(CUDA_ERROR_INVALID_VALUE, FuncSetAttribute, empty,
          CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 170000);
    GIVES(CUDA_ERROR_NOT_FOUND, ModuleGetFunction, &f, b.module, "no_such_kernel");
    run(b, "stamp", (void *[]){&out});
    OK(StreamSynchronize, b.s);
    ck_assert_uint_ne(word(b, out), 0);
    close_bed(b);
}
END_TEST

START_TEST(clusters_need_a_chip_that_has_them_and_a_grid_that_divides)
{
    struct bed b = opened(""), old = opened("arch = sm_80\n");
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig c = {4, 1, 1, 32, 1, 1, 0, b.s, &a, 1};
    a.value.clusterDim.x = 2;
    a.value.clusterDim.y = a.value.clusterDim.z = 1;
    OK(LaunchKernelEx, &c, function(b, "empty"), NULL, NULL);
    OK(StreamSynchronize, b.s);
    c.gridDimX = 3;
    GIVES(CUDA_ERROR_INVALID_VALUE, LaunchKernelEx, &c, function(b, "empty"), NULL, NULL);
    c.gridDimX = 16;
    a.value.clusterDim.x = 16;
    GIVES(CUDA_ERROR_INVALID_CLUSTER_SIZE, LaunchKernelEx, &c, function(b, "empty"), NULL, NULL);
    close_bed(b);
    b = old;
    c.hStream = b.s;
    GIVES(CUDA_ERROR_NOT_SUPPORTED, LaunchKernelEx, &c, function(b, "empty"), NULL, NULL);
    close_bed(b);
}
END_TEST

START_TEST(an_opcode_that_is_not_simulated_is_named)
{
    struct bed b = opened("");
    GIVES(CUDA_ERROR_NOT_SUPPORTED, LaunchKernel, function(b, "unheard_of"), 1, 1, 1, 1, 1, 1, 0,
          b.s, NULL, NULL);
    const char *const why = b.d.last_reason(b.d.self);
    ck_assert_ptr_nonnull(why);
    ck_assert_msg(strstr(why, "frobnicate.b32") && strstr(why, "unheard_of"), "%s", why);
    OK(CtxSynchronize);
    ck_assert_ptr_null(b.d.last_reason(b.d.self));
    close_bed(b);
}
END_TEST

START_TEST(images_that_do_not_suit_are_refused_with_a_reason)
{
    struct bed b = opened("arch = sm_100a\n");
    CUmodule m;
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    GIVES(CUDA_ERROR_INVALID_IMAGE, ModuleLoadData, &m, "\x7f" "ELF\2\1\1");
    ck_assert_ptr_nonnull(strstr(b.d.last_reason(b.d.self), "machine code"));
    GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, ModuleLoadDataEx, &m,
          ".version 8.0\n.target sm_90a\n.address_size 64\n", 2, options, values);
    ck_assert_msg(strstr(log, "sm_90a") && strstr(log, "sm_100a"), "%s", log);
    GIVES(CUDA_ERROR_INVALID_PTX, ModuleLoadDataEx, &m,
          ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{ mov ; ]\n}\n", 2,
          options, values);
    ck_assert_str_ne(log, "");
    close_bed(b);
}
END_TEST

START_TEST(an_illegal_address_loses_the_context_until_it_is_reset)
{
    struct bed b = opened("");
    CUdeviceptr nowhere = 0x10, at;
    const char *name;
    run(b, "stamp", (void *[]){&nowhere});
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, StreamSynchronize, b.s);
    ck_assert_msg(strstr(sim_driver_fault_text(&b.d), "stamp"), "%s", sim_driver_fault_text(&b.d));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, MemAlloc, &at, 4);
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, CtxSynchronize);
    OK(GetErrorName, CUDA_ERROR_ILLEGAL_ADDRESS, &name);
    ck_assert_str_eq(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
    OK(DevicePrimaryCtxReset, 0);
    OK(MemAlloc, &at, 4);
    close_bed(b);
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
        const CUDA_KERNEL_NODE_PARAMS p = {.func = function(b, "stamp"),
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
    struct bed b = opened(FINE "graph.node_device_ns = 777\n");
    CUdeviceptr out = memory(b, 8 * N);
    CUgraphExec exec = stamps(b, out, N, true);
    OK(GraphLaunch, exec, b.s);
    OK(StreamSynchronize, b.s);
    for (uint64_t i = 1; i < N; i++)
        ck_assert_double_eq_tol((double)word(b, out + 8 * i) - (double)word(b, out + 8 * i - 8),
                                777, 2);
    OK(GraphExecDestroy, exec);
    close_bed(b);
}
END_TEST

START_TEST(a_fan_of_nodes_is_issued_fan_node_ns_apart)
{
    enum { N = 20 };
    struct bed b = opened(FINE "graph.fan_node_ns = 123\n");
    CUdeviceptr out = memory(b, 8 * N);
    CUgraphExec exec = stamps(b, out, N, false);
    OK(GraphLaunch, exec, b.s);
    OK(StreamSynchronize, b.s);
    uint64_t first = UINT64_MAX, last = 0;
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t ns = word(b, out + 8 * i);
        first = ns < first ? ns : first;
        last = ns > last ? ns : last;
    }
    ck_assert_double_eq_tol((double)(last - first), 123 * (N - 1), 3);
    close_bed(b);
}
END_TEST

START_TEST(launching_a_graph_costs_the_host_by_the_node)
{
    struct bed b = opened("graph.launch_ns = 3333\ngraph.node_host_ns = 11\n");
    CUdeviceptr out = memory(b, 8 * 100);
    CUgraphExec exec = stamps(b, out, 100, true);
    OK(GraphUpload, exec, b.s);
    const double begin_ns = now(b);
    OK(GraphLaunch, exec, b.s);
    ck_assert_double_eq_tol(now(b) - begin_ns, 3333 + 1100 + 10, 1);
    OK(StreamSynchronize, b.s);
    close_bed(b);
}
END_TEST

/* --- machines --------------------------------------------------------------------------------- */

START_TEST(a_second_gpu_is_a_peer)
{
    enum { BYTES = 1 << 20 };
    struct bed b = opened("base = two\n" FINE);
    CUcontext peer;
    CUdevice device;
    CUdeviceptr there, here = memory(b, BYTES);
    int n, can;
    uint32_t add = 9, seen = 0;
    OK(DeviceGetCount, &n);
    ck_assert_int_eq(n, 2);
    OK(DeviceGet, &device, 1);
    OK(DeviceCanAccessPeer, &can, 0, 1);
    ck_assert_int_eq(can, 1);
    OK(DevicePrimaryCtxRetain, &peer, device);
    OK(CtxEnablePeerAccess, peer, 0);
    OK(CtxSetCurrent, peer);
    OK(MemAlloc, &there, BYTES);
    OK(CtxSetCurrent, b.context);
    OK(MemsetD32, there, 33, BYTES / 4);
    run(b, "bump", (void *[]){&there, &add}); /* over the link */
    OK(StreamSynchronize, b.s);
    const double begin_ns = now(b);
    OK(MemcpyPeerAsync, here, b.context, there, peer, BYTES, b.s);
    OK(StreamSynchronize, b.s);
    ck_assert_double_eq_tol(now(b) - begin_ns, 900 + BYTES / 15.0 + 1500, 50);
    OK(MemcpyDtoH, &seen, here, sizeof seen);
    ck_assert_uint_eq(seen, 42);
    close_bed(b);
}
END_TEST

static double story(const char *chip_text)
{
    struct bed b = opened(chip_text);
    CUdeviceptr out = memory(b, 1024);
    CUgraphExec exec = stamps(b, out, 10, true);
    for (int i = 0; i < 5; i++) {
        OK(GraphLaunch, exec, b.s);
        run(b, "stamp", (void *[]){&out});
    }
    OK(StreamSynchronize, b.s);
    const double ns = now(b) + (double)word(b, out);
    close_bed(b);
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
    Suite *const s = suite_create("sim_api");
    TCase *const t = tcase_create("sim_api");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, the_driver_says_what_the_chip_is);
    tcase_add_test(t, a_lying_driver_lies_in_attributes_and_telemetry);
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
    tcase_add_test(t, what_the_host_writes_a_kernel_changes_and_the_host_reads);
    tcase_add_test(t, memory_runs_out_and_comes_back);
    tcase_add_test(t, a_copy_takes_startup_and_bytes_over_rate);
    tcase_add_test(t, pageable_memory_is_copied_slower_and_the_call_waits);
    tcase_add_test(t, as_many_copies_run_at_once_as_there_are_engines);
    tcase_add_test(t, virtual_memory_shows_one_piece_at_two_addresses);
    tcase_add_test(t, the_host_sees_a_flag_flag_ns_after_the_kernel_raised_it);
    tcase_add_test(t, a_kernel_that_watches_a_host_word_holds_its_stream_until_the_host_writes);
    tcase_add_test(t, a_stream_waits_for_a_word_and_writes_one);
    tcase_add_test(t, a_stream_waits_for_a_word_that_a_kernel_writes);
    tcase_add_test(t, a_wait_that_nobody_ends_is_an_error_and_no_hang);
    tcase_add_test(t, a_host_function_is_called_in_its_turn);
    tcase_add_test(t, wrong_launches_are_refused_and_harm_nothing);
    tcase_add_test(t, clusters_need_a_chip_that_has_them_and_a_grid_that_divides);
    tcase_add_test(t, an_opcode_that_is_not_simulated_is_named);
    tcase_add_test(t, images_that_do_not_suit_are_refused_with_a_reason);
    tcase_add_test(t, an_illegal_address_loses_the_context_until_it_is_reset);
    tcase_add_test(t, a_line_of_nodes_runs_node_device_ns_apart);
    tcase_add_test(t, a_fan_of_nodes_is_issued_fan_node_ns_apart);
    tcase_add_test(t, launching_a_graph_costs_the_host_by_the_node);
    tcase_add_test(t, a_second_gpu_is_a_peer);
    tcase_add_test(t, the_same_calls_get_the_same_answers);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
