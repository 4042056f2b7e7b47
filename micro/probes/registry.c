#include "probes/registry.h"

#include <string.h>

#define PROBE(id) extern const struct ay_probe id;
#include "probes/probes.def"
#undef PROBE

const struct ay_probe *const *ay_probes(void)
{
#define PROBE(id) &id,
    static const struct ay_probe *const TABLE[] = {
#include "probes/probes.def"
        NULL,
    };
#undef PROBE
    return TABLE;
}

const struct ay_probe *ay_find_probe(const char *name)
{
    for (const struct ay_probe *const *p = ay_probes(); *p; p++)
        if (strcmp((*p)->name, name) == 0) return *p;
    return NULL;
}
