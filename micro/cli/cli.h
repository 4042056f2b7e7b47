/* cli.h - the commands. Each gets its own argv (argv[0] is the command's name) and returns an exit
 * code of architecture's table (AY_EXIT_…, or 128 + signal). Only this layer prints. */
#ifndef AY_CLI_H
#define AY_CLI_H

#include <stdbool.h>

#include "core/status.h"

enum { AY_EXIT_OK = 0, AY_EXIT_BAD = 1, AY_EXIT_USAGE = 2, AY_EXIT_IO = 3, AY_EXIT_NOTHING = 77 };

int ay_cmd_devices(int argc, char **argv);
int ay_cmd_list(int argc, char **argv);
int ay_cmd_explain(int argc, char **argv);
int ay_cmd_run(int argc, char **argv);
int ay_cmd_report(int argc, char **argv);
int ay_cmd_validate(int argc, char **argv);
int ay_cmd_worker(int argc, char **argv); /* "--worker": measures for a parent; not for people */

/* --- common to commands (cli/terminal.c) ------------------------------------------------------ */

/* One line to stderr: "assay: " and the text. Returns exit_code: a command can end in it. */
int ay_complain(int exit_code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The exit code that a status deserves: usage 2, IO and device 3, skip 77, else 1. */
int ay_exit_of(enum ay_status status);
/* Warnings and notes: "assay: warning: …" on stderr. */
void ay_warn_user(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* May escape bytes be written to this fd? A tty, no NO_COLOR, TERM not dumb. */
bool ay_has_colour(int fd);
/* The candidate nearest to `word` by edit distance (ends in NULL), or NULL when none is near. */
const char *ay_nearest(const char *word, const char *const *candidates);

#endif
