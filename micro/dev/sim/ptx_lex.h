/* ptx_lex.h - PTX text as tokens. An opcode with all its modifiers is one token. */
#ifndef AY_SIM_PTX_LEX_H
#define AY_SIM_PTX_LEX_H

#include "dev/sim/build.h"

enum ptx_token_kind {
    PTX_END,
    PTX_WORD,      /* opcode with modifiers, or a name */
    PTX_DIRECTIVE, /* .reg, .b32 */
    PTX_REGISTER,  /* %r1, %tid.x */
    PTX_NUMBER,
    PTX_STRING,
    PTX_PUNCT,
};

struct ptx_token {
    enum ptx_token_kind kind;
    char punct; /* of PTX_PUNCT, else 0 */
    const char *s;
    uint32_t n, line, column;
};

/* The text ends in a NUL at `end`. */
struct ptx_lexer {
    struct sim_build *b;
    const char *at, *end, *line_start;
    uint32_t line;
    struct ptx_token t; /* the token that is looked at */
};

struct ptx_number {
    uint64_t bits;  /* integer, or float as written: 32 bits of 0f, 64 of 0d and decimals */
    uint8_t kind;   /* 0 integer, 4 0f..., 8 0d... or decimal */
};

void ptx_lex_open(struct ptx_lexer *l, struct sim_build *b, const char *text, size_t n);
void ptx_next(struct ptx_lexer *l);
bool ptx_is(const struct ptx_lexer *l, char punct);
bool ptx_is_word(const struct ptx_lexer *l, const char *word);
bool ptx_accept(struct ptx_lexer *l, char punct);
bool ptx_accept_word(struct ptx_lexer *l, const char *word);
void ptx_expect(struct ptx_lexer *l, char punct);
/* Past the end of the line that the token is on; past the next `punct`. */
void ptx_skip_line(struct ptx_lexer *l);
void ptx_skip_past(struct ptx_lexer *l, char punct);
/* The token as a number, and on. */
struct ptx_number ptx_take_number(struct ptx_lexer *l);
/* The token as an unsigned integer of at most `max`, and on. */
uint64_t ptx_take_count(struct ptx_lexer *l, uint64_t max);
_Noreturn void ptx_fail(struct ptx_lexer *l, const char *what);

#endif
