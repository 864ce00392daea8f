/* Programs as text.
 *
 * The canonical text has one call per line, variables x1, x2, ... and the result O. Constants are written by
 * name if they have one (T and F where the parameter is a truth value), numbers that stand for things as
 * words (symbols.h), and sets as frozenset({..}), so that Python can read the text too. Parsing the text
 * gives a program with the same hash and the same text. */
#ifndef BATT_ENGINE_LANGUAGE_PRINT_H
#define BATT_ENGINE_LANGUAGE_PRINT_H

#include "base/out.h"
#include "engine/language/program.h"

/* def NAME(I): ... return O. name NULL: the program's own name, or "solve". A program without parameters is
 * written without def. */
void print_program(Out *out, const Program *program, const char *name);
/* x1 = ...; O = ... on one line. */
void print_oneline(Out *out, const Program *program);
/* The right-hand side of one op: fill(I, FOUR, x5). */
void print_call(Out *out, const Program *p, uint32_t index);
/* The variable of a slot, the parameter's name, or a constant. */
void print_slot(Out *out, const Program *program, uint32_t slot);
/* "0123..ef": 32 digits. */
void print_hash(char text[33], ProgHash hash);

#endif
