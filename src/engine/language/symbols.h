/* Words for numbers inside arguments (engine/primitives/symbol_table.h), for the parser and the printer. */
#ifndef BATT_ENGINE_LANGUAGE_SYMBOLS_H
#define BATT_ENGINE_LANGUAGE_SYMBOLS_H

#include "base/out.h"
#include "engine/primitives/symbol_table.h"

/* The shape of a primitive's argument, SYMBOLS_NONE if it has no words. */
SymbolShape symbols_of(uint32_t prim, uint32_t which);
/* The number that a word stands for in a shape or in the shapes nested in it; false: it is not one of its
 * words. */
bool symbols_find(SymbolShape shape, const char *text, size_t length, int64_t *number);
/* The word of a shape that is nearest to a misspelt one, or NULL. */
const char *symbols_nearest(SymbolShape shape, const char *text, size_t length);
/* Writes a value with its words. False: no form fits at the outermost level, and nothing was written. */
bool symbols_write(Out *out, SymbolShape shape, Val value, void (*plain)(Out *out, Val value));

/* Calls `each` for the words of a shape and of the shapes nested in it, until `each` returns false. `text`
 * says what the word means. */
void symbols_each(SymbolShape shape,
                  bool (*each)(void *user, const char *symbol, int64_t number, const char *text), void *user);

#endif
