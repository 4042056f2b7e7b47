#include "dev/gpu/driver.h"

#include <string.h>

const char *ay_entry_name(enum ay_entry e)
{
    static const char *const names[AY_N_ENTRIES] = {
#define X(name, version, need, params, args, outs) "cu" #name,
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs) "nvml" #name,
#include "dev/gpu/nvml.def"
#undef X
    };
    return (unsigned)e < AY_N_ENTRIES ? names[e] : "?";
}

/* The types in cuda.def are those of cudaTypedefs.h: the compiler says so. */
#define X(name, version, need, params, args, outs)                                         \
    _Static_assert(_Generic((PFN_cu##name##_v##version)0, CUresult(*) AY_PLAIN params : 1, \
                            default : 0),                                                  \
                   "cu" #name " differs from its typedef");
#include "dev/gpu/cuda.def"
#undef X

void ay_driver_close(struct ay_driver *d)
{
    if (!d) return;
    if (d->close) d->close(d->self);
    memset(d, 0, sizeof *d);
}
