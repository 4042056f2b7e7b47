#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/runfile.h"

struct ay_run_writer {
    char *path; /* NULL: no file */
    int fd, also_fd;
    bool is_regular; /* a device such as /dev/null can neither be checked nor shortened */
};

/* --- is it a run file? ------------------------------------------------------------------------ */

static enum ay_status read_all(int fd, size_t n, char **out, const char *path,
                               struct ay_error *err)
{
    char *text = malloc(n + 1);
    if (!text) return AY_FAIL(err, AY_NOMEM, "%s: out of memory for %zu bytes", path, n);
    size_t at = 0;
    while (at < n) {
        const ssize_t got = pread(fd, text + at, n - at, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            free(text);
            return AY_FAIL(err, AY_IO, "%s: cannot read: %s", path,
                           got < 0 ? strerror(errno) : "it became shorter");
        }
        at += (size_t)got;
    }
    text[n] = 0;
    *out = text;
    return AY_OK;
}

/* The first line must be the `run` record of a schema that this version writes; where it is the
 * only one and torn, its beginning must be. */
static bool is_run_file(const char *text, size_t n)
{
    static const char begin[] = "{\"record\":\"run\"";
    const char *newline = memchr(text, '\n', n);
    if (!newline) {
        const size_t n_begin = sizeof begin - 1;
        return memcmp(text, begin, n < n_begin ? n : n_begin) == 0;
    }
    json_t *json = json_loadb(text, (size_t)(newline - text), 0, NULL);
    const char *record = json_string_value(json_object_get(json, "record"));
    const char *schema = json_string_value(json_object_get(json, "schema"));
    const bool is_run = record && strcmp(record, "run") == 0 && schema &&
                        strncmp(schema, AY_SCHEMA, strlen(AY_SCHEMA)) == 0 &&
                        (schema[strlen(AY_SCHEMA)] == 0 || schema[strlen(AY_SCHEMA)] == '.');
    json_decref(json);
    return is_run;
}

static enum ay_status write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t put = write(fd, text, n);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return AY_IO;
        text += put;
        n -= (size_t)put;
    }
    return AY_OK;
}

/* A last line without newline: complete but for that, or torn. */
static enum ay_status end_last_line(const struct ay_run_writer *w, const char *text, size_t n,
                                    struct ay_error *err)
{
    size_t line = n;
    while (line > 0 && text[line - 1] != '\n')
        line--;
    if (line == n) return AY_OK;
    json_t *json = json_loadb(text + line, n - line, 0, NULL);
    const bool is_whole = json != NULL;
    json_decref(json);
    const bool is_done = is_whole ? write_all(w->fd, "\n", 1) == AY_OK
                                  : ftruncate(w->fd, (off_t)line) == 0;
    return is_done ? AY_OK
                   : AY_FAIL(err, AY_IO, "%s: cannot end its last line: %s", w->path,
                             strerror(errno));
}

static enum ay_status adopt(const struct ay_run_writer *w, size_t n_bytes, struct ay_error *err)
{
    const int fd = open(w->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return AY_FAIL(err, AY_IO, "%s: cannot read: %s", w->path, strerror(errno));
    char *text = NULL;
    enum ay_status s = read_all(fd, n_bytes, &text, w->path, err);
    close(fd);
    if (s != AY_OK) return s;
    if (!is_run_file(text, n_bytes))
        s = AY_FAIL(err, AY_IO, "%s is not a run file of schema " AY_SCHEMA
                    ": left alone; give -o another name", w->path);
    else
        s = end_last_line(w, text, n_bytes, err);
    free(text);
    return s;
}

/* --- open, write, close ----------------------------------------------------------------------- */

static enum ay_status open_file(struct ay_run_writer *w, struct ay_error *err)
{
    w->fd = open(w->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (w->fd >= 0 && w->fd <= 2) { /* a closed stdout must not become the run file */
        const int fd = fcntl(w->fd, F_DUPFD_CLOEXEC, 3);
        close(w->fd);
        w->fd = fd;
    }
    struct stat st;
    if (w->fd < 0 || fstat(w->fd, &st) != 0)
        return AY_FAIL(err, AY_IO, "cannot open %s for writing: %s", w->path, strerror(errno));
    w->is_regular = S_ISREG(st.st_mode);
    if (!w->is_regular) return AY_OK;
    if (flock(w->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return AY_FAIL(err, AY_IO, "%s: another run is writing to it", w->path);
    if (fstat(w->fd, &st) != 0)
        return AY_FAIL(err, AY_IO, "%s: %s", w->path, strerror(errno));
    return st.st_size > 0 ? adopt(w, (size_t)st.st_size, err) : AY_OK;
}

enum ay_status ay_run_open(const char *path, int also_fd, struct ay_run_writer **out,
                           struct ay_error *err)
{
    *out = NULL;
    struct ay_run_writer *w = calloc(1, sizeof *w);
    if (!w) return AY_FAIL(err, AY_NOMEM, "out of memory");
    w->fd = -1;
    w->also_fd = also_fd;
    if (path) {
        w->path = strdup(path);
        const enum ay_status s =
            w->path ? open_file(w, err) : AY_FAIL(err, AY_NOMEM, "out of memory");
        if (s != AY_OK) {
            ay_run_close(w);
            return s;
        }
    }
    *out = w;
    return AY_OK;
}

static enum ay_status write_to_file(struct ay_run_writer *w, const char *line, size_t n,
                                    struct ay_error *err)
{
    struct stat before;
    if (fstat(w->fd, &before) == 0 && write_all(w->fd, line, n) == AY_OK) return AY_OK;
    const int why = errno;
    const bool is_cut = w->is_regular && ftruncate(w->fd, before.st_size) == 0;
    return AY_FAIL(err, AY_IO, "%s: cannot write: %s%s", w->path, strerror(why),
                   is_cut ? " (the records before are kept)" : "");
}

static enum ay_status write_also(struct ay_run_writer *w, const char *line, size_t n,
                                 struct ay_error *err)
{
    if (write_all(w->also_fd, line, n) == AY_OK) return AY_OK;
    const int why = errno;
    w->also_fd = -1;
    if (why == EPIPE && w->path) return AY_OK; /* `| head`: the file is still wanted */
    return AY_FAIL(err, AY_IO, "cannot write records to file descriptor: %s", strerror(why));
}

enum ay_status ay_run_write(struct ay_run_writer *w, const json_t *record, struct ay_error *err)
{
    char *line = ay_json_line(record);
    if (!line) return AY_FAIL(err, AY_NOMEM, "out of memory for a record");
    const size_t n = strlen(line);
    line[n] = '\n'; /* in the NUL's place: the record and its end leave in one write */
    enum ay_status s = AY_OK;
    if (w->path) s = write_to_file(w, line, n + 1, err);
    if (s == AY_OK && w->also_fd >= 0) s = write_also(w, line, n + 1, err);
    free(line);
    return s;
}

void ay_run_close(struct ay_run_writer *w)
{
    if (!w) return;
    if (w->fd >= 0) {
        if (w->is_regular) fsync(w->fd);
        close(w->fd);
    }
    free(w->path);
    free(w);
}
