/* status.h - how a function says that it did not do what it was asked. */
#ifndef AY_STATUS_H
#define AY_STATUS_H

enum ay_status {
    AY_OK = 0,
    AY_SKIP,   /* cannot be measured here; the text names the reason */
    AY_USAGE,  /* the caller asked for something that does not exist */
    AY_DEVICE, /* the driver, the simulator or the OS refused */
    AY_VOID,   /* it ran, but the number must not be believed */
    AY_NOMEM,
    AY_IO,
};

/* Filled once, where the fault is seen, and carried up untouched. The caller owns it, usually on
 * its stack; there is no "last error" anywhere. `text` is one line of UTF-8 that says what was
 * asked, who refused and what to do. */
struct ay_error {
    enum ay_status status;
    int line;
    const char *file;
    char text[512];
};

#define AY_CHECKED __attribute__((warn_unused_result))

/* Fills *err (control bytes in the text become blanks) and returns `status`. */
enum ay_status ay_fail(struct ay_error *err, enum ay_status status, const char *file, int line,
                       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#define AY_FAIL(err, status, ...) ay_fail((err), (status), __FILE__, __LINE__, __VA_ARGS__)

/* Passes a failure up. Safe anywhere in a probe, because a probe owns nothing (see bench.h). */
#define AY_TRY(call)                       \
    do {                                   \
        const enum ay_status s_ = (call);  \
        if (s_ != AY_OK) return s_;        \
    } while (0)

#endif
