/* The forms of arguments, built from symbol_table.def. */
#include "engine/primitives/symbol_table.h"

#define LIST SYMBOL_LIST
#define ANY \
    { .any = true }
#define SYMBOL(name, value, text) \
    { .symbol = {#name, text}, .number = value }
#define OF(words) \
    { .set = &symbols_##words }
#define NEST(nested) \
    { .shape = SYMBOLS_##nested }

const SymbolForm symbol_forms[] = {
#define SET(set)
#define SHAPE(shape)
#define FORM(shape, length, ...) {SYMBOLS_##shape, length, {__VA_ARGS__}},
#define NUMBERS(set) FORM(set, SYMBOL_NUMBER, OF(set))
#include "engine/primitives/symbol_table.def"
};
const size_t symbol_form_count = sizeof symbol_forms / sizeof *symbol_forms;
