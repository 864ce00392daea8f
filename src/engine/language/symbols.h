/* Named numbers inside arguments: the shapes that symbols.def declares, for the parser and the printer. */
#ifndef BATT_ENGINE_LANGUAGE_SYMBOLS_H
#define BATT_ENGINE_LANGUAGE_SYMBOLS_H

#include "base/out.h"
#include "engine/primitives/prim.h"

typedef enum SymbolShape {
    SYMBOLS_NONE,
#define SET(set, names, texts, count)
#define SHAPE(shape) SYMBOLS_##shape,
#define FORM(shape, length, ...)
#define ARGUMENT(primitive, which, shape)
#include "engine/language/symbols.def"
#undef SET
#undef SHAPE
#undef FORM
#undef ARGUMENT
    SYMBOLS_SHAPES
} SymbolShape;

/* The shape of a primitive's argument, SYMBOLS_NONE if it has no words. */
SymbolShape symbols_of(uint32_t prim, uint32_t which);
/* The number that a word stands for in a shape or in the shapes nested in it; false: it is not one of its
 * words. */
bool symbols_find(SymbolShape shape, const char *text, size_t length, int64_t *number);
/* The word of a shape that is nearest to a misspelt one, or NULL. */
const char *symbols_nearest(SymbolShape shape, const char *text, size_t length);
/* Writes a value with its words. False: no form fits at the outermost level, and nothing was written. */
bool symbols_write(Out *out, SymbolShape shape, Val value, void (*plain)(Out *out, Val value));

/* Calls `each` for every word of a shape and of the shapes nested in it, once for every place it may stand
 * in, until `each` returns false. `text` says what the word means; "" for the words of a form. */
void symbols_each(SymbolShape shape,
                  bool (*each)(void *user, const char *symbol, int64_t number, const char *text), void *user);

#endif
