/* The words that program text has for numbers in arguments, as tables: which argument has which shape, and
 * which words stand where in it (symbol_table.def). The folders that own the numbers define the sets of
 * words; engine/language/symbols.h reads and writes them. */
#ifndef BATT_ENGINE_PRIMITIVES_SYMBOL_TABLE_H
#define BATT_ENGINE_PRIMITIVES_SYMBOL_TABLE_H

#include "engine/primitives/prim.h"

typedef struct Symbol {
    const char *name, *text; /* the word, and what it means */
} Symbol;

/* Words for `count` numbers from `first` on; a number without a word has NULL. */
typedef struct SymbolSet {
    const Symbol *symbols;
    int16_t first, count;
} SymbolSet;
#define SYMBOL_SET(first, symbols) \
    { (symbols), (first), (int16_t)(sizeof(symbols) / sizeof *(symbols)) }

#define SHAPE(shape)
#define FORM(shape, length, ...)
#define SET(set) extern const SymbolSet symbols_##set;
#define NUMBERS(set) SET(set)
#include "engine/primitives/symbol_table.def"
#undef SHAPE
#undef SET
#undef NUMBERS

typedef enum SymbolShape {
    SYMBOLS_NONE,
#define SHAPE(shape) SYMBOLS_##shape,
#define SET(set)
#define NUMBERS(set) SHAPE(set)
#include "engine/primitives/symbol_table.def"
#undef SHAPE
#undef FORM
#undef SET
#undef NUMBERS
    SYMBOLS_SHAPES
} SymbolShape;

/* What stands at a place of a form: a word of a set, a single word, a value of another shape, or anything. */
typedef struct SymbolItem {
    const SymbolSet *set;
    Symbol symbol; /* its name is NULL if it is not a single word */
    int16_t number;
    uint8_t shape; /* SymbolShape */
    bool any;
} SymbolItem;

enum { SYMBOL_NUMBER = 0, SYMBOL_LIST = UINT8_MAX, SYMBOL_ITEMS = 5 };

typedef struct SymbolForm {
    uint8_t shape, length; /* of a tuple; SYMBOL_NUMBER: no tuple; SYMBOL_LIST: of any length */
    SymbolItem items[SYMBOL_ITEMS];
} SymbolForm;

extern const SymbolForm symbol_forms[];
extern const size_t symbol_form_count;

#endif
