/* The layouts that ARC data comes in, distinguished by the contents of the file; see formats.h.
 *
 *   {"train": [pair..], "test": [pair..]}     one task, named after its file
 *   [pair, ..]                                one task of training pairs (re-arc)
 *   {"id": {"train":.., "test":..}, ..}       challenges: many tasks
 *   {"id": [grid, ..], ..}                    solutions: outputs of their tests (format_solutions.c)
 *   {"id": [{"attempt_1":..}, ..], ..}        a submission: no tasks
 *
 * An error in one task of many is recorded and that task skipped, as long as the JSON itself is well
 * formed. */
#include "data/tasks/formats.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

enum { FILE_ERRORS_LISTED = 1000 }; /* a file full of rubbish must not fill the memory with messages */

typedef enum TaskFormat {
    TASK_FORMAT_NONE,
    TASK_FORMAT_TASK,
    TASK_FORMAT_PAIRS,
    TASK_FORMAT_CHALLENGES,
    TASK_FORMAT_SOLUTIONS,
    TASK_FORMAT_SUBMISSION
} TaskFormat;

void *parse_room(Loader *loader, void *array, size_t count, size_t *room, size_t size) {
    if (count < *room) {
        return array;
    }
    size_t wanted = *room ? *room * 2 : 16;
    void *grown = mem_grow(array, wanted, size);
    if (grown == NULL) {
        loader->no_memory = true;
        return NULL;
    }
    *room = wanted;
    return grown;
}

void loader_free(Loader *loader) {
    slab_free(&loader->slab);
    file_release(&loader->buffer);
    mem_free(loader->pairs);
    mem_free(loader->tasks);
    mem_free(loader->errors);
    *loader = (Loader){0};
}

void parse_error(Loader *loader, uint32_t line, uint32_t column, const char *id, const char *reason) {
    if (loader->file_errors++ > FILE_ERRORS_LISTED) {
        return;
    }
    if (loader->file_errors > FILE_ERRORS_LISTED) {
        line = column = 0;
        id = NULL;
        reason = "too many errors; the rest is not listed";
    }
    LoadedError *errors =
        parse_room(loader, loader->errors, loader->n_errors, &loader->errors_room, sizeof *errors);
    const char *copy = slab_text(&loader->slab, reason, strlen(reason));
    if (errors == NULL || copy == NULL) {
        loader->no_memory = true;
        return;
    }
    loader->errors = errors;
    TaskError error = {.file = loader->path, .line = line, .column = column, .id = id, .reason = copy};
    errors[loader->n_errors] =
        (LoadedError){.error = error, .file = loader->file, .error_order = loader->n_errors};
    loader->n_errors++;
}

void parse_unreadable(Loader *loader, const char *why) {
    if (why == FILE_NO_MEMORY) {
        loader->no_memory = true;
    } else {
        parse_error(loader, 0, 0, NULL, why);
    }
}

/* Notes the reader's error; a lack of memory is not the file's fault. */
void parse_note(Loader *loader, Scanner *reader, const char *id) {
    if (reader->no_memory) {
        loader->no_memory = true;
        return;
    }
    uint32_t line, column;
    scan_place(reader, reader->error_at, &line, &column);
    parse_error(loader, line, column, id, reader->reason);
}

/* Ids go into file names, messages, JSON and command lines, so they are printable text without quotes and
 * slashes. */
bool parse_id_valid(const char *id, size_t length) {
    if (length == 0 || length > TASK_MAX_ID) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)id[i];
        if (c < 0x20 || c == 0x7F || c == '"' || c == '\\' || c == '/') {
            return false;
        }
    }
    return true;
}

bool parse_pair_room(Loader *loader, Scanner *reader) {
    TaskPair *pairs = parse_room(loader, loader->pairs, loader->n_pairs, &loader->pairs_room, sizeof *pairs);
    loader->pairs = pairs != NULL ? pairs : loader->pairs;
    return pairs != NULL || scan_fail_memory(reader);
}

static bool read_pair(Loader *loader, Scanner *reader, bool is_test) {
    if (!parse_pair_room(loader, reader)) {
        return false;
    }
    const uint8_t *pair_at = (scan_peek(reader), reader->next), *key_at;
    TaskPair pair = {0};
    bool first = true, more = true, has_input = false;
    ScanSpan key;
    if (!scan_open(reader, '{', "a pair")) {
        return false;
    }
    while (scan_next_key(reader, &first, &more, &key, &key_at) && more) {
        bool is_input = scan_span_is(&key, "input"), is_output = scan_span_is(&key, "output");
        bool *seen = is_input ? &has_input : &pair.has_output;
        if (!is_input && !is_output) {
            if (!scan_skip(reader)) {
                return false;
            }
            continue;
        }
        if (*seen) {
            return scan_fail(reader, key_at, "duplicate key \"%s\" in a pair", is_input ? "input" : "output");
        }
        if (!scan_grid(reader, &loader->slab, is_input ? &pair.in : &pair.out)) {
            return false;
        }
        *seen = true;
    }
    if (reader->error_at != NULL) {
        return false;
    }
    if (!has_input || (!pair.has_output && !is_test)) {
        return scan_fail(reader, pair_at, "pair has no \"%s\"", has_input ? "output" : "input");
    }
    loader->pairs[loader->n_pairs++] = pair;
    return true;
}

static bool read_pairs(Loader *loader, Scanner *reader, bool is_test, const TaskPair **pairs,
                       int32_t *n_pairs) {
    bool first = true, more = true;
    loader->n_pairs = 0;
    if (!scan_open(reader, '[', is_test ? "\"test\"" : "the training pairs")) {
        return false;
    }
    while (scan_next_item(reader, &first, &more) && more) {
        if (!read_pair(loader, reader, is_test)) {
            return false;
        }
    }
    if (reader->error_at != NULL) {
        return false;
    }
    size_t bytes = loader->n_pairs * sizeof **pairs;
    TaskPair *kept = slab_alloc(&loader->slab, bytes);
    if (kept == NULL) {
        return scan_fail_memory(reader);
    }
    if (bytes > 0) {
        memcpy(kept, loader->pairs, bytes);
    }
    *pairs = kept;
    /* This fits: a pair takes more than 20 bytes of a file of at most 2 GiB. */
    *n_pairs = (int32_t)loader->n_pairs;
    return true;
}

bool parse_task(Loader *loader, Scanner *reader, Task *task) {
    const uint8_t *task_at = (scan_peek(reader), reader->next), *key_at;
    bool first = true, more = true, has_train = false, has_test = false;
    ScanSpan key;
    if (!scan_open(reader, '{', "a task")) {
        return false;
    }
    while (scan_next_key(reader, &first, &more, &key, &key_at) && more) {
        bool is_train = scan_span_is(&key, "train"), is_test = scan_span_is(&key, "test");
        bool *seen = is_train ? &has_train : &has_test;
        if (!is_train && !is_test) {
            if (!scan_skip(reader)) {
                return false;
            }
            continue;
        }
        if (*seen) {
            return scan_fail(reader, key_at, "duplicate key \"%s\" in a task", is_train ? "train" : "test");
        }
        *seen = true;
        bool read = is_train ? read_pairs(loader, reader, false, &task->train, &task->n_train)
                             : read_pairs(loader, reader, true, &task->test, &task->n_test);
        if (!read) {
            return false;
        }
    }
    if (reader->error_at != NULL) {
        return false;
    }
    if (!has_train || !has_test) {
        return scan_fail(reader, task_at, "task has no \"%s\"", has_train ? "test" : "train");
    }
    return task->n_train > 0 || scan_fail(reader, task_at, "task has no training pairs");
}

void parse_keep(Loader *loader, Task *task) {
    LoadedTask *tasks =
        parse_room(loader, loader->tasks, loader->n_tasks, &loader->tasks_room, sizeof *tasks);
    if (tasks == NULL) {
        return;
    }
    task->source = loader->path;
    task->group = loader->group;
    task->hash = task_content_hash(task);
    loader->tasks = tasks;
    tasks[loader->n_tasks++] = (LoadedTask){*task, loader->file};
}

/* The id of a file with one task: its name without folder and extension. */
static const char *stem(Loader *loader) {
    const char *slash = strrchr(loader->path, '/');
    const char *name = slash ? slash + 1 : loader->path;
    size_t length = strlen(name);
    if (length > 5 && memcmp(name + length - 5, ".json", 5) == 0) {
        length -= 5;
    }
    if (!parse_id_valid(name, length)) {
        parse_error(loader, 0, 0, NULL, "the file's name cannot be a task id (printable, at most 200 bytes)");
        return NULL;
    }
    const char *id = slab_text(&loader->slab, name, length);
    loader->no_memory |= id == NULL;
    return id;
}

static void parse_single(Loader *loader, Scanner *reader, TaskFormat format) {
    Task task = {.id = stem(loader), .line = 1, .column = 1};
    if (task.id == NULL) {
        return;
    }
    bool read = format == TASK_FORMAT_TASK
                    ? parse_task(loader, reader, &task)
                    : read_pairs(loader, reader, false, &task.train, &task.n_train) &&
                          (task.n_train > 0 || scan_fail(reader, reader->start, "list of pairs is empty"));
    if (read && scan_end(reader)) {
        parse_keep(loader, &task);
    } else {
        parse_note(loader, reader, task.id);
    }
}

/* After an error inside the value at `start`: notes it and skips the value. False: that is impossible. */
bool parse_recover(Loader *loader, Scanner *reader, const uint8_t *start, const char *id) {
    const uint8_t *at = reader->error_at;
    if (reader->no_memory || loader->strict) {
        parse_note(loader, reader, id);
        return false;
    }
    char reason[SCAN_REASON_BYTES];
    memcpy(reason, reader->reason, sizeof reason);
    scan_clear(reader, start);
    bool intact = scan_skip(reader);
    if (intact || reader->error_at != at) { /* otherwise the syntax error below says it all */
        uint32_t line, column;
        scan_place(reader, at, &line, &column);
        parse_error(loader, line, column, id, reason);
    }
    return intact;
}

static bool parse_challenge(Loader *loader, Scanner *reader, const ScanSpan *key, const uint8_t *key_at) {
    Task task = {0};
    const uint8_t *start = (scan_peek(reader), reader->next);
    if (key->escaped || !parse_id_valid(key->text, key->length)) {
        scan_fail(reader, key_at,
                  "not a task id (printable, no quotes, escapes or slashes, at most 200 bytes)");
        return parse_recover(loader, reader, start, NULL);
    }
    task.id = slab_text(&loader->slab, key->text, key->length);
    if (task.id == NULL) {
        return scan_fail_memory(reader);
    }
    scan_place(reader, key_at, &task.line, &task.column);
    if (!parse_task(loader, reader, &task)) {
        return parse_recover(loader, reader, start, task.id);
    }
    parse_keep(loader, &task);
    return !loader->no_memory;
}

static void parse_challenges(Loader *loader, Scanner *reader) {
    bool first = true, more = true;
    ScanSpan key;
    const uint8_t *key_at;
    if (scan_open(reader, '{', "challenges")) {
        while (scan_next_key(reader, &first, &more, &key, &key_at) && more) {
            if (!parse_challenge(loader, reader, &key, key_at)) {
                break;
            }
        }
    }
    if (reader->error_at == NULL && !more) {
        scan_end(reader);
    }
    if (reader->error_at != NULL && !(loader->strict && loader->file_errors > 0)) {
        parse_note(loader, reader, NULL);
    }
}

/* Does the object at the reader's place have a key that tasks have? The reader ends up anywhere. */
static bool looks_like_task(Scanner *reader) {
    bool first = true, more = true;
    ScanSpan key;
    const uint8_t *key_at;
    if (!scan_open(reader, '{', "")) {
        return false;
    }
    while (scan_next_key(reader, &first, &more, &key, &key_at) && more) {
        if (scan_span_is(&key, "train") || scan_span_is(&key, "test")) {
            return true;
        }
        if (!scan_skip(reader)) {
            return false;
        }
    }
    return false;
}

static TaskFormat format_of_value(Scanner *reader) {
    uint8_t c = scan_peek(reader);
    if (c == '{') {
        return looks_like_task(reader) ? TASK_FORMAT_CHALLENGES : TASK_FORMAT_NONE;
    }
    if (c == '[') {
        reader->next++;
        c = scan_peek(reader);
        return c == '[' ? TASK_FORMAT_SOLUTIONS : c == '{' ? TASK_FORMAT_SUBMISSION : TASK_FORMAT_NONE;
    }
    return TASK_FORMAT_NONE;
}

/* Decided by the first key that tells; in well-formed files that is the first one. */
static TaskFormat find_format(Scanner reader) {
    if (scan_peek(&reader) == '[') {
        return TASK_FORMAT_PAIRS;
    }
    bool first = true, more = true;
    ScanSpan key;
    const uint8_t *key_at;
    if (!scan_open(&reader, '{', "the file")) {
        return TASK_FORMAT_NONE;
    }
    while (scan_next_key(&reader, &first, &more, &key, &key_at) && more) {
        if (scan_span_is(&key, "train") || scan_span_is(&key, "test")) {
            return TASK_FORMAT_TASK;
        }
        Scanner value = reader;
        TaskFormat format = format_of_value(&value);
        if (format != TASK_FORMAT_NONE) {
            return format;
        }
        if (!scan_skip(&reader)) {
            break;
        }
    }
    return TASK_FORMAT_NONE;
}

static void parse_unknown(Loader *loader, Scanner *reader, TaskFormat format) {
    if (!loader->named && format != TASK_FORMAT_NONE) {
        loader->n_ignored++;
        return;
    }
    if (format == TASK_FORMAT_SOLUTIONS) {
        scan_fail(reader, reader->start, "a solutions file has no inputs: name its challenges file instead");
    } else if (format == TASK_FORMAT_SUBMISSION) {
        scan_fail(reader, reader->start, "a submission file holds no tasks");
    } else if (scan_peek(reader) == 0 && reader->next >= reader->end) {
        scan_fail(reader, reader->next, "file is empty");
    } else if (*reader->next != '{') {
        scan_fail(reader, reader->next, "expected a task, found %s", scan_what(reader, reader->next));
    } else if (scan_skip(reader) && scan_end(reader)) {
        if (!loader->named) { /* re-arc's metadata.json */
            loader->n_ignored++;
            return;
        }
        scan_fail(reader, reader->start, "not a task file: expected \"train\" and \"test\", or task ids");
    }
    parse_note(loader, reader, NULL);
}

bool parse_file(Loader *loader, size_t *first_task) {
    Scanner reader;
    scan_init(&reader, loader->buffer.data, loader->buffer.length);
    reader.max_side = loader->max_side > 0 ? loader->max_side : TASK_MAX_SIDE;
    TaskFormat format = find_format(reader);
    *first_task = loader->n_tasks;
    loader->file_errors = 0;
    if (parse_is_lines(loader->path) && scan_peek(&reader) != 0) {
        parse_lines(loader, &reader);
        return false;
    }
    if (format == TASK_FORMAT_CHALLENGES) {
        parse_challenges(loader, &reader);
        return true;
    }
    if (format == TASK_FORMAT_TASK || format == TASK_FORMAT_PAIRS) {
        parse_single(loader, &reader, format);
    } else if (format == TASK_FORMAT_SOLUTIONS && loader->solutions) {
        parse_solutions(loader, PARSE_ALONE);
    } else {
        parse_unknown(loader, &reader, format);
    }
    return false;
}
