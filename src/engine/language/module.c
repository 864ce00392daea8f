/* Reading generated Python batteries; see module.h. One pass over the text: calls are read by expr.c, the
 * statements around them here. */
#include "base/alloc.h"
#include "engine/language/module_internal.h"

#include <string.h>

bool lang_is_module(const Source *source) {
    static const char *const signs[] = {"o.append((", "s.append((", "def batt(task_id", "t_call = {"};
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        if (source->length > 0 && memmem(source->text, source->length, signs[k], strlen(signs[k])) != NULL) {
            return true;
        }
    }
    return false;
}

void module_free(Module *module) {
    prog_free(module->program);
    mem_free(module->outputs);
    mem_free(module->scores);
    *module = (Module){0};
}

/* ---- tokens ---- */

static bool read_integer(Parser *p, int64_t *number) {
    const Token *t = &p->lexer.token;
    *number = t->kind == TOK_INT && !t->huge && t->number <= INT64_MAX ? (int64_t)t->number : 0;
    return module_expect(p, TOK_INT, "the number of the step") && module_expect(p, TOK_COMMA, "','");
}

/* A string without escapes, and the comma after it. */
static bool read_string(Parser *p, const char *wanted, ModuleText *text) {
    Token t = p->lexer.token;
    if (t.kind != TOK_STRING || t.huge || t.length < 2 || t.at[0] != t.at[t.length - 1] ||
        memchr(t.at, '\\', t.length) != NULL) {
        parser_unexpected(p, wanted);
        return false;
    }
    *text = (ModuleText){t.at + 1, t.length - 2};
    lexer_next(&p->lexer);
    return module_expect(p, TOK_COMMA, "','");
}

/* ---- outputs and scores ---- */

static uint64_t text_hash(ModuleText text) {
    return map_hash32(name_hash(text.at, text.length));
}

static bool same_text(ModuleText a, ModuleText b) {
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

/* The first output of a solver, or -1. */
static int64_t find_first(const ModuleReader *r, ModuleText solver, uint32_t *at) {
    *at = map_start(&r->firsts, text_hash(solver));
    for (uint32_t k; (k = map_next(&r->firsts, text_hash(solver), at)) != MAP_NONE;) {
        if (same_text(r->module->outputs[k].solver, solver)) {
            return k;
        }
    }
    return -1;
}

static void add_output(ModuleReader *r, ModuleOutput output) {
    Module *m = r->module;
    if (!MEM_ROOM(m->outputs, m->n_outputs, m->outputs_room, 256) || !map_reserve(&r->firsts, 1, 256)) {
        r->parser.nomem = true;
        return;
    }
    uint32_t at, number = (uint32_t)m->n_outputs;
    int64_t first = find_first(r, output.solver, &at);
    if (first < 0) {
        map_put(&r->firsts, text_hash(output.solver), at, number);
    } else {
        m->outputs[first].latest = number;
    }
    output.again = first >= 0;
    output.latest = number;
    m->outputs[m->n_outputs++] = output;
}

static void add_score(ModuleReader *r, ModuleScore score) {
    Module *m = r->module;
    uint32_t at;
    if (!MEM_ROOM(m->scores, m->n_scores, m->scores_room, 256)) {
        r->parser.nomem = true;
        return;
    }
    int64_t first = m->n_outputs > 0 ? find_first(r, score.solver, &at) : -1;
    score.output = first >= 0 ? (int64_t)m->outputs[first].latest : -1;
    m->scores[m->n_scores++] = score;
}

/* o.append((..)) or s.append((..)); the current token is the dot. */
static void append(ModuleReader *r, Token list) {
    Parser *p = &r->parser;
    Lexer *l = &p->lexer;
    bool output = TOKEN_IS(&list, "o");
    lexer_next(l);
    if ((!output && !TOKEN_IS(&list, "s")) || !TOKEN_IS(&l->token, "append")) {
        parser_syntax(p, list.at, "only o.append(..) and s.append(..) have a dot");
        return;
    }
    lexer_next(l);
    int64_t number;
    ModuleText first = {0}, second = {0};
    Token flag = {0};
    bool good = module_expect(p, TOK_OPEN, "'('"); /* append(( */
    good = good && module_expect(p, TOK_OPEN, "'('") && read_integer(p, &number);
    if (good && output) {
        flag = l->token;
        good = TOKEN_IS(&flag, "True") || TOKEN_IS(&flag, "False");
        if (!good) {
            parser_unexpected(p, "True or False: whether the solver was mutated");
        }
        lexer_next(l);
        good = good && module_expect(p, TOK_COMMA, "','") && read_string(p, "the id of the solver", &first);
    } else if (good) {
        good = read_string(p, "the id of the solver, or 'None'", &first) &&
               read_string(p, "the name of the differ", &second);
    }
    ParseNode value = good ? parser_expr(p) : node_bad();
    good = good && module_expect(p, TOK_CLOSE, "')'") && module_expect(p, TOK_CLOSE, "')'");
    if (!good || value.kind == NODE_BAD) { /* bad: a step whose own error has been reported */
        return;
    }
    Ref slot = node_slot(p, value);
    if (output) {
        add_output(r, (ModuleOutput){
                          .slot = slot, .step = number, .mutated = TOKEN_IS(&flag, "True"), .solver = first});
    } else {
        add_score(r, (ModuleScore){slot, number, first, second, -1});
    }
}

/* ---- the file ---- */

static void statement(ModuleReader *r) {
    Parser *p = &r->parser;
    Lexer *l = &p->lexer;
    Token first = l->token;
    if (first.kind == TOK_STRING || TOKEN_IS(&first, "pass")) {
        lexer_next(l);
    } else if (TOKEN_IS(&first, "try")) {
        module_guard(r);
        return;
    } else if (TOKEN_IS(&first, "return")) {
        r->returned = true;
        lexer_next(l);
        if (TOKEN_IS(&l->token, "o")) {
            lexer_next(l);
            if (module_expect(p, TOK_COMMA, "','") && !TOKEN_IS(&l->token, "s")) {
                parser_unexpected(p, "s");
            }
            lexer_next(l);
        } else {
            parser_unexpected(p, "o, s");
        }
    } else if (module_expect(p, TOK_NAME, "a step")) {
        if (l->token.kind == TOK_ODD && l->token.at[0] == '.') {
            append(r, first);
        } else if (l->token.kind == TOK_COMMA || l->token.kind == TOK_ASSIGN) {
            r->n_steps = 0;
            module_step(r, first);
        } else {
            parser_syntax(p, first.at, "'%.*s' is not part of a battery",
                          (int)(first.length < 40 ? first.length : 40), first.at);
        }
    }
    module_end_statement(p);
}

static void function(ModuleReader *r) {
    Parser *p = &r->parser;
    Lexer *l = &p->lexer;
    Token def = l->token;
    lexer_next(l);
    bool good = module_expect(p, TOK_NAME, "the name of the function");
    if (good && (parser_parameters(p) == 0 || !module_expect(p, TOK_COLON, "':'"))) {
        good = false;
    }
    p->panic |= !good;
    module_end_statement(p);
    if (!good) {
        module_skip_lines(p, def.indent);
        return;
    }
    uint32_t inner = l->token.indent;
    while (module_in_block(p, def.indent)) {
        if (l->token.indent != inner) {
            parser_error(p, l->token.at, "this line is indented differently");
            module_skip_lines(p, inner);
            inner = l->token.indent;
            continue;
        }
        statement(r);
    }
    if (!r->returned && p->diags->errors == 0) {
        parser_error(p, def.at, "the function does not end in 'return o, s'");
    }
}

static void file(ModuleReader *r) {
    Parser *p = &r->parser;
    Lexer *l = &p->lexer;
    bool found = false;
    while (l->token.kind != TOK_END && !p->nomem) {
        Token t = l->token;
        if (t.kind == TOK_NEWLINE || t.kind == TOK_STRING) {
            lexer_next(l);
        } else if (TOKEN_IS(&t, "from") || TOKEN_IS(&t, "import") || t.kind == TOK_AT) {
            while (l->token.kind != TOK_NEWLINE && l->token.kind != TOK_END) {
                lexer_next(l);
            }
        } else if (TOKEN_IS(&t, "def") && !found) {
            found = true;
            function(r);
        } else {
            parser_error(p, t.at,
                         TOKEN_IS(&t, "t_call")
                             ? "this is the _call module of a battery; name the battery itself"
                         : found ? "unexpected text after the function of the battery"
                                 : "a battery has imports and one function, and nothing else");
            return;
        }
    }
    if (!found && !p->nomem) {
        parser_error(p, p->source->text,
                     "there is no function: a battery is def batt(task_id, S, I, C, log_path)");
    } else if (r->module->n_outputs == 0 && p->diags->errors == 0) {
        parser_error(p, p->source->text, "nothing is appended to o: this battery has no answers");
    }
}

static uint32_t slot_of(const Program *program, Ref ref) {
    return REF_KIND(ref) == REF_PARAM   ? REF_INDEX(ref)
           : REF_KIND(ref) == REF_CONST ? program->nparams + REF_INDEX(ref)
                                        : prog_op_slot(program, REF_INDEX(ref));
}

static bool finish(ModuleReader *r) {
    Module *m = r->module;
    Builder *b = &r->parser.lang->builder;
    m->program =
        build_finish(b, "batt", 4, MODE_BATT, 3, b->nops > 0 ? REF_OP | (b->nops - 1) : REF_PARAM | PARAM_I);
    if (m->program == NULL) {
        return false;
    }
    m->program->own_names = true;
    for (size_t k = 0; k < m->n_outputs; k++) {
        m->outputs[k].slot = slot_of(m->program, m->outputs[k].slot);
    }
    for (size_t k = 0; k < m->n_scores; k++) {
        m->scores[k].slot = slot_of(m->program, m->scores[k].slot);
    }
    return true;
}

bool lang_parse_module(Lang *lang, const Source *source, Module *module, Diags *diags) {
    ParseOptions options = {PARSE_FILE, MODE_BATT, 3};
    ModuleReader r = {.parser = {.lang = lang, .source = source, .options = &options, .diags = diags},
                      .module = module};
    size_t before = diags->errors;
    *module = (Module){0};
    if (!parser_open(&r.parser)) {
        return !r.parser.nomem && !diags->text.failed;
    }
    parser_start(&r.parser);
    file(&r);
    bool good = !r.parser.nomem && !diags->text.failed;
    if (good && lang->builder.nops >= BUILD_MAX_OPS) {
        parser_error(&r.parser, source->text, "more than %d steps", BUILD_MAX_OPS);
    }
    good = good && (diags->errors > before || finish(&r));
    if (!good || diags->errors > before) {
        module_free(module);
    }
    map_free(&r.firsts);
    return good;
}
