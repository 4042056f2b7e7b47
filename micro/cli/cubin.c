#include "cli/cubin.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct file {
    const unsigned char *bytes;
    size_t n_bytes;
    Elf64_Ehdr header;
    Elf64_Shdr names; /* the section with the sections' names */
};

/* Section i by value, for the file need not be aligned; false: there is none, or not all of it. */
static bool get_section(const struct file *f, size_t i, Elf64_Shdr *out)
{
    const uint64_t at = f->header.e_shoff + i * sizeof *out;
    if (i >= f->header.e_shnum || f->header.e_shoff > f->n_bytes || at > f->n_bytes ||
        f->n_bytes - at < sizeof *out)
        return false;
    memcpy(out, f->bytes + at, sizeof *out);
    return out->sh_type == SHT_NOBITS ||
           (out->sh_offset <= f->n_bytes && f->n_bytes - out->sh_offset >= out->sh_size);
}

static bool find_section(const struct file *f, const char *name, Elf64_Shdr *out)
{
    const size_t n = strlen(name) + 1; /* its NUL too */
    const unsigned char *names = f->bytes + f->names.sh_offset;
    for (size_t i = 0; i < f->header.e_shnum; i++)
        if (get_section(f, i, out) && out->sh_name <= f->names.sh_size &&
            f->names.sh_size - out->sh_name >= n && !memcmp(names + out->sh_name, name, n))
            return true;
    return false;
}

/* .nv.info is a list of attributes: a byte of form, one of kind, 16 bits of size or value, and, in
 * form 4, that many bytes. Kind 0x2f is (symbol, registers) [measured nvcc 13.0.88 2026-11-30]. */
static unsigned registers_of(const struct file *f, uint32_t symbol)
{
    Elf64_Shdr s;
    if (!find_section(f, ".nv.info", &s) || s.sh_type == SHT_NOBITS) return 0;
    const unsigned char *at = f->bytes + s.sh_offset, *end = at + s.sh_size;
    while (end - at >= 4) {
        uint16_t size;
        uint32_t pair[2];
        memcpy(&size, at + 2, sizeof size);
        const unsigned char *payload = at + 4;
        if (at[0] != 4) size = 0;
        if (end - payload < size) return 0;
        if (at[0] == 4 && at[1] == 0x2f && size == sizeof pair) {
            memcpy(pair, payload, sizeof pair);
            if (pair[0] == symbol) return pair[1];
        }
        at = payload + size;
    }
    return 0;
}

/* A kernel is a section .text.ENTRY of 128-bit instructions; the low bits of its info word are its
 * symbol. */
bool ay_code_facts(const unsigned char *image, size_t n_bytes, const char *entry,
                   struct ay_code_facts *out)
{
    struct file f = { .bytes = image, .n_bytes = n_bytes };
    char name[128];
    Elf64_Shdr text;
    if (n_bytes < sizeof f.header) return false;
    memcpy(&f.header, image, sizeof f.header);
    if (memcmp(f.header.e_ident, ELFMAG, SELFMAG) || f.header.e_ident[EI_CLASS] != ELFCLASS64 ||
        f.header.e_shentsize != sizeof text ||
        !get_section(&f, f.header.e_shstrndx, &f.names) || f.names.sh_type == SHT_NOBITS)
        return false;
    snprintf(name, sizeof name, ".text.%s", entry);
    if (!find_section(&f, name, &text)) return false;
    out->n_instructions = text.sh_size / 16;
    out->n_registers = registers_of(&f, text.sh_info & 0xffffff);
    return true;
}
