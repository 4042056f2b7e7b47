#include "gpu_world.h"

#include <stdlib.h>
#include <string.h>

const struct ay_kernel world_kernel = {"mem/x", "chase"};

void must_say(const char *text, const char *word)
{
    ck_assert_msg(strstr(text, word) != NULL, "\"%s\" lacks \"%s\"", text, word);
}

void world_begin(struct world *w)
{
    memset(w, 0, sizeof *w);
    fake_init(&w->fake);
    fake_driver(&w->fake, &w->driver);
}

void world_begin_with(struct world *w, const char *fault)
{
    world_begin(w);
    if (!fault) return;
    ck_assert_int_eq(ay_faults_parse(&fault, 1, &w->faults, &w->err), AY_OK);
    ck_assert_int_eq(ay_faults_wrap(&w->driver, w->faults, &w->err), AY_OK);
}

void gpu_world_open(struct world *w)
{
    const enum ay_status s = ay_gpu_open(&w->driver, 0, NULL, "cuda:0", false, &w->dev, &w->err);
    ck_assert_msg(s == AY_OK, "%s", w->err.text);
    ((struct gpu *)w->dev.self)->images = fake_images;
}

void world_end(struct world *w)
{
    ay_device_close(&w->dev);
    ay_faults_close(w->faults);
    ck_assert_uint_eq(w->fake.n_closed, 1);
    ck_assert_uint_eq(w->fake.n_contexts, 0);
    ck_assert_uint_eq(w->fake.n_streams, 0);
    ck_assert_uint_eq(w->fake.n_allocations, 0);
    ck_assert_uint_eq(w->fake.n_pinned, 0);
    ck_assert_uint_eq(w->fake.n_modules, 0);
    ck_assert_uint_eq(w->fake.n_graphs, 0);
}

int gpu_world_run(const char *name, const TTest *const *tests, size_t n)
{
    Suite *s = suite_create(name);
    TCase *c = tcase_create(name);
    tcase_set_timeout(c, 60);
    for (size_t i = 0; i < n; i++) tcase_add_test(c, tests[i]);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
