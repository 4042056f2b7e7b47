#include "sim_bed.h"

#include <stdlib.h>
#include <string.h>

const char sim_bed_ptx[] =
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

const char sim_bed_ptx_90[] =
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

struct bed bed_opened(const char *chip_text)
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
    OK(ModuleLoadData, &b.module, sim_bed_ptx);
    OK(StreamCreate, &b.s, CU_STREAM_NON_BLOCKING);
    return b;
}

CUfunction bed_function(struct bed b, const char *name)
{
    CUfunction f;
    OK(ModuleGetFunction, &f, b.module, name);
    return f;
}

CUdeviceptr bed_memory(struct bed b, size_t bytes)
{
    CUdeviceptr at;
    OK(MemAlloc, &at, bytes);
    OK(MemsetD8, at, 0, bytes);
    return at;
}

void bed_run(struct bed b, const char *name, void **params)
{
    OK(LaunchKernel, bed_function(b, name), 1, 1, 1, 1, 1, 1, 0, b.s, params, NULL);
}

uint64_t bed_word(struct bed b, CUdeviceptr at)
{
    uint64_t x;
    OK(MemcpyDtoH, &x, at, sizeof x);
    return x;
}

double bed_now(struct bed b)
{
    return (double)b.d.now_ns(b.d.self);
}

void bed_warm(struct bed b)
{
    bed_run(b, "empty", NULL);
    OK(StreamSynchronize, b.s);
}

void bed_close(struct bed b)
{
    ay_driver_close(&b.d);
}
