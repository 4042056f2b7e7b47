#include "report/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/utf8.h"

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* In the child; never returns. The code tells `missing` from all that a program may say. */
enum { EXIT_MISSING = 127 };
static void become(const char *const *argv, const char *folder, int out)
{
    /* A path is meant from here, not from the folder where the program will run. */
    char *program = strchr(argv[0], '/') ? realpath(argv[0], NULL) : NULL;
    sigset_t none;
    sigemptyset(&none);
    const int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0); /* so that it and all it starts can be ended together */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (null >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 &&
        (!folder || chdir(folder) == 0) && setenv("LC_ALL", "C", 1) == 0 &&
        unsetenv("GNUTERM") == 0) {
        char *const *args = (char *const *)(uintptr_t)argv; /* execvp changes none of them */
        execvp(program ? program : argv[0], args);
    }
    _exit(EXIT_MISSING);
}

struct watch {
    int out, signals;
    uint64_t deadline_ms;
    size_t n_said;
    char said[sizeof ((struct ay_child_end *)0)->said];
};

/* Until the program has closed its output, time is up, or a signal came. */
static void listen(struct watch *w, struct ay_child_end *end)
{
    for (;;) {
        const uint64_t now = now_ms();
        end->is_timed_out = now >= w->deadline_ms;
        if (end->is_timed_out) return;
        struct pollfd on[2] = { { .fd = w->out, .events = POLLIN },
                                { .fd = w->signals, .events = POLLIN } };
        if (poll(on, 2, (int)(w->deadline_ms - now)) < 0 && errno != EINTR) return;
        if (on[1].revents & POLLIN) {
            end->is_interrupted = true;
            return;
        }
        if (!(on[0].revents & (POLLIN | POLLHUP | POLLERR))) continue;
        char block[4096];
        const ssize_t n = read(w->out, block, sizeof block);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        const size_t room = sizeof w->said - 1 - w->n_said;
        const size_t keep = (size_t)n < room ? (size_t)n : room;
        memcpy(w->said + w->n_said, block, keep);
        w->n_said += keep;
    }
}

/* A program may close its output and stay: the deadline holds for its end, too. */
static int reap(pid_t pid, const struct watch *w, struct ay_child_end *end)
{
    int status = 0;
    for (;;) {
        const pid_t got = waitpid(pid, &status, end->is_timed_out ? 0 : WNOHANG);
        if (got == pid) break;
        if (got < 0 && errno != EINTR) return 0;
        if (now_ms() >= w->deadline_ms && !end->is_timed_out) {
            end->is_timed_out = true;
            kill(-pid, SIGKILL);
        }
        if (!end->is_timed_out) poll(NULL, 0, 5);
    }
    return status;
}

static void watch_child(pid_t pid, struct watch *w, struct ay_child_end *end)
{
    listen(w, end);
    if (end->is_timed_out || end->is_interrupted) kill(-pid, SIGKILL);
    const int status = reap(pid, w, end);
    kill(-pid, SIGKILL); /* what it may have left running */
    end->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->is_missing = end->exit_code == EXIT_MISSING && w->n_said == 0;
    w->said[w->n_said] = 0;
    ay_clean_text(w->said, end->said, sizeof end->said);
}

enum ay_status ay_run_child(const char *const *argv, const char *folder, uint32_t timeout_ms,
                            struct ay_child_end *end, struct ay_error *err)
{
    memset(end, 0, sizeof *end);
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGHUP);
    /* Held back, and only looked at: when the mask is restored they end this process as ever. */
    sigprocmask(SIG_BLOCK, &ours, &before);
    struct watch w = { .signals = signalfd(-1, &ours, SFD_CLOEXEC),
                       .deadline_ms = now_ms() + timeout_ms };
    int pipe_fds[2];
    enum ay_status s = AY_OK;
    if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
        s = AY_FAIL(err, AY_DEVICE, "no pipe for %s: %s", argv[0], strerror(errno));
    } else {
        const pid_t pid = fork();
        if (pid == 0) become(argv, folder, pipe_fds[1]);
        close(pipe_fds[1]);
        w.out = pipe_fds[0];
        if (pid > 0) {
            setpgid(pid, pid); /* also here: whoever comes first */
            watch_child(pid, &w, end);
        } else {
            s = AY_FAIL(err, AY_DEVICE, "cannot start %s: %s", argv[0], strerror(errno));
        }
        close(pipe_fds[0]);
    }
    if (w.signals >= 0) close(w.signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return s;
}
