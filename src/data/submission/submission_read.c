/* Reading a submission: the same strictness and recovery as for tasks; see submission.h. */
#include "base/alloc.h"
#include "data/submission/submission.h"
#include "data/tasks/formats.h"

#include <stdlib.h>
#include <string.h>

typedef struct SubmissionParser { /* a submission being read */
    Loader loader; /* slab, buffer and errors; its pairs hold attempt 1 in `in`, attempt 2 in `out` */
    SubmissionEntry *entries;
    size_t n_entries, room;
} SubmissionParser;

static bool read_answer(Loader *loader, Scanner *reader) {
    if (!parse_pair_room(loader, reader)) {
        return false;
    }
    const uint8_t *start = (scan_peek(reader), reader->next), *key_at;
    Image attempts[SUBMISSION_ATTEMPTS] = {{0}};
    bool first = true, more = true;
    ScanSpan key;
    if (!scan_open(reader, '{', "an answer")) {
        return false;
    }
    while (scan_next_key(reader, &first, &more, &key, &key_at) && more) {
        int which = scan_span_is(&key, "attempt_1") ? 0 : scan_span_is(&key, "attempt_2") ? 1 : -1;
        if (which < 0) {
            return scan_fail(reader, key_at, "unknown key: an answer has \"attempt_1\" and \"attempt_2\"");
        }
        if (attempts[which].h != 0) {
            return scan_fail(reader, key_at, "duplicate key \"attempt_%d\"", which + 1);
        }
        if (!scan_grid(reader, &loader->slab, &attempts[which])) {
            return false;
        }
    }
    if (reader->error_at != NULL) {
        return false;
    }
    for (int i = 0; i < SUBMISSION_ATTEMPTS; i++) {
        if (attempts[i].h == 0) {
            return scan_fail(reader, start, "answer has no \"attempt_%d\"", i + 1);
        }
    }
    loader->pairs[loader->n_pairs++] = (TaskPair){.in = attempts[0], .out = attempts[1]};
    return true;
}

static bool read_answers(SubmissionParser *draft, Scanner *reader, SubmissionEntry *entry) {
    Loader *loader = &draft->loader;
    bool first = true, more = true;
    loader->n_pairs = 0;
    if (!scan_open(reader, '[', "the answers to a task")) {
        return false;
    }
    while (scan_next_item(reader, &first, &more) && more) {
        if (!read_answer(loader, reader)) {
            return false;
        }
    }
    if (reader->error_at != NULL) {
        return false;
    }
    Answer *answers = slab_alloc(&loader->slab, loader->n_pairs * sizeof *answers);
    SubmissionEntry *entries =
        parse_room(loader, draft->entries, draft->n_entries, &draft->room, sizeof *draft->entries);
    if (answers == NULL || entries == NULL) {
        return scan_fail_memory(reader);
    }
    for (size_t i = 0; i < loader->n_pairs; i++) {
        answers[i] = (Answer){{loader->pairs[i].in, loader->pairs[i].out}};
    }
    entry->answers = answers;
    entry->n_answers = loader->n_pairs;
    draft->entries = entries;
    draft->entries[draft->n_entries++] = *entry;
    return true;
}

static bool read_entry(SubmissionParser *draft, Scanner *reader, const ScanSpan *key, const uint8_t *key_at) {
    Loader *loader = &draft->loader;
    const uint8_t *start = (scan_peek(reader), reader->next);
    SubmissionEntry entry = {0};
    if (key->escaped || !parse_id_valid(key->text, key->length)) {
        scan_fail(reader, key_at, "not a task id");
        return parse_recover(loader, reader, start, NULL);
    }
    entry.id = slab_text(&loader->slab, key->text, key->length);
    if (entry.id == NULL) {
        return scan_fail_memory(reader);
    }
    scan_place(reader, key_at, &entry.line, &entry.column);
    return read_answers(draft, reader, &entry) || parse_recover(loader, reader, start, entry.id);
}

static void read_all(SubmissionParser *draft) {
    Loader *loader = &draft->loader;
    Scanner reader;
    bool first = true, more = true;
    ScanSpan key;
    const uint8_t *key_at;
    scan_init(&reader, loader->buffer.data, loader->buffer.length);
    reader.max_side = ARC_SIDE; /* Kaggle's rule */
    if (scan_open(&reader, '{', "a submission")) {
        while (scan_next_key(&reader, &first, &more, &key, &key_at) && more) {
            if (!read_entry(draft, &reader, &key, key_at)) {
                break;
            }
        }
    }
    if (reader.error_at == NULL && !more) {
        scan_end(&reader);
    }
    if (reader.error_at != NULL) {
        parse_note(loader, &reader, NULL);
    }
}

static int compare_entries(const void *a, const void *b) {
    const SubmissionEntry *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    if (order == 0 && x->line != y->line) {
        return x->line < y->line ? -1 : 1;
    }
    return order != 0 ? order : x->column < y->column ? -1 : 1;
}

/* Makes the entries sorted and unique; duplicates become errors. False: out of memory. */
static bool finish(Submission *submission, SubmissionParser *draft) {
    Loader *loader = &draft->loader;
    SubmissionEntry *entries = slab_alloc(&loader->slab, draft->n_entries * sizeof *entries);
    if (entries == NULL || loader->no_memory) {
        return false;
    }
    if (draft->n_entries > 1) {
        qsort(draft->entries, draft->n_entries, sizeof *draft->entries, compare_entries);
    }
    for (size_t i = 0; i < draft->n_entries; i++) {
        const SubmissionEntry *entry = &draft->entries[i];
        if (i > 0 && strcmp(entry->id, draft->entries[i - 1].id) == 0) {
            parse_error(loader, entry->line, entry->column, entry->id, "duplicate id");
        } else {
            entries[submission->n_entries++] = *entry;
        }
    }
    TaskError *errors = slab_alloc(&loader->slab, loader->n_errors * sizeof *errors);
    if (errors == NULL || loader->no_memory) {
        return false;
    }
    for (size_t i = 0; i < loader->n_errors; i++) {
        errors[i] = loader->errors[i].error;
    }
    submission->entries = entries;
    submission->errors = errors;
    submission->n_errors = loader->n_errors;
    submission->file = loader->path;
    slab_absorb(&submission->slab, &loader->slab);
    return true;
}

static Submission *read_named(const char *name, const void *bytes, size_t length, bool from_disk) {
    Submission *submission = mem_zalloc(1, sizeof *submission);
    SubmissionParser draft = {0};
    bool good = false;
    draft.loader.path = slab_text(&draft.loader.slab, name, strlen(name));
    if (submission != NULL && draft.loader.path != NULL) {
        FileBuffer *buffer = &draft.loader.buffer;
        const char *why = from_disk ? file_read(buffer, name) : file_copy(buffer, bytes, length);
        if (why == NULL) {
            read_all(&draft);
        } else {
            parse_unreadable(&draft.loader, why);
        }
        good = finish(submission, &draft);
    }
    loader_free(&draft.loader);
    mem_free(draft.entries);
    if (!good) {
        submission_free(submission);
        return NULL;
    }
    return submission;
}

Submission *submission_read(const char *path) {
    return read_named(path, NULL, 0, true);
}

Submission *submission_read_bytes(const char *name, const void *bytes, size_t length) {
    return read_named(name, bytes, length, false);
}

void submission_free(Submission *submission) {
    if (submission != NULL) {
        slab_free(&submission->slab);
        mem_free(submission);
    }
}
