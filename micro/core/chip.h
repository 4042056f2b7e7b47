/* chip.h - what a simulated chip is: keys, values, validation. dev/sim builds from it, a probe's
 * `truth` reads it; `run` and `estimate` never see it. */
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

#endif
