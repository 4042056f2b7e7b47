/* process.h - a worker process as its parent sees it: jobs in, answers out, a word to look at. */
#ifndef AY_PROCESS_H
#define AY_PROCESS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/status.h"

struct ay_process {
    pid_t pid;       /* 0: not running */
    int jobs_fd;     /* we write, the worker's fd 3 */
    int answers_fd;  /* we read without blocking, the worker's fd 4 */
    volatile uint32_t
        *word;       /* shared page, the worker's fd 5: 1 + the entry point it is in, or 0 */
    char *buffer;    /* answers not yet complete */
    size_t n, cap;
};

/* /proc/self/exe --worker, with signals as they were before the parent blocked some. */
enum ay_status ay_process_start(struct ay_process *p, struct ay_error *err) AY_CHECKED;

/* One job; does not take the reference. AY_DEVICE: the worker is gone. */
enum ay_status ay_process_send(struct ay_process *p, const json_t *job,
                               struct ay_error *err) AY_CHECKED;

/* Reads what is there. *is_closed: the worker has ended its answers. */
enum ay_status ay_process_fill(struct ay_process *p, bool *is_closed,
                               struct ay_error *err) AY_CHECKED;
/* The next complete answer, or NULL: none yet. A line that is no JSON is an answer `garbled`. */
json_t *ay_process_next(struct ay_process *p);

/* Ends it (kill -9), reaps it, frees; *how receives its wait status (may be NULL). Safe twice. */
void ay_process_end(struct ay_process *p, int *how);
/* Closes its jobs, so that it leaves by itself; reaps it. */
void ay_process_dismiss(struct ay_process *p);

#endif
