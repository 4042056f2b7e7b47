/* sim_float.h - floats of any format as exact values, and their neighbours: for references. */
#ifndef TESTS_SIM_FLOAT_H
#define TESTS_SIM_FLOAT_H

#include <stdint.h>

typedef __float128 exact;

/* Finite values rise with their code. */
struct format {
    const char *name;
    int mantissa, exponent; /* bits */
};
extern const struct format F16, BF16, F32, E4M3, E5M2;

uint32_t bits32(float x);
float float32(uint64_t u);
uint64_t bits64(double x);
double float64(uint64_t u);

/* The first code that is no finite number. */
uint64_t infinity_of(const struct format *f);
exact value_of(const struct format *f, uint64_t code);
/* Code of x rounded: 'n' nearest even, 'z' zero, 'u' away from zero, 'a' nearest, ties away. */
uint64_t rounded(const struct format *f, exact x, char how);
/* 'm' and 'p' (minus, plus infinity) as 'z' or 'u'; others stay. */
char direction(char mode, exact x);

#endif
