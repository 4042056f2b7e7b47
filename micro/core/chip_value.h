/* chip_value.h - one value of a chip file, from and to text. */
#ifndef AY_CHIP_VALUE_H
#define AY_CHIP_VALUE_H

#include "core/chip_table.h"

enum { AY_COMPLAINT_BYTES = 320 };

/* Puts the value into the chip. false: `complaint` says what is wrong with it and what would do. */
bool ay_set_value(struct ay_chip *c, const struct ay_key *k, size_t member, const char *value,
                  char complaint[AY_COMPLAINT_BYTES]);

/* The value as a chip file writes it, appended to a text that grows; false: no memory. */
struct ay_growing {
    char *text;
    size_t n_bytes, room;
};
bool ay_append(struct ay_growing *g, const char *text);
bool ay_append_value(struct ay_growing *g, const struct ay_chip *c, const struct ay_key *k,
                     size_t member);

#endif
