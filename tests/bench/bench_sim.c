/* Speed of the simulator, as ratios to a reference loop: one dependent 64-bit multiply-add, which
 * costs 4 to 5 cycles of any processor. Prints one line a workload; fails where a budget of the
 * first four is exceeded twice over (a shared machine halves any speed). */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "dev/sim/engine.h"
#include "dev/sim/program.h"

#define HEAD ".version 8.0\n.target sm_90a\n.address_size 64\n"
#define BEGIN(name) ".visible .entry " name "(.param .u64 a0, .param .u64 a1, .param .u64 a2) {\n" \
    ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<4>; .reg .f32 %f<9>;\n" \
    ".shared .align 16 .b8 smem[8192];\n" \
    "ld.param.u64 %rd1, [a0]; ld.param.u64 %rd2, [a1]; ld.param.u64 %rd3, [a2];\n" \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r10, smem;\n" \
    "mad.lo.s32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd4, %r4, 16; add.s64 %rd4, %rd4, %rd2;\n" \
    "shl.b32 %r5, %r1, 2; add.s32 %r10, %r10, %r5; cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, %f1;\n" \
    "mov.u32 %r11, %nctaid.x; mul.lo.s32 %r11, %r11, %r3; mul.wide.u32 %rd5, %r11, 16;\n" \
    "again:\n"
#define END \
    "add.s64 %rd1, %rd1, -1; setp.ne.s64 %p1, %rd1, 0; @%p1 bra again;\n" \
    "mul.wide.u32 %rd6, %r4, 4; add.s64 %rd6, %rd6, %rd3; cvt.rzi.u32.f32 %r20, %f1;\n" \
    "add.s32 %r20, %r20, %r12; st.global.u32 [%rd6], %r20; ret; }\n"
#define X4(x) x x x x
#define FFMA "fma.rn.f32 %f1, %f1, %f2, %f2;\n"
#define MIXED "fma.rn.f32 %f1, %f1, %f2, %f2; mad.lo.s32 %r12, %r12, %r3, %r1;\n" \
    "add.s32 %r13, %r12, %r1; xor.b32 %r14, %r13, %r12; shl.b32 %r15, %r14, 3;\n" \
    "setp.lt.s32 %p2, %r15, %r12; selp.b32 %r12, %r14, %r15, %p2;\n" \
    "shfl.sync.bfly.b32 %r16, %r12, 1, 31, 0xffffffff;\n"
#define SHARED "ld.shared.u32 %r12, [%r10]; ld.shared.u32 %r13, [%r10];\n"
#define COPY "ld.global.cg.v4.u32 {%r12, %r13, %r14, %r15}, [%rd4];\n" \
    "st.global.v4.u32 [%rd4+16777216], {%r12, %r13, %r14, %r15}; add.s64 %rd4, %rd4, %rd5;\n"
#define CA "ld.global.ca.u64 %rd2, [%rd2];\n"
#define CG "ld.global.cg.u64 %rd2, [%rd2];\n"

static const char KERNELS[] = HEAD
    BEGIN("ffma") X4(X4(FFMA)) END
    BEGIN("mixed") X4(MIXED) END
    BEGIN("shared") X4(X4(SHARED)) END
    BEGIN("copy") X4(COPY) END
    BEGIN("ca") X4(X4(CA)) END
    BEGIN("cg") X4(X4(CG)) END;

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
}

static double reference_seconds(void)
{
    enum { N = 20000000 };
    volatile uint64_t seed = 12345;
    uint64_t x = seed;
    const double begin = cpu_seconds();
    for (int i = 0; i < N; i++) x = x * 6364136223846793005u + 1442695040888963407u;
    seed = x;
    return (cpu_seconds() - begin) / N;
}

struct workload {
    const char *name, *kernel, *unit;
    uint32_t ctas, threads;
    uint64_t rounds, ring_bytes;
    double budget; /* reference loops a unit; 0: none */
};
static const struct workload WORKLOADS[] = {
    { "FFMA, one warp", "ffma", "warp instruction", 1, 32, 20000, 0, 120 },
    { "FFMA, all SMSPs full", "ffma", "warp instruction", 4, 1024, 200, 0, 120 },
    { "chase in L1", "ca", "load", 1, 1, 20000, 16 << 10, 60 },
    { "mixed, 16 warps an SM", "mixed", "warp instruction", 4, 512, 400, 0, 0 },
    { "shared loads, 16 warps", "shared", "warp instruction", 4, 512, 200, 0, 0 },
    { "copy of 16 bytes a lane", "copy", "warp instruction", 16, 512, 24, 0, 0 },
    { "chase in L2", "cg", "load", 1, 1, 20000, 256 << 10, 0 },
    { "chase in DRAM", "cg", "load", 1, 1, 16384, 32 << 20, 0 },
};

static void write_ring(uint8_t *at, uint64_t va, uint64_t bytes)
{
    const uint64_t n = bytes / 128; /* a step that is odd visits every node of a power of two */
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t next = va + (i * 5 + 2741) % n * 128;
        memcpy(at + i * 128, &next, 8);
    }
}

static double run(struct sim_machine *m, const struct sim_image *image, const struct workload *k,
                  uint64_t data, uint64_t out)
{
    struct ay_error err;
    struct sim_result r = { 0 };
    const uint64_t args[3] = { k->rounds, data, out };
    const struct sim_launch_config c = { .image = image,
        .kernel = sim_find_kernel(sim_image_module(image), k->kernel), .grid = { k->ctas, 1, 1 },
        .block = { k->threads, 1, 1 }, .carveout_percent = -1, .params = args,
        .params_bytes = sizeof args };
    if (k->ring_bytes)
        write_ring(sim_host_pointer(m, data, k->ring_bytes), data, k->ring_bytes);
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        const double begin = cpu_seconds();
        if (sim_launch(m, &c, &r, &err) != AY_OK || r.fault) {
            printf("%s: %s\n", k->name, r.fault ? r.text : err.text);
            return -1;
        }
        const double seconds = cpu_seconds() - begin;
        if (seconds < best) best = seconds;
    }
    return best / (double)(k->ring_bytes ? k->rounds * 16 : r.counters.warp_instructions);
}

static int bench(struct sim_machine *m, const struct sim_image *image)
{
    struct ay_error err;
    uint64_t data, out;
    if (sim_allocate(m, 40 << 20, &data, &err) != AY_OK) return 1;
    if (sim_allocate(m, 1 << 20, &out, &err) != AY_OK) return 1;
    int n_slow = 0;
    for (size_t i = 0; i < sizeof WORKLOADS / sizeof *WORKLOADS; i++) {
        const struct workload *k = &WORKLOADS[i];
        const double reference = reference_seconds(), one = run(m, image, k, data, out);
        if (one < 0) return 1;
        printf("%-26s %8.2f M/s  %6.1f reference loops a %s", k->name, 1e-6 / one, one / reference,
               k->unit);
        if (k->budget) printf("  (budget %.0f)", k->budget);
        printf("\n");
        n_slow += k->budget && one / reference > 2 * k->budget;
    }
    return n_slow != 0;
}

int main(void)
{
    struct ay_error err;
    struct ay_chip chip;
    struct sim_machine *m = NULL;
    struct sim_module *module = NULL;
    struct sim_image *image;
    int rc = 1;
    if (ay_chip_load("plain", &chip, &err) == AY_OK && sim_open(&chip, &m, &err) == AY_OK &&
        sim_module_parse(KERNELS, strlen(KERNELS), &module, &err) == AY_OK &&
        sim_load(m, module, &image, &err) == AY_OK)
        rc = bench(m, image);
    else
        printf("%s\n", err.text);
    sim_close(m);
    sim_module_close(module);
    return rc;
}
