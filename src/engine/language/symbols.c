/* Reading and writing words for numbers; see symbols.h. */
#include "engine/language/symbols.h"

#include "base/nearest.h"

#include <string.h>

SymbolShape symbols_of(uint32_t prim, uint32_t which) {
    return which < PRIM_MAX_ARITY ? (SymbolShape)prim_table[prim].symbols[which] : SYMBOLS_NONE;
}

/* ---- reading ---- */

typedef bool EachSymbol(void *user, const char *symbol, int64_t number, const char *text);

/* The shapes and sets that were listed before. */
typedef struct Seen {
    bool shapes[SYMBOLS_SHAPES];
    const SymbolSet *sets[8];
    uint32_t count;
} Seen;

static bool walk_set(const SymbolSet *set, Seen *seen, EachSymbol *each, void *user) {
    bool go_on = true, listed = false;
    for (uint32_t k = 0; k < seen->count; k++) {
        listed |= seen->sets[k] == set;
    }
    if (!listed && seen->count < sizeof seen->sets / sizeof *seen->sets) {
        seen->sets[seen->count++] = set;
    }
    for (int k = 0; k < set->count && !listed && go_on; k++) {
        go_on = set->symbols[k].name == NULL ||
                each(user, set->symbols[k].name, set->first + k, set->symbols[k].text);
    }
    return go_on;
}

static bool walk(SymbolShape shape, Seen *seen, EachSymbol *each, void *user) {
    bool go_on = true;
    seen->shapes[shape] = true;
    for (size_t k = 0; k < symbol_form_count && go_on; k++) {
        const SymbolForm *form = &symbol_forms[k];
        for (size_t i = 0; form->shape == shape && i < SYMBOL_ITEMS && go_on; i++) {
            const SymbolItem *item = &form->items[i];
            if (item->symbol.name != NULL) {
                go_on = each(user, item->symbol.name, item->number, item->symbol.text);
            } else if (item->set != NULL) {
                go_on = walk_set(item->set, seen, each, user);
            } else if (item->shape != SYMBOLS_NONE && !seen->shapes[item->shape]) {
                go_on = walk((SymbolShape)item->shape, seen, each, user);
            }
        }
    }
    return go_on;
}

void symbols_each(SymbolShape shape, EachSymbol *each, void *user) {
    Seen seen = {.count = 0};
    if (shape != SYMBOLS_NONE) {
        walk(shape, &seen, each, user);
    }
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

/* Words of stores and solver files from before 1.0, which are still read. */
static const struct {
    const char *old, *now;
} synonyms[] = {
    {"AT_INK", "AT_FOREGROUND"},
    {"BLOBS", "MULTICOLOR_COMPONENTS"},
    {"BLOBS_AROUND", "MULTICOLOR_AROUND"},
    {"BLOB_AT_BELOW", "MULTICOLOR_AT_BELOW"},
    {"BLOB_AT_COLUMN", "MULTICOLOR_AT_COLUMN"},
    {"BLOB_AT_MOD2", "MULTICOLOR_AT_MOD2"},
    {"BLOB_AT_RIGHT", "MULTICOLOR_AT_RIGHT"},
    {"BLOB_AT_ROW", "MULTICOLOR_AT_ROW"},
    {"BLOB_COLORS", "MULTICOLOR_COLORS"},
    {"BLOB_HEIGHT", "MULTICOLOR_HEIGHT"},
    {"BLOB_MAIN", "MULTICOLOR_MAIN"},
    {"BLOB_MIRROR_COLUMNS", "MULTICOLOR_MIRROR_COLUMNS"},
    {"BLOB_MIRROR_ROWS", "MULTICOLOR_MIRROR_ROWS"},
    {"BLOB_RANK", "MULTICOLOR_RANK"},
    {"BLOB_RANK_UP", "MULTICOLOR_RANK_UP"},
    {"BLOB_RAREST", "MULTICOLOR_RAREST"},
    {"BLOB_SIZE", "MULTICOLOR_SIZE"},
    {"BLOB_WIDTH", "MULTICOLOR_WIDTH"},
    {"GROUND", "BACKGROUND"},
    {"INK", "FOREGROUND_CELLS"},
    {"INKS", "FOREGROUND_COLORS"},
    {"INK_COLUMN", "FOREGROUND_COLUMN"},
    {"INK_ROW", "FOREGROUND_ROW"},
    {"MAIN_OVER_GROUND", "MAIN_FOREGROUND"},
    {"PARTS", "COMPONENTS"},
    {"PARTS8", "COMPONENTS8"},
};

static bool find(SymbolShape shape, const char *text, size_t length, int64_t *number) {
    Sought sought = {.text = text, .length = length};
    sought.number = number;
    symbols_each(shape, is_sought, &sought);
    return sought.found;
}

bool symbols_find(SymbolShape shape, const char *text, size_t length, int64_t *number) {
    if (length == 0 || text[0] < 'A' || text[0] > 'Z') {
        return false;
    }
    bool found = find(shape, text, length, number);
    for (size_t k = 0; k < sizeof synonyms / sizeof *synonyms && !found; k++) {
        const char *now = synonyms[k].now;
        found = strncmp(synonyms[k].old, text, length) == 0 && synonyms[k].old[length] == '\0' &&
                find(shape, now, strlen(now), number);
    }
    return found;
}

static bool is_near(void *user, const char *symbol, int64_t number, const char *text) {
    (void)number;
    (void)text;
    nearest_offer(user, symbol);
    return true;
}

const char *symbols_nearest(SymbolShape shape, const char *text, size_t length) {
    Nearest nearest = nearest_to(text, length);
    symbols_each(shape, is_near, &nearest);
    return nearest.best;
}

/* ---- writing ---- */

/* The word for a value at a place, NULL: none. */
static const char *word_of(const SymbolItem *item, Val v) {
    if (!val_is_int(v)) {
        return NULL;
    }
    if (item->set == NULL) {
        return v.i == item->number ? item->symbol.name : NULL;
    }
    int64_t k = v.i - item->set->first;
    return v.i >= item->set->first && k < item->set->count ? item->set->symbols[k].name : NULL;
}

static const SymbolItem *item_at(const SymbolForm *form, uint32_t k) {
    return &form->items[form->length == SYMBOL_LIST ? 0 : k];
}

static bool fits(const SymbolForm *form, Val v) {
    if (form->length == SYMBOL_NUMBER) {
        return word_of(&form->items[0], v) != NULL;
    }
    if (!val_is_tuple(v) || (form->length != SYMBOL_LIST && val_len(v) != form->length)) {
        return false;
    }
    for (uint32_t k = 0; k < val_len(v); k++) {
        const SymbolItem *item = item_at(form, k);
        if (item->symbol.name != NULL && word_of(item, val_at(v, k)) == NULL) {
            return false;
        }
    }
    return true;
}

static void write_item(Out *out, const SymbolItem *item, Val v, void (*plain)(Out *, Val)) {
    const char *word = word_of(item, v);
    if (word != NULL) {
        out_str(out, word);
    } else if (!symbols_write(out, (SymbolShape)item->shape, v, plain)) {
        plain(out, v);
    }
}

bool symbols_write(Out *out, SymbolShape shape, Val v, void (*plain)(Out *, Val)) {
    const SymbolForm *form = symbol_forms, *end = symbol_forms + symbol_form_count;
    while (form < end && (form->shape != shape || !fits(form, v))) {
        form++;
    }
    if (shape == SYMBOLS_NONE || form == end) {
        return false;
    }
    if (form->length == SYMBOL_NUMBER) {
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
