#include "dev/host/loops.h"

#include <sys/resource.h>
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

/* A volatile load is one machine load, in order; its result is the next address, so that nothing
 * overlaps. Sixteen a branch, so that the branch costs nothing beside them. */
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

/* How often this thread has lost its CPU to another. */
static long n_interruptions(void)
{
    struct rusage use;
    return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nivcsw : 0;
}

/* The kernel's clock read waits for the loads before it (lfence or isb [linux-vdso]). */
void *ay_chase(void *from, uint64_t n_steps, struct ay_host_timing *out)
{
    const long n_before = n_interruptions();
    const uint64_t start_ns = ay_clock_ns();

    void *const end = follow(from, n_steps);

    const uint64_t stop_ns = ay_clock_ns();
    out->elapsed_ns = (double)(stop_ns - start_ns);
    out->was_interrupted = n_interruptions() != n_before;
    return end;
}

__attribute__((noinline, no_sanitize("address", "undefined")))
void ay_sweep(const void *at, uint64_t bytes, uint64_t step_bytes)
{
    const char *const end = (const char *)at + bytes;
    for (const char *p = at; p < end; p += step_bytes) (void)*(const volatile char *)p;
}

__attribute__((noinline, no_sanitize("address", "undefined")))
void ay_gather(const void *base, const uint32_t *lines, uint64_t n_lines, uint64_t line_bytes)
{
    for (uint64_t i = 0; i < n_lines; i++)
        (void)*((const volatile char *)base + lines[i] * line_bytes);
}

/* --- the counter ------------------------------------------------------------------------------ */

#if defined __x86_64__

static bool keeps_its_rate(void) /* [intel-sdm]: CPUID.80000007H:EDX[8] */
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
