/* JSONL: a task in every line, {"id": "..", "train": [..], "test": [..]}. The id may be called task_id; a
 * task without one is called after the file and its number. Declared in formats.h. */
#include "data/tasks/formats.h"

#include <stdio.h>
#include <string.h>

bool parse_is_lines(const char *path) {
    size_t length = strlen(path);
    return length > 6 && strcmp(path + length - 6, ".jsonl") == 0;
}

/* The member "id" or "task_id" of the object at the reader's place, of which it has a copy. False: none. */
static bool find_id(Scanner reader, ScanSpan *id) {
    bool first = true, more = true;
    ScanSpan key;
    const uint8_t *key_at;
    if (!scan_open(&reader, '{', "a task")) {
        return false;
    }
    while (scan_next_key(&reader, &first, &more, &key, &key_at) && more) {
        bool named = scan_span_is(&key, "id") || scan_span_is(&key, "task_id");
        const uint8_t *value = (scan_peek(&reader), reader.next);
        if (!scan_skip(&reader)) {
            return false;
        }
        if (named && *value == '"') {
            *id = (ScanSpan){(const char *)value + 1, (size_t)(reader.next - value) - 2, false};
            return true;
        }
    }
    return false;
}

static const char *line_id(Loader *loader, Scanner *reader, size_t number) {
    const char *slash = strrchr(loader->path, '/'), *name = slash != NULL ? slash + 1 : loader->path;
    char text[300];
    ScanSpan span;
    if (!find_id(*reader, &span)) {
        int length = snprintf(text, sizeof text, "%.*s_%zu", (int)strlen(name) - 6, name, number);
        span = (ScanSpan){text, length < (int)sizeof text ? (size_t)length : sizeof text, false};
    }
    if (!parse_id_valid(span.text, span.length)) {
        scan_fail(reader, reader->next,
                  "not a task id (printable, no quotes, escapes or slashes, at most 200 bytes)");
        return NULL;
    }
    const char *id = slab_text(&loader->slab, span.text, span.length);
    if (id == NULL) {
        scan_fail_memory(reader);
    }
    return id;
}

void parse_lines(Loader *loader, Scanner *reader) {
    for (size_t number = 1; scan_peek(reader) != 0 && !loader->no_memory; number++) {
        const uint8_t *start = reader->next;
        Task task = {0};
        scan_place(reader, start, &task.line, &task.column);
        task.id = line_id(loader, reader, number);
        if (task.id != NULL && parse_task(loader, reader, &task)) {
            parse_keep(loader, &task);
        } else if (!parse_recover(loader, reader, start, task.id)) {
            if (reader->error_at != NULL && !loader->strict && !reader->no_memory) {
                parse_note(loader, reader, NULL); /* where a value ends is not known any more */
            }
            return;
        }
    }
    if (!scan_end(reader)) { /* a byte 0 */
        parse_note(loader, reader, NULL);
    }
}
