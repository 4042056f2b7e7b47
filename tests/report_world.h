/* report_world.h - for tests of the report: a folder of its own, run files, fake gnuplots. */
#ifndef REPORT_WORLD_H
#define REPORT_WORLD_H

#include <stdbool.h>

#include "report/report.h"

enum { WORLD_PATH_BYTES = 256 };

/* Makes /tmp/assay-report-XXXXXX and turns it into the current folder; `home` is where we were. */
struct world {
    char home[WORLD_PATH_BYTES], folder[WORLD_PATH_BYTES];
};
void folder_open(struct world *w);
void folder_close(struct world *w); /* with all that is in it */

void world_write(const char *path, const char *text);
/* JSON is easier to read with ' for ": each ' becomes one. */
void world_write_json(const char *path, const char *text);
/* A text file whole; the caller frees. NULL: there is none. */
char *world_read(const char *path);
bool world_has(const char *path);
/* Files in a folder whose names begin so. */
int world_count(const char *folder, const char *begin);
/* An executable shell script of that name in the current folder. */
void world_script(const char *name, const char *body);

/* A run on `device` with a curve of n points and the plateaus 33 and 200, written to path. */
void world_curve(const char *path, const char *device, int n);

/* Reads the files and writes the report of them into `folder`. */
enum ay_status world_report(const char *const *paths, size_t n, const char *folder,
                            const struct ay_plotter *plotter, struct ay_report_done *done,
                            struct ay_error *err);

/* The report of one run file; the test fails where there is none. */
struct ay_report_done world_make(const char *run, const char *folder,
                                 const struct ay_plotter *plotter);
void world_assert_in(const char *path, const char *due);
void world_assert_not_in(const char *path, const char *text);

extern const struct ay_plotter WORLD_NO_GNUPLOT, WORLD_GNUPLOT;

/* Is it one well-formed XML document? Stops at the first fault and says what: quotes, names, tags
 * that close in order, no bare & or <, no control byte, valid UTF-8. NULL: it is. */
const char *xml_fault(const char *text);

#endif
