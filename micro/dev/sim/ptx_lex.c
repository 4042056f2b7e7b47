#include "dev/sim/ptx_lex.h"

#include <string.h>

#include "core/units.h"

enum { SPACE = 1, DIGIT = 2, HEX = 4, LETTER = 8, NAME = DIGIT | LETTER };

#define D5(c) [c] = DIGIT | HEX, [c + 1] = DIGIT | HEX, [c + 2] = DIGIT | HEX, \
              [c + 3] = DIGIT | HEX, [c + 4] = DIGIT | HEX
#define H6(c) [c] = LETTER | HEX, [c + 1] = LETTER | HEX, [c + 2] = LETTER | HEX, \
              [c + 3] = LETTER | HEX, [c + 4] = LETTER | HEX, [c + 5] = LETTER | HEX
#define L5(c) [c] = LETTER, [c + 1] = LETTER, [c + 2] = LETTER, [c + 3] = LETTER, [c + 4] = LETTER
static const unsigned char class_of[256] = {
    [' '] = SPACE, ['\t'] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE, ['\v'] = SPACE, ['\f'] = SPACE,
    D5('0'), D5('5'), H6('a'), H6('A'), L5('g'), L5('l'), L5('q'), L5('v'), L5('G'), L5('L'),
    L5('Q'), L5('V'), ['_'] = LETTER, ['$'] = LETTER,
};

static bool is(char c, int class)
{
    return (class_of[(unsigned char)c] & class) != 0;
}

void ptx_lex_open(struct ptx_lexer *l, struct sim_build *b, const char *text, size_t n)
{
    *l = (struct ptx_lexer){.b = b, .at = text, .end = text + n, .line_start = text, .line = 1};
    ptx_next(l);
}

_Noreturn void ptx_fail(struct ptx_lexer *l, const char *what)
{
    const int n = l->t.n > 40 ? 40 : (int)l->t.n;
    if (l->t.kind == PTX_END) sim_build_fail(l->b, l->t.line, l->t.column, "%s at the end", what);
    sim_build_fail(l->b, l->t.line, l->t.column, "%s at '%.*s'", what, n, l->t.s);
}

static void newline(struct ptx_lexer *l, const char *at)
{
    l->line++;
    l->line_start = at + 1;
}

static const char *skip_comment(struct ptx_lexer *l, const char *c)
{
    if (c[1] == '/') {
        while (c < l->end && *c != '\n') c++;
        return c;
    }
    for (c += 2; c < l->end && !(c[0] == '*' && c[1] == '/'); c++)
        if (*c == '\n') newline(l, c);
    return c < l->end ? c + 2 : c;
}

static const char *skip_blank(struct ptx_lexer *l)
{
    const char *c = l->at;
    for (;;) {
        if (*c == '\n') newline(l, c);
        if (is(*c, SPACE)) c++;
        else if (c[0] == '/' && (c[1] == '/' || c[1] == '*')) c = skip_comment(l, c);
        else return c;
    }
}

static const char *end_of_number(const char *c)
{
    if (c[0] == '0' && c[1] && strchr("fFdDxXbB", c[1])) {
        c += 2;
        while (is(*c, HEX)) c++;
    } else {
        while (is(*c, DIGIT)) c++;
        if (*c == '.' && is(c[1], DIGIT))
            for (c++; is(*c, DIGIT);) c++;
        if (*c == 'e' || *c == 'E') {
            const char *e = c + 1 + (c[1] == '-' || c[1] == '+');
            if (is(*e, DIGIT))
                for (c = e; is(*c, DIGIT);) c++;
        }
    }
    return *c == 'U' ? c + 1 : c;
}

static const char *end_of_word(const char *c)
{
    for (;;) {
        while (is(*c, NAME)) c++;
        if (c[0] == '.' && is(c[1], NAME)) c++;
        else if (c[0] == ':' && c[1] == ':' && is(c[2], NAME)) c += 2;
        else return c;
    }
}

static const char *end_of_register(const char *c)
{
    for (c++; is(*c, NAME);) c++;
    const bool has_part = c[0] == '.' && c[1] && strchr("xyzw", c[1]) && !is(c[2], NAME);
    return has_part ? c + 2 : c;
}

void ptx_next(struct ptx_lexer *l)
{
    const char *c = skip_blank(l), *start = c;
    struct ptx_token *t = &l->t;
    t->s = c;
    t->line = l->line;
    t->column = (uint32_t)(c - l->line_start) + 1;
    t->punct = 0;
    if (c >= l->end) {
        t->kind = PTX_END;
    } else if (*c == '%' && is(c[1], NAME)) {
        t->kind = PTX_REGISTER;
        c = end_of_register(c);
    } else if (is(*c, LETTER)) {
        t->kind = PTX_WORD;
        c = end_of_word(c);
    } else if (is(*c, DIGIT)) {
        t->kind = PTX_NUMBER;
        c = end_of_number(c);
    } else if (*c == '.' && is(c[1], NAME)) {
        t->kind = PTX_DIRECTIVE;
        for (c++; is(*c, NAME);) c++;
    } else if (*c == '"') {
        t->kind = PTX_STRING;
        for (c++; c < l->end && *c != '"' && *c != '\n';) c++;
        if (*c == '"') c++;
    } else {
        t->kind = PTX_PUNCT;
        t->punct = *c++;
    }
    t->n = (uint32_t)(c - start);
    l->at = c;
}

bool ptx_is(const struct ptx_lexer *l, char punct)
{
    return l->t.kind == PTX_PUNCT && l->t.punct == punct;
}

bool ptx_is_word(const struct ptx_lexer *l, const char *word)
{
    return strlen(word) == l->t.n && memcmp(word, l->t.s, l->t.n) == 0;
}

bool ptx_accept(struct ptx_lexer *l, char punct)
{
    if (!ptx_is(l, punct)) return false;
    ptx_next(l);
    return true;
}

bool ptx_accept_word(struct ptx_lexer *l, const char *word)
{
    if (!ptx_is_word(l, word)) return false;
    ptx_next(l);
    return true;
}

void ptx_expect(struct ptx_lexer *l, char punct)
{
    char what[] = "'?' was expected";
    what[1] = punct;
    if (!ptx_accept(l, punct)) ptx_fail(l, what);
}

void ptx_skip_line(struct ptx_lexer *l)
{
    if (l->t.kind == PTX_END) return;
    const uint32_t line = l->t.line;
    while (l->t.kind != PTX_END && l->t.line == line) ptx_next(l);
}

void ptx_skip_past(struct ptx_lexer *l, char punct)
{
    while (!ptx_is(l, punct)) {
        if (l->t.kind == PTX_END) ptx_expect(l, punct);
        ptx_next(l);
    }
    ptx_next(l);
}

static unsigned digit_of(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20) - 'a' + 10;
}

static uint64_t integer(struct ptx_lexer *l, const char *c, const char *end, unsigned base)
{
    uint64_t value = 0;
    if (c == end) ptx_fail(l, "a number without digits");
    for (; c < end; c++) {
        const unsigned digit = digit_of(*c);
        if (digit >= base) ptx_fail(l, "not a digit of this number");
        if (value > (UINT64_MAX - digit) / base) ptx_fail(l, "a number over 64 bits");
        value = value * base + digit;
    }
    return value;
}

static struct ptx_number decimal(struct ptx_lexer *l, const char *c, const char *end)
{
    char text[64];
    double x;
    struct ay_error ignored;
    const size_t n = (size_t)(end - c);
    if (n >= sizeof text) ptx_fail(l, "a number too long");
    memcpy(text, c, n);
    text[n] = 0;
    if (ay_parse_number(text, &x, &ignored) != AY_OK) ptx_fail(l, "not a number");
    struct ptx_number number = {.kind = 8};
    memcpy(&number.bits, &x, sizeof x);
    return number;
}

struct ptx_number ptx_take_number(struct ptx_lexer *l)
{
    if (l->t.kind != PTX_NUMBER) ptx_fail(l, "a number was expected");
    const char *c = l->t.s, *end = c + l->t.n;
    if (end > c + 1 && end[-1] == 'U') end--;
    const char mark = c[0] == '0' && end - c > 1 ? (char)(c[1] | 0x20) : 0;
    struct ptx_number number = {0};
    if (mark == 'x') number.bits = integer(l, c + 2, end, 16);
    else if (mark == 'f' || mark == 'd') {
        number.bits = integer(l, c + 2, end, 16);
        number.kind = mark == 'f' ? 4 : 8;
        if (mark == 'f' && number.bits > UINT32_MAX) ptx_fail(l, "a float over 32 bits");
    } else if (mark == 'b') number.bits = integer(l, c + 2, end, 2);
    else if (memchr(c, '.', (size_t)(end - c)) || memchr(c, 'e', (size_t)(end - c)) ||
             memchr(c, 'E', (size_t)(end - c)))
        number = decimal(l, c, end);
    else if (c[0] == '0' && end - c > 1) number.bits = integer(l, c + 1, end, 8);
    else number.bits = integer(l, c, end, 10);
    ptx_next(l);
    return number;
}

uint64_t ptx_take_count(struct ptx_lexer *l, uint64_t max)
{
    const struct ptx_token at = l->t;
    const struct ptx_number number = ptx_take_number(l);
    if (number.kind || number.bits > max) {
        l->t = at;
        ptx_fail(l, "too large a number");
    }
    return number.bits;
}
