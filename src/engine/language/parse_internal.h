/* Inside the parser: what statements (parse.c) and expressions (expr.c) share. */
#ifndef BATT_ENGINE_LANGUAGE_PARSE_INTERNAL_H
#define BATT_ENGINE_LANGUAGE_PARSE_INTERNAL_H

#include "engine/language/build.h"
#include "engine/language/lexer.h"
#include "engine/language/names.h"
#include "engine/language/own.h"
#include "engine/language/parse.h"
#include "engine/language/symbols.h"

/* The result of parsing an expression. A literal stays a value until something needs it in a slot, so that
 * the rows of a grid do not become separate constants. */
typedef struct ParseNode {
    enum { NODE_BAD, NODE_LITERAL, NODE_REF } kind; /* bad: an error was reported */
    Ref ref;
    Val value;
} ParseNode;

typedef struct Local {
    const char *text;
    uint32_t length;
    uint32_t number; /* of a step, or 0 */
    ParseNode node;
} Local;

struct Lang {
    HashMap names; /* see names.h */
    const OwnPrims *own;
    const char *missing; /* names of primitives that may be missing, or LANG_ANY_NAME */
    Ctx ctx;             /* literals, until they are copied into their program */
    Builder builder;
    Local *locals; /* of the function that is being read */
    uint32_t locals_room, locals_count;
    HashMap local_map; /* locals, by the hashes of their names; except: */
    uint32_t *steps;   /* those called t1, t2, .., by number: 1 + their place; batteries have thousands */
    uint32_t steps_room;
    ParseNode *stack; /* arguments and elements of what is being read */
    uint32_t stack_room, stack_count;
};

typedef struct Parser {
    Lang *lang;
    const Source *source;
    const ParseOptions *options;
    ProgList *programs;
    Diags *diags;
    Lexer lexer;
    uint32_t depth;      /* of nested expressions */
    SymbolShape symbols; /* of the argument that is being read */
    unsigned used;       /* bit k: parameter k is used */
    bool bad;            /* the current function has an error */
    bool panic;          /* the rest of the current statement cannot be read */
    bool nomem;
} Parser;

enum { PARSE_DEPTH = 500 };

ParseNode parser_expr(Parser *p);

/* Reports an error at a place in the source. */
void parser_error(Parser *p, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same, and gives up the statement. Only the first error of a statement is reported. */
ParseNode parser_syntax(Parser *p, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ParseNode parser_unexpected(Parser *p, const char *wanted);

const ParseNode *local_find(const Lang *lang, const Token *name);
bool local_set(Lang *lang, const char *text, uint32_t length, uint32_t hash, ParseNode node);
void locals_clear(Lang *lang);

/* Begins the source; false: it is not text, which is reported, or no memory is left (p->nomem). */
bool parser_open(Parser *p);
/* Begins a program: nothing of the one before is left. */
void parser_start(Parser *p);
/* (I), (S, I), (S, I, C), with or without types, and further ones that nothing uses; the current token is the
 * bracket. Returns how many the program has, 1 or 3; 0 after an error. */
unsigned parser_parameters(Parser *p);

static inline ParseNode node_literal(Val v) {
    return (ParseNode){.kind = NODE_LITERAL, .value = v};
}
static inline ParseNode node_ref(Ref ref) {
    return (ParseNode){.kind = NODE_REF, .ref = ref};
}
static inline ParseNode node_bad(void) {
    return (ParseNode){.kind = NODE_BAD};
}
static inline Ref node_slot(Parser *p, ParseNode node) {
    return node.kind == NODE_LITERAL ? build_const(&p->lang->builder, node.value) : node.ref;
}

#endif
