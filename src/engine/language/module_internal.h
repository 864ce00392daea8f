/* Inside the reader of generated batteries: what module.c, which reads the file, its outputs and scores, and
 * module_steps.c, which reads steps and their guards, share. */
#ifndef BATT_ENGINE_LANGUAGE_MODULE_INTERNAL_H
#define BATT_ENGINE_LANGUAGE_MODULE_INTERNAL_H

#include "engine/language/module.h"
#include "engine/language/parse_internal.h"

enum { MODULE_GUARD_STEPS = 8 };

typedef struct GuardedStep { /* of the try that is being read */
    Token name, callee;
} GuardedStep;

typedef struct ModuleReader {
    Parser parser;
    Module *module;
    GuardedStep steps[MODULE_GUARD_STEPS];
    uint32_t n_steps;
    HashMap firsts; /* number of the first output of each solver, by the hash of its id */
    bool returned;
} ModuleReader;

/* Reads a token of this kind; false after an error. */
bool module_expect(Parser *p, TokenKind kind, const char *wanted);
/* Ends a statement: skips what is left of it after an error, and its newline. */
void module_end_statement(Parser *p);
/* Whether the current line belongs to a block whose head has this indentation. */
bool module_in_block(const Parser *p, uint32_t indent);
/* Leaves out the lines of a block whose head cannot be read, so that one mistake is one message. */
void module_skip_lines(Parser *p, uint32_t indent);

/* NAME = call, or four names; the current token is behind the first one. */
void module_step(ModuleReader *r, Token name);
/* The current token is `try`. */
void module_guard(ModuleReader *r);

#endif
