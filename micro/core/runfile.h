/* runfile.h - NAME.jsonl: one record a line, from a `run` to its `end`; several runs may follow. */
#ifndef AY_RUNFILE_H
#define AY_RUNFILE_H

#include "core/row.h"

#define AY_SCHEMA "assay-run/1"

struct ay_tally {
    uint64_t n_ok, n_skip, n_void, n_error;
};

/* --- writing: append, flush each record ------------------------------------------------------- */

struct ay_run_writer; /* owns its file */

/* Opens for appending and makes sure that the file is a run file or new and empty: a file that is
 * something else is left alone (AY_IO), and so is one that another run is writing. path NULL: no
 * file. also_fd, not owned, gets each line too (--json); -1: none. A last line that an earlier,
 * killed run left torn is taken away first, since no reader could use it and all would trip over it
 * once something follows; one that only lacks its newline gets it. */
enum ay_status ay_run_open(const char *path, int also_fd, struct ay_run_writer **out,
                           struct ay_error *err) AY_CHECKED;
/* One record, in one write(2): it outlives this process when this returns AY_OK. AY_IO names the
 * file and the reason, and the file then ends with the record before. A reader of also_fd that has
 * gone away (EPIPE; the caller ignores SIGPIPE) is a fault only where there is no file. */
enum ay_status ay_run_write(struct ay_run_writer *w, const json_t *record,
                            struct ay_error *err) AY_CHECKED;
void ay_run_close(struct ay_run_writer *w); /* safe on NULL */

/* --- reading ---------------------------------------------------------------------------------- */

struct ay_run {
    json_t *record;      /* the `run` record; owned */
    json_t *end;         /* the `end` record or NULL; owned */
    bool is_complete;    /* an end record that says so */
    struct ay_rows rows;
    struct ay_tally tally; /* counted from the rows */
};

struct ay_run_file {
    char path[512];
    size_t n, cap;
    struct ay_run *runs;
    size_t n_warnings;
    char warnings[4][200]; /* "last line is torn, dropped" */
};

/* AY_IO with "path:line:column: what" for any fault but a torn last line, also a newer schema. */
enum ay_status ay_run_read(const char *path, struct ay_run_file *out,
                           struct ay_error *err) AY_CHECKED;
void ay_run_file_close(struct ay_run_file *f);

/* What tables and pages show of a run's device; "" or 0 where the record has none. */
const char *ay_run_device_text(const struct ay_run *run, const char *member);
bool ay_run_is_simulated(const struct ay_run *run);

#endif
