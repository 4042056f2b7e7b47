/* plateau_rows.h - from the rows of a curve to one row a plateau. */
#ifndef AY_PLATEAU_ROWS_H
#define AY_PLATEAU_ROWS_H

#include "core/plateau.h"
#include "core/row.h"

/* Rows `quantity` that are ok, ordered by the numeric `axis`, searched for flat stretches; each
 * becomes a row plateau.1, plateau.2, … with no coordinates. AY_SKIP `not identified: …` where
 * there is none. */
enum ay_status ay_plateau_rows(const struct ay_rows *all, const char *quantity, const char *axis,
                               const struct ay_plateau_rule *rule, struct ay_rows *more,
                               struct ay_error *err) AY_CHECKED;

#endif
