/* nc_latency.h - what mem.nc.latency and its kernel agree on. */
#ifndef AY_MEM_NC_LATENCY_H
#define AY_MEM_NC_LATENCY_H

#include "probes/mem/chase.h"

struct nc_args {
    struct chase_args chase;  /* the ring read with .nc */
    uint64_t others;          /* a ring read with plain loads between the two passes */
    uint64_t n_others;        /* steps along it; 0: nothing comes between */
};

#endif
