/* cubin.h - what a kernel's machine code says of itself: size and registers. */
#ifndef AY_CUBIN_H
#define AY_CUBIN_H

#include <stdbool.h>
#include <stddef.h>

struct ay_code_facts {
    size_t n_instructions; /* of 16 bytes, the padding at the end included */
    unsigned n_registers;  /* a thread; 0: not told */
};

/* false: `image` is no ELF file of 64 bits, or has no kernel of that name. Any bytes are safe. */
bool ay_code_facts(const unsigned char *image, size_t n_bytes, const char *entry,
                   struct ay_code_facts *out);

#endif
