#include "core/probe.h"

#include <string.h>

/* A list longer than this has lost its end. */
enum { MOST = 512 };

#define BAD(p, err, ...) bad((p), (err), __LINE__, __VA_ARGS__)

static enum ay_status bad(const struct ay_probe *p, struct ay_error *err, int line,
                          const char *field, const char *what, const char *which)
{
    return ay_fail(err, AY_USAGE, __FILE__, line, "probe %s: %s %s%s%s%s",
                   p->name ? p->name : "without name", field, what, which[0] ? " \"" : "", which,
                   which[0] ? "\"" : "");
}

static bool is_text(const char *text)
{
    return text && text[0];
}

/* Words of axes and quantities travel in run files and in fixed buffers. */
static bool is_word(const char *text)
{
    if (!is_text(text) || strlen(text) >= AY_WORD_BYTES) return false;
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~' || strchr("\"\\{},=/", *c)) return false;
    return true;
}

/* "mem.l1.latency": lower case, at least two words. */
static bool is_probe_name(const char *name)
{
    const char *const letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    if (!is_text(name) || strlen(name) >= 64 || !strchr(name, '.')) return false;
    for (const char *c = name; ; c++) {
        const size_t n = strspn(c, letters);
        if (n == 0) return false;
        c += n;
        if (*c == 0) return true;
        if (*c != '.') return false;
    }
}

/* --- the lists of a descriptor ---------------------------------------------------------------- */

static enum ay_status check_quantity(const struct ay_probe *p, const struct ay_quantity *q,
                                     struct ay_error *err)
{
    if (!is_word(q->name)) return BAD(p, err, "quantity", "has a bad name", q->name);
    if (q->unit <= AY_NO_UNIT || q->unit >= AY_N_UNITS)
        return BAD(p, err, "quantity", "has no unit:", q->name);
    if ((unsigned)q->beside >= AY_N_UNITS)
        return BAD(p, err, "quantity", "has a bad unit beside:", q->name);
    if ((unsigned)q->estimator > AY_DERIVED)
        return BAD(p, err, "quantity", "has no estimator:", q->name);
    if (!is_text(q->text)) return BAD(p, err, "quantity", "has no text:", q->name);
    if ((q->unit == AY_CLASS) != (q->labels && q->labels[0]))
        return BAD(p, err, "quantity", "is a class without labels, or none with:", q->name);
    for (const struct ay_quantity *o = p->quantities; o != q; o++)
        if (!strcmp(o->name, q->name)) return BAD(p, err, "quantity", "stands twice:", q->name);
    return AY_OK;
}

static enum ay_status check_quantities(const struct ay_probe *p, struct ay_error *err)
{
    if (!p->quantities || !p->quantities[0].name)
        return BAD(p, err, "quantities", "are missing", "");
    size_t n = 0;
    for (const struct ay_quantity *q = p->quantities; q->name; q++) {
        if (n++ == MOST) return BAD(p, err, "quantities", "have no end", "");
        AY_TRY(check_quantity(p, q, err));
    }
    return AY_OK;
}

static enum ay_status check_axis(const struct ay_probe *p, const struct ay_axis *a,
                                 struct ay_error *err)
{
    if (!is_word(a->name)) return BAD(p, err, "axis", "has a bad name", a->name);
    for (const struct ay_axis *o = p->axes; o != a; o++)
        if (!strcmp(o->name, a->name)) return BAD(p, err, "axis", "stands twice:", a->name);
    if (!a->words) {
        if (a->last < a->first) return BAD(p, err, "axis", "ends before it begins:", a->name);
        if (a->last > a->first && (a->times < 2 || a->first == 0))
            return BAD(p, err, "axis", "never reaches its last number:", a->name);
        return AY_OK;
    }
    if (!a->words[0]) return BAD(p, err, "axis", "has no words:", a->name);
    for (size_t i = 0; a->words[i]; i++) {
        if (i == MOST) return BAD(p, err, "axis", "has no end:", a->name);
        if (!is_word(a->words[i])) return BAD(p, err, "axis", "has a bad word:", a->words[i]);
        for (size_t j = 0; j < i; j++)
            if (!strcmp(a->words[i], a->words[j]))
                return BAD(p, err, "axis", "has a word twice:", a->words[i]);
    }
    return AY_OK;
}

static enum ay_status check_axes(const struct ay_probe *p, struct ay_error *err)
{
    size_t n = 0;
    for (const struct ay_axis *a = p->axes; a && a->name; a++) {
        if (n++ == AY_MAX_COORDS) return BAD(p, err, "axes", "are too many, or have no end", "");
        AY_TRY(check_axis(p, a, err));
    }
    return AY_OK;
}

static bool has_entry(const struct ay_probe *p, const char *entry)
{
    for (const struct ay_kernel *k = p->kernels; k && k->entry; k++)
        if (!strcmp(k->entry, entry)) return true;
    return false;
}

static enum ay_status check_kernels(const struct ay_probe *p, struct ay_error *err)
{
    size_t n = 0;
    for (const struct ay_kernel *k = p->kernels; k && (k->entry || k->source); k++) {
        if (n++ == MOST) return BAD(p, err, "kernels", "have no end", "");
        if (!is_text(k->entry)) return BAD(p, err, "kernel", "has no entry:", k->source);
        if (!is_text(k->source)) return BAD(p, err, "kernel", "has no source:", k->entry);
        if (strlen(k->entry) >= 64) return BAD(p, err, "kernel", "has a long entry:", k->entry);
        for (const struct ay_kernel *o = p->kernels; o != k; o++)
            if (!strcmp(o->entry, k->entry))
                return BAD(p, err, "kernel", "stands twice:", k->entry);
    }
    if (p->belongs == AY_ON_HOST && n) return BAD(p, err, "kernels", "of a host probe", "");
    return AY_OK;
}

static enum ay_status check_sass(const struct ay_probe *p, struct ay_error *err)
{
    size_t n = 0;
    for (const struct ay_sass_rule *r = p->sass; r && r->op; r++) {
        if (n++ == MOST) return BAD(p, err, "sass", "has no end", "");
        if (!is_text(r->op)) return BAD(p, err, "sass", "rule without an opcode", "");
        if (!is_text(r->why)) return BAD(p, err, "sass", "rule without a why:", r->op);
        if (r->entry && !has_entry(p, r->entry))
            return BAD(p, err, "sass", "rule of a kernel that the probe has not:", r->entry);
        if (!r->entry && (!p->kernels || !p->kernels[0].entry))
            return BAD(p, err, "sass", "rule, but there is no kernel:", r->op);
        if (r->at_least < AY_ANY || r->at_most < AY_ANY ||
            (r->at_most != AY_ANY && r->at_least > r->at_most) ||
            (r->at_least == AY_ANY && r->at_most == AY_ANY))
            return BAD(p, err, "sass", "rule that bounds nothing:", r->op);
        if (r->min_sm < 0 || r->max_sm < 0 || (r->max_sm && r->min_sm > r->max_sm))
            return BAD(p, err, "sass", "rule for no architecture:", r->op);
    }
    return AY_OK;
}

static enum ay_status check_texts(const struct ay_probe *p, const char *field,
                                  const char *const *texts, struct ay_error *err)
{
    for (size_t i = 0; texts && texts[i]; i++) {
        if (i == MOST) return BAD(p, err, field, "have no end", "");
        if (!texts[i][0]) return BAD(p, err, field, "hold an empty text", "");
    }
    return AY_OK;
}

enum ay_status ay_check_probe(const struct ay_probe *p, struct ay_error *err)
{
    if (!is_probe_name(p->name)) return BAD(p, err, "name", "is no probe's name", "");
    if (!is_text(p->question) || p->question[strlen(p->question) - 1] != '?')
        return BAD(p, err, "question", "is no sentence that ends in '?'", "");
    if (!is_text(p->method)) return BAD(p, err, "method", "is missing", "");
    if (p->belongs != AY_ON_GPU && p->belongs != AY_ON_HOST)
        return BAD(p, err, "belongs", "is neither GPU nor host", "");
    if (p->needs.min_sm < 0) return BAD(p, err, "needs", "a negative architecture", "");
    if (!p->run) return BAD(p, err, "run", "is missing", "");
    AY_TRY(check_quantities(p, err));
    AY_TRY(check_axes(p, err));
    AY_TRY(check_kernels(p, err));
    AY_TRY(check_sass(p, err));
    AY_TRY(check_texts(p, "pitfalls", p->pitfalls, err));
    return check_texts(p, "sources", p->sources, err);
}

/* --- rows and points -------------------------------------------------------------------------- */

const struct ay_quantity *ay_quantity_of(const struct ay_probe *p, const char *row_quantity)
{
    /* The whole name first: "launch_host.slope" may be a quantity of its own. */
    for (size_t n = strlen(row_quantity); n > 0; ) {
        for (const struct ay_quantity *q = p->quantities; q->name; q++)
            if (strlen(q->name) == n && !strncmp(q->name, row_quantity, n)) return q;
        while (n > 0 && row_quantity[--n] != '.') {}
    }
    return NULL;
}

static size_t axis_steps(const struct ay_axis *a)
{
    size_t n = 0;
    if (a->words) {
        while (a->words[n]) n++;
        return n;
    }
    if (a->times < 2 || a->first == 0) return 1;
    for (uint64_t x = a->first; x <= a->last; x *= a->times) {
        n++;
        if (x > a->last / a->times) break; /* the next would be past the end, or wrap */
    }
    return n;
}

/* Step i of n_kept that stand for n_steps: the first, the last, and evenly between. */
static struct ay_point with_step(struct ay_point p, const struct ay_axis *a, size_t i,
                                 size_t n_kept, size_t n_steps)
{
    if (a->words) return ay_with_word(p, a->name, a->words[i]);
    size_t step = n_kept > 1 ? (i * (n_steps - 1) + (n_kept - 1) / 2) / (n_kept - 1) : 0;
    uint64_t x = a->first;
    while (step--) x *= a->times;
    return ay_with_number(p, a->name, x);
}

size_t ay_points(const struct ay_probe *p, size_t n_most, struct ay_point *points, size_t cap)
{
    size_t n_axes = 0, n = 1, steps[AY_MAX_COORDS], kept[AY_MAX_COORDS];
    for (const struct ay_axis *a = p->axes; a && a->name && n_axes < AY_MAX_COORDS; a++) {
        const size_t s = axis_steps(a);
        steps[n_axes] = s;
        kept[n_axes] = n_most && !a->words && s > n_most ? n_most : s;
        n *= kept[n_axes++];
    }
    size_t n_points = 0;
    for (size_t i = 0; i < n; i++) {
        struct ay_point at = { 0 };
        size_t rest = i, below = n;
        for (size_t k = 0; k < n_axes; k++) { /* the first axis changes slowest */
            below /= kept[k];
            at = with_step(at, &p->axes[k], rest / below, kept[k], steps[k]);
            rest %= below;
        }
        if (p->is_point && !p->is_point(&at)) continue;
        if (n_points < cap) points[n_points] = at;
        n_points++;
    }
    return n_points;
}
