/* registry.h - the table of all probes, in probes.def order; ends in NULL. */
#ifndef AY_REGISTRY_H
#define AY_REGISTRY_H

#include "core/probe.h"

const struct ay_probe *const *ay_probes(void);
const struct ay_probe *ay_find_probe(const char *name); /* NULL: none of that name */

#endif
