/* fault_impl.h - inside of struct ay_faults, for fault.c and fault_wrap.c alone. */
#ifndef AY_GPU_FAULT_IMPL_H
#define AY_GPU_FAULT_IMPL_H

#include "dev/gpu/fault.h"

enum fault_kind { FAULT_NONE, FAULT_CODE, FAULT_HANG, FAULT_CORRUPT };

struct fault {
    char typed[80]; /* the entry point as the user wrote it */
    int entry;      /* enum ay_entry; -1: a known one that nothing here calls */
    uint64_t at;    /* which call; 0: each */
    enum fault_kind kind;
    int code;
};

/* Long enough for a device name; longer answers are not repeated whole. */
enum { LAST_BYTES = 192 };

struct ay_faults {
    size_t n;
    struct fault *list;
    uint64_t counts[AY_N_ENTRIES];
    unsigned char last[AY_N_ENTRIES][LAST_BYTES];
    volatile uint32_t *watch;
};

#endif
