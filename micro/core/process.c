#include "core/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/row.h"

enum { JOBS = 3, ANSWERS = 4, WORD = 5, PAGE_BYTES = 4096 };

/* After fork: the three descriptors to their numbers (through high ones, so that none is
 * overwritten before it is moved), the default signals, and this program again as a worker. */
static void become_worker(int jobs, int answers, int word)
{
    enum { HIGH = 64 };
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    const int from[] = {jobs, answers, word};
    int high[3];
    for (int i = 0; i < 3; i++) high[i] = fcntl(from[i], F_DUPFD, HIGH);
    for (int i = 0; i < 3; i++)
        if (high[i] < 0 || dup2(high[i], JOBS + i) < 0) _exit(127);
    for (int i = 0; i < 3; i++) close(high[i]);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* libraries that print must not print into --json */
    char *const argv[] = {"assay", "--worker", NULL};
    execv("/proc/self/exe", argv);
    _exit(127);
}

static void close_all(const int *fds, int n)
{
    for (int i = 0; i < n; i++)
        if (fds[i] >= 0) close(fds[i]);
}

enum ay_status ay_process_start(struct ay_process *p, struct ay_error *err)
{
    int fds[5] = {-1, -1, -1, -1, -1}; /* jobs r, w; answers r, w; word */
    *p = (struct ay_process){.pid = 0};
    fds[4] = memfd_create("assay-word", MFD_CLOEXEC);
    if (pipe2(fds, O_CLOEXEC) != 0 || pipe2(fds + 2, O_CLOEXEC) != 0 || fds[4] < 0 ||
        ftruncate(fds[4], PAGE_BYTES) != 0) {
        const int why = errno;
        close_all(fds, 5);
        return AY_FAIL(err, AY_DEVICE, "cannot start a worker process: %s", strerror(why));
    }
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fds[4], 0);
    const pid_t pid = page == MAP_FAILED ? -1 : fork();
    if (pid < 0) {
        const int why = errno;
        close_all(fds, 5);
        return AY_FAIL(err, AY_DEVICE, "cannot start a worker process: %s", strerror(why));
    }
    if (pid == 0) become_worker(fds[0], fds[3], fds[4]);
    close(fds[0]);
    close(fds[3]);
    close(fds[4]);
    fcntl(fds[2], F_SETFL, O_NONBLOCK);
    *p = (struct ay_process){.pid = pid, .jobs_fd = fds[1], .answers_fd = fds[2], .word = page};
    return AY_OK;
}

enum ay_status ay_process_send(struct ay_process *p, const json_t *job, struct ay_error *err)
{
    char *line = ay_json_line(job);
    if (!line) return AY_FAIL(err, AY_NOMEM, "no memory for a job");
    const size_t n = strlen(line);
    line[n] = '\n';
    bool is_sent = true;
    for (size_t done = 0; done < n + 1 && is_sent;) {
        const ssize_t wrote = write(p->jobs_fd, line + done, n + 1 - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) is_sent = false;
        else done += (size_t)wrote;
    }
    free(line);
    if (!is_sent) return AY_FAIL(err, AY_DEVICE, "crash: the worker does not take jobs");
    return AY_OK;
}

enum ay_status ay_process_fill(struct ay_process *p, bool *is_closed, struct ay_error *err)
{
    enum { PIECE_BYTES = 65536 };
    *is_closed = false;
    for (;;) {
        if (p->cap - p->n < PIECE_BYTES) {
            char *more = realloc(p->buffer, p->cap + 2 * PIECE_BYTES);
            if (!more) return AY_FAIL(err, AY_NOMEM, "no memory for answers");
            p->buffer = more;
            p->cap += 2 * PIECE_BYTES;
        }
        const ssize_t got = read(p->answers_fd, p->buffer + p->n, PIECE_BYTES);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return AY_OK; /* nothing more for now */
        if (got == 0) {
            *is_closed = true;
            return AY_OK;
        }
        p->n += (size_t)got;
    }
}

json_t *ay_process_next(struct ay_process *p)
{
    char *end = p->n ? memchr(p->buffer, '\n', p->n) : NULL;
    if (!end) return NULL;
    const size_t line_bytes = (size_t)(end - p->buffer);
    json_t *answer = json_loadb(p->buffer, line_bytes, 0, NULL);
    p->n -= line_bytes + 1;
    memmove(p->buffer, end + 1, p->n);
    return answer ? answer : json_pack("{s:s}", "answer", "garbled");
}

static void clean_up(struct ay_process *p)
{
    if (p->jobs_fd >= 0) close(p->jobs_fd);
    close(p->answers_fd);
    munmap((void *)(uintptr_t)p->word, PAGE_BYTES);
    free(p->buffer);
    *p = (struct ay_process){.pid = 0};
}

void ay_process_end(struct ay_process *p, int *how)
{
    int status = 0;
    if (!p->pid) return;
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (how) *how = status;
    clean_up(p);
}

void ay_process_dismiss(struct ay_process *p)
{
    enum { TRIES = 50, WAIT_US = 20000 };
    if (!p->pid) return;
    close(p->jobs_fd);
    p->jobs_fd = -1;
    for (int i = 0; i < TRIES; i++) {
        const pid_t gone = waitpid(p->pid, NULL, WNOHANG);
        if (gone == p->pid || (gone < 0 && errno != EINTR)) {
            clean_up(p);
            return;
        }
        usleep(WAIT_US);
    }
    ay_process_end(p, NULL); /* a driver that does not let go */
}
