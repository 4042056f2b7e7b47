#include "core/stats.h"

#include <math.h>

uint64_t ay_random_next(struct ay_random *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t ay_random_below(struct ay_random *r, uint64_t n)
{
    /* Numbers of the last, incomplete block of n would favour small remainders: draw again. */
    const uint64_t whole = UINT64_MAX - UINT64_MAX % n;
    uint64_t x;
    do x = ay_random_next(r);
    while (x >= whole);
    return x % n;
}

double ay_random_unit(struct ay_random *r)
{
    return (double)(ay_random_next(r) >> 11) * 0x1p-53;
}

/* libm picks its log by the CPU and may differ in the last bit; this one uses + - * / alone, which
 * are the same on every machine. log x = e log 2 + 2 artanh((m - 1) / (m + 1)), x = m 2^e. */
static double portable_log(double x)
{
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    const double s = (m - 1) / (m + 1), s2 = s * s;
    double sum = 0;
    for (int k = 21; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
    return e * 0.69314718055994531 + 2 * s * sum;
}

/* Polar method; the second number of each pair is dropped, so that no state is kept. */
double ay_random_normal(struct ay_random *r)
{
    double u, v, q;
    do {
        u = 2 * ay_random_unit(r) - 1;
        v = 2 * ay_random_unit(r) - 1;
        q = u * u + v * v;
    } while (q >= 1 || q == 0);
    return u * sqrt(-2 * portable_log(q) / q);
}
