/* sim_op.h - runs one PTX instruction of the simulator on values of the test's choice. */
#ifndef TESTS_SIM_OP_H
#define TESTS_SIM_OP_H

#include <stdbool.h>
#include <stdint.h>

/* Registers that the instruction may name: 32 bits d a b c e (integers, floats, anything), 64 bits
 * D A B C E, 16 bits hd ha hb hc he, 8 more of 32 bits d0..d3, predicates p q (results), x y
 * (sources). d0..d3 and p, q are results, the others sources; d, D, hd hold the value of `old`. */
struct sim_op_in {
    uint64_t a, b, c, e, old;
    bool x, y;
};

struct sim_op_out {
    uint64_t d; /* of D where the text names D, else d or hd */
    uint32_t parts[4];
    bool p, q;
};

struct sim_op;

/* One or more instructions, "add.s32 d, a, b;". Ends the test where they are not simulated. */
struct sim_op *sim_op_open(const char *text);
void sim_op_close(struct sim_op *op);

/* At most 32 lanes. */
void sim_op_run(const struct sim_op *op, const struct sim_op_in *in, int n_lanes,
                struct sim_op_out *out);
/* As that for one. */
struct sim_op_out sim_op_once(const char *text, struct sim_op_in in);

#endif
