#include "core/stats.h"

const char *ay_stop_text(enum ay_stop stop)
{
    switch (stop) {
    case AY_STOP_NOT: return "";
    case AY_STOP_EXACT: return "exact";
    case AY_STOP_PRECISION: return "precision";
    case AY_STOP_PLATEAU: return "plateau";
    case AY_STOP_BUDGET: return "budget";
    }
    return "";
}

/* Four samples on one line, or all equal, are no accident. */
enum { LEAST_EXACT = 4 };

/* Passes before a plateau can be seen; a quarter of the passes is averaged at each end. */
enum { PLATEAU_PASSES = 32 };

static double mean_before(const double *history, size_t end, size_t n)
{
    double sum = 0;
    for (size_t i = end - n; i < end; i++) sum += history[i];
    return sum / (double)n;
}

enum ay_stop ay_should_stop(const struct ay_stop_rule *rule, const double *history, size_t n_passes,
                            double effective_n, bool is_exact)
{
    if (n_passes == 0) return AY_STOP_NOT;
    if (is_exact && effective_n >= LEAST_EXACT) return AY_STOP_EXACT;
    if (effective_n < (double)rule->min_n) return AY_STOP_NOT;
    /* Looking after each pass would stop at the first lucky one: two in a row are asked for. */
    if (n_passes >= 2 && history[n_passes - 1] <= rule->precision_ratio &&
        history[n_passes - 2] <= rule->precision_ratio)
        return AY_STOP_PRECISION;
    /* Twice the passes should make the interval 0.71 times as wide. Where they leave it above 0.9
     * more passes are wasted: the interval is a step of the clock, or the noise is not. */
    const size_t n = n_passes / 4;
    if (n_passes >= PLATEAU_PASSES &&
        mean_before(history, n_passes, n) > 0.9 * mean_before(history, n_passes / 2, n))
        return AY_STOP_PLATEAU;
    return AY_STOP_NOT;
}
