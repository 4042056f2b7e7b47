/* chip.h - what a simulated chip is: keys, values, validation. dev/sim builds from it, a probe's
 * `truth` reads it; `run` and `estimate` never see it.
 *
 * One field a key of chip_keys.def: `l1_latency_cycles` is chip->l1_latency_cycles; dots become
 * underscores; a key with a CLASS, TYPE or SCOPE in it is an array, indexed by the family's enum:
 * alu.fma32.latency_cycles is chip->alu_latency_cycles[AY_ALU_fma32]. */
#ifndef AY_CHIP_H
#define AY_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/* Instruction classes: alu.CLASS.latency_cycles, .interval_cycles, .pipe, .scope in a chip file. */
#define AY_ALU_CLASSES(X) \
    X(fma32) X(add32) X(mul32) X(imad) X(iadd) X(logic) X(shift) X(prmt) X(popc) X(minmax) \
    X(select) X(setp) X(mov) X(cvt) X(mufu) X(fma64) X(add64f) X(fma16x2) X(dp4a) X(mul64) \
    X(iadd64) X(bits) X(div) X(dpx)
enum ay_alu_class {
#define X(name) AY_ALU_##name,
    AY_ALU_CLASSES(X)
#undef X
    AY_N_ALU_CLASSES
};

/* --- families of the other keys --------------------------------------------------------------- */

/* mma.TYPE.SHAPE. f16 accumulates in f32, f16f16 in f16. */
#define AY_MMAS(X) \
    X(f16, 16, 8, 8) X(f16, 16, 8, 16) X(f16f16, 16, 8, 8) X(f16f16, 16, 8, 16) \
    X(bf16, 16, 8, 8) X(bf16, 16, 8, 16) X(tf32, 16, 8, 4) X(tf32, 16, 8, 8) \
    X(f64, 8, 8, 4) X(f64, 16, 8, 4) X(f64, 16, 8, 8) X(f64, 16, 8, 16) \
    X(s8, 8, 8, 16) X(s8, 16, 8, 16) X(s8, 16, 8, 32) \
    X(u8, 8, 8, 16) X(u8, 16, 8, 16) X(u8, 16, 8, 32) \
    X(s4, 8, 8, 32) X(s4, 16, 8, 32) X(s4, 16, 8, 64) \
    X(b1, 8, 8, 128) X(b1, 16, 8, 128) X(b1, 16, 8, 256) \
    X(e4m3, 16, 8, 16) X(e4m3, 16, 8, 32) X(e5m2, 16, 8, 16) X(e5m2, 16, 8, 32) \
    X(e3m2, 16, 8, 32) X(e2m3, 16, 8, 32) X(e2m1, 16, 8, 32) \
    X(mxf8, 16, 8, 32) X(mxf4, 16, 8, 64) X(nvf4, 16, 8, 64)
enum ay_mma {
#define X(type, M, N, K) AY_MMA_##type##_m##M##n##N##k##K,
    AY_MMAS(X)
#undef X
    AY_N_MMAS
};

#define AY_WGMMA_TYPES(X) X(f16) X(f16f16) X(bf16) X(tf32) X(e4m3) X(e5m2) X(s8) X(u8) X(b1)
enum ay_wgmma_type {
#define X(name) AY_WGMMA_##name,
    AY_WGMMA_TYPES(X)
#undef X
    AY_N_WGMMA_TYPES
};

#define AY_TCGEN05_KINDS(X) X(f16) X(tf32) X(f8f6f4) X(i8) X(mxf8f6f4) X(mxf4) X(mxf4nvf4)
enum ay_tcgen05_kind {
#define X(name) AY_TCGEN05_##name,
    AY_TCGEN05_KINDS(X)
#undef X
    AY_N_TCGEN05_KINDS
};

/* shfl.latency_cycles, shfl.interval_cycles, … */
#define AY_WARP_OPS(X) X(shfl) X(vote) X(match) X(redux) X(syncwarp) X(elect) X(activemask)
enum ay_warp_op {
#define X(name) AY_WARP_##name,
    AY_WARP_OPS(X)
#undef X
    AY_N_WARP_OPS
};

/* fence.SCOPE.base_cycles, .per_pending_cycles */
#define AY_FENCE_SCOPES(X) X(cta) X(cluster) X(gpu) X(sys)
enum ay_fence_scope {
#define X(name) AY_FENCE_##name,
    AY_FENCE_SCOPES(X)
#undef X
    AY_N_FENCE_SCOPES
};

/* power_data.KIND_ratio */
#define AY_DATA_KINDS(X) X(zeros) X(ones) X(constant) X(normal) X(bits) X(sparse_bits)
enum ay_data_kind {
#define X(name) AY_DATA_##name,
    AY_DATA_KINDS(X)
#undef X
    AY_N_DATA_KINDS
};

/* --- words ------------------------------------------------------------------------------------ */

#define AY_CHIP_ARCHS(X) \
    X(sm_75) X(sm_80) X(sm_86) X(sm_89) X(sm_90a) X(sm_100a) X(sm_103a) X(sm_120a)
#define AY_CHIP_POLICIES(X) X(lru) X(fifo) X(plru) X(random)
#define AY_CHIP_HASHES(X) X(none) X(xor) X(rotate) X(mix)
#define AY_CHIP_REPLICATES(X) X(none) X(read)
#define AY_TLB_SCOPES(X) X(sm) X(tpc) X(gpc) X(chip)
#define AY_ALU_SCOPES(X) X(smsp) X(sm)
#define AY_ROUNDINGS(X) X(rn) X(rz)
#define X(word) AY_ARCH_##word,
enum ay_chip_arch { AY_CHIP_ARCHS(X) AY_N_CHIP_ARCHS };
#undef X
#define X(word) AY_POLICY_##word,
enum ay_chip_policy { AY_CHIP_POLICIES(X) AY_N_CHIP_POLICIES };
#undef X
#define X(word) AY_HASH_##word,
enum ay_chip_hash { AY_CHIP_HASHES(X) AY_N_CHIP_HASHES };
#undef X
#define X(word) AY_REPLICATE_##word,
enum ay_chip_replicate { AY_CHIP_REPLICATES(X) AY_N_CHIP_REPLICATES };
#undef X
#define X(word) AY_TLB_SCOPE_##word,
enum ay_tlb_scope { AY_TLB_SCOPES(X) AY_N_TLB_SCOPES };
#undef X
#define X(word) AY_ALU_SCOPE_##word,
enum ay_alu_scope { AY_ALU_SCOPES(X) AY_N_ALU_SCOPES };
#undef X
#define X(word) AY_ROUNDING_##word,
enum ay_rounding { AY_ROUNDINGS(X) AY_N_ROUNDINGS };
#undef X

/* --- values that are no number ---------------------------------------------------------------- */

enum { AY_MAX_SMS = 512, AY_MAX_PIPES = 32, AY_PIPE_NAME_BYTES = 16, AY_CHIP_NAME_BYTES = 64 };

/* How SMs are dealt to TPCs, GPCs, partitions. of[sm] is always filled, also when dealt evenly. */
struct ay_deal {
    bool is_even;
    uint16_t n_given; /* how long the list of the file was */
    uint16_t of[AY_MAX_SMS];
};

/* What the driver and NVML claim in place of the truth; value 0: unknown. */
struct ay_reported {
    bool is_set;
    double value;
};

/* --- the chip --------------------------------------------------------------------------------- */

struct ay_chip {
#define AY_KEY_TEXT(key, field, bytes) char field[bytes];
#define AY_KEY_WHOLE(key, field, min, max) uint64_t field;
#define AY_KEY_REAL(key, field, min, max) double field;
#define AY_KEY_WORD(key, field, type, WORDS) enum type field;
#define AY_KEY_DEAL(key, field) struct ay_deal field;
#define AY_KEYS_WHOLE(head, tail, field, FAMILY, n, min, max) uint64_t field[n];
#define AY_KEYS_REAL(head, tail, field, FAMILY, n, min, max) double field[n];
#define AY_KEYS_WORD(head, tail, field, FAMILY, n, type, WORDS) enum type field[n];
#define AY_KEYS_PIPES(head, tail, field, FAMILY, n) uint32_t field[n];
#define AY_KEY_REPORTED(key, field, min, max) struct ay_reported field;
#include "core/chip_keys.def"

    /* alu_pipes[class] is a set of pipes: bit i stands for pipe_names[i]. An instruction takes
     * whichever of them is free first. Sorted by name; "" after the last. */
    char pipe_names[AY_MAX_PIPES][AY_PIPE_NAME_BYTES];
};

/* What stands after "sim:": a built-in name, "random:SEED" (decimal), or a file, when it has a '/'
 * or ends in ".chip". AY_USAGE with the nearest name, AY_IO with the path and, for a fault in a
 * file, FILE:LINE. */
enum ay_status ay_chip_load(const char *device_text, struct ay_chip *out,
                            struct ay_error *err) AY_CHECKED;

/* A chip file's text. `file_name` is for messages alone. */
enum ay_status ay_chip_parse(const char *text, const char *file_name, struct ay_chip *out,
                             struct ay_error *err) AY_CHECKED;

/* The chip that random:SEED names: drawn within the ranges that chip files document. */
enum ay_status ay_chip_random(uint64_t seed, struct ay_chip *out, struct ay_error *err) AY_CHECKED;

/* Every key, in canonical form; parsing it gives the same chip. The caller frees. NULL: no
 * memory. */
char *ay_chip_describe(const struct ay_chip *c);

/* --- what follows from the keys --------------------------------------------------------------- */

const char *ay_chip_arch_text(const struct ay_chip *c); /* "sm_90a" */
int ay_chip_arch_number(const struct ay_chip *c);       /* 90 */
uint64_t ay_chip_l1_sets(const struct ay_chip *c);      /* at the default carve-out */
uint64_t ay_chip_l2_sets(const struct ay_chip *c);      /* of one slice */
/* L1 at a carve-out of that percentage of shared memory; < 0: the default. */
uint64_t ay_chip_l1_bytes_at(const struct ay_chip *c, int carveout_percent);
/* Load-to-use when L2 misses: near + the DRAM's ns, rounded up to a cycle. */
uint64_t ay_chip_dram_cycles(const struct ay_chip *c);
/* ns in SM cycles, rounded up. */
uint64_t ay_chip_cycles_of_ns(const struct ay_chip *c, double ns);
bool ay_chip_has_far(const struct ay_chip *c); /* more than one L2 partition */
uint32_t ay_chip_n_tpcs(const struct ay_chip *c);
uint32_t ay_chip_n_gpcs(const struct ay_chip *c);
/* What an attribute says of a key that may lie: the truth, unless `r` is set. */
double ay_chip_claim(const struct ay_reported *r, double truth);

#endif
