/* Statements, functions and files; see parse.h. Expressions are in expr.c. */
#include "engine/language/parse.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/utf8.h"
#include "engine/language/parse_internal.h"

#include <stdarg.h>
#include <string.h>

/* ---- Lang ---- */

enum { LITERALS_MIN = 16 << 20, LITERALS_MAX = 1 << 30, LITERALS_PER_BYTE = 64 };

static bool open_literals(Lang *lang, uint64_t bytes) {
    Budget literals = {.steps = UINT64_MAX / 4, .bytes = bytes, .depth = 1};
    return ctx_open(&lang->ctx, &literals);
}

/* Address space may be limited too, so a long text gets more of it than a short one. */
static bool make_room(Lang *lang, size_t length) {
    uint64_t wanted =
        length < LITERALS_MAX / LITERALS_PER_BYTE ? (uint64_t)length * LITERALS_PER_BYTE : LITERALS_MAX;
    if (wanted <= lang->ctx.reserved) {
        return true;
    }
    ctx_close(&lang->ctx);
    return open_literals(lang, wanted);
}

Lang *lang_open(void) {
    Lang *lang = mem_zalloc(1, sizeof *lang);
    if (lang == NULL || !open_literals(lang, LITERALS_MIN)) {
        mem_free(lang);
        return NULL;
    }
    build_init(&lang->builder);
    if (!names_fill(&lang->names)) {
        lang_close(lang);
        return NULL;
    }
    return lang;
}

void lang_set_own(Lang *lang, const OwnPrims *own) {
    lang->own = own;
}

void lang_accept_missing(Lang *lang, const char *names) {
    lang->missing = names;
}

void lang_close(Lang *lang) {
    if (lang != NULL) {
        ctx_close(&lang->ctx);
        build_free(&lang->builder);
        map_free(&lang->names);
        map_free(&lang->local_map);
        mem_free(lang->locals);
        mem_free(lang->steps);
        mem_free(lang->stack);
        mem_free(lang);
    }
}

void progs_free(ProgList *list) {
    for (size_t k = 0; k < list->count; k++) {
        prog_free(list->items[k]);
    }
    mem_free(list->items);
    *list = (ProgList){0};
}

bool progs_add(ProgList *list, Program *program) {
    if (!MEM_ROOM(list->items, list->count, list->room, 16)) {
        prog_free(program);
        return false;
    }
    list->items[list->count++] = program;
    return true;
}

/* ---- errors ---- */

void parser_error(Parser *p, const char *at, const char *format, ...) {
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    p->bad = true;
    diags_add(p->diags, p->source, (size_t)(at - p->source->text), false, "%s", message);
}

ParseNode parser_syntax(Parser *p, const char *at, const char *format, ...) {
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (!p->panic) {
        parser_error(p, at, "%s", message);
    }
    p->panic = true;
    return node_bad();
}

ParseNode parser_unexpected(Parser *p, const char *wanted) {
    const Token *t = &p->lexer.token;
    switch (t->kind) {
    case TOK_END:
        return parser_syntax(p, t->at, "%s is missing: the text ends here", wanted);
    case TOK_NEWLINE:
        return parser_syntax(p, t->at, "%s is missing at the end of the line", wanted);
    case TOK_ODD:
    case TOK_MINUS:
        return parser_syntax(p, t->at, "'%.*s' is not part of the language; %s was expected",
                             (int)(t->length < 40 ? t->length : 40), t->at, wanted);
    default:
        return parser_syntax(p, t->at, "%s was expected, not '%.*s'", wanted,
                             (int)(t->length < 40 ? t->length : 40), t->at);
    }
}

/* ---- programs ---- */

typedef struct ParseScope {
    const char *name;
    uint32_t name_length;
    const char *at; /* where to complain that something is missing */
    ParseNode result;
    bool returned, any; /* any: a statement was read */
} ParseScope;

static void bind_param(Parser *p, const char *text, uint32_t length, Param param) {
    p->nomem |= !local_set(p->lang, text, length, name_hash(text, length), node_ref(REF_PARAM | (Ref)param));
}

void parser_start(Parser *p) {
    build_start(&p->lang->builder);
    ctx_reset(&p->lang->ctx);
    p->lang->stack_count = 0;
    locals_clear(p->lang);
    p->used = 0;
    p->bad = p->panic = false;
}

static void start_scope(Parser *p, ParseScope *scope, const char *name, uint32_t length, const char *at) {
    *scope = (ParseScope){.name = name, .name_length = length, .at = at};
    parser_start(p);
}

static bool calls_dialect(const Builder *b) {
    bool found = false;
    for (uint32_t k = 0; k < b->nops && !found; k++) {
        found = b->ops[k].kind == OP_PRIM && (prim_table[b->ops[k].prim].flags & PRIM_DIALECT) != 0;
    }
    for (uint32_t k = 0; k < b->nconsts && !found; k++) {
        found = b->consts[k].kind == VAL_PRIM && (prim_table[b->consts[k].n].flags & PRIM_DIALECT) != 0;
    }
    return found;
}

static void finish_scope(Parser *p, const ParseScope *scope, unsigned nparams) {
    ParseNode result = scope->result;
    if (!scope->returned) {
        Token o = {.at = "O", .length = 1, .hash = name_hash("O", 1), .kind = TOK_NAME};
        const ParseNode *local = local_find(p->lang, &o);
        if (local != NULL) {
            result = *local;
        } else if (!p->bad) {
            parser_error(p, scope->at, "there is no result: nothing is returned or assigned to O");
        }
    }
    if (p->bad || p->nomem || result.kind == NODE_BAD) {
        return;
    }
    int mode = p->options->mode;
    Ref slot = node_slot(p, result);
    Builder *b = &p->lang->builder;
    if (b->nops >= BUILD_MAX_OPS) {
        parser_error(p, scope->at, "more than %d calls", BUILD_MAX_OPS);
        return;
    }
    const char *name = p->source->function;
    if (nparams == 1 && p->source->collection && mode == PARSE_MODE_AUTO && calls_dialect(b)) {
        nparams = 3;
    }
    Program *program =
        build_finish(b, name != NULL ? name : scope->name, name != NULL ? strlen(name) : scope->name_length,
                     mode != PARSE_MODE_AUTO ? (Mode)mode
                     : nparams == 3          ? MODE_BATT
                                             : MODE_CORE,
                     nparams, slot);
    p->nomem |= program == NULL || !progs_add(p->programs, program);
}

/* ---- statements ---- */

/* Skips a type after a colon or an arrow, up to what ends it at this depth of brackets. */
static void skip_type(Parser *p) {
    Lexer *l = &p->lexer;
    uint32_t depth = l->depth;
    while (l->token.kind != TOK_END && l->token.kind != TOK_NEWLINE &&
           !(l->depth <= depth && (l->token.kind == TOK_ASSIGN || l->token.kind == TOK_COMMA ||
                                   l->token.kind == TOK_COLON || l->token.kind == TOK_CLOSE))) {
        lexer_next(l);
    }
}

/* NAME = expression; the current token is NAME. False: it is not an assignment, and nothing was read. */
static bool try_assignment(Parser *p) {
    Lexer *l = &p->lexer;
    Lexer start = *l;
    lexer_next(l);
    if (l->token.kind == TOK_COLON) {
        lexer_next(l);
        skip_type(p);
    }
    if (l->token.kind != TOK_ASSIGN) {
        *l = start;
        return false;
    }
    lexer_next(l);
    ParseNode node = parser_expr(p);
    if (l->token.kind == TOK_ASSIGN) {
        parser_syntax(p, l->token.at, "one assignment per statement");
    }
    const Token *name = &start.token;
    if (node.kind == NODE_REF) {
        build_name(&p->lang->builder, node.ref, name->at, name->length);
    }
    p->nomem |= !local_set(p->lang, name->at, name->length, name->hash, node);
    return true;
}

static void statement(Parser *p, ParseScope *scope, bool inside) {
    Lexer *l = &p->lexer;
    Token first = l->token;
    if (first.kind == TOK_STRING) { /* a docstring */
        if (first.huge) {
            parser_syntax(p, first.at, "this string is not closed");
        }
        lexer_next(l);
        return;
    }
    if (TOKEN_IS(&first, "pass")) {
        lexer_next(l);
        return;
    }
    scope->any = true;
    if (scope->returned && inside) {
        diags_add(p->diags, p->source, (size_t)(first.at - p->source->text), true, "this is never reached");
    }
    if (inside && TOKEN_IS(&first, "return")) {
        lexer_next(l);
        ParseNode node = parser_expr(p);
        if (!scope->returned) {
            scope->result = node;
            scope->returned = true;
        }
        return;
    }
    static const char *const foreign[] = {"if",     "for",    "while", "with",    "try",   "class",
                                          "assert", "raise",  "elif",  "else",    "def",   "except",
                                          "async",  "global", "del",   "finally", "return"};
    for (size_t k = 0; first.kind == TOK_NAME && k < sizeof foreign / sizeof *foreign; k++) {
        if (token_is(&first, foreign[k], strlen(foreign[k]))) {
            bool caught = strcmp(foreign[k], "try") == 0 || strcmp(foreign[k], "except") == 0;
            parser_syntax(p, first.at, "'%s' is not part of the language%s", foreign[k],
                          inside && caught ? ": keep the call alone, and drop this line; --safe gives a "
                                             "failed call its default"
                          : inside         ? ""
                                           : " here");
            return;
        }
    }
    if (first.kind == TOK_NAME && try_assignment(p)) {
        return;
    }
    ParseNode node = parser_expr(p);
    if (p->panic) {
        return;
    }
    if (p->options->form == PARSE_LINE && !inside) {
        scope->result = node;
        scope->returned = true;
    } else {
        parser_error(p, first.at, "nothing is done with this value; assign it to a variable");
    }
}

/* The statements of a line, up to and including its end. */
static void statements(Parser *p, ParseScope *scope, bool inside) {
    Lexer *l = &p->lexer;
    for (;;) {
        p->panic = false;
        while (l->token.kind == TOK_SEMICOLON) {
            lexer_next(l);
        }
        if (l->token.kind != TOK_NEWLINE && l->token.kind != TOK_END) {
            statement(p, scope, inside);
        }
        if (!p->panic && l->token.kind != TOK_SEMICOLON && l->token.kind != TOK_NEWLINE &&
            l->token.kind != TOK_END) {
            parser_unexpected(p, "the end of the statement");
        }
        p->depth = 0;
        if (p->panic) {
            p->lang->stack_count = 0;
            lexer_recover(l);
        }
        if (l->token.kind != TOK_SEMICOLON || p->nomem) {
            break;
        }
    }
    if (l->token.kind == TOK_NEWLINE) {
        lexer_next(l);
    }
}

/* ---- functions ---- */

/* Skips lines that are indented deeper than `indent`: the block of something that was refused. */
static void skip_block(Parser *p, uint32_t indent) {
    Lexer *l = &p->lexer;
    while (l->token.kind != TOK_END && l->token.first && l->token.indent > indent) {
        while (l->token.kind != TOK_NEWLINE && l->token.kind != TOK_END) {
            lexer_next(l);
        }
        lexer_next(l);
    }
}

/* The parameters of a function as they are read: by name, and the first three by place. */
typedef struct ParamList {
    Token named[3], placed[3]; /* by Param */
    unsigned has;              /* bits of named */
    unsigned count;
} ParamList;

static void param_add(ParamList *list, const Token *name) {
    static const char letters[] = "SIC"; /* by Param */
    if (list->count < 3) {
        list->placed[list->count] = *name;
    }
    list->count++;
    for (unsigned k = 0; k < 3; k++) {
        if (name->length == 1 && name->at[0] == letters[k]) {
            list->named[k] = *name;
            list->has |= 1u << k;
        }
    }
}

/* Parameters called S, I and C are those, and any further ones are for somebody else: their names mean
 * nothing here. If none is called I, one is I, and two or three are S, I and C by their places. */
static unsigned param_bind(Parser *p, const ParamList *list, const char *open) {
    bool named = (list->has >> PARAM_I & 1) != 0;
    if (list->count == 1) {
        bind_param(p, list->placed[0].at, list->placed[0].length, PARAM_I);
        return 1;
    }
    if (list->count == 0 || (!named && list->count > 3)) {
        parser_error(p, open, "a solver has the parameter I, or the parameters S, I or S, I, C");
        return 0;
    }
    for (unsigned k = 0; k < 3; k++) {
        const Token *name = named ? &list->named[k] : &list->placed[k];
        if (named ? (list->has >> k & 1) != 0 : k < list->count) {
            bind_param(p, name->at, name->length, (Param)k);
        }
    }
    return named && list->has == 1u << PARAM_I ? 1 : 3;
}

unsigned parser_parameters(Parser *p) {
    Lexer *l = &p->lexer;
    Token open = l->token;
    ParamList list = {.count = 0};
    if (open.kind != TOK_OPEN) {
        parser_unexpected(p, "'('");
        return 0;
    }
    lexer_next(l);
    while (l->token.kind != TOK_CLOSE) {
        if (l->token.kind != TOK_NAME) {
            parser_unexpected(p, "a parameter");
            return 0;
        }
        param_add(&list, &l->token);
        lexer_next(l);
        if (l->token.kind == TOK_COLON) {
            lexer_next(l);
            skip_type(p);
        }
        if (l->token.kind == TOK_COMMA) {
            lexer_next(l);
        } else if (l->token.kind != TOK_CLOSE) {
            parser_unexpected(p, "',' or ')'");
            return 0;
        }
    }
    lexer_next(l);
    return param_bind(p, &list, open.at);
}

static void body(Parser *p, ParseScope *scope, uint32_t indent) {
    Lexer *l = &p->lexer;
    if (l->token.kind != TOK_NEWLINE) { /* def f(I): return I */
        statements(p, scope, true);
        return;
    }
    lexer_next(l);
    uint32_t inner = l->token.indent;
    while (l->token.kind != TOK_END && l->token.indent > indent && !p->nomem) {
        uint32_t here = l->token.indent;
        bool was_bad = p->bad;
        if (here != inner && !was_bad) {
            parser_error(p, l->token.at, "this line is indented differently");
        }
        p->bad = false;
        statements(p, scope, true);
        if (p->bad) {
            skip_block(p, here);
        }
        p->bad |= was_bad;
    }
}

/* The current token is `def`. `decorated`: the place of a decorator before it, or NULL. */
static void function(Parser *p, const char *decorated) {
    Lexer *l = &p->lexer;
    uint32_t indent = l->token.indent;
    ParseScope scope;
    start_scope(p, &scope, "", 0, l->token.at);
    lexer_next(l);
    unsigned nparams = 0;
    if (l->token.kind == TOK_NAME) {
        scope.name = scope.at = l->token.at;
        scope.name_length = l->token.length;
        lexer_next(l);
        nparams = parser_parameters(p);
    } else {
        parser_unexpected(p, "the name of the function");
    }
    if (decorated != NULL) {
        parser_error(p, decorated, "decorators are not part of the language");
    }
    if (l->token.kind == TOK_ARROW) {
        lexer_next(l);
        skip_type(p);
    }
    if (!p->panic && l->token.kind != TOK_COLON) {
        parser_unexpected(p, "':'");
    }
    if (p->panic || nparams == 0) { /* nothing sensible can be said about the body */
        lexer_recover(l);
        if (l->token.kind == TOK_NEWLINE) {
            lexer_next(l);
        }
        skip_block(p, indent);
        return;
    }
    lexer_next(l);
    body(p, &scope, indent);
    finish_scope(p, &scope, nparams);
}

/* Statements outside functions: one program, with the parameters it uses. */
static void loose(Parser *p, ParseScope *scope) {
    Lexer *l = &p->lexer;
    int wanted = p->options->nparams;
    bool file = p->options->form == PARSE_FILE;
    start_scope(p, scope, "", 0, l->token.at);
    if (wanted != 0) {
        bind_param(p, "I", 1, PARAM_I);
    }
    if (wanted == 3 || wanted < 0) {
        bind_param(p, "S", 1, PARAM_S);
        bind_param(p, "C", 1, PARAM_C);
    }
    do {
        bool was_bad = p->bad;
        uint32_t indent = l->token.indent;
        p->bad = false;
        statements(p, scope, false);
        if (p->bad && file) {
            skip_block(p, indent);
        }
        p->bad |= was_bad;
    } while (l->token.kind != TOK_END && !p->nomem &&
             !(file && (TOKEN_IS(&l->token, "def") || TOKEN_IS(&l->token, "from") ||
                        TOKEN_IS(&l->token, "import") || l->token.kind == TOK_AT)));
    if (!scope->any) {
        return; /* only docstrings */
    }
    if (wanted < 0) {
        bool many =
            (p->used & (1u << PARAM_S | 1u << PARAM_C)) != 0 || (file && p->options->mode == MODE_BATT);
        wanted = many ? 3 : file || p->used != 0 ? 1 : 0;
    }
    finish_scope(p, scope, (unsigned)wanted);
}

static void file(Parser *p) {
    Lexer *l = &p->lexer;
    const char *decorated = NULL;
    ParseScope scope;
    while (l->token.kind != TOK_END && !p->nomem) {
        if (l->token.kind == TOK_NEWLINE) {
            lexer_next(l);
        } else if (TOKEN_IS(&l->token, "from") || TOKEN_IS(&l->token, "import") || l->token.kind == TOK_AT) {
            decorated = l->token.kind == TOK_AT ? l->token.at : decorated;
            while (l->token.kind != TOK_NEWLINE && l->token.kind != TOK_END) {
                lexer_next(l);
            }
        } else if (TOKEN_IS(&l->token, "def")) {
            function(p, decorated);
            decorated = NULL;
        } else {
            loose(p, &scope);
        }
    }
}

static void literal(Parser *p) {
    ParseScope scope;
    start_scope(p, &scope, "", 0, p->lexer.token.at);
    scope.result = parser_expr(p);
    scope.returned = true;
    if (!p->panic && p->lexer.token.kind != TOK_END) {
        parser_unexpected(p, "the end of the value");
    }
    if (!p->bad && scope.result.kind != NODE_LITERAL) {
        parser_error(p, scope.at, "a value was expected, not a computation");
    }
    p->depth = 0;
    finish_scope(p, &scope, 0);
}

bool lang_text_is_clean(const char *text, size_t length, size_t *offset) {
    const char *at = text, *end = text + length;
    while (at < end) {
        uint64_t eight;
        if (end - at >= 8) { /* eight plain bytes at a time: none has the high bit, none is 0 */
            memcpy(&eight, at, 8);
            if (((eight | (eight - 0x0101010101010101u)) & 0x8080808080808080u) == 0) {
                at += 8;
                continue;
            }
        }
        uint32_t code;
        size_t used = *at == '\0' ? 0 : utf8_decode(at, end, &code);
        if (used == 0) {
            *offset = (size_t)(at - text);
            return false;
        }
        at += used;
    }
    return true;
}

bool parser_open(Parser *p) {
    const Source *source = p->source;
    size_t offset;
    p->nomem = !make_room(p->lang, source->length);
    if (p->nomem) {
        return false;
    }
    if (!lang_text_is_clean(source->text, source->length, &offset)) {
        diags_add(p->diags, source, offset, false,
                  source->text[offset] == '\0' ? "a NUL byte: this is not a text file"
                                               : "this is not UTF-8 text");
        return false;
    }
    lexer_start(&p->lexer, source->text, source->length);
    return true;
}

bool lang_parse(Lang *lang, const Source *source, const ParseOptions *options, ProgList *programs,
                Diags *diags) {
    Parser p = {.lang = lang, .source = source, .options = options, .programs = programs, .diags = diags};
    if (!parser_open(&p)) {
        return !p.nomem && !diags->text.failed;
    }
    ParseScope scope;
    switch (options->form) {
    case PARSE_FILE:
        file(&p);
        break;
    case PARSE_LITERAL:
        literal(&p);
        break;
    case PARSE_LINE:
        loose(&p, &scope);
        if (!scope.any && !p.bad) {
            parser_error(&p, source->text, "nothing to evaluate");
        }
    }
    LOG(LANG, "%s: %zu programs so far, %zu errors", source->name, programs != NULL ? programs->count : 0,
        (size_t)diags->errors);
    return !p.nomem && !diags->text.failed;
}

Program *lang_parse_line(Lang *lang, const char *name, const char *text, const ParseOptions *options,
                         ProgList *programs) {
    Source source = source_of(name, text, strlen(text));
    size_t before = programs->count;
    Diags diags;
    diags_init(&diags);
    bool good = lang_parse(lang, &source, options, programs, &diags);
    ASSERT(!good || (diags.errors == 0 && programs->count == before + 1), "%s", text);
    good = good && diags.errors == 0 && programs->count == before + 1;
    diags_free(&diags);
    return good ? programs->items[before] : NULL;
}
