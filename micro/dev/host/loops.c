#include "dev/host/loops.h"

#include <stdbool.h>
#include <time.h>

#if defined __x86_64__
#include <cpuid.h>
#include <x86intrin.h>
#endif

uint64_t ay_clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A volatile load is one machine load, in order; its result is the next address, so there is nothing
 * to overlap. Sixteen a branch, so that the branch costs nothing beside them. */
__attribute__((noinline, no_sanitize("address", "undefined")))
static void *follow(void *at, uint64_t n_steps)
{
#define NEXT at = *(void *volatile *)at
    for (; n_steps >= 16; n_steps -= 16) {
        NEXT; NEXT; NEXT; NEXT; NEXT; NEXT; NEXT; NEXT;
        NEXT; NEXT; NEXT; NEXT; NEXT; NEXT; NEXT; NEXT;
    }
    for (; n_steps > 0; n_steps--) NEXT;
#undef NEXT
    return at;
}

/* The kernel's clock read waits for the loads before it (lfence or isb [linux-vdso]). */
void *ay_chase(void *from, uint64_t n_steps, double *elapsed_ns)
{
    const uint64_t start_ns = ay_clock_ns();

    void *const end = follow(from, n_steps);

    const uint64_t stop_ns = ay_clock_ns();
    *elapsed_ns = (double)(stop_ns - start_ns);
    return end;
}

__attribute__((noinline, no_sanitize("address", "undefined")))
void ay_sweep(const void *at, uint64_t bytes, uint64_t step_bytes)
{
    const char *const end = (const char *)at + bytes;
    for (const char *p = at; p < end; p += step_bytes) (void)*(const volatile char *)p;
}

/* --- the counter ------------------------------------------------------------------------------ */

#if defined __x86_64__

static bool keeps_its_rate(void) /* [intel-sdm 18.17.1]: CPUID.80000007H:EDX[8] */
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
}

enum ay_status ay_tsc(uint64_t *ticks, struct ay_error *err)
{
    if (!keeps_its_rate())
        return AY_FAIL(err, AY_SKIP, "this processor's TSC does not claim a constant rate");
    _mm_lfence();
    *ticks = __rdtsc();
    return AY_OK;
}

#elif defined __aarch64__

enum ay_status ay_tsc(uint64_t *ticks, struct ay_error *err)
{
    (void)err;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(*ticks)::"memory");
    return AY_OK;
}

#else

enum ay_status ay_tsc(uint64_t *ticks, struct ay_error *err)
{
    *ticks = 0;
    return AY_FAIL(err, AY_SKIP, "no counter is known on this kind of processor");
}

#endif
