/* shell.h - what the binary, or a line of sh around it, says and how it ends. */
#ifndef SHELL_H
#define SHELL_H

#include <stddef.h>

struct shell_output {
    int exit_code; /* 128 + signal where one ended it */
    size_t n_out, n_err;
    char *out, *err; /* with a NUL at the end */
};

const char *shell_assay_path(void); /* $ASSAY; a test without it fails */

/* A line of sh. Released by shell_end. */
struct shell_output shell_run(const char *command);
/* The binary with these arguments, which sh reads. */
struct shell_output shell_assay(const char *arguments);
void shell_end(struct shell_output *o);

#endif
