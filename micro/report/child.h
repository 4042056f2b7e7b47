/* child.h - another program, watched: its words, its end, and no longer than it was given. */
#ifndef AY_CHILD_H
#define AY_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct ay_child_end {
    bool is_missing;  /* no such program */
    bool is_timed_out;
    bool is_interrupted; /* this process got INT, TERM or HUP: the child was ended */
    int exit_code;    /* -1: ended by a signal */
    int signal;
    char said[1024];  /* the beginning of what it wrote to stdout and stderr, cleaned, one line */
};

/* Runs argv[0] (looked up in PATH) in `folder` (NULL: here) with LC_ALL=C, stdin from /dev/null,
 * and waits at most timeout_ms; then it and its children are killed. It dies with this process.
 * INT, TERM and HUP are held back meanwhile: a caller with something to tidy blocks them around it.
 * AY_DEVICE: the system refused a pipe or a process; all that the program does is in *end. */
enum ay_status ay_run_child(const char *const *argv, const char *folder, uint32_t timeout_ms,
                            struct ay_child_end *end, struct ay_error *err) AY_CHECKED;

#endif
