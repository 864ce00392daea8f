/* Reading and writing idioms; see idioms.h. */
#include "search/learning/idioms.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/mix.h"
#include "engine/language/parse.h"
#include "engine/language/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[IDIOM_TYPE_COUNT] = {
#define X(name) #name,
    IDIOM_TYPES(X)
#undef X
};

enum { PATCH = 1u << IDIOM_indices | 1u << IDIOM_object };

static uint32_t type_set(const char *name, size_t length) {
    if (length == 5 && memcmp(name, "patch", 5) == 0) {
        return PATCH;
    }
    for (unsigned k = 0; k < IDIOM_TYPE_COUNT; k++) {
        if (strlen(type_names[k]) == length && memcmp(type_names[k], name, length) == 0) {
            return 1u << k;
        }
    }
    return 0;
}

static bool read_types(Idiom *idiom, const char *result, size_t result_length, const char *text,
                       size_t length) {
    idiom->gives = type_set(result, result_length);
    for (size_t at = 0; at < length;) {
        size_t word = strcspn(text + at, " ,)");
        word = word < length - at ? word : length - at;
        if (word == 0) {
            at++;
            continue;
        }
        if (idiom->holes == IDIOM_HOLES) {
            return false;
        }
        idiom->takes[idiom->holes] = type_set(text + at, word);
        if (idiom->takes[idiom->holes++] == 0) {
            return false;
        }
        at += word;
    }
    return idiom->gives != 0;
}

typedef struct Reader {
    IdiomSet *set;
    Lang *lang;
    ProgList list;
    Diags diags;
} Reader;

bool idioms_fit(const Program *body) {
    bool fits = prog_slots(body) <= IDIOM_MAX_SLOTS;
    for (uint32_t k = 0; k < body->nops && fits; k++) {
        fits = body->ops[k].nargs <= IDIOM_MAX_ARGS;
    }
    return fits;
}

bool idioms_add(IdiomSet *set, Idiom idiom) {
    ASSERT(idiom.body != NULL && idiom.holes <= IDIOM_HOLES && idiom.cost <= IDIOM_MAX_COST,
           "%u holes, %u bits", idiom.holes, idiom.cost);
    if (!MEM_ROOM(set->items, set->count, set->room, 256)) {
        prog_free(idiom.body);
        return false;
    }
    set->items[set->count++] = idiom;
    set->own |= idiom.own;
    return true;
}

static bool add(Reader *r, Idiom idiom, const char *text, size_t length, char *why, size_t why_size) {
    IdiomSet *set = r->set;
    Source source = source_of("idiom", text, length);
    ParseOptions how = {PARSE_LINE, MODE_CORE, 3};
    size_t before = r->list.count;
    if (set->count == IDIOM_MAX) {
        snprintf(why, why_size, "more than %d idioms", IDIOM_MAX);
        return false;
    }
    if (!lang_parse(r->lang, &source, &how, &r->list, &r->diags)) {
        snprintf(why, why_size, MEM_NONE);
        return false;
    }
    if (r->diags.errors != 0 || r->list.count != before + 1) {
        snprintf(why, why_size, "%.*s: %s", (int)(length < 80 ? length : 80), text,
                 r->diags.count ? diags_message(&r->diags, &r->diags.items[0]) : "one expression expected");
        return false;
    }
    const Program *body = r->list.items[before];
    for (uint32_t k = 0; k < body->nargs || k == 0; k++) {
        uint32_t slot = k < body->nargs ? body->args[k] : body->result;
        if (slot >= idiom.holes && slot < body->nparams) {
            snprintf(why, why_size, "%.*s: more parameters than arguments", (int)(length < 80 ? length : 80),
                     text);
            return false;
        }
    }
    if (!idioms_fit(body)) {
        snprintf(why, why_size, "%.*s: too long for an idiom", (int)(length < 80 ? length : 80), text);
        return false;
    }
    idiom.body = r->list.items[--r->list.count];
    if (!idioms_add(set, idiom)) {
        snprintf(why, why_size, MEM_NONE);
        return false;
    }
    return true;
}

static bool open_reader(Reader *r, char *why, size_t why_size) {
    *r = (Reader){.set = mem_zalloc(1, sizeof *r->set), .lang = lang_open()};
    diags_init(&r->diags);
    if (r->set == NULL || r->lang == NULL) {
        snprintf(why, why_size, MEM_NONE);
        return false;
    }
    return true;
}

static IdiomSet *close_reader(Reader *r, bool good) {
    progs_free(&r->list);
    diags_free(&r->diags);
    if (r->lang != NULL) {
        lang_close(r->lang);
    }
    if (!good) {
        idioms_free(r->set);
        return NULL;
    }
    return r->set;
}

IdiomSet *idioms_builtin(char *why, size_t why_size) {
    static const struct {
        uint8_t cost;
        const char *result, *arguments, *text;
    } rows[] = {
#define IDIOM(cost, result, arguments, text) {cost, result, arguments, text},
#include "search/learning/idioms.def"
#undef STEP
    };
    Reader r;
    bool good = open_reader(&r, why, why_size);
    for (size_t k = 0; good && k < sizeof rows / sizeof *rows; k++) {
        Idiom idiom = {.cost = rows[k].cost};
        good = read_types(&idiom, rows[k].result, strlen(rows[k].result), rows[k].arguments,
                          strlen(rows[k].arguments));
        if (!good) {
            snprintf(why, why_size, "%s: unknown type", rows[k].text);
        }
        good = good && add(&r, idiom, rows[k].text, strlen(rows[k].text), why, why_size);
    }
    return close_reader(&r, good);
}

/* Reads a line of the form COST RESULT(ARGUMENTS): EXPRESSION. */
static bool read_line(Reader *r, const char *line, size_t length, char *why, size_t why_size) {
    const char *end = line + length;
    char *after;
    long cost = strtol(line, &after, 10);
    const char *result = after;
    while (result < end && *result == ' ') {
        result++;
    }
    const char *open = result < end ? memchr(result, '(', (size_t)(end - result)) : NULL;
    const char *shut = open ? memchr(open, ')', (size_t)(end - open)) : NULL;
    Idiom idiom = {.cost = (uint8_t)cost};
    if (after == line || cost < 1 || cost > IDIOM_MAX_COST) {
        snprintf(why, why_size, "a cost from 1 to %d expected", IDIOM_MAX_COST);
        return false;
    }
    if (shut == NULL || shut + 1 >= end || shut[1] != ':') {
        snprintf(why, why_size, "expected COST RESULT(ARGUMENTS): EXPRESSION");
        return false;
    }
    if (!read_types(&idiom, result, (size_t)(open - result), open + 1, (size_t)(shut - open - 1))) {
        snprintf(why, why_size, "unknown type, or more than %d arguments", IDIOM_HOLES);
        return false;
    }
    const char *text = shut + 2;
    while (text < end && *text == ' ') {
        text++;
    }
    return add(r, idiom, text, (size_t)(end - text), why, why_size);
}

IdiomSet *idioms_read(const char *path, char *why, size_t why_size) {
    Source source;
    Reader r;
    char reason[256];
    if (!source_read(&source, path, reason, sizeof reason)) {
        snprintf(why, why_size, "%s: %s", path, reason);
        return NULL;
    }
    bool good = open_reader(&r, why, why_size);
    size_t number = 1;
    for (const char *at = source.text, *end = at + source.length; good && at < end; number++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        size_t length = next ? (size_t)(next - at) : (size_t)(end - at);
        size_t blank = strspn(at, " \t\r");
        if (blank < length && at[blank] != '#' && !read_line(&r, at, length, reason, sizeof reason)) {
            snprintf(why, why_size, "%s:%zu: %s", path, number, reason);
            good = false;
        }
        at += length + 1;
    }
    if (good && r.set->count == 0) {
        snprintf(why, why_size, "%s: no idioms", path);
        good = false;
    }
    source_free(&source);
    return close_reader(&r, good);
}

void idioms_free(IdiomSet *set) {
    if (set != NULL) {
        for (uint32_t k = 0; k < set->count; k++) {
            prog_free(set->items[k].body);
        }
        mem_free(set->items);
        mem_free(set);
    }
}

uint64_t idioms_own_hash(const IdiomSet *set) {
    uint64_t hash = 0;
    for (uint32_t k = 0; k < set->count; k++) {
        const Idiom *idiom = &set->items[k];
        hash = idiom->own ? mix64(mix64(hash, idiom->body->hash.lo), idiom->cost) : hash;
    }
    return hash;
}

static const char *set_name(uint32_t set) {
    return set == PATCH ? "patch" : type_names[__builtin_ctz(set)];
}

void idioms_write(Out *out, const IdiomSet *set) {
    for (uint32_t k = 0; k < set->count; k++) {
        const Idiom *idiom = &set->items[k];
        out_fmt(out, "%2d %s(", idiom->cost, set_name(idiom->gives));
        for (unsigned h = 0; h < idiom->holes; h++) {
            out_fmt(out, "%s%s", h ? ", " : "", set_name(idiom->takes[h]));
        }
        out_str(out, "): ");
        print_oneline(out, idiom->body);
        out_char(out, '\n');
    }
}
