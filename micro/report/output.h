/* output.h - text that grows, escaped for where it goes, and files that are replaced whole. */
#ifndef AY_OUTPUT_H
#define AY_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

/* { 0 } is empty. Once memory has run out all further text is dropped, and saving says so. */
struct ay_out {
    char *text; /* NULL while empty; NUL-terminated */
    size_t n, cap;
    bool is_out_of_memory;
};

void ay_out_bytes(struct ay_out *o, const char *bytes, size_t n);
void ay_out_put(struct ay_out *o, const char *text);
/* For fixed text, words and integers: no %f, which would ask the locale. */
void ay_out_format(struct ay_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text as HTML or XML, also between quotes: cleaned (utf8.h), then & < > " ' escaped. */
void ay_out_html(struct ay_out *o, const char *text);
/* Text inside a Markdown table cell: nothing in it is markup. */
void ay_out_markdown(struct ay_out *o, const char *text);
/* One CSV field [rfc-4180]; line breaks and quotes are kept, quoted. */
void ay_out_csv(struct ay_out *o, const char *text);
void ay_out_base64(struct ay_out *o, const char *bytes, size_t n);
void ay_out_close(struct ay_out *o); /* safe twice */

/* folder/name, written beside it under another name first, then renamed: a reader sees the old file
 * or the new one, never a part. AY_IO names the file and the reason. */
enum ay_status ay_out_save(const struct ay_out *o, const char *folder, const char *name,
                           struct ay_error *err) AY_CHECKED;
/* A whole file; *o is replaced. AY_IO. */
enum ay_status ay_out_load(struct ay_out *o, const char *path, struct ay_error *err) AY_CHECKED;
/* The folder and those above it, where they are missing. */
enum ay_status ay_make_folder(const char *path, struct ay_error *err) AY_CHECKED;

#endif
