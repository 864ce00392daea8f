/* Reading a solver file into a store; see solver_file.h. Its functions have been parsed by lang already; this
 * reads their comments, which lang skips. Two passes: the first reports errors in the comments, the second
 * puts rows. */
#include "base/alloc.h"
#include "data/store/solver_file.h"
#include "data/store/store_internal.h"
#include "engine/language/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the comments above one function say. */
typedef struct Notes {
    bool has_result, has_name, has_lineage;
    StoreResult result;
    StoreLineage lineage;
    char task[STORE_TASK_MAX + 1], name[STORE_TASK_MAX + 1];
    size_t n_records; /* in ImportReader.records */
} Notes;

typedef struct RecordNote {
    StoreRecord record;
    char task[STORE_TASK_MAX + 1], file[STORE_TASK_MAX + 1];
} RecordNote;

typedef struct ImportReader {
    Store *store;
    const Source *source;
    const ProgList *programs;
    Diags *diags;
    StoreImport *counts;
    size_t next;  /* first program that the next function can be */
    bool putting; /* else only checking for errors */
    Notes notes;
    RecordNote *records; /* of the notes */
    size_t records_room;
    bool no_memory;
    Out value;    /* of a name, without its escapes */
    Out mutation; /* of the notes */
    Out text;     /* of a program */
} ImportReader;

/* ---- values in comments: each function moves *at past what it read ---- */

static bool skip_word(const char **at, const char *end, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

static bool read_number(const char **at, const char *end, int64_t max, int64_t *number) {
    const char *start = *at;
    *number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        int digit = **at - '0';
        if (*number > (max - digit) / 10) {
            return false;
        }
        *number = *number * 10 + digit;
    }
    return *at > start;
}

static bool read_count(const char **at, const char *end, const char *word, int32_t *number) {
    int64_t wide;
    if (!skip_word(at, end, word) || !read_number(at, end, INT32_MAX, &wide)) {
        return false;
    }
    *number = (int32_t)wide;
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads up to a blank, or (`blanks`) up to the end, and decodes %XX. */
static bool read_text(Out *out, const char **at, const char *end, bool blanks) {
    out_clear(out);
    for (; *at < end && (blanks || **at != ' '); ++*at) {
        char c = **at;
        if (c == '%') {
            int high = end - *at > 2 ? hex_digit((*at)[1]) : -1, low = high < 0 ? -1 : hex_digit((*at)[2]);
            if (low < 0 || (high == 0 && low == 0)) {
                return false;
            }
            c = (char)(high << 4 | low);
            *at += 2;
        }
        out_char(out, c);
    }
    return true;
}

static bool read_name(ImportReader *r, const char **at, const char *end, char name[STORE_TASK_MAX + 1]) {
    Out *value = &r->value;
    if (!read_text(value, at, end, false) || value->len == 0 || value->len > STORE_TASK_MAX) {
        return false;
    }
    memcpy(name, value->data, value->len + 1);
    return true;
}

static bool read_signature(const char **at, const char *end, uint64_t *signature) {
    *signature = 0;
    for (int i = 0; i < 16; i++, ++*at) {
        char c = *at < end ? **at : 'x';
        int digit = c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= '0' && c <= '9' ? c - '0' : -1;
        if (digit < 0) {
            return false;
        }
        *signature = *signature << 4 | (unsigned)digit;
    }
    return true;
}

/* ---- comments ---- */

static bool read_result(ImportReader *r, const char **at, const char *end) {
    Notes *notes = &r->notes;
    StoreResult *s = &notes->result;
    *s = (StoreResult){0};
    return skip_word(at, end, "task=") && read_name(r, at, end, notes->task) &&
           read_count(at, end, " score=", &s->score) && read_count(at, end, " train=", &s->train_exact) &&
           read_count(at, end, "/", &s->train_total) && read_count(at, end, " test=", &s->test_exact) &&
           read_count(at, end, "/", &s->test_total) && read_count(at, end, " guard=", &s->guard_passed) &&
           read_count(at, end, "/", &s->guard_total) && skip_word(at, end, " steps=") &&
           read_number(at, end, INT64_MAX, &s->steps) && skip_word(at, end, " time_ns=") &&
           read_number(at, end, INT64_MAX, &s->time_ns) && skip_word(at, end, " outputs=") &&
           read_signature(at, end, &s->outputs) && store_result_fits(s);
}

static bool read_lineage(ImportReader *r, const char **at, const char *end) {
    StoreLineage *lineage = &r->notes.lineage;
    *lineage = (StoreLineage){0};
    if (!skip_word(at, end, "parents=")) {
        return false;
    }
    while (*at < end && **at != ' ') {
        if (lineage->parents == 2 || (lineage->parents > 0 && !skip_word(at, end, ",")) || end - *at < 32 ||
            !store_key_read(*at, &lineage->parent[lineage->parents])) {
            return false;
        }
        lineage->parents++;
        *at += 32;
    }
    return skip_word(at, end, " mutation=") && read_text(&r->mutation, at, end, true);
}

static bool read_record(ImportReader *r, const char **at, const char *end) {
    if (!MEM_ROOM(r->records, r->notes.n_records, r->records_room, 4)) {
        r->no_memory = true;
        return false;
    }
    RecordNote *note = &r->records[r->notes.n_records];
    int64_t speed;
    *note = (RecordNote){0};
    if (!skip_word(at, end, "task=") || !read_name(r, at, end, note->task) || !skip_word(at, end, " kind=")) {
        return false;
    }
    note->record.kind = skip_word(at, end, "differ") ? STORE_DIFFER : STORE_SOLVER;
    if (note->record.kind == STORE_SOLVER && !skip_word(at, end, "solver")) {
        return false;
    }
    if (!read_count(at, end, " score=", &note->record.score) || !skip_word(at, end, " speed=")) {
        return false;
    }
    bool negative = skip_word(at, end, "-");
    if (!read_number(at, end, INT32_MAX, &speed) || !skip_word(at, end, " file=") ||
        !read_name(r, at, end, note->file)) {
        return false;
    }
    note->record.speed = (int32_t)(negative ? -speed : speed);
    r->notes.n_records++;
    return true;
}

/* Reads a comment if it is one of ours. One that cannot be parsed says nothing about the function. */
static void read_comment(ImportReader *r, const char *at, const char *end) {
    const char *start = at;
    Notes *notes = &r->notes;
    bool fine;
    if (skip_word(&at, end, "# result: ")) {
        fine = notes->has_result = read_result(r, &at, end) && at == end;
    } else if (skip_word(&at, end, "# record: ")) {
        fine = read_record(r, &at, end) && at == end;
    } else if (skip_word(&at, end, "# lineage: ")) {
        fine = notes->has_lineage = read_lineage(r, &at, end) && at == end;
    } else if (skip_word(&at, end, "# name: ")) {
        fine = notes->has_name = read_name(r, &at, end, notes->name) && at == end;
    } else {
        return;
    }
    if (!fine && !r->putting) {
        diags_add(r->diags, r->source, (size_t)(at - r->source->text), false, "cannot read this%.*s comment",
                  (int)strcspn(start + 1, ":"), start + 1);
    }
}

/* ---- functions ---- */

bool store_put_parsed(Store *store, const Program *program, Out *scratch) {
    out_clear(scratch);
    print_program(scratch, program, "solve");
    if (scratch->failed) {
        return store_fail(store, MEM_NONE);
    }
    if (program->nparams == 0) {
        return store_fail(store, "a program without parameters is not kept");
    }
    StoreProgram row = {store_key_of(program->hash), scratch->data, scratch->len, (int32_t)program->nops,
                        program->mode};
    return store_put_program(store, &row);
}

/* Puts the function's name, without arc-dsl's prefix; no name if it is only the program's key. */
static bool put_function_name(ImportReader *r, const char *name, const StoreKey *key) {
    char label[STORE_TASK_MAX + 1], hex[STORE_KEY_HEX];
    snprintf(label, sizeof label, "%s", strncmp(name, "solve_", 6) == 0 && name[6] ? name + 6 : name);
    store_key_write(key, hex);
    if (strcmp(label, hex) == 0) {
        return true;
    }
    r->counts->names++;
    return store_put_name(r->store, label, key);
}

static bool put_function(ImportReader *r, const Program *program, const char *name) {
    Notes *notes = &r->notes;
    StoreKey key = store_key_of(program->hash);
    bool done = store_put_parsed(r->store, program, &r->text);
    r->counts->functions++;
    if (done && notes->has_result) {
        notes->result.task = notes->task;
        notes->result.program = key;
        r->counts->results++;
        done = store_put_result(r->store, &notes->result);
    }
    if (done && notes->has_lineage) {
        notes->lineage.child = key;
        notes->lineage.mutation = r->mutation.data;
        r->counts->lineage++;
        done = store_put_lineage(r->store, &notes->lineage);
    }
    for (size_t k = 0; done && k < notes->n_records; k++) {
        RecordNote *note = &r->records[k];
        note->record.task = note->task;
        note->record.file = note->file;
        note->record.program = key;
        r->counts->records++;
        done = store_put_record(r->store, &note->record);
    }
    if (done && notes->has_name) {
        r->counts->names++;
        done = store_put_name(r->store, notes->name, &key);
    } else if (done && !notes->has_result && notes->n_records == 0) {
        done = put_function_name(r, name, &key);
    }
    return done;
}

/* The parsed program of the function that starts on `line` and ends before `last`; NULL if lang skipped
 * it. */
static const Program *find_program(ImportReader *r, const char *name, size_t length, uint32_t line,
                                   uint32_t last) {
    for (size_t i = r->next; i < r->programs->count; i++) {
        const Program *program = r->programs->items[i];
        bool here = program->nops == 0 || (program->ops[0].line >= line && program->ops[0].line < last);
        if (here && strlen(program->name) == length && memcmp(program->name, name, length) == 0) {
            r->next = i + 1;
            return program;
        }
    }
    return NULL;
}

static uint32_t count_lines(const char *at, const char *end) {
    uint32_t lines = 0;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        lines++;
        at++;
    }
    return lines;
}

static bool read_function(ImportReader *r, const char *at, const char *end, uint32_t line) {
    const char *all = r->source->text + r->source->length;
    const char *next = memmem(at, (size_t)(all - at), "\ndef ", 5);
    const char *name = at + 4;
    size_t length = 0;
    while (name + length < end && name[length] != '(' && name[length] != ' ') {
        length++;
    }
    const Program *program =
        find_program(r, name, length, line, next ? line + count_lines(at, next + 1) : UINT32_MAX);
    return program == NULL || !r->putting || put_function(r, program, program->name);
}

static bool read_lines(ImportReader *r) {
    const char *at = r->source->text, *all = at + r->source->length;
    bool done = true;
    r->next = 0;
    r->notes = (Notes){0};
    for (uint32_t line = 1; done && at < all; line++) {
        const char *newline = memchr(at, '\n', (size_t)(all - at));
        const char *end = newline ? newline : all;
        const char *text_end = end > at && end[-1] == '\r' ? end - 1 : end;
        if (*at == '#') {
            read_comment(r, at, text_end);
        } else if (text_end - at > 4 && memcmp(at, "def ", 4) == 0) {
            done = read_function(r, at, text_end, line);
            r->notes = (Notes){0};
        } else if (text_end > at) {
            r->notes = (Notes){0};
        }
        at = newline ? newline + 1 : all;
    }
    return done;
}

/* A file may also hold the bare statements of one program, without a function; its name is then the
 * file's. */
static bool put_nameless(ImportReader *r) {
    const char *slash = strrchr(r->source->name, '/');
    const char *file = slash ? slash + 1 : r->source->name;
    char stem[STORE_TASK_MAX + 1];
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(file, "."), file);
    bool done = true;
    r->notes = (Notes){0};
    for (size_t i = 0; done && i < r->programs->count; i++) {
        if (r->programs->items[i]->name[0] == '\0') {
            done = put_function(r, r->programs->items[i], stem[0] ? stem : "program");
        }
    }
    return done;
}

bool store_import(Store *store, const Source *source, const ProgList *programs, Diags *diags,
                  StoreImport *counts) {
    ImportReader r = {
        .store = store, .source = source, .programs = programs, .diags = diags, .counts = counts};
    r.putting = store != NULL;
    out_init(&r.value);
    out_init(&r.mutation);
    out_init(&r.text);
    bool done = read_lines(&r) && (!r.putting || put_nameless(&r));
    mem_free(r.records);
    if (r.value.failed || r.mutation.failed || r.no_memory) {
        done = r.putting && store_fail(store, MEM_NONE);
    }
    out_free(&r.value);
    out_free(&r.mutation);
    out_free(&r.text);
    return done;
}

/* ---- texts of stores ---- */

char *store_named_primitives(const Source *source) {
    static const char mark[] = "# primitives: ";
    const char *at = source->text, *end = at + source->length;
    Out names;
    out_init(&names);
    for (; (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1)) != NULL; at += sizeof mark - 1) {
        if (at == source->text || at[-1] == '\n') {
            const char *from = at + sizeof mark - 1, *stop = memchr(from, '\n', (size_t)(end - from));
            size_t length = (size_t)((stop != NULL ? stop : end) - from);
            length -= length > 0 && from[length - 1] == '\r';
            out_bytes(&names, from, length);
            out_char(&names, ' ');
        }
    }
    char *text = names.failed ? NULL : mem_strndup(names.data, names.len);
    out_free(&names);
    return text;
}

Lang *store_lang_open(const OwnPrims *own) {
    Lang *lang = lang_open();
    if (lang != NULL) {
        lang_set_own(lang, own);
        lang_accept_missing(lang, LANG_ANY_NAME);
    }
    return lang;
}

Program *store_program_of(Lang *lang, const StoreProgram *stored) {
    Source source = source_of("store", stored->text, stored->length);
    ParseOptions how = {PARSE_FILE, stored->mode, -1};
    ProgList list = {0};
    Program *program = NULL;
    Diags diags;
    diags_init(&diags);
    if (lang_parse(lang, &source, &how, &list, &diags) && list.count == 1) {
        program = list.items[--list.count];
    }
    progs_free(&list);
    diags_free(&diags);
    return program;
}

void store_json_lacks(Json *json, const Program *program) {
    const char *names[OWN_NAMES];
    uint32_t n = own_names(program, true, names);
    if (n > 0) {
        json_key(json, "lacks");
        json_begin_array(json);
        for (uint32_t k = 0; k < n; k++) {
            json_text(json, names[k]);
        }
        json_end_array(json);
    }
}

/* ---- checking ---- */

/* Whether the text of a program in a store is canonical and has its key. `lang` is the Lang to parse with. */
bool store_verify_text(Lang *lang, const StoreProgram *program, char *why) {
    Source source = source_of("program", program->text, program->length);
    ParseOptions how = PARSE_OPTIONS_FILE;
    ProgList list = {0};
    Diags diags;
    Out text;
    diags_init(&diags);
    out_init(&text);
    const char *problem = NULL;
    if (!lang_parse(lang, &source, &how, &list, &diags)) {
        problem = MEM_NONE;
    } else if (diags.errors > 0 || list.count != 1) {
        problem = diags.count > 0 ? diags_message(&diags, &diags.items[0]) : "not one program";
    } else {
        StoreKey key = store_key_of(list.items[0]->hash);
        print_program(&text, list.items[0], "solve");
        problem = memcmp(&key, &program->key, sizeof key) != 0 ? "its text has another hash"
                  : list.items[0]->mode != program->mode       ? "its text is of another mode"
                  : text.failed                                ? MEM_NONE
                  : strcmp(text.data, program->text) != 0      ? "its text is not canonical"
                  : (int64_t)list.items[0]->nops != (int64_t)program->calls
                      ? "its text has another number of calls"
                      : NULL;
    }
    if (problem != NULL) {
        snprintf(why, STORE_ERROR_MAX, "%s", problem);
    }
    out_free(&text);
    progs_free(&list);
    diags_free(&diags);
    return problem == NULL;
}
