#include "core/text.h"

#include <string.h>

const struct ay_text *ay_find_text(const char *path)
{
    for (const struct ay_text *t = ay_texts; t->path; t++)
        if (strcmp(t->path, path) == 0) return t;
    return NULL;
}
