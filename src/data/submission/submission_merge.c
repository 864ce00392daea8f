/* Merging submissions: of shards, which answer different tasks, or of several runs on the same tasks.
 *
 * Where they answer the same test, attempts are ranked again by votes: two for a first attempt, one for a
 * second; ties go to the one met first, in the order of the files. The grid that stands for "no answer" gets
 * no votes. */
#include "base/alloc.h"
#include "base/check.h"
#include "data/submission/submission.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_VOTES = 2, SECOND_VOTES = 1 };

typedef struct Vote {
    Image image;
    unsigned votes;
} Vote;

typedef struct SubmissionMerge {
    Submission *const *from;
    size_t n;
    size_t *next; /* the next entry of each submission: all are sorted by id */
    Vote *votes;  /* of one test */
    SubmissionMerged *merged;
} SubmissionMerge;

static bool is_placeholder(Image image) {
    return image.h == 2 && image.w == 2 && memcmp(image.cells, "\0\0\0\0", 4) == 0;
}

static size_t add_votes(Vote *votes, size_t n, Image image, unsigned count) {
    for (size_t k = 0; k < n; k++) {
        if (task_image_equal(votes[k].image, image)) {
            votes[k].votes += count;
            return n;
        }
    }
    votes[n] = (Vote){image, count};
    return n + 1;
}

/* Takes out the attempt with the most votes. */
static Image take_best(Vote *votes, size_t n) {
    Vote *best = NULL;
    for (size_t k = 0; k < n; k++) {
        if (votes[k].votes > 0 && (best == NULL || votes[k].votes > best->votes)) {
            best = &votes[k];
        }
    }
    if (best == NULL) {
        return (Image){0};
    }
    best->votes = 0;
    return best->image;
}

static Answer merge_test(SubmissionMerge *m, const char *id, size_t test) {
    size_t n = 0;
    bool twice = false; /* some submission has the same answer as both attempts */
    for (size_t k = 0; k < m->n; k++) {
        const SubmissionEntry *entry = submission_find(m->from[k], id);
        ASSERT(entry == NULL || test < entry->n_answers, "%s: test %zu", id, test);
        twice |= entry != NULL &&
                 task_image_equal(entry->answers[test].attempt[0], entry->answers[test].attempt[1]);
        for (int a = 0; entry != NULL && a < SUBMISSION_ATTEMPTS; a++) {
            Image image = entry->answers[test].attempt[a];
            if (!is_placeholder(image)) {
                n = add_votes(m->votes, n, image, a == 0 ? FIRST_VOTES : SECOND_VOTES);
            }
        }
    }
    ASSERT(n <= m->n * SUBMISSION_ATTEMPTS, "%zu answers of %zu files", n, m->n);
    m->merged->unanswered += n == 0;
    Image first = take_best(m->votes, n), second = take_best(m->votes, n);
    return (Answer){{first, second.h == 0 && twice ? first : second}};
}

/* The next entry with the smallest id; NULL: all submissions are at their ends. */
static const SubmissionEntry *next_entry(const SubmissionMerge *m, size_t *who) {
    const SubmissionEntry *smallest = NULL;
    for (size_t k = 0; k < m->n; k++) {
        const Submission *s = m->from[k];
        if (m->next[k] < s->n_entries &&
            (smallest == NULL || strcmp(s->entries[m->next[k]].id, smallest->id) < 0)) {
            smallest = &s->entries[m->next[k]];
            *who = k;
        }
    }
    return smallest;
}

/* Advances all submissions that have this id; they must have the same number of answers. */
static bool step_over(SubmissionMerge *m, const SubmissionEntry *entry, size_t who, char *why,
                      size_t why_size) {
    unsigned met = 0;
    for (size_t k = 0; k < m->n; k++) {
        const Submission *s = m->from[k];
        if (m->next[k] == s->n_entries || strcmp(s->entries[m->next[k]].id, entry->id) != 0) {
            continue;
        }
        const SubmissionEntry *same = &s->entries[m->next[k]++];
        met++;
        if (same->n_answers != entry->n_answers) {
            snprintf(why, why_size, "%s:%u:%u: task %s has %zu answers, but %zu in %s", s->file, same->line,
                     same->column, same->id, same->n_answers, entry->n_answers, m->from[who]->file);
            return false;
        }
    }
    ASSERT(met > 0 && who < m->n, "%s: nobody has it", entry->id);
    m->merged->tasks++;
    m->merged->tests += entry->n_answers;
    m->merged->shared += met > 1;
    return true;
}

bool submission_merge(Out *out, Submission *const *from, size_t n, SubmissionMerged *merged, char *why,
                      size_t why_size) {
    *merged = (SubmissionMerged){0};
    SubmissionMerge m = {from, n, mem_zalloc(n + 1, sizeof *m.next),
                         mem_array(n * SUBMISSION_ATTEMPTS + 1, sizeof *m.votes), merged};
    bool good = m.next != NULL && m.votes != NULL;
    if (!good) {
        snprintf(why, why_size, MEM_NONE);
    }
    const SubmissionEntry *entry;
    size_t who = 0;
    out_char(out, '{');
    for (bool first = true; good && (entry = next_entry(&m, &who)) != NULL; first = false) {
        good = step_over(&m, entry, who, why, why_size);
        submission_begin_task(out, entry->id, first);
        for (size_t k = 0; k < entry->n_answers && good; k++) {
            Answer answer = merge_test(&m, entry->id, k);
            submission_write_answer(out, &answer, k == 0);
        }
        out_char(out, ']');
    }
    out_str(out, "\n}\n");
    mem_free(m.next);
    mem_free(m.votes);
    return good;
}
