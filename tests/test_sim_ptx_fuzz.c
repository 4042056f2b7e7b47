/* The simulator's reader on damaged text: it answers, whatever comes. Deterministic; FUZZ_ROUNDS
 * (default 300 a text) makes it longer. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/image.h"
#include "dev/sim/program.h"
#include "sim_ptx_text.h"

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

static void read_it(const char *text, size_t n)
{
    /* An exact allocation, so that a sanitizer sees the first byte that is read too far. */
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    struct sim_module *m = NULL;
    struct ay_error err;
    const enum ay_status status = sim_module_parse(copy, n, &m, &err);
    ck_assert(status == AY_OK || status == AY_USAGE);
    ck_assert((m != NULL) == (status == AY_OK));
    for (uint32_t i = 0; m && i < m->n_kernels; i++) {
        const struct sim_kernel *k = m->kernels[i];
        for (uint32_t j = 0; j < k->n_uops; j++) {
            const struct sim_uop *u = &k->uops[j];
            if (u->kind == SIM_BRANCH || u->kind == SIM_CALL)
                ck_assert_uint_lt(u->target, k->n_uops);
            ck_assert_uint_le((uint64_t)u->deps + u->n_reads + u->n_writes, k->n_lists);
            ck_assert_uint_lt(u->guard, k->n_preds);
            const uint16_t rows[] = {u->d, u->a, u->b, u->c, u->e};
            for (int r = 0; r < 5; r++) ck_assert(rows[r] == SIM_NONE || rows[r] < k->n_rows);
        }
    }
    sim_module_close(m);
    free(copy);
}

static int rounds(void)
{
    const char *text = getenv("FUZZ_ROUNDS");
    return text ? atoi(text) : 300;
}

/* One to four of: a byte changed, a piece lost, a piece twice, a word of another place. */
static size_t damage(char *text, size_t n, size_t room, uint64_t *state)
{
    static const char *const pieces[] = {
        "{", "}", "[", "]", "(", ")", ";", ",", "%r1", "%", ".", "@", "!", "|", "_", "-", "+0x",
        "0f", "99999999999", "bra ", "call ", ".reg .b32 %r<100000>;", ".param .b32 x", "\"", "/*",
        "%tid.x", "{%r1,", "ld.global.v8.b64 ", ".func f()", ".entry k()", "::", "<", ">", "=",
        ".shared .b8 s[16000000];", "mov.b64 ", "brx.idx ", "0d", "1e5", "\n", "L:", ".align 8"};
    for (uint32_t k = next(state) % 4 + 1; k > 0 && n > 0; k--) {
        const size_t at = next(state) % n, length = next(state) % 40 % (n - at + 1);
        const char *piece = pieces[next(state) % (sizeof pieces / sizeof pieces[0])];
        switch (next(state) % 5) {
        case 0: text[at] = (char)next(state); break;
        case 1:
            memmove(text + at, text + at + length, n - at - length);
            n -= length;
            break;
        case 2:
            if (n + length > room) break;
            memmove(text + at + length, text + at, n - at);
            n += length;
            break;
        default:
            if (n + strlen(piece) > room) break;
            memmove(text + at + strlen(piece), text + at, n - at);
            memcpy(text + at, piece, strlen(piece));
            n += strlen(piece);
            break;
        }
    }
    return n;
}

static void fuzz(const char *text, size_t n, int n_rounds, uint64_t seed)
{
    char *work = malloc(n + 4096);
    uint64_t state = seed;
    for (int i = 0; i < n_rounds; i++) {
        memcpy(work, text, n);
        size_t n_work = damage(work, n, n + 4096, &state);
        if (next(&state) % 8 == 0) n_work = next(&state) % (n_work + 1);
        read_it(work, n_work);
    }
    free(work);
}

START_TEST(damaged_text_is_refused_or_read)
{
    fuzz(sim_ptx_texts[_i], strlen(sim_ptx_texts[_i]), rounds(), (uint64_t)_i + 1);
}
END_TEST

START_TEST(text_may_end_anywhere)
{
    for (size_t n = 0; n <= strlen(sim_ptx_texts[_i]); n++) read_it(sim_ptx_texts[_i], n);
}
END_TEST

START_TEST(damaged_kernels_are_refused_or_read)
{
    uint64_t state = 7;
    int n = 0;
    while (ay_images[n].source) n++;
    for (int i = 0; i < 40 && n > 0; i++) {
        const struct ay_image *image = &ay_images[next(&state) % (uint32_t)n];
        if (image->kind != AY_IMAGE_PTX) continue;
        fuzz((const char *)image->begin, (size_t)(image->end - image->begin), 3, state);
    }
}
END_TEST

START_TEST(deep_nesting_is_refused)
{
    static const char opens[] = "{[(";
    const size_t n = 100000;
    for (int i = 0; i < 3; i++) {
        char *text = malloc(n + 200);
        strcpy(text, SIM_PTX_HEAD ".entry k() { mov.u32 ");
        const size_t head = strlen(text);
        memset(text + head, opens[i], n);
        read_it(text, head + n);
        strcpy(text, SIM_PTX_HEAD ".entry k() { ");
        memset(text + strlen(SIM_PTX_HEAD) + 13, opens[i], n);
        read_it(text, n);
        strcpy(text, SIM_PTX_HEAD ".global .b32 x[] = ");
        memset(text + strlen(SIM_PTX_HEAD) + 19, opens[i], n);
        read_it(text, n);
        free(text);
    }
}
END_TEST

START_TEST(functions_that_call_each_other_end)
{
    const char *circle = SIM_PTX_HEAD ".func a(); .func b() { call a; ret; }"
                                      ".func a() { call b; ret; }"
                                      ".entry k() { call a; call b; ret; }";
    read_it(circle, strlen(circle));
    struct sim_module *m;
    struct ay_error err;
    const char *text = SIM_PTX_HEAD ".func a() { call a; ret; } .entry k() { call a; ret; }";
    ck_assert_int_eq(sim_module_parse(text, strlen(text), &m, &err), AY_OK);
    ck_assert_int_eq(sim_kernel_check(m->kernels[0], &err), AY_SKIP);
    sim_module_close(m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim_ptx_fuzz");
    TCase *t = tcase_create("fuzz");
    int n_texts = 0;
    while (sim_ptx_texts[n_texts]) n_texts++;
    tcase_set_timeout(t, 600);
    tcase_add_loop_test(t, damaged_text_is_refused_or_read, 0, n_texts);
    tcase_add_loop_test(t, text_may_end_anywhere, 0, n_texts);
    tcase_add_test(t, damaged_kernels_are_refused_or_read);
    tcase_add_test(t, deep_nesting_is_refused);
    tcase_add_test(t, functions_that_call_each_other_end);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
