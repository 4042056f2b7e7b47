/* loads.cuh - one load a path; each names its cache operator [ptx-isa cache operators].
 *
 * from() gives what is at `at`; i counts the loads of a round, for loads that keep something. */
#ifndef AY_MEM_LOADS_CUH
#define AY_MEM_LOADS_CUH

#include "core/kernel.cuh"

struct load_plain { /* no operator: weak, what users' kernels have */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

struct load_ca { /* all levels; STRONG.SM in machine code, not the plain load [measured sass 13.0]
                  */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

struct load_cg { /* L2 only */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

struct load_cv { /* fetched again each time */
    __device__ uint64_t from(uint64_t at, int)
    {
        uint64_t next;
        asm volatile("ld.global.cv.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

struct load_shared_4 {
    __device__ uint64_t from(uint64_t at, int)
    {
        uint32_t next;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"((uint32_t)at) : "memory");
        return next;
    }
    __device__ uint32_t checksum() const { return 0; }
};

/* The address is the low half; a high half that nobody reads would make ptxas narrow the load to 4
 * bytes, volatile or not [measured sass 13.0]. It is added up one load later, while the next one is
 * in flight, and into four sums, so that no sum is waited for. */
struct load_shared_8 {
    uint32_t high = 0, sum[4] = {0, 0, 0, 0};

    __device__ uint64_t from(uint64_t at, int i)
    {
        uint32_t low, next_high;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(low), "=r"(next_high) : "r"((uint32_t)at) : "memory");
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(sum[i & 3]) : "r"(high));
        high = next_high;
        return low;
    }
    __device__ uint32_t checksum() const { return high ^ sum[0] ^ sum[1] ^ sum[2] ^ sum[3]; }
};

#endif
