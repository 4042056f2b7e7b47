/* probe_text.h - what list and explain say of a probe in the same words. */
#ifndef AY_PROBE_TEXT_H
#define AY_PROBE_TEXT_H

#include <stddef.h>

#include "core/probe.h"

/* "host", "any GPU", "sm_90, clusters"; returns `into`. */
const char *ay_needs_text(const struct ay_probe *p, char *into, size_t into_bytes);

/* The units of its quantities, each once: "cycles, bytes". */
const char *ay_units_text(const struct ay_probe *p, char *into, size_t into_bytes);

/* Complains that no probe is called or matches so, naming the nearest; the exit code. */
int ay_no_such_probe(const char *word);

#endif
