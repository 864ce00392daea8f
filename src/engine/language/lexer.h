/* Source text to tokens, on demand, without memory of its own.
 *
 * As in Python, the end of a line ends a statement unless a bracket is open or the line ends in a backslash;
 * comments are skipped. What is not part of the language becomes TOK_ODD, and the parser reports it. */
#ifndef BATT_ENGINE_LANGUAGE_LEXER_H
#define BATT_ENGINE_LANGUAGE_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum TokenKind {
    TOK_END,
    TOK_NEWLINE,
    TOK_NAME,
    TOK_INT,    /* number: its magnitude; huge: it does not fit */
    TOK_STRING, /* with any quotes; huge: it is not closed */
    TOK_OPEN,   /* ( */
    TOK_CLOSE,  /* ) */
    TOK_LBRACE,
    TOK_RBRACE,
    TOK_LBRACKET,
    TOK_RBRACKET,
    TOK_COMMA,
    TOK_ASSIGN,
    TOK_COLON,
    TOK_SEMICOLON,
    TOK_MINUS,
    TOK_ARROW,
    TOK_AT,
    TOK_ODD
} TokenKind;

typedef struct Token {
    const char *at;
    uint32_t length, hash; /* hash: of a name */
    uint64_t number;
    uint32_t line;
    uint32_t indent; /* columns before the first token of its line */
    uint8_t kind;    /* TokenKind */
    bool first;      /* of its line of text */
    bool huge;
} Token;

typedef struct Lexer {
    const char *at, *end, *line_start;
    uint32_t line, depth; /* of open brackets */
    bool fresh;           /* no token on this line yet */
    Token token;          /* the current one */
} Lexer;

void lexer_start(Lexer *lexer, const char *text, size_t length);
void lexer_next(Lexer *lexer);
/* Skips after an error: to the end of the statement or, inside brackets (which may never be closed), to the
 * next line that looks like the start of a statement. */
void lexer_recover(Lexer *lexer);
/* Skips whole lines, up to `to`, which is the start of a line; the current token is the newline before them.
 */
void lexer_skip_lines(Lexer *lexer, const char *to, uint32_t lines);
/* Whether the token after the current one starts with this character. */
bool lexer_followed_by(const Lexer *lexer, char c);

static inline bool token_is(const Token *t, const char *word, size_t length) {
    return t->kind == TOK_NAME && t->length == length && __builtin_memcmp(t->at, word, length) == 0;
}
#define TOKEN_IS(t, word) token_is(t, word, sizeof(word) - 1)

#endif
