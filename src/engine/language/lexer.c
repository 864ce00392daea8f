/* The lexer; see lexer.h. */
#include "engine/language/lexer.h"

#include "engine/language/names.h"

#include <string.h>

enum { CHAR_NAME = 1, CHAR_DIGIT = 2, CHAR_BLANK = 4 };

static const uint8_t classes[256] = {
    ['A' ... 'Z'] = CHAR_NAME, ['a' ... 'z'] = CHAR_NAME, ['_'] = CHAR_NAME,   ['0' ... '9'] = CHAR_DIGIT,
    [' '] = CHAR_BLANK,        ['\t'] = CHAR_BLANK,       ['\r'] = CHAR_BLANK, ['\f'] = CHAR_BLANK,
};

static bool is(char c, unsigned mask) {
    return (classes[(unsigned char)c] & mask) != 0;
}

void lexer_start(Lexer *lexer, const char *text, size_t length) {
    *lexer = (Lexer){.at = text, .end = text + length, .line_start = text, .line = 1, .fresh = true};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        lexer->at = lexer->line_start = text + 3;
    }
    lexer_next(lexer);
}

static void new_line(Lexer *l) { /* l->at is behind the newline */
    l->line++;
    l->line_start = l->at;
    l->fresh = true;
}

/* Skips blanks, comments, joined lines, and newlines inside brackets. */
static void skip_blank(Lexer *l) {
    while (l->at < l->end) {
        char c = *l->at;
        if (is(c, CHAR_BLANK)) {
            l->at++;
        } else if (c == '#') {
            const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
            l->at = newline ? newline : l->end;
        } else if (c == '\n' && (l->depth > 0 || l->fresh)) {
            l->at++;
            new_line(l);
        } else if (c == '\\' && l->at + 1 < l->end && (l->at[1] == '\n' || l->at[1] == '\r')) {
            l->at += 1 + (l->at[1] == '\r');
            if (l->at < l->end && *l->at == '\n') {
                l->at++;
                l->line++;
            }
        } else {
            return;
        }
    }
}

static uint32_t indent_of(const Lexer *l) {
    uint32_t columns = 0;
    for (const char *c = l->line_start; c < l->at && is(*c, CHAR_BLANK); c++) {
        columns = *c == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
    }
    return columns;
}

static void read_string(Lexer *l, Token *t) {
    char quote = *l->at;
    bool triple = l->end - l->at >= 3 && l->at[1] == quote && l->at[2] == quote;
    t->kind = TOK_STRING;
    t->huge = true;
    l->at += triple ? 3 : 1;
    while (l->at < l->end) {
        char c = *l->at++;
        if (c == '\\' && l->at < l->end) {
            c = *l->at++;
            if (c == '\n') {
                l->line++;
                l->line_start = l->at;
            }
        } else if (c == '\n') {
            if (!triple) {
                l->at--;
                return;
            }
            l->line++;
            l->line_start = l->at;
        } else if (c == quote &&
                   (!triple || (l->end - l->at >= 2 && l->at[0] == quote && l->at[1] == quote))) {
            l->at += triple ? 2 : 0;
            t->huge = false;
            return;
        }
    }
}

static void read_name(Lexer *l, Token *t) {
    uint32_t hash = NAME_HASH_START;
    const char *at = l->at;
    while (at < l->end && is(*at, CHAR_NAME | CHAR_DIGIT)) {
        hash = name_hash_add(hash, *at++);
    }
    l->at = at;
    t->kind = TOK_NAME;
    t->hash = hash;
    if (at < l->end && (*at == '"' || *at == '\'') && at - t->at <= 2) { /* r"..", f'..' */
        read_string(l, t);
    }
}

static void read_number(Lexer *l, Token *t) {
    t->kind = TOK_INT;
    for (; l->at < l->end && is(*l->at, CHAR_DIGIT); l->at++) {
        t->huge |= __builtin_mul_overflow(t->number, 10u, &t->number) ||
                   __builtin_add_overflow(t->number, (uint64_t)(*l->at - '0'), &t->number);
    }
    if (l->at < l->end && (is(*l->at, CHAR_NAME) || *l->at == '.')) {
        while (l->at < l->end && (is(*l->at, CHAR_NAME | CHAR_DIGIT) || *l->at == '.')) {
            l->at++;
        }
        t->kind = TOK_ODD;
    }
}

static void read_mark(Lexer *l, Token *t) {
    char c = *l->at++, next = l->at < l->end ? *l->at : '\0';
    switch (c) {
    case '\n':
        t->kind = TOK_NEWLINE;
        new_line(l);
        return;
    case '(':
        t->kind = TOK_OPEN;
        l->depth++;
        return;
    case '{':
        t->kind = TOK_LBRACE;
        l->depth++;
        return;
    case '[':
        t->kind = TOK_LBRACKET;
        l->depth++;
        return;
    case ')':
        t->kind = TOK_CLOSE;
        l->depth -= l->depth > 0;
        return;
    case '}':
        t->kind = TOK_RBRACE;
        l->depth -= l->depth > 0;
        return;
    case ']':
        t->kind = TOK_RBRACKET;
        l->depth -= l->depth > 0;
        return;
    case ',':
        t->kind = TOK_COMMA;
        return;
    case ';':
        t->kind = TOK_SEMICOLON;
        return;
    case ':':
        t->kind = TOK_COLON;
        return;
    case '@':
        t->kind = TOK_AT;
        return;
    case '=':
        t->kind = next == '=' ? TOK_ODD : TOK_ASSIGN;
        l->at += next == '=';
        return;
    case '-':
        t->kind = next == '>' ? TOK_ARROW : TOK_MINUS;
        l->at += next == '>';
        return;
    default:
        t->kind = TOK_ODD;
        while (l->at < l->end && ((unsigned char)*l->at & 0xC0) == 0x80) { /* the rest of a character */
            l->at++;
        }
    }
}

void lexer_next(Lexer *l) {
    Token *t = &l->token;
    skip_blank(l);
    *t = (Token){.at = l->at, .line = l->line, .first = l->fresh};
    if (l->at == l->end) {
        t->kind = TOK_END;
        return;
    }
    if (l->fresh) {
        t->indent = indent_of(l);
        l->fresh = false;
    }
    char c = *l->at;
    if (is(c, CHAR_NAME)) {
        read_name(l, t);
    } else if (is(c, CHAR_DIGIT)) {
        read_number(l, t);
    } else if (c == '"' || c == '\'') {
        read_string(l, t);
    } else {
        read_mark(l, t);
    }
    t->length = (uint32_t)(l->at - t->at);
}

/* Whether a line of text starts a statement: `def`, `return`, `from`, `import`, or NAME =. */
static bool starts_statement(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    const char *word = at;
    while (at < end && is(*at, CHAR_NAME | CHAR_DIGIT)) {
        at++;
    }
    size_t length = (size_t)(at - word);
    if (length == 0 || is(*word, CHAR_DIGIT)) {
        return false;
    }
    if ((length == 3 && memcmp(word, "def", 3) == 0) || (length == 6 && memcmp(word, "return", 6) == 0) ||
        (length == 4 && memcmp(word, "from", 4) == 0) || (length == 6 && memcmp(word, "import", 6) == 0)) {
        return true;
    }
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    return at + 1 < end && at[0] == '=' && at[1] != '=';
}

void lexer_recover(Lexer *l) {
    while (l->depth == 0 && l->token.kind != TOK_NEWLINE && l->token.kind != TOK_END) {
        lexer_next(l);
    }
    if (l->depth == 0) {
        return;
    }
    l->depth = 0;
    /* it may be the start of a statement itself; the bracket was opened on a line above */
    if (l->token.first) {
        l->at = l->line_start;
        l->line = l->token.line;
        l->fresh = true;
    }
    while (l->at < l->end && !(l->fresh && starts_statement(l->at, l->end))) {
        const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
        l->at = newline ? newline + 1 : l->end;
        if (newline) {
            new_line(l);
        }
    }
    l->token = (Token){.kind = l->at < l->end ? TOK_NEWLINE : TOK_END, .at = l->at, .line = l->line};
}

void lexer_skip_lines(Lexer *l, const char *to, uint32_t lines) {
    l->at = l->line_start = to;
    l->line += lines;
    l->fresh = true;
}

bool lexer_followed_by(const Lexer *lexer, char c) {
    Lexer ahead = *lexer;
    skip_blank(&ahead);
    return ahead.at < ahead.end && *ahead.at == c;
}
