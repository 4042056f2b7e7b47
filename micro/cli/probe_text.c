#include "cli/probe_text.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "probes/registry.h"

/* Appends ", word", without the comma to an empty text. */
static void append(char *into, size_t into_bytes, const char *word)
{
    const size_t n = strlen(into);
    if (n < into_bytes) snprintf(into + n, into_bytes - n, "%s%s", n ? ", " : "", word);
}

const char *ay_needs_text(const struct ay_probe *p, char *into, size_t into_bytes)
{
    static const struct {
        unsigned bit;
        const char *word;
    } FEATURES[] = {
        { AY_HAS_CLUSTERS, "clusters" },
        { AY_HAS_TMA, "TMA" },
        { AY_HAS_PEERS, "a second GPU" },
        { AY_HAS_GRAPHS, "graphs" },
    };
    into[0] = 0;
    if (p->belongs == AY_ON_HOST) append(into, into_bytes, "host");
    if (p->needs.min_sm) {
        char sm[16];
        snprintf(sm, sizeof sm, "sm_%d", p->needs.min_sm);
        append(into, into_bytes, sm);
    }
    for (size_t i = 0; i < sizeof FEATURES / sizeof FEATURES[0]; i++)
        if (p->needs.features & FEATURES[i].bit) append(into, into_bytes, FEATURES[i].word);
    if (!into[0]) append(into, into_bytes, "any GPU");
    return into;
}

const char *ay_units_text(const struct ay_probe *p, char *into, size_t into_bytes)
{
    into[0] = 0;
    for (const struct ay_quantity *q = p->quantities; q->name; q++) {
        bool is_new = true;
        for (const struct ay_quantity *o = p->quantities; o != q; o++)
            if (o->unit == q->unit) is_new = false;
        if (is_new) append(into, into_bytes, ay_unit_text(q->unit));
    }
    return into;
}

int ay_no_such_probe(const char *word)
{
    enum { MOST = 512 };
    const char *names[MOST + 1];
    size_t n = 0;
    for (const struct ay_probe *const *p = ay_probes(); *p && n < MOST; p++)
        names[n++] = (*p)->name;
    names[n] = NULL;
    const char *near = ay_nearest(word, names);
    if (!near)
        return ay_complain(AY_EXIT_USAGE, "no probe matches \"%s\"; assay list shows them", word);
    return ay_complain(AY_EXIT_USAGE, "no probe matches \"%s\"; did you mean \"%s\"?", word, near);
}
