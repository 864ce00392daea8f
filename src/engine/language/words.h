/* Named numbers inside arguments: the shapes that words.def declares, for the parser and the printer. */
#ifndef BATT_LANG_WORDS_H
#define BATT_LANG_WORDS_H

#include "base/out.h"
#include "engine/primitives/prim.h"

typedef enum WordShape {
    WORDS_NONE,
#define SET(set, names, texts, count)
#define SHAPE(shape) WORDS_##shape,
#define FORM(shape, length, ...)
#define ARGUMENT(primitive, which, shape)
#include "engine/language/words.def"
#undef SET
#undef SHAPE
#undef FORM
#undef ARGUMENT
    WORDS_SHAPES
} WordShape;

/* The shape of a primitive's argument, WORDS_NONE if it has no words. */
WordShape words_of(uint32_t prim, uint32_t which);
/* The number that a word stands for in a shape or in the shapes nested in it; false: it is not one of its
 * words. */
bool words_find(WordShape shape, const char *text, size_t length, int64_t *number);
/* The word of a shape that is nearest to a misspelt one, or NULL. */
const char *words_nearest(WordShape shape, const char *text, size_t length);
/* Writes a value with its words. False: no form fits at the outermost level, and nothing was written. */
bool words_write(Out *out, WordShape shape, Val value, void (*plain)(Out *out, Val value));

/* Calls `each` for every word of a shape and of the shapes nested in it, once for every place it may stand
 * in, until `each` returns false. `text` says what the word means; "" for the words of a form. */
void words_each(WordShape shape, bool (*each)(void *user, const char *word, int64_t number, const char *text),
                void *user);

#endif
