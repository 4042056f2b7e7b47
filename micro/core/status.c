#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>

enum ay_status ay_fail(struct ay_error *err, enum ay_status status, const char *file, int line,
                       const char *fmt, ...)
{
    err->status = status;
    err->file = file;
    err->line = line;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    for (char *c = err->text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
    return status;
}
