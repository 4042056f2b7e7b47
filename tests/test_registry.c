/* test_registry.c - every probe is a whole page of the notebook. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/image.h"
#include "core/text.h"
#include "probes/registry.h"

enum { MOST_POINTS = 256 }; /* what a run holds of one probe */

static size_t count_probes(void)
{
    size_t n = 0;
    while (ay_probes()[n]) n++;
    return n;
}

START_TEST(there_are_probes_and_their_names_are_sorted)
{
    ck_assert_uint_gt(count_probes(), 0);
    for (size_t i = 1; i < count_probes(); i++)
        ck_assert_msg(strcmp(ay_probes()[i - 1]->name, ay_probes()[i]->name) < 0,
                      "%s stands before %s", ay_probes()[i - 1]->name, ay_probes()[i]->name);
    for (size_t i = 0; i < count_probes(); i++)
        ck_assert_ptr_eq(ay_find_probe(ay_probes()[i]->name), ay_probes()[i]);
    ck_assert_ptr_null(ay_find_probe("no.such.probe"));
}
END_TEST

START_TEST(every_descriptor_passes_the_check_at_start)
{
    for (size_t i = 0; i < count_probes(); i++) {
        struct ay_error err;
        ck_assert_msg(ay_check_probe(ay_probes()[i], &err) == AY_OK, "%s", err.text);
    }
}
END_TEST

static bool is_sentence(const char *text)
{
    const size_t n = text ? strlen(text) : 0;
    return n > 20 && strchr(".?!", text[n - 1]) && !strpbrk(text, "\t\n");
}

START_TEST(every_probe_says_how_and_what_can_go_wrong)
{
    for (size_t i = 0; i < count_probes(); i++) {
        const struct ay_probe *p = ay_probes()[i];
        ck_assert_msg(is_sentence(p->question), "%s: question", p->name);
        ck_assert_msg(is_sentence(p->method) && strlen(p->method) > 100,
                      "%s: a method is a paragraph that ends in a full stop", p->name);
        ck_assert_msg(p->pitfalls && p->pitfalls[0], "%s has no pitfalls", p->name);
        for (const char *const *t = p->pitfalls; *t; t++)
            ck_assert_msg(is_sentence(*t), "%s: no sentence: %s", p->name, *t);
        ck_assert_msg(p->sources && p->sources[0], "%s has no sources", p->name);
    }
}
END_TEST

/* Is `key`, up to a blank, a key of SOURCES.md? */
static bool is_source(const char *key)
{
    const struct ay_text *list = ay_find_text("micro/SOURCES.md");
    ck_assert_msg(list != NULL, "micro/SOURCES.md is not in the binary");
    const size_t n = strcspn(key, " ");
    for (const char *at = list->begin; at; at = strchr(at, '\n')) {
        if (*at == '\n') at++;
        if (!strncmp(at, key, n) && at[n] == ':' && at[n + 1] == ' ') return true;
        if (!*at) break;
    }
    return false;
}

START_TEST(every_source_is_in_the_list)
{
    ck_assert(is_source("ptx-isa"));
    ck_assert(!is_source("no-such-source"));
    for (size_t i = 0; i < count_probes(); i++)
        for (const char *const *key = ay_probes()[i]->sources; key && *key; key++)
            ck_assert_msg(!strncmp(*key, "measured ", 9) || is_source(*key),
                          "%s cites [%s], which micro/SOURCES.md has not", ay_probes()[i]->name,
                          *key);
}
END_TEST

START_TEST(every_probe_of_a_gpu_has_a_truth_and_rules)
{
    for (size_t i = 0; i < count_probes(); i++) {
        const struct ay_probe *p = ay_probes()[i];
        if (p->belongs != AY_ON_GPU) continue;
        ck_assert_msg(p->truth != NULL, "%s: nothing to hold it against", p->name);
        if (p->kernels && p->kernels[0].entry)
            ck_assert_msg(p->sass && p->sass[0].op, "%s: kernels without a rule", p->name);
    }
}
END_TEST

START_TEST(every_kernel_was_built)
{
    if (!ay_images[0].source) return; /* NVCC=none */
    for (size_t i = 0; i < count_probes(); i++)
        for (const struct ay_kernel *k = ay_probes()[i]->kernels; k && k->entry; k++)
            ck_assert_msg(ay_find_image(k->source, "", AY_IMAGE_FATBIN) != NULL,
                          "%s: no image of %s", ay_probes()[i]->name, k->source);
}
END_TEST

START_TEST(a_quick_run_has_at_most_eight_steps_of_each_sweep)
{
    struct ay_point *at = calloc(MOST_POINTS, sizeof *at);
    for (size_t i = 0; i < count_probes(); i++) {
        const struct ay_probe *p = ay_probes()[i];
        const size_t n = ay_points(p, 0, at, MOST_POINTS);
        ck_assert_msg(n >= 1 && n <= MOST_POINTS, "%s: %zu points", p->name, n);
        ck_assert_msg(ay_points(p, 8, at, MOST_POINTS) <= n, "%s", p->name);
        for (const struct ay_axis *a = p->axes; a && a->name; a++) {
            size_t n_steps = 0;
            for (size_t k = 0; k < ay_points(p, 8, at, MOST_POINTS); k++) {
                bool is_new = true;
                for (size_t j = 0; j < k; j++)
                    is_new &= ay_number(&at[j], a->name) != ay_number(&at[k], a->name);
                n_steps += is_new;
            }
            ck_assert_msg(n_steps <= 8, "%s: %zu of %s", p->name, n_steps, a->name);
        }
    }
    free(at);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("registry");
    TCase *t = tcase_create("registry");
    tcase_add_test(t, there_are_probes_and_their_names_are_sorted);
    tcase_add_test(t, every_descriptor_passes_the_check_at_start);
    tcase_add_test(t, every_probe_says_how_and_what_can_go_wrong);
    tcase_add_test(t, every_source_is_in_the_list);
    tcase_add_test(t, every_probe_of_a_gpu_has_a_truth_and_rules);
    tcase_add_test(t, every_kernel_was_built);
    tcase_add_test(t, a_quick_run_has_at_most_eight_steps_of_each_sweep);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
