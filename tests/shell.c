#include "shell.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_BYTES = 4 << 20, COMMAND_BYTES = 2048 };

const char *shell_assay_path(void)
{
    const char *path = getenv("ASSAY");
    ck_assert_msg(path != NULL, "ASSAY is to name the binary");
    return path;
}

static int scratch_file(void)
{
    char name[] = "/tmp/assay-test-XXXXXX";
    const int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    unlink(name);
    return fd;
}

static char *read_all(int fd, size_t *n)
{
    char *text = calloc(1, OUTPUT_BYTES);
    ck_assert_ptr_nonnull(text);
    *n = 0;
    lseek(fd, 0, SEEK_SET);
    for (ssize_t got; (got = read(fd, text + *n, OUTPUT_BYTES - 1 - *n)) > 0; ) *n += (size_t)got;
    ck_assert_msg(*n < OUTPUT_BYTES - 1, "more output than a test reads");
    close(fd);
    return text;
}

struct shell_output shell_run(const char *command)
{
    const int out = scratch_file(), err = scratch_file();
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(out, 1);
        dup2(err, 2);
        close(out);
        close(err);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    struct shell_output o = { .exit_code = WIFEXITED(status) ? WEXITSTATUS(status)
                                                             : 128 + WTERMSIG(status) };
    o.out = read_all(out, &o.n_out);
    o.err = read_all(err, &o.n_err);
    return o;
}

struct shell_output shell_assay(const char *arguments)
{
    char command[COMMAND_BYTES];
    const int n = snprintf(command, sizeof command, "'%s' %s", shell_assay_path(), arguments);
    ck_assert_int_lt(n, COMMAND_BYTES);
    return shell_run(command);
}

void shell_end(struct shell_output *o)
{
    free(o->out);
    free(o->err);
}
