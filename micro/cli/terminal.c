#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/nearest.h"
#include "core/utf8.h"

enum { LINE_BYTES = 2048 };

/* One line, whatever was put into it: names and driver texts come from outside. */
static void say(const char *head, const char *fmt, va_list ap)
{
    char text[LINE_BYTES], clean[LINE_BYTES];
    vsnprintf(text, sizeof text, fmt, ap);
    fprintf(stderr, "assay: %s%s\n", head, ay_clean_text(text, clean, sizeof clean));
}

int ay_complain(int exit_code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say("", fmt, ap);
    va_end(ap);
    return exit_code;
}

void ay_warn_user(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say("warning: ", fmt, ap);
    va_end(ap);
}

int ay_exit_of(enum ay_status status)
{
    switch (status) {
    case AY_OK: return AY_EXIT_OK;
    case AY_SKIP: return AY_EXIT_NOTHING;
    case AY_USAGE: return AY_EXIT_USAGE;
    case AY_DEVICE:
    case AY_IO: return AY_EXIT_IO;
    case AY_VOID:
    case AY_NOMEM: return AY_EXIT_BAD;
    }
    return AY_EXIT_BAD;
}

bool ay_has_colour(int fd)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_colour && no_colour[0]) return false; /* [no-color]: set and not empty */
    return term && strcmp(term, "dumb") != 0 && isatty(fd);
}

const char *ay_nearest(const char *word, const char *const *candidates)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 1; /* a third of a word mistyped is another word */
    if (least > 4) least = 4;
    for (const char *const *c = candidates; *c; c++) {
        const size_t d = ay_edit_distance(word, *c);
        if (d < least || (d == least && !best)) {
            least = d;
            best = *c;
        }
    }
    return best;
}
