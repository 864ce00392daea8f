/* Expressions: names, literals, tuples, sets, calls. Recursive descent with a bound on the depth. */
#include "base/alloc.h"
#include "engine/language/parse_internal.h"
#include "engine/language/signature.h"

#include <string.h>

static bool push(Parser *p, ParseNode node) {
    Lang *lang = p->lang;
    if (!MEM_ROOM(lang->stack, lang->stack_count, lang->stack_room, 256)) {
        p->nomem = p->panic = true;
        return false;
    }
    lang->stack[lang->stack_count++] = node;
    return true;
}

/* Makes an op of the nodes from `base` on and pops them off the stack. */
static ParseNode make_op(Parser *p, OpKind kind, uint32_t prim, uint32_t base, uint32_t line) {
    Lang *lang = p->lang;
    uint32_t n = lang->stack_count - base;
    Ref args[BUILD_MAX_ARGS];
    lang->stack_count = base;
    for (uint32_t k = 0; k < n; k++) {
        if (lang->stack[base + k].kind == NODE_BAD) {
            return node_bad();
        }
        args[k] = node_slot(p, lang->stack[base + k]);
    }
    return node_ref(build_op(&lang->builder, kind, prim, args, n, line, NULL, 0));
}

static bool all_literal(const Lang *lang, uint32_t base) {
    for (uint32_t k = base; k < lang->stack_count; k++) {
        if (lang->stack[k].kind != NODE_LITERAL) {
            return false;
        }
    }
    return true;
}

/* Makes a tuple or set of the nodes from `base` on: a literal if all of them are literals. */
static ParseNode make_container(Parser *p, OpKind kind, uint32_t base, const Token *open) {
    Lang *lang = p->lang;
    uint32_t n = lang->stack_count - base;
    if (!all_literal(lang, base)) {
        if (n > BUILD_MAX_ARGS) {
            lang->stack_count = base;
            return parser_syntax(p, open->at, "more than %d computed elements", BUILD_MAX_ARGS);
        }
        return make_op(p, kind, 0, base, open->line);
    }
    lang->stack_count = base;
    Val *items = val_buffer(&lang->ctx, n);
    if (items == NULL) {
        return parser_syntax(p, open->at, "too large: a literal may have %d elements", LIMIT_ELEMENTS);
    }
    for (uint32_t k = 0; k < n; k++) {
        items[k] = lang->stack[base + k].value;
    }
    Val v = kind == OP_TUPLE ? val_tuple(&lang->ctx, items, n) : val_set(&lang->ctx, items, n);
    if (val_failed(v)) {
        return parser_syntax(p, open->at, "too large: a literal may have %d elements", LIMIT_ELEMENTS);
    }
    return node_literal(v);
}

/* A bracket that is never closed would swallow the rest of the file: notice where a statement starts
 * instead. */
static bool looks_unclosed(const Parser *p) {
    const Token *t = &p->lexer.token;
    return t->kind == TOK_END || (t->first && (TOKEN_IS(t, "def") || TOKEN_IS(t, "return") ||
                                               TOKEN_IS(t, "from") || TOKEN_IS(t, "import")));
}

/* Reports something else where a comma or the closing bracket should be. */
static void missing_separator(Parser *p, const Token *open, const char *wanted) {
    const Token *t = &p->lexer.token;
    if (looks_unclosed(p) || (t->first && t->kind == TOK_NAME)) {
        parser_syntax(p, open->at, "'%c' is not closed", *open->at);
    } else {
        parser_unexpected(p, wanted);
    }
}

/* Pushes the elements up to the closing bracket. *commas tells `(x)` from `(x,)`. False after an error. */
static bool read_elements(Parser *p, const Token *open, TokenKind close, bool *commas) {
    Lexer *l = &p->lexer;
    *commas = false;
    while (l->token.kind != close) {
        if (looks_unclosed(p)) {
            parser_syntax(p, open->at, "'%c' is not closed", *open->at);
            return false;
        }
        ParseNode node = parser_expr(p);
        if (p->panic || !push(p, node)) {
            return false;
        }
        if (l->token.kind == TOK_COMMA) {
            *commas = true;
            lexer_next(l);
        } else if (l->token.kind == TOK_COLON && close == TOK_RBRACE) {
            parser_syntax(p, l->token.at, "the language has no dictionaries");
            return false;
        } else if (l->token.kind != close) {
            missing_separator(p, open, close == TOK_CLOSE ? "',' or ')'" : "',' or '}'");
            return false;
        }
    }
    lexer_next(l);
    return true;
}

static ParseNode parse_bracketed(Parser *p) {
    Lang *lang = p->lang;
    Token open = p->lexer.token;
    uint32_t base = lang->stack_count;
    bool tuple = open.kind == TOK_OPEN, commas;
    lexer_next(&p->lexer);
    if (!read_elements(p, &open, tuple ? TOK_CLOSE : TOK_RBRACE, &commas)) {
        lang->stack_count = base;
        return node_bad();
    }
    if (tuple && !commas && lang->stack_count == base + 1) { /* grouping */
        return lang->stack[--lang->stack_count];
    }
    return make_container(p, tuple ? OP_TUPLE : OP_SET, base, &open);
}

/* ---- calls ---- */

/* Arguments given by keyword, by the number of their parameter. */
typedef struct KeywordArgs {
    ParseNode nodes[SIGNATURE_MAX];
    unsigned given; /* bits */
} KeywordArgs;

/* What is called, as far as the reading of its arguments depends on it. */
typedef struct Callee {
    int prim;                     /* -1: a value other than a primitive */
    const char *name, *signature; /* of a primitive, also of one's own; NULL: a value */
} Callee;

static Callee callee_of(ParseNode node) {
    bool literal = node.kind == NODE_LITERAL;
    const OwnPrim *own = literal ? own_of(node.value) : NULL;
    if (literal && node.value.kind == VAL_PRIM) {
        const PrimInfo *info = &prim_table[node.value.n];
        return (Callee){(int)node.value.n, info->name, info->signature};
    }
    return (Callee){-1, own != NULL ? own->name : NULL, own != NULL ? own->signature : NULL};
}

/* Inside an argument the words of its own shape (symbols.h) are known, and none of the enclosing call's. */
static ParseNode parse_argument(Parser *p, const Callee *callee, uint32_t which) {
    SymbolShape outer = p->symbols;
    p->symbols = callee->prim >= 0 ? symbols_of((uint32_t)callee->prim, which) : SYMBOLS_NONE;
    ParseNode node = parser_expr(p);
    p->symbols = outer;
    return node;
}

/* NAME = value; the current token is NAME. */
static bool read_keyword(Parser *p, const Callee *callee, uint32_t positional, KeywordArgs *named,
                         const Token *open) {
    Lexer *l = &p->lexer;
    Token key = l->token;
    int index = callee->name == NULL ? -1 : signature_param(callee->signature, key.at, key.length);
    if (index < 0 && key.first && key.line > open->line) { /* more likely the next assignment */
        parser_syntax(p, open->at, "'(' is not closed");
        return false;
    }
    if (callee->name == NULL) {
        parser_error(p, key.at, "keyword arguments need the name of a primitive before the bracket");
    } else if (index < 0) {
        char names[160];
        signature_names(callee->signature, names, sizeof names);
        parser_error(p, key.at, "%s has no parameter '%.*s'; it has %s", callee->name,
                     (int)(key.length < 60 ? key.length : 60), key.at, names);
    } else if ((uint32_t)index < positional || (named->given >> index & 1) != 0) {
        parser_error(p, key.at, "parameter '%.*s' is given twice", (int)key.length, key.at);
    }
    lexer_next(l);
    lexer_next(l);
    ParseNode node = parse_argument(p, callee, (uint32_t)index);
    if (index >= 0) {
        named->nodes[index] = node;
        named->given |= 1u << index;
    }
    return !p->panic;
}

static bool at_keyword(const Parser *p) {
    const Lexer *l = &p->lexer;
    if (l->token.kind != TOK_NAME || !lexer_followed_by(l, '=')) {
        return false;
    }
    Lexer ahead = *l;
    lexer_next(&ahead);
    return ahead.token.kind == TOK_ASSIGN;
}

/* Pushes the arguments; the current token is the opening bracket. */
static bool read_args(Parser *p, const Callee *callee) {
    Lexer *l = &p->lexer;
    Token open = l->token;
    uint32_t base = p->lang->stack_count;
    KeywordArgs named;
    named.given = 0;
    lexer_next(l);
    while (l->token.kind != TOK_CLOSE) {
        if (looks_unclosed(p)) {
            parser_syntax(p, open.at, "'(' is not closed");
            return false;
        }
        if (at_keyword(p)) {
            if (!read_keyword(p, callee, p->lang->stack_count - base, &named, &open)) {
                return false;
            }
        } else {
            const char *at = l->token.at;
            ParseNode node = parse_argument(p, callee, p->lang->stack_count - base);
            if (p->panic || !push(p, node)) {
                return false;
            }
            if (named.given != 0) {
                parser_error(p, at, "an argument by position after one by keyword");
            }
        }
        if (l->token.kind == TOK_COMMA) {
            lexer_next(l);
        } else if (l->token.kind != TOK_CLOSE) {
            missing_separator(p, &open, "',' or ')'");
            return false;
        }
    }
    lexer_next(l);
    uint32_t n = p->lang->stack_count - base;
    if (n >= BUILD_MAX_ARGS) {
        parser_syntax(p, open.at, "more than %d arguments", BUILD_MAX_ARGS - 1);
        return false;
    }
    /* Keyword arguments take their places up to the first gap; if there is one, the call fails for its
     * arity. */
    for (uint32_t k = n; k < SIGNATURE_MAX && (named.given >> k & 1) != 0; k++) {
        if (!push(p, named.nodes[k])) {
            return false;
        }
    }
    return true;
}

/* The current token is the bracket after `callee`. */
static ParseNode parse_call(Parser *p, ParseNode callee, uint32_t line) {
    Lang *lang = p->lang;
    uint32_t base = lang->stack_count;
    Callee called = callee_of(callee);
    bool is_prim = called.prim >= 0;
    if (!is_prim && !push(p, callee)) {
        return node_bad();
    }
    if (!read_args(p, &called)) {
        lang->stack_count = base;
        return node_bad();
    }
    return make_op(p, is_prim ? OP_PRIM : OP_VALUE, is_prim ? (uint32_t)called.prim : 0, base, line);
}

/* frozenset(..), set(..), tuple(..) as in Python files: of a literal, of one display, or empty. */
static ParseNode parse_conversion(Parser *p, const Token *word) {
    Lang *lang = p->lang;
    uint32_t base = lang->stack_count;
    OpKind kind = TOKEN_IS(word, "tuple") ? OP_TUPLE : OP_SET;
    if (!read_args(p, &(Callee){.prim = -1})) {
        lang->stack_count = base;
        return node_bad();
    }
    uint32_t n = lang->stack_count - base;
    ParseNode node = n != 0 ? lang->stack[base] : node_literal(VAL_EMPTY_TUPLE);
    lang->stack_count = base;
    if (n > 1) {
        return parser_syntax(p, word->at, "%.*s takes one value", (int)word->length, word->at);
    }
    if (node.kind == NODE_LITERAL && val_is_container(node.value)) {
        for (uint32_t k = 0; k < val_len(node.value); k++) {
            if (!push(p, node_literal(val_at(node.value, k)))) {
                return node_bad();
            }
        }
        return make_container(p, kind, base, word);
    }
    if (node.kind == NODE_REF && REF_KIND(node.ref) == REF_OP && !lang->builder.failed &&
        lang->builder.ops[REF_INDEX(node.ref)].kind == kind) {
        return node;
    }
    return node.kind == NODE_BAD
               ? node
               : parser_syntax(p, word->at, "%.*s() of a computed value is not part of the language",
                               (int)word->length, word->at);
}

/* ---- names ---- */

static bool is_variable_name(const Token *t) { /* O, x1, t23 */
    if (t->length == 1 && t->at[0] == 'O') {
        return true;
    }
    if (t->length < 2 || (t->at[0] != 'x' && t->at[0] != 't')) {
        return false;
    }
    for (uint32_t k = 1; k < t->length; k++) {
        if (t->at[k] < '0' || t->at[k] > '9') {
            return false;
        }
    }
    return true;
}

static ParseNode unknown_name(Parser *p, const Token *t, bool called) {
    int shown = (int)(t->length < 60 ? t->length : 60);
    const char *nearest = NULL;
    if (is_variable_name(t)) {
        parser_error(p, t->at, "variable '%.*s' is not assigned above", shown, t->at);
        return node_bad();
    }
    if (p->diags->count < DIAGS_KEPT) { /* looking for it takes a while, and later messages are not shown */
        nearest = symbols_nearest(p->symbols, t->at, t->length);
        nearest = nearest != NULL ? nearest : names_nearest(t->at, t->length, called);
    }
    const char *what = called ? "primitive" : "name";
    if (nearest != NULL) {
        parser_error(p, t->at, "unknown %s '%.*s', did you mean '%s'?", what, shown, t->at, nearest);
    } else {
        parser_error(p, t->at, "unknown %s '%.*s'", what, shown, t->at);
    }
    return node_bad();
}

static bool may_be_missing(const char *names, const Token *t) {
    bool found = names != NULL && strcmp(names, LANG_ANY_NAME) == 0;
    for (const char *at = names; at != NULL && *at != '\0' && !found; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        found = length == t->length && memcmp(at, t->at, length) == 0;
        at += length;
    }
    return found;
}

/* A name that the language does not have. */
static ParseNode own_or_unknown_name(Parser *p, const Token *t, bool called) {
    const OwnPrim *own = own_find(p->lang->own, t->at, t->length);
    if (own != NULL) {
        return node_literal(own_value(own));
    }
    if (!may_be_missing(p->lang->missing, t) || is_variable_name(t) || t->length > OWN_NAME_MAX) {
        return unknown_name(p, t, called);
    }
    /* a number of its own at each place; the hash of a program goes by the name */
    Val v = own_missing(&p->lang->ctx, t->at, t->length, UINT32_MAX - (uint32_t)(t->at - p->source->text));
    return !val_failed(v) ? node_literal(v) : parser_syntax(p, t->at, "too many names of missing primitives");
}

static ParseNode parse_name(Parser *p) {
    Lang *lang = p->lang;
    Token t = p->lexer.token;
    const ParseNode *local = local_find(lang, &t);
    if (local != NULL) {
        if (local->kind == NODE_REF && REF_KIND(local->ref) == REF_PARAM) {
            p->used |= 1u << REF_INDEX(local->ref);
        }
        lexer_next(&p->lexer);
        return *local;
    }
    int64_t number;
    if (symbols_find(p->symbols, t.at, t.length, &number)) {
        lexer_next(&p->lexer);
        return node_literal(val_int(number));
    }
    Val named;
    if (names_find(&lang->names, t.at, t.length, t.hash, &named)) {
        lexer_next(&p->lexer);
        return node_literal(named);
    }
    lexer_next(&p->lexer);
    bool called = p->lexer.token.kind == TOK_OPEN;
    if (called && (TOKEN_IS(&t, "frozenset") || TOKEN_IS(&t, "set") || TOKEN_IS(&t, "tuple"))) {
        return parse_conversion(p, &t);
    }
    if (TOKEN_IS(&t, "True") || TOKEN_IS(&t, "False")) {
        return node_literal(val_bool(t.at[0] == 'T'));
    }
    if (TOKEN_IS(&t, "None")) {
        return node_literal(val_atom(ATOM_NONE));
    }
    if (TOKEN_IS(&t, "nan") || TOKEN_IS(&t, "inf")) {
        return node_literal(val_atom(t.at[0] == 'n' ? ATOM_NAN : ATOM_POS_INF));
    }
    if (TOKEN_IS(&t, "lambda") || TOKEN_IS(&t, "not") || TOKEN_IS(&t, "await") || TOKEN_IS(&t, "yield")) {
        return parser_syntax(p, t.at, "'%.*s' is not part of the language", (int)t.length, t.at);
    }
    return own_or_unknown_name(p, &t, called);
}

static ParseNode parse_number(Parser *p, bool negative) {
    const Token *t = &p->lexer.token;
    uint64_t max = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    if (t->huge || t->number > max) {
        return parser_syntax(p, t->at, "this integer does not fit in 64 bits");
    }
    Val v = val_int(negative ? (int64_t)(0 - t->number) : (int64_t)t->number);
    lexer_next(&p->lexer);
    return node_literal(v);
}

static ParseNode parse_negative(Parser *p) {
    const char *at = p->lexer.token.at;
    lexer_next(&p->lexer);
    if (p->lexer.token.kind == TOK_INT) {
        return parse_number(p, true);
    }
    ParseNode node = p->lexer.token.kind == TOK_NAME ? parse_name(p) : parser_unexpected(p, "a number");
    if (node.kind == NODE_LITERAL && node.value.kind == VAL_INT && node.value.i != INT64_MIN) {
        return node_literal(val_int(-node.value.i));
    }
    if (node.kind == NODE_LITERAL && val_is_atom(node.value, ATOM_POS_INF)) {
        return node_literal(val_atom(ATOM_NEG_INF));
    }
    return node.kind == NODE_BAD ? node
                                 : parser_syntax(p, at, "'-' stands before numbers only; use invert()");
}

ParseNode parser_expr(Parser *p) {
    Lexer *l = &p->lexer;
    uint32_t line = l->token.line;
    ParseNode node;
    if (p->depth == PARSE_DEPTH) {
        return parser_syntax(p, l->token.at, "nested deeper than %d levels", PARSE_DEPTH);
    }
    p->depth++;
    switch (l->token.kind) {
    case TOK_NAME:
        node = parse_name(p);
        break;
    case TOK_INT:
        node = parse_number(p, false);
        break;
    case TOK_MINUS:
        node = parse_negative(p);
        break;
    case TOK_OPEN:
    case TOK_LBRACE:
        node = parse_bracketed(p);
        break;
    case TOK_LBRACKET:
        node = parser_syntax(p, l->token.at, "the language has no lists; write a tuple (..)");
        break;
    case TOK_STRING:
        node = parser_syntax(p, l->token.at, "the language has no strings");
        break;
    default:
        node = parser_unexpected(p, "a value");
    }
    while (!p->panic && l->token.kind == TOK_OPEN) {
        node = parse_call(p, node, line);
    }
    p->depth--;
    return node;
}
