/* Programs as text.
 *
 * The canonical text has one call a line, variables x1, x2, ... and the result O; constants have their names
 * where there is one (T and F where the parameter is a truth value), numbers that stand for things their
 * words (words.def), and sets are written frozenset({..}), so that Python reads the text as well. Parsing the
 * text gives a program with the same hash and the same text.
 */
#ifndef BATT_LANG_PRINT_H
#define BATT_LANG_PRINT_H

#include "core/out.h"
#include "lang/program.h"

/* def NAME(I): ... return O. name NULL: the program's own, or "solve". A program without parameters gets no
 * def. */
void print_program(Out *out, const Program *program, const char *name);
/* x1 = ...; O = ... on one line. */
void print_oneline(Out *out, const Program *program);
/* The right-hand side of one op: fill(I, FOUR, x5). */
void print_call(Out *out, const Program *program, uint32_t op);
/* The variable of a slot, the parameter's name, or a constant. */
void print_slot(Out *out, const Program *program, uint32_t slot);
/* "0123..ef": 32 digits. */
void print_hash(char text[33], ProgHash hash);

#endif
