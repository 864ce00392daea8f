/* Steps of generated batteries and the guards around them; see module_internal.h. */
#include "engine/language/module_internal.h"

#include <string.h>

enum { BATCH_STEPS = 4 };

#define BATCH "batch_process_samples_gpu"
#define SAFE_DEFAULT "_get_safe_default"

/* ---- tokens ---- */

bool module_expect(Parser *p, TokenKind kind, const char *wanted) {
    if (p->panic) {
        return false;
    }
    if (p->lexer.token.kind != kind) {
        parser_unexpected(p, wanted);
        return false;
    }
    lexer_next(&p->lexer);
    return true;
}

void module_end_statement(Parser *p) {
    Lexer *l = &p->lexer;
    if (!p->panic && l->token.kind != TOK_NEWLINE && l->token.kind != TOK_END) {
        parser_unexpected(p, "the end of the statement");
    }
    p->depth = 0;
    if (p->panic) {
        p->lang->stack_count = 0;
        lexer_recover(l);
    }
    if (l->token.kind == TOK_NEWLINE) {
        lexer_next(l);
    }
    p->panic = false;
}

bool module_in_block(const Parser *p, uint32_t indent) {
    const Token *t = &p->lexer.token;
    return t->kind != TOK_END && t->indent > indent && !p->nomem;
}

void module_skip_lines(Parser *p, uint32_t indent) {
    Lexer *l = &p->lexer;
    while (module_in_block(p, indent)) {
        while (l->token.kind != TOK_NEWLINE && l->token.kind != TOK_END) {
            lexer_next(l);
        }
        lexer_next(l);
    }
}

/* ---- steps ---- */

static void assign(Parser *p, const Token *name, ParseNode node) {
    if (node.kind == NODE_REF) {
        build_name(&p->lang->builder, node.ref, name->at, name->length);
    }
    p->nomem |= !local_set(p->lang, name->at, name->length, name->hash, node);
}

static ParseNode call(Parser *p, uint32_t prim, ParseNode a, ParseNode b, uint32_t line) {
    Ref args[] = {node_slot(p, a), node_slot(p, b)};
    return node_ref(build_op(&p->lang->builder, OP_PRIM, prim, args, 2, line, NULL, 0));
}

/* t1, t2, t3, t4 = batch_process_samples_gpu(S); the current token is the first comma. */
static void batch(Parser *p, Token first) {
    Lexer *l = &p->lexer;
    Token names[BATCH_STEPS] = {first};
    uint32_t n = 1, line = first.line;
    while (l->token.kind == TOK_COMMA) {
        lexer_next(l);
        if (l->token.kind != TOK_NAME || n == BATCH_STEPS) {
            parser_syntax(p, l->token.at, "only " BATCH " gives several values, %d of them", BATCH_STEPS);
            return;
        }
        names[n++] = l->token;
        lexer_next(l);
    }
    if (!module_expect(p, TOK_ASSIGN, "'='")) {
        return;
    }
    if (n != BATCH_STEPS || !TOKEN_IS(&l->token, BATCH)) {
        parser_syntax(p, l->token.at, "only " BATCH " gives several values, %d of them", BATCH_STEPS);
        return;
    }
    lexer_next(l);
    if (!module_expect(p, TOK_OPEN, "'('")) {
        return;
    }
    ParseNode samples = parser_expr(p);
    if (!module_expect(p, TOK_CLOSE, "')'") || samples.kind == NODE_BAD) {
        for (uint32_t k = 0; k < n; k++) {
            assign(p, &names[k], node_bad());
        }
        return;
    }
    ParseNode in = call(p, P_apply, node_literal(val_prim(P_first)), samples, line);
    ParseNode out = call(p, P_apply, node_literal(val_prim(P_second)), samples, line);
    ParseNode colors = node_literal(val_prim(P_p_g));
    assign(p, &names[0], in);
    assign(p, &names[1], out);
    assign(p, &names[2], call(p, P_mapply, colors, in, line));
    assign(p, &names[3], call(p, P_mapply, colors, out, line));
}

void module_step(ModuleReader *r, Token name) {
    Parser *p = &r->parser;
    Lexer *l = &p->lexer;
    if (l->token.kind == TOK_COMMA) {
        batch(p, name);
        return;
    }
    if (!module_expect(p, TOK_ASSIGN, "'='")) {
        return;
    }
    Token callee = l->token;
    bool list = TOKEN_IS(&name, "s") || TOKEN_IS(&name, "o");
    if (list && l->token.kind == TOK_LBRACKET) { /* s = [] */
        lexer_next(l);
        module_expect(p, TOK_RBRACKET, "']'");
        return;
    }
    assign(p, &name, parser_expr(p));
    if (r->n_steps < MODULE_GUARD_STEPS) {
        r->steps[r->n_steps++] = (GuardedStep){name, callee};
    }
}

/* ---- guards ---- */

static bool same_name(const Token *a, const Token *b) {
    return a->length == b->length && memcmp(a->at, b->at, a->length) == 0;
}

/* NAME = _get_safe_default(FUNCTION): what safe mode does, so only that it says so is checked. */
static void read_default(ModuleReader *r) {
    Parser *p = &r->parser;
    Lexer *l = &p->lexer;
    Token name = l->token;
    const GuardedStep *of = NULL;
    for (uint32_t k = 0; k < r->n_steps; k++) {
        of = same_name(&r->steps[k].name, &name) ? &r->steps[k] : of;
    }
    if (!module_expect(p, TOK_NAME, "the step that failed") || !module_expect(p, TOK_ASSIGN, "'='")) {
        return;
    }
    if (!TOKEN_IS(&l->token, SAFE_DEFAULT)) {
        parser_syntax(p, l->token.at, "a guard gives the default: " SAFE_DEFAULT "(FUNCTION)");
        return;
    }
    lexer_next(l);
    if (!module_expect(p, TOK_OPEN, "'('")) {
        return;
    }
    Token function = l->token;
    if (!module_expect(p, TOK_NAME, "a function") || !module_expect(p, TOK_CLOSE, "')'")) {
        return;
    }
    if (of == NULL) {
        parser_error(p, name.at, "this is not the step that the guard is around");
    } else if (!same_name(&of->callee, &function)) {
        diags_add(p->diags, p->source, (size_t)(function.at - p->source->text), true,
                  "the default of another function than the step calls; the step's own is taken");
    }
}

/* What ends in a colon, and the newline behind it; the current token is its first word. */
static bool block_head(Parser *p) {
    Lexer *l = &p->lexer;
    while (l->token.kind != TOK_COLON && l->token.kind != TOK_NEWLINE && l->token.kind != TOK_END) {
        lexer_next(l);
    }
    return module_expect(p, TOK_COLON, "':'") && module_expect(p, TOK_NEWLINE, "the end of the line");
}

/* The usual end of a guard, text by text: these two lines are most of a guarded battery. The current token is
 * the newline after the step. False: it is written in another way, and nothing was read. */
static bool usual_end(ModuleReader *r, const Token *try) {
    static const char head[] = "except (TypeError, AttributeError, ValueError):\n",
                      get[] = " = " SAFE_DEFAULT "(";
    Lexer *l = &r->parser.lexer;
    const GuardedStep *s = &r->steps[0];
    size_t deep = s->name.indent, name = s->name.length, callee = s->callee.length;
    const char *at = l->at;
    size_t length = try->indent + sizeof head - 1 + deep + name + sizeof get - 1 + callee + 2;
    if (r->n_steps != 1 || l->token.kind != TOK_NEWLINE || (size_t)(l->end - at) < length ||
        (size_t)(try->at - r->parser.source->text) < try->indent ||
        (size_t)(s->name.at - r->parser.source->text) < deep) {
        return false;
    }
#define TAKE(text, bytes)               \
    if (memcmp(at, text, bytes) != 0) { \
        return false;                   \
    }                                   \
    at += (bytes)
    TAKE(try->at - try->indent, try->indent);
    TAKE(head, sizeof head - 1);
    TAKE(s->name.at - deep, deep);
    TAKE(s->name.at, name);
    TAKE(get, sizeof get - 1);
    TAKE(s->callee.at, callee);
    TAKE(")\n", 2);
#undef TAKE
    lexer_skip_lines(l, at, 2);
    lexer_next(l);
    return true;
}

void module_guard(ModuleReader *r) {
    Parser *p = &r->parser;
    Lexer *l = &p->lexer;
    Token at = l->token;
    if (!block_head(p)) {
        module_end_statement(p);
        module_skip_lines(p, at.indent);
        return;
    }
    r->n_steps = 0;
    while (module_in_block(p, at.indent)) {
        Token name = l->token;
        if (module_expect(p, TOK_NAME, "a step")) {
            module_step(r, name);
        }
        r->module->guarded++;
        if (!p->panic && usual_end(r, &at)) {
            p->depth = 0;
            return;
        }
        module_end_statement(p);
    }
    if (!TOKEN_IS(&l->token, "except") || l->token.indent != at.indent) {
        parser_error(p, at.at, "'try' without 'except'");
        return;
    }
    if (!block_head(p)) {
        module_end_statement(p);
        module_skip_lines(p, at.indent);
        return;
    }
    while (module_in_block(p, at.indent)) {
        read_default(r);
        module_end_statement(p);
    }
}
