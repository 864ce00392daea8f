/* Reading cards: an ordinary parse, then the marks in the comments; see card.h. */
#include "base/alloc.h"
#include "engine/language/build.h"
#include "search/evolution/card.h"

#include <string.h>

typedef struct CardReader {
    const Source *source;
    const ProgList *functions;
    ProgList *programs, *differs;
    Diags *diags;
    size_t function; /* that the current line belongs to: index + 1, 0 before the first */
    size_t marks;    /* of outputs */
} CardReader;

/* What a line is marked as. */
static const struct Mark {
    const char *text, *wrong;
} mark_output = {CARD_OUTPUT_MARK, "a mark of an output names a program: # output NAME"},
  mark_differ = {CARD_DIFFER_MARK, "a mark of a differ names it: # differ NAME"};

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The slot of a variable; if a name is assigned twice, the last one, as in the text. */
static bool find_slot(const Program *p, const char *name, size_t length, uint32_t *slot) {
    for (uint32_t k = p->nops; k-- > 0;) {
        if (strlen(p->names[k]) == length && memcmp(p->names[k], name, length) == 0) {
            *slot = prog_op_slot(p, k);
            return true;
        }
    }
    return false;
}

static bool add_program(ProgList *list, const Program *p, uint32_t slot, const char *name, size_t length) {
    char *copy = mem_strndup(name, length);
    Program view = *p;
    if (copy == NULL) {
        return false;
    }
    view.result = slot;
    view.name = copy;
    Program *own = prog_strip(&view);
    mem_free(copy);
    return own != NULL && progs_add(list, own);
}

/* "NAME: MUTATION; NAME ..." up to the end of the line. */
static bool read_marks(CardReader *r, const struct Mark *mark, const Program *p, uint32_t slot,
                       const char *at, const char *end) {
    bool output = mark == &mark_output;
    while (at < end) {
        const char *name = at;
        while (at < end && is_name_byte(*at)) {
            at++;
        }
        if (at == name) {
            diags_add(r->diags, r->source, (size_t)(at - r->source->text), false, "%s", mark->wrong);
            return true;
        }
        r->marks += output;
        if (!add_program(output ? r->programs : r->differs, p, slot, name, (size_t)(at - name))) {
            return false;
        }
        while (at < end && *at != ';') {
            at++;
        }
        at += at < end;
        while (at < end && *at == ' ') {
            at++;
        }
    }
    return true;
}

static const char *find_mark(const char *line, const char *end, const struct Mark *mark) {
    return memmem(line, (size_t)(end - line), mark->text, strlen(mark->text));
}

static bool read_line(CardReader *r, const char *line, const char *end) {
    const char *at = line;
    if (end - line > 4 && memcmp(line, "def ", 4) == 0) {
        r->function++;
        return true;
    }
    const struct Mark *mark = &mark_output;
    const char *found = find_mark(line, end, mark);
    if (found == NULL) {
        mark = &mark_differ;
        found = find_mark(line, end, mark);
    }
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    if (found == NULL || *at == '#') {
        return true;
    }
    const char *name = at;
    while (at < end && is_name_byte(*at)) {
        at++;
    }
    const Program *p =
        r->function > 0 && r->function <= r->functions->count ? r->functions->items[r->function - 1] : NULL;
    uint32_t slot;
    if (p == NULL || at == name || !find_slot(p, name, (size_t)(at - name), &slot)) {
        diags_add(r->diags, r->source, (size_t)(found - r->source->text), false,
                  "this line gives no value that could be an output");
        return true;
    }
    while (end > found && (end[-1] == '\r' || end[-1] == ' ')) {
        end--;
    }
    return read_marks(r, mark, p, slot, found + strlen(mark->text), end);
}

bool card_read(Lang *lang, const Source *source, ProgList *programs, ProgList *differs, Diags *diags) {
    ProgList functions = {0};
    bool good = lang_parse(lang, source, &PARSE_OPTIONS_FILE, &functions, diags);
    CardReader r = {
        .source = source, .functions = &functions, .programs = programs, .differs = differs, .diags = diags};
    const char *line = source->text, *end = source->text + source->length;
    while (good && diags->errors == 0 && line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop != NULL ? stop : end;
        good = read_line(&r, line, stop);
        line = stop + 1;
    }
    if (good && diags->errors == 0 && r.marks == 0) {
        diags_add(diags, source, 0, false,
                  "no line is marked as an output (# output NAME): this is not a battery");
    }
    progs_free(&functions);
    return good;
}
