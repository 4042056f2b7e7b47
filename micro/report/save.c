#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/output.h"

static enum ay_status cannot(const char *what, const char *path, struct ay_error *err)
{
    return AY_FAIL(err, AY_IO, "cannot %s %s: %s", what, path, strerror(errno));
}

static int write_all(int fd, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t put = write(fd, text, n);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return -1;
        text += put;
        n -= (size_t)put;
    }
    return 0;
}

/* The text under a name of its own, on disk. errno says why not. */
static int write_new(const struct ay_out *o, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return -1;
    int rc = write_all(fd, o->text ? o->text : "", o->n);
    if (rc == 0 && fsync(fd) != 0 && errno != EINVAL) rc = -1; /* EINVAL: not that kind of file */
    const int why = errno;
    if (close(fd) != 0 && rc == 0) return -1;
    errno = why;
    return rc;
}

static enum ay_status replace(const struct ay_out *o, const char *path, const char *new_path,
                              struct ay_error *err)
{
    if (write_new(o, new_path) == 0 && rename(new_path, path) == 0) return AY_OK;
    const int why = errno;
    unlink(new_path);
    errno = why;
    return cannot("write", path, err);
}

enum ay_status ay_out_save(const struct ay_out *o, const char *folder, const char *name,
                           struct ay_error *err)
{
    if (o->is_out_of_memory) return AY_FAIL(err, AY_NOMEM, "out of memory for %s", name);
    char *path = NULL, *new_path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) path = NULL;
    if (asprintf(&new_path, "%s/.%s.%ld.new", folder, name, (long)getpid()) < 0) new_path = NULL;
    enum ay_status s;
    if (path && new_path) {
        /* A signal waits for the rename, so that it leaves no half file behind. */
        sigset_t all, before;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, &before);
        s = replace(o, path, new_path, err);
        sigprocmask(SIG_SETMASK, &before, NULL);
    } else {
        s = AY_FAIL(err, AY_NOMEM, "out of memory for %s", name);
    }
    free(path);
    free(new_path);
    return s;
}

enum ay_status ay_out_load(struct ay_out *o, const char *path, struct ay_error *err)
{
    ay_out_close(o);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cannot("read", path, err);
    char block[65536];
    ssize_t n;
    while ((n = read(fd, block, sizeof block)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) ay_out_bytes(o, block, (size_t)n);
    const int why = errno;
    close(fd);
    errno = why;
    if (n < 0) return cannot("read", path, err);
    return o->is_out_of_memory ? AY_FAIL(err, AY_NOMEM, "out of memory for %s", path) : AY_OK;
}

enum ay_status ay_make_folder(const char *path, struct ay_error *err)
{
    char *part = strdup(path);
    if (!part) return AY_FAIL(err, AY_NOMEM, "out of memory");
    enum ay_status s = AY_OK;
    for (size_t i = 1; s == AY_OK && i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        part[i] = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST) s = cannot("make folder", part, err);
        part[i] = path[i];
    }
    struct stat st;
    if (s == AY_OK && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
        s = AY_FAIL(err, AY_IO, "%s is not a folder", path);
    free(part);
    return s;
}
