#include "core/image.h"

#include <stdint.h>
#include <string.h>

const struct ay_image *ay_find_image(const char *source, const char *arch, enum ay_image_kind kind)
{
    for (const struct ay_image *i = ay_images; i->source; i++)
        if (i->kind == kind && strcmp(i->source, source) == 0 &&
            (kind == AY_IMAGE_FATBIN || strcmp(i->arch, arch) == 0))
            return i;
    return NULL;
}

/* One failed kernel of an image says nothing of the others, so a verdict on the kernel itself
 * goes before one on the whole image. */
const struct ay_verdict *ay_find_verdict(const char *sha256, const char *entry)
{
    const struct ay_verdict *of_image = NULL;
    for (const struct ay_verdict *v = ay_verdicts; v->sha256; v++) {
        if (strcmp(v->sha256, sha256) != 0) continue;
        if (strcmp(v->entry, entry) == 0) return v;
        if (!*v->entry && !of_image) of_image = v;
    }
    return of_image;
}

/* --- SHA-256 [fips-180-4] ------------------------------------------------------------------- */

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8 };

/* First 32 bits of the fractional parts of the first 64 primes' cube roots [fips-180-4 4.2.2]. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* Folds one block into the state [fips-180-4 6.2.2]. */
static void fold(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], s[8];
    for (unsigned t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (unsigned t = 16; t < 64; t++) {
        const uint32_t a = w[t - 15], b = w[t - 2];
        w[t] = w[t - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[t - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (unsigned t = 0; t < 64; t++) {
        const uint32_t a = s[0], e = s[4];
        const uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                            ((e & s[5]) ^ (~e & s[6])) + K[t] + w[t];
        const uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                            ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (unsigned i = 0; i < 8; i++) state[i] += s[i];
}

void ay_sha256(const void *bytes, size_t n_bytes, char hex[65])
{
    uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    const unsigned char *at = bytes;
    size_t left = n_bytes;
    for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES, at += BLOCK_BYTES) fold(state, at);

    /* The end: a 1 bit, zeros, the length in bits; two blocks where one has no room for it. */
    unsigned char tail[2 * BLOCK_BYTES] = { 0 };
    if (left) memcpy(tail, at, left);
    tail[left] = 0x80;
    const size_t n_tail = left + 1 + LENGTH_BYTES <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
    const uint64_t n_bits = (uint64_t)n_bytes * 8;
    for (unsigned i = 0; i < LENGTH_BYTES; i++)
        tail[n_tail - 1 - i] = (unsigned char)(n_bits >> 8 * i);
    fold(state, tail);
    if (n_tail > BLOCK_BYTES) fold(state, tail + BLOCK_BYTES);

    for (unsigned i = 0; i < 64; i++)
        hex[i] = "0123456789abcdef"[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[64] = '\0';
}
