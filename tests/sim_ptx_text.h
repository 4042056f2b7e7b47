/* sim_ptx_text.h - PTX as nvcc and people write it, for tests of the simulator's reader. */
#ifndef TESTS_SIM_PTX_TEXT_H
#define TESTS_SIM_PTX_TEXT_H

/* Each is a whole module that reads without error; a NULL ends the list. */
extern const char *const sim_ptx_texts[];

#define SIM_PTX_HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"

#endif
