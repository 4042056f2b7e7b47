/* row.h - a result record as a C struct, and back: what travels in run files and between processes.
 *
 * A row is known by probe + quantity + point. Statuses, members and words are the contract of the
 * run file ("assay-run/1"). */
#ifndef AY_ROW_H
#define AY_ROW_H

#include <jansson.h>

#include "core/probe.h"
#include "core/stats.h"

enum ay_row_status { AY_ROW_OK, AY_ROW_SKIP, AY_ROW_VOID, AY_ROW_ERROR };
const char *ay_row_status_text(enum ay_row_status);

struct ay_row {
    char probe[64], quantity[AY_WORD_BYTES];
    struct ay_point point;
    enum ay_row_status status;
    char reason[544];          /* of any status but ok */
    enum ay_unit unit, beside_unit;
    double beside;             /* second value (ns, gb_per_s); looked at when beside_unit is set */
    struct ay_estimate estimate; /* looked at when status is ok */
    char estimator[16], stop[16];
    char label[64];            /* of a class */
    double clock_mhz;          /* 0: unknown; written null */
    size_t n_samples;          /* pairs at samples[0 … 2*n_samples-1]: work, cost */
    double *samples;
    char entry[64], image_sha256[65], sass[16]; /* entry "": no kernel; sass "" with it */
    bool has_planted;
    struct ay_truth planted;
    size_t n_warnings;
    char warnings[6][160];
};

struct ay_rows {
    size_t n, cap;
    struct ay_row *rows;
};

/* A zeroed row appended, or NULL when memory has run out. */
struct ay_row *ay_add_row(struct ay_rows *rows);
void ay_rows_close(struct ay_rows *rows); /* frees samples too; safe on NULL and twice */

void ay_row_warn(struct ay_row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* New reference; NULL: out of memory. An ok row whose numbers are not finite is written `void`. */
json_t *ay_row_to_json(const struct ay_row *row);
/* Members that this version does not know are left alone. AY_IO: the text is "MEMBER: what". On
 * failure *row is left without samples. */
enum ay_status ay_row_from_json(const json_t *json, struct ay_row *row,
                                struct ay_error *err) AY_CHECKED;

json_t *ay_point_to_json(const struct ay_point *p);
enum ay_status ay_point_from_json(const json_t *json, struct ay_point *p,
                                  struct ay_error *err) AY_CHECKED;

/* Any text as a JSON string: made valid UTF-8 without control bytes first (utf8.h). */
json_t *ay_json_text(const char *text);
/* A finite double as an integer where it is one, else as a real; null when not finite. */
json_t *ay_json_number(double x);
/* One line without newline, keys in their order, each real with the fewest digits (15 to 17) that
 * read back the same. Caller frees. */
char *ay_json_line(const json_t *json);

#endif
