/* Shapes of arguments and their words; see symbols.def. */
#include "engine/language/symbols.h"

#include "base/nearest.h"
#include "engine/features/features.h"
#include "engine/features/grid_numbers.h"
#include "engine/patterns/beams.h"

#include <string.h>

typedef enum SymbolSetId {
#define SET(set, names, texts, count) SET_##set,
#define SHAPE(shape)
#define FORM(shape, length, ...)
#define ARGUMENT(primitive, which, shape)
#include "engine/language/symbols.def"
#undef SET
#undef SHAPE
#undef FORM
#undef ARGUMENT
    SET_COUNT
} SymbolSetId;

typedef struct SymbolSet {
    const char *(*name)(unsigned number), *(*text)(unsigned number);
    unsigned count;
} SymbolSet;

typedef enum ItemKind { ITEM_NONE, ITEM_ANY, ITEM_SYMBOL, ITEM_OF, ITEM_NEST } ItemKind;

typedef struct SymbolItem {
    uint8_t kind;       /* ItemKind */
    uint8_t which;      /* set or shape */
    int16_t number;     /* of a word */
    const char *symbol; /* NULL: none */
} SymbolItem;

enum { NUMBER = 0, LIST = UINT8_MAX, MAX_ITEMS = 8 };

typedef struct Form {
    uint8_t shape, length; /* length may be NUMBER or LIST */
    SymbolItem items[MAX_ITEMS];
} Form;

#define ANY \
    { ITEM_ANY, 0, 0, NULL }
#define SYMBOL(name, number) \
    { ITEM_SYMBOL, 0, number, #name }
#define OF(set) \
    { ITEM_OF, SET_##set, 0, NULL }
#define NEST(shape) \
    { ITEM_NEST, SYMBOLS_##shape, 0, NULL }

static const SymbolSet sets[SET_COUNT] = {
#define SET(set, names, texts, count) {names, texts, count},
#define SHAPE(shape)
#define FORM(shape, length, ...)
#define ARGUMENT(primitive, which, shape)
#include "engine/language/symbols.def"
#undef SET
#undef FORM
#undef ARGUMENT
};

static const Form forms[] = {
#define SET(set, names, texts, count)
#define FORM(shape, length, ...) {SYMBOLS_##shape, length, {__VA_ARGS__}},
#define ARGUMENT(primitive, which, shape)
#include "engine/language/symbols.def"
#undef FORM
#undef ARGUMENT
};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

static const struct {
    uint16_t prim;
    uint8_t which, shape;
} arguments[] = {
#define FORM(shape, length, ...)
#define ARGUMENT(primitive, which, shape) {P_##primitive, which, SYMBOLS_##shape},
#include "engine/language/symbols.def"
#undef SET
#undef SHAPE
#undef FORM
#undef ARGUMENT
};

SymbolShape symbols_of(uint32_t prim, uint32_t which) {
    for (size_t k = 0; k < sizeof arguments / sizeof *arguments; k++) {
        if (arguments[k].prim == prim && arguments[k].which == which) {
            return (SymbolShape)arguments[k].shape;
        }
    }
    return SYMBOLS_NONE;
}

/* ---- reading ---- */

typedef bool EachSymbol(void *user, const char *symbol, int64_t number, const char *text);

/* `seen`: bit set of the shapes visited so far. */
static bool walk(SymbolShape shape, uint64_t *seen, EachSymbol *each, void *user) {
    _Static_assert(SYMBOLS_SHAPES <= 64 && SET_COUNT <= 64, "more shapes or sets than bits");
    uint64_t sets_seen = 0;
    bool go_on = true;
    *seen |= (uint64_t)1 << shape;
    for (size_t k = 0; k < FORM_COUNT && go_on; k++) {
        const Form *form = &forms[k];
        for (size_t i = 0; form->shape == shape && i < MAX_ITEMS && go_on; i++) {
            const SymbolItem *item = &form->items[i];
            uint64_t bit = (uint64_t)1 << item->which;
            if (item->kind == ITEM_SYMBOL) {
                go_on = each(user, item->symbol, item->number, "");
            } else if (item->kind == ITEM_NEST && (*seen & bit) == 0) {
                go_on = walk((SymbolShape)item->which, seen, each, user);
            } else if (item->kind == ITEM_OF && (sets_seen & bit) == 0) {
                sets_seen |= bit;
                for (unsigned n = 0; n < sets[item->which].count && go_on; n++) {
                    go_on = each(user, sets[item->which].name(n), n, sets[item->which].text(n));
                }
            }
        }
    }
    return go_on;
}

void symbols_each(SymbolShape shape, EachSymbol *each, void *user) {
    uint64_t seen = 0;
    walk(shape, &seen, each, user);
}

typedef struct Sought {
    const char *text;
    size_t length;
    int64_t *number;
    bool found;
} Sought;

static bool is_sought(void *user, const char *symbol, int64_t number, const char *text) {
    Sought *s = user;
    (void)text;
    if (strncmp(symbol, s->text, s->length) == 0 && symbol[s->length] == '\0') {
        *s->number = number;
        s->found = true;
    }
    return !s->found;
}

bool symbols_find(SymbolShape shape, const char *text, size_t length, int64_t *number) {
    Sought sought = {.text = text, .length = length};
    sought.number = number;
    if (shape != SYMBOLS_NONE && length > 0 && text[0] >= 'A' && text[0] <= 'Z') {
        symbols_each(shape, is_sought, &sought);
    }
    return sought.found;
}

static bool is_near(void *user, const char *symbol, int64_t number, const char *text) {
    (void)number;
    (void)text;
    nearest_offer(user, symbol);
    return true;
}

const char *symbols_nearest(SymbolShape shape, const char *text, size_t length) {
    Nearest nearest = nearest_to(text, length);
    if (shape != SYMBOLS_NONE) {
        symbols_each(shape, is_near, &nearest);
    }
    return nearest.best;
}

/* ---- writing ---- */

static const SymbolItem *item_at(const Form *form, uint32_t k) {
    return &form->items[form->length == LIST ? 0 : k];
}

static bool fits(const Form *form, Val v) {
    if (form->length == NUMBER) {
        return val_is_int(v);
    }
    if (!val_is_tuple(v) || (form->length != LIST && val_len(v) != form->length)) {
        return false;
    }
    for (uint32_t k = 0; k < val_len(v); k++) {
        const SymbolItem *item = item_at(form, k);
        if (item->kind == ITEM_SYMBOL) {
            Val x = val_at(v, k);
            if (!val_is_int(x) || x.i != item->number) {
                return false;
            }
        }
    }
    return true;
}

static void write_item(Out *out, const SymbolItem *item, Val v, void (*plain)(Out *, Val)) {
    if (item->kind == ITEM_SYMBOL) {
        out_str(out, item->symbol);
    } else if (item->kind == ITEM_OF && val_is_int(v) && v.i >= 0 && v.i < sets[item->which].count) {
        out_str(out, sets[item->which].name((unsigned)v.i));
    } else if (item->kind != ITEM_NEST || !symbols_write(out, (SymbolShape)item->which, v, plain)) {
        plain(out, v);
    }
}

bool symbols_write(Out *out, SymbolShape shape, Val v, void (*plain)(Out *, Val)) {
    const Form *form = forms;
    while (form < forms + FORM_COUNT && (form->shape != shape || !fits(form, v))) {
        form++;
    }
    if (shape == SYMBOLS_NONE || form == forms + FORM_COUNT) {
        return false;
    }
    if (form->length == NUMBER) {
        write_item(out, &form->items[0], v, plain);
        return true;
    }
    uint32_t n = val_len(v);
    out_char(out, '(');
    for (uint32_t k = 0; k < n; k++) {
        out_str(out, k ? ", " : "");
        write_item(out, item_at(form, k), val_at(v, k), plain);
    }
    out_str(out, n == 1 ? ",)" : ")");
    return true;
}
