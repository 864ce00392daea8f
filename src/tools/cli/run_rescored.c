/* Compares the scores recorded in a collection with those of this run; see run_report.h. */
#include "data/store/collection.h"
#include "tools/cli/run_report.h"

typedef struct Rescored { /* a solver that does not get the score that its path says */
    const char *program, *task;
    int32_t recorded;
    uint32_t now; /* 1,000 for each sample that is right */
} Rescored;

/* Calls each for all of them, by task. Returns how many scores were compared. */
static size_t compare(const RunReport *r, void (*each)(void *context, const Rescored *rescored),
                      void *context) {
    size_t compared = 0;
    for (size_t k = 0; k < r->data->n_tasks; k++) {
        const RunMatch *match = &r->matching.by_task[k];
        const Task *task = r->data->tasks[k];
        uint32_t known = run_known(&r->results[k]);
        if (known < (uint32_t)(task->n_train + task->n_test)) {
            continue; /* what an unknown test would score is not known either */
        }
        for (uint32_t x = 0; x < match->count; x++) {
            uint32_t program = match->programs[x], right = r->right[program];
            int32_t recorded = program < r->solvers->scores_room ? r->solvers->scores[program] : -1;
            if (recorded < 0 || right == UINT32_MAX) {
                continue;
            }
            compared++;
            if (!collection_score_fits(recorded, right, known)) {
                Rescored found = {r->solvers->list.items[program]->name, task->id, recorded, 1000 * right};
                each(context, &found);
            }
        }
    }
    return compared;
}

enum { SHOWN = 20 };

typedef struct Lines {
    Out *out;
    size_t count;
} Lines;

static void write_line(void *context, const Rescored *found) {
    Lines *lines = context;
    if (lines->count++ < SHOWN) {
        out_fmt(lines->out, "%s  ", found->task);
        out_printable(lines->out, found->program);
        out_fmt(lines->out, ": recorded score %d, now %u\n", found->recorded, found->now);
    }
}

void run_rescored_text(Out *out, const RunReport *r) {
    Lines lines = {out, 0};
    if (r->right == NULL) {
        return;
    }
    size_t compared = compare(r, write_line, &lines);
    if (lines.count > SHOWN) {
        out_fmt(out, "and %zu more; --json lists all\n", lines.count - SHOWN);
    }
    out_fmt(out, "on record   %zu of %zu scores confirmed\n", compared - lines.count, compared);
}

static void write_json(void *context, const Rescored *found) {
    Json *json = context;
    json_begin_object(json);
    json_kv_string(json, "task", found->task);
    json_kv_string(json, "program", found->program);
    json_kv_int(json, "recorded", found->recorded);
    json_kv_uint(json, "now", found->now);
    json_end_object(json);
}

void run_rescored_json(Json *json, const RunReport *r) {
    if (r->right == NULL) {
        return;
    }
    json_key(json, "rescored");
    json_begin_array(json);
    size_t compared = compare(r, write_json, json);
    json_end_array(json);
    json_kv_uint(json, "scores_compared", compared);
}
