/* Claims about the embedded images and their hashes. */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/image.h"
#include "core/text.h"

static void ck_hash(const char *bytes, size_t n_bytes, const char *due)
{
    char hex[65];
    ay_sha256(bytes, n_bytes, hex);
    ck_assert_str_eq(hex, due);
}

/* The standard's own examples: one block, two blocks, nothing [fips-180-4]. */
START_TEST(sha256_gives_the_standards_examples)
{
    ck_hash("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ck_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    ck_hash("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
END_TEST

START_TEST(sha256_of_a_million_letters_is_the_standards)
{
    static const size_t N = 1000000;
    char *many = malloc(N);
    ck_assert_ptr_nonnull(many);
    memset(many, 'a', N);
    ck_hash(many, N, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(many);
}
END_TEST

/* 55 bytes leave just room for the length in the first block, 64 fill it. */
START_TEST(sha256_pads_at_the_edges_of_a_block)
{
    static const struct {
        size_t n_bytes;
        const char *due;
    } EDGES[] = {
        { 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
        { 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
        { 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
        { 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
    };
    char letters[64];
    memset(letters, 'a', sizeof letters);
    for (size_t i = 0; i < sizeof EDGES / sizeof *EDGES; i++)
        ck_hash(letters, EDGES[i].n_bytes, EDGES[i].due);
}
END_TEST

START_TEST(every_image_is_found_by_its_name_and_has_bytes)
{
    for (const struct ay_image *i = ay_images; i->source; i++) {
        ck_assert_ptr_eq(ay_find_image(i->source, i->arch, i->kind), i);
        ck_assert_uint_eq((size_t)i->begin % 64, 0);
        ck_assert(i->end > i->begin);
        ck_assert_uint_eq(*i->end, 0);
    }
}
END_TEST

START_TEST(a_ptx_image_is_text_of_its_architecture)
{
    for (const struct ay_image *i = ay_images; i->source; i++) {
        if (i->kind != AY_IMAGE_PTX) continue;
        const char *text = (const char *)i->begin;
        ck_assert_uint_eq(strlen(text), (size_t)(i->end - i->begin));
        const char *target = strstr(text, ".target ");
        ck_assert_ptr_nonnull(target);
        ck_assert_int_eq(strncmp(target + 8, i->arch, strlen(i->arch)), 0);
    }
}
END_TEST

/* The header word of a fat binary, which the driver asks for. */
START_TEST(a_fatbin_is_found_under_any_architecture_and_looks_like_one)
{
    static const unsigned char MAGIC[4] = { 0x50, 0xed, 0x55, 0xba };
    for (const struct ay_image *i = ay_images; i->source; i++) {
        if (i->kind != AY_IMAGE_FATBIN) continue;
        ck_assert_ptr_eq(ay_find_image(i->source, "sm_1", AY_IMAGE_FATBIN), i);
        ck_assert_mem_eq(i->begin, MAGIC, sizeof MAGIC);
    }
}
END_TEST

START_TEST(what_is_not_there_is_not_found)
{
    ck_assert_ptr_null(ay_find_image("no/such", "sm_75", AY_IMAGE_PTX));
    ck_assert_ptr_null(ay_find_verdict("00", "kernel"));
    ck_assert_ptr_null(ay_find_text("no/such"));
}
END_TEST

/* The checker hashed the files, the program hashes what it carries: both speak of one thing. */
START_TEST(every_verdict_is_on_an_image_that_is_carried)
{
    for (const struct ay_verdict *v = ay_verdicts; v->sha256; v++) {
        ck_assert_ptr_nonnull(ay_find_verdict(v->sha256, v->entry));
        ck_assert(strcmp(v->verdict, "pass") == 0 || strcmp(v->verdict, "fail") == 0);
        bool is_carried = false;
        for (const struct ay_image *i = ay_images; i->source && !is_carried; i++) {
            char hex[65];
            ay_sha256(i->begin, (size_t)(i->end - i->begin), hex);
            is_carried = strcmp(hex, v->sha256) == 0;
        }
        ck_assert_msg(is_carried, "no image has the hash %s", v->sha256);
    }
}
END_TEST

START_TEST(every_text_is_found_by_its_path)
{
    for (const struct ay_text *t = ay_texts; t->path; t++) {
        ck_assert_ptr_eq(ay_find_text(t->path), t);
        ck_assert_int_eq(*t->end, 0);
    }
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("image");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, sha256_gives_the_standards_examples);
    tcase_add_test(c, sha256_of_a_million_letters_is_the_standards);
    tcase_add_test(c, sha256_pads_at_the_edges_of_a_block);
    tcase_add_test(c, every_image_is_found_by_its_name_and_has_bytes);
    tcase_add_test(c, a_ptx_image_is_text_of_its_architecture);
    tcase_add_test(c, a_fatbin_is_found_under_any_architecture_and_looks_like_one);
    tcase_add_test(c, what_is_not_there_is_not_found);
    tcase_add_test(c, every_verdict_is_on_an_image_that_is_carried);
    tcase_add_test(c, every_text_is_found_by_its_path);
    Suite *s = suite_create("image");
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
