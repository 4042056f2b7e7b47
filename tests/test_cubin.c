/* test_cubin.c - what machine code says of itself, and that no bytes can hurt the reader. */
#include <check.h>
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cubin.h"
#include "core/image.h"
#include "core/stats.h"

enum { N_SECTIONS = 4, FILE_BYTES = 1024 };
static const char NAMES[] = "\0.shstrtab\0.nv.info\0.text.k";

/* An ELF file with a kernel `k` of 3 instructions, symbol 7, 22 registers. */
static void make_file(unsigned char *file)
{
    static const uint32_t info[] = {
        0x00081104, 7, 0,        /* another attribute of the symbol */
        0x00010203,              /* a value in place */
        0x00082f04, 6, 99,       /* registers of another kernel */
        0x00082f04, 7, 22,
    };
    const Elf64_Ehdr header = {
        .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
        .e_shoff = sizeof header, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = N_SECTIONS,
        .e_shstrndx = 1,
    };
    const Elf64_Shdr sections[N_SECTIONS] = {
        { .sh_type = SHT_NULL },
        { .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = 512, .sh_size = sizeof NAMES },
        { .sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = 600, .sh_size = sizeof info },
        { .sh_name = 20, .sh_type = SHT_PROGBITS, .sh_offset = 704, .sh_size = 48,
          .sh_info = 22u << 24 | 7 },
    };
    memset(file, 0, FILE_BYTES);
    memcpy(file, &header, sizeof header);
    memcpy(file + sizeof header, sections, sizeof sections);
    memcpy(file + 512, NAMES, sizeof NAMES);
    memcpy(file + 600, info, sizeof info);
}

START_TEST(a_kernel_tells_its_size_and_registers)
{
    unsigned char *file = malloc(FILE_BYTES);
    struct ay_code_facts f = { 0 };
    make_file(file);
    ck_assert(ay_code_facts(file, FILE_BYTES, "k", &f));
    ck_assert_uint_eq(f.n_instructions, 3);
    ck_assert_uint_eq(f.n_registers, 22);
    ck_assert(!ay_code_facts(file, FILE_BYTES, "kk", &f));
    ck_assert(!ay_code_facts(file, FILE_BYTES, "", &f));
    ck_assert(!ay_code_facts(file, 0, "k", &f));
    free(file);
}
END_TEST

/* Each call sees a block of exactly its size, so that a sanitizer sees a byte read past it. */
static void read_copy(const unsigned char *file, size_t n)
{
    struct ay_code_facts f;
    unsigned char *copy = malloc(n ? n : 1);
    memcpy(copy, file, n);
    if (ay_code_facts(copy, n, "k", &f)) ck_assert_uint_le(f.n_instructions, n / 16);
    free(copy);
}

START_TEST(cut_and_broken_files_are_read_safely)
{
    unsigned char file[FILE_BYTES];
    struct ay_random r = { 5 };
    make_file(file);
    for (size_t n = 0; n <= FILE_BYTES; n++) read_copy(file, n);
    for (size_t t = 0; t < 100000; t++) {
        make_file(file);
        for (size_t k = 0; k < 1 + t % 3; k++) {
            static const unsigned char edges[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };
            const size_t at = ay_random_below(&r, sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Shdr));
            file[t % 5 ? at : 512 + at] = edges[ay_random_below(&r, sizeof edges)];
        }
        read_copy(file, FILE_BYTES);
    }
}
END_TEST

START_TEST(every_kernel_that_was_built_tells_of_itself)
{
    for (const struct ay_image *i = ay_images; i->source; i++) {
        char hash[65];
        if (i->kind != AY_IMAGE_CUBIN) continue;
        ay_sha256(i->begin, (size_t)(i->end - i->begin), hash);
        for (const struct ay_verdict *v = ay_verdicts; v->sha256; v++) {
            struct ay_code_facts f = { 0 };
            if (strcmp(hash, v->sha256) || !v->entry[0]) continue;
            ck_assert_msg(ay_code_facts(i->begin, (size_t)(i->end - i->begin), v->entry, &f),
                          "%s of %s %s", v->entry, i->source, i->arch);
            ck_assert(f.n_instructions > 0 && f.n_registers > 0 && f.n_registers < 256);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cubin");
    TCase *t = tcase_create("cubin");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_kernel_tells_its_size_and_registers);
    tcase_add_test(t, cut_and_broken_files_are_read_safely);
    tcase_add_test(t, every_kernel_that_was_built_tells_of_itself);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
