#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dev/sim/engine.h"
#include "sim_bed.h"

/* --- what the device says --------------------------------------------------------------------- */

static int attribute(struct bed b, CUdevice_attribute a)
{
    int x;
    OK(DeviceGetAttribute, &x, a, 0);
    return x;
}

START_TEST(the_driver_says_what_the_chip_is)
{
    struct bed b = bed_opened("base = odd\n");
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
    bed_close(b);
}
END_TEST

START_TEST(a_lying_driver_lies_in_attributes_and_telemetry)
{
    struct bed b = bed_opened("reported.l2_bytes = 0\nreported.sms = 7\n"
                              "reported.sm_clock_mhz = 999\n");
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
    bed_close(b);
}
END_TEST

/* --- memory ----------------------------------------------------------------------------------- */

START_TEST(what_the_host_writes_a_kernel_changes_and_the_host_reads)
{
    enum { N = 4096 };
    struct bed b = bed_opened("");
    static uint32_t data[N];
    CUdeviceptr at;
    uint32_t add = 1000;
    OK(MemAlloc, &at, sizeof data);
    for (uint32_t i = 0; i < N; i++) data[i] = i;
    OK(MemcpyHtoD, at, data, sizeof data);
    OK(LaunchKernel, bed_function(b, "bump"), N / 128, 1, 1, 128, 1, 1, 0, b.s,
       (void *[]){&at, &add}, NULL);
    OK(StreamSynchronize, b.s);
    memset(data, 0, sizeof data);
    OK(MemcpyDtoH, data, at, sizeof data);
    for (uint32_t i = 0; i < N; i++) ck_assert_uint_eq(data[i], i + 1000);
    ck_assert_uint_eq(sim_driver_last_counters(&b.d)->ctas, N / 128);
    ck_assert_uint_eq(sim_driver_last_counters(&b.d)->warps, N / 32);
    OK(MemFree, at);
    GIVES(CUDA_ERROR_INVALID_VALUE, MemFree, at);
    bed_close(b);
}
END_TEST

START_TEST(memory_runs_out_and_comes_back)
{
    struct bed b = bed_opened("dram_bytes = 268435456\n");
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
    bed_close(b);
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
    struct bed b = bed_opened(FINE "event_record_ns = 0\n");
    void *host;
    CUdeviceptr device = bed_memory(b, 2 * BYTES), other = device + BYTES;
    OK(MemHostAlloc, &host, BYTES, 0);
    CUdeviceptr pinned = (CUdeviceptr)(uintptr_t)host;
    ck_assert_double_eq_tol(timed_copy(b, device, pinned, BYTES), 2000 + BYTES / 25.0, 5);
    ck_assert_double_eq_tol(timed_copy(b, pinned, device, BYTES), 2200 + BYTES / 24.0, 5);
    ck_assert_double_eq_tol(timed_copy(b, other, device, BYTES), 1500 + BYTES / 20.0, 5);
    ck_assert_double_eq_tol(timed_copy(b, device, pinned, 4), 2000, 5);
    OK(MemFreeHost, host);
    bed_close(b);
}
END_TEST

START_TEST(pageable_memory_is_copied_slower_and_the_call_waits)
{
    enum { BYTES = 1 << 20 };
    struct bed b = bed_opened(FINE);
    void *const host = calloc(1, BYTES);
    CUdeviceptr device = bed_memory(b, BYTES);
    const double begin_ns = bed_now(b);
    OK(MemcpyHtoDAsync, device, host, BYTES, b.s);
    ck_assert_double_ge(bed_now(b) - begin_ns, 2000 + BYTES / 8.0);
    OK(StreamQuery, b.s);
    free(host);
    bed_close(b);
}
END_TEST

/* How long n copies in n streams take together. */
static double copies_ns(struct bed b, int n, void *host, CUdeviceptr device, size_t bytes)
{
    const double begin_ns = bed_now(b);
    for (int i = 0; i < n; i++) {
        CUstream s;
        OK(StreamCreate, &s, CU_STREAM_NON_BLOCKING);
        OK(MemcpyHtoDAsync, device, host, bytes, s);
    }
    OK(CtxSynchronize);
    return bed_now(b) - begin_ns;
}

START_TEST(as_many_copies_run_at_once_as_there_are_engines)
{
    enum { BYTES = 16 << 20 };
    struct bed b = bed_opened("copy.engines = 2\n");
    void *host;
    CUdeviceptr device = bed_memory(b, BYTES);
    OK(MemHostAlloc, &host, BYTES, 0);
    const double one = copies_ns(b, 1, host, device, BYTES);
    const double two = copies_ns(b, 2, host, device, BYTES);
    const double three = copies_ns(b, 3, host, device, BYTES);
    ck_assert_double_lt(two, 1.1 * one);
    ck_assert_double_gt(three, 1.9 * one);
    bed_close(b);
}
END_TEST

START_TEST(virtual_memory_shows_one_piece_at_two_addresses)
{
    struct bed b = bed_opened("");
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
    bed_run(b, "bump", (void *[]){&at, &add});
    OK(StreamSynchronize, b.s);
    OK(MemcpyDtoH, &seen, at + unit, sizeof seen);
    ck_assert_uint_eq(seen, 5);
    OK(MemUnmap, at, unit);
    OK(MemUnmap, at + unit, unit);
    OK(MemAddressFree, at, 2 * unit);
    OK(MemRelease, handle);
    bed_close(b);
}
END_TEST

/* --- what is refused -------------------------------------------------------------------------- */

START_TEST(wrong_launches_are_refused_and_harm_nothing)
{
    struct bed b = bed_opened("");
    CUfunction empty = bed_function(b, "empty"), stamp = bed_function(b, "stamp"), f;
    CUdeviceptr out = bed_memory(b, 8);
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
    bed_run(b, "stamp", (void *[]){&out});
    OK(StreamSynchronize, b.s);
    ck_assert_uint_ne(bed_word(b, out), 0);
    bed_close(b);
}
END_TEST

START_TEST(clusters_need_a_chip_that_has_them_and_a_grid_that_divides)
{
    struct bed b = bed_opened(""), old = bed_opened("arch = sm_80\n");
    CUlaunchAttribute a = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig c = {4, 1, 1, 32, 1, 1, 0, b.s, &a, 1};
    a.value.clusterDim.x = 2;
    a.value.clusterDim.y = a.value.clusterDim.z = 1;
    OK(LaunchKernelEx, &c, bed_function(b, "empty"), NULL, NULL);
    OK(StreamSynchronize, b.s);
    c.gridDimX = 3;
    GIVES(CUDA_ERROR_INVALID_VALUE, LaunchKernelEx, &c, bed_function(b, "empty"), NULL, NULL);
    c.gridDimX = 16;
    a.value.clusterDim.x = 16;
    GIVES(CUDA_ERROR_INVALID_CLUSTER_SIZE, LaunchKernelEx, &c, bed_function(b, "empty"), NULL,
          NULL);
    bed_close(b);
    b = old;
    c.hStream = b.s;
    GIVES(CUDA_ERROR_NOT_SUPPORTED, LaunchKernelEx, &c, bed_function(b, "empty"), NULL, NULL);
    bed_close(b);
}
END_TEST

START_TEST(a_tensor_map_must_keep_the_conditions_of_the_hardware)
{
    struct bed b = bed_opened(""), old = bed_opened("arch = sm_80\n");
    CUtensorMap map;
    void *const at = (void *)(uintptr_t)bed_memory(b, 1 << 20);
    cuuint64_t dims[] = {256, 512}, strides[] = {512};
    cuuint32_t box[] = {64, 32}, steps[] = {1, 1};
#define ENCODE(where)                                                                           \
    &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, where, dims, strides, box, steps,                 \
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,                              \
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
    OK(TensorMapEncodeTiled, ENCODE(at));
    GIVES(CUDA_ERROR_INVALID_VALUE, TensorMapEncodeTiled, ENCODE((char *)at + 8));
    box[0] = 128; /* 256 bytes a row, over the swizzle's 128 */
    GIVES(CUDA_ERROR_INVALID_VALUE, TensorMapEncodeTiled, ENCODE(at));
    box[0] = 64;
    box[1] = 257;
    GIVES(CUDA_ERROR_INVALID_VALUE, TensorMapEncodeTiled, ENCODE(at));
    box[1] = 32;
    strides[0] = 520;
    GIVES(CUDA_ERROR_INVALID_VALUE, TensorMapEncodeTiled, ENCODE(at));
    strides[0] = 512;
    bed_close(b);
    b = old;
    GIVES(CUDA_ERROR_NOT_SUPPORTED, TensorMapEncodeTiled, ENCODE(at));
    bed_close(b);
}
END_TEST

START_TEST(an_opcode_that_is_not_simulated_is_named)
{
    struct bed b = bed_opened("");
    GIVES(CUDA_ERROR_NOT_SUPPORTED, LaunchKernel, bed_function(b, "unheard_of"), 1, 1, 1, 1, 1, 1,
          0, b.s, NULL, NULL);
    const char *const why = b.d.last_reason(b.d.self);
    ck_assert_ptr_nonnull(why);
    ck_assert_msg(strstr(why, "frobnicate.b32") && strstr(why, "unheard_of"), "%s", why);
    OK(CtxSynchronize);
    ck_assert_ptr_null(b.d.last_reason(b.d.self));
    bed_close(b);
}
END_TEST

START_TEST(images_that_do_not_suit_are_refused_with_a_reason)
{
    struct bed b = bed_opened("arch = sm_100a\n");
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
    bed_close(b);
}
END_TEST

START_TEST(an_illegal_address_loses_the_context_until_it_is_reset)
{
    struct bed b = bed_opened("");
    CUdeviceptr nowhere = 0x10, at;
    const char *name;
    bed_run(b, "stamp", (void *[]){&nowhere});
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, StreamSynchronize, b.s);
    ck_assert_msg(strstr(sim_driver_fault_text(&b.d), "stamp"), "%s", sim_driver_fault_text(&b.d));
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, MemAlloc, &at, 4);
    GIVES(CUDA_ERROR_ILLEGAL_ADDRESS, CtxSynchronize);
    OK(GetErrorName, CUDA_ERROR_ILLEGAL_ADDRESS, &name);
    ck_assert_str_eq(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
    OK(DevicePrimaryCtxReset, 0);
    OK(MemAlloc, &at, 4);
    bed_close(b);
}
END_TEST

/* --- machines --------------------------------------------------------------------------------- */

START_TEST(a_second_gpu_is_a_peer)
{
    enum { BYTES = 1 << 20 };
    struct bed b = bed_opened("base = two\n" FINE);
    CUcontext peer;
    CUdevice device;
    CUdeviceptr there, here = bed_memory(b, BYTES);
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
    bed_run(b, "bump", (void *[]){&there, &add}); /* over the link */
    OK(StreamSynchronize, b.s);
    const double begin_ns = bed_now(b);
    OK(MemcpyPeerAsync, here, b.context, there, peer, BYTES, b.s);
    OK(StreamSynchronize, b.s);
    ck_assert_double_eq_tol(bed_now(b) - begin_ns, 900 + BYTES / 15.0 + 1500, 50);
    OK(MemcpyDtoH, &seen, here, sizeof seen);
    ck_assert_uint_eq(seen, 42);
    bed_close(b);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("sim_api");
    TCase *const t = tcase_create("sim_api");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, the_driver_says_what_the_chip_is);
    tcase_add_test(t, a_lying_driver_lies_in_attributes_and_telemetry);
    tcase_add_test(t, what_the_host_writes_a_kernel_changes_and_the_host_reads);
    tcase_add_test(t, memory_runs_out_and_comes_back);
    tcase_add_test(t, a_copy_takes_startup_and_bytes_over_rate);
    tcase_add_test(t, pageable_memory_is_copied_slower_and_the_call_waits);
    tcase_add_test(t, as_many_copies_run_at_once_as_there_are_engines);
    tcase_add_test(t, virtual_memory_shows_one_piece_at_two_addresses);
    tcase_add_test(t, wrong_launches_are_refused_and_harm_nothing);
    tcase_add_test(t, clusters_need_a_chip_that_has_them_and_a_grid_that_divides);
    tcase_add_test(t, a_tensor_map_must_keep_the_conditions_of_the_hardware);
    tcase_add_test(t, an_opcode_that_is_not_simulated_is_named);
    tcase_add_test(t, images_that_do_not_suit_are_refused_with_a_reason);
    tcase_add_test(t, an_illegal_address_loses_the_context_until_it_is_reset);
    tcase_add_test(t, a_second_gpu_is_a_peer);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
