/* batt bench search: which strategy is the finder of how many tasks. A strategy that was made for single
 * tasks shows here: it finds little in other sets and in unseen halves. */
#include "base/alloc.h"
#include "tools/bench/bench_search.h"
#include "tools/display/table.h"

#include <inttypes.h>
#include <string.h>

typedef struct Finders {
    const Outcomes *files;
    size_t n_files;
    OutcomeFinder *list;
    size_t count;
    const char **sets, **strategies; /* different names, in the order of the files */
    size_t n_sets, n_strategies;
} Finders;

static void add_name(const char **names, size_t *n, const char *name) {
    for (size_t k = 0; k < *n; k++) {
        if (strcmp(names[k], name) == 0) {
            return;
        }
    }
    names[(*n)++] = name;
}

/* Strategies that got time, or found something. */
static void add_strategies(Finders *f, const Outcomes *o, const OutcomeRun *run) {
    OutcomeScore s = outcomes_score(o, run, 0, 1);
    for (unsigned p = 0; p < o->n_strategies; p++) {
        if (s.strategy[p].ms > 0 || s.strategy[p].right > 0) {
            add_name(f->strategies, &f->n_strategies, o->strategies[p]);
        }
    }
}

static bool open_finders(Finders *f, unsigned attempts) {
    size_t sets = 0;
    for (size_t k = 0; k < f->n_files; k++) {
        sets += f->files[k].n_sets;
    }
    f->sets = mem_array(sets + 1, sizeof *f->sets);
    f->strategies = mem_array(f->n_files * OUTCOME_STRATEGIES + 1, sizeof *f->strategies);
    if (f->sets == NULL || f->strategies == NULL ||
        !outcomes_finders(f->files, f->n_files, attempts, &f->list, &f->count)) {
        return false;
    }
    for (size_t k = 0; k < f->n_files; k++) {
        const Outcomes *o = &f->files[k];
        for (size_t x = 0; x < o->n_sets; x++) {
            add_name(f->sets, &f->n_sets, o->sets[x].name);
        }
        for (size_t x = 0; x < o->n_runs; x++) {
            if (o->runs[x].solo < 0) {
                add_strategies(f, o, &o->runs[x]);
            }
        }
    }
    return true;
}

static void close_finders(Finders *f) {
    mem_free(f->list);
    mem_free(f->sets);
    mem_free(f->strategies);
}

/* Tasks of a set (NULL: of all) that a strategy is the finder of, in each half. */
static void count_halves(const Finders *f, const char *strategy, const char *set, size_t halves[2]) {
    halves[0] = halves[1] = 0;
    for (size_t k = 0; k < f->count; k++) {
        const OutcomeFinder *found = &f->list[k];
        if (strcmp(found->strategy, strategy) == 0 && (set == NULL || strcmp(found->set, set) == 0)) {
            halves[found->half - 1]++;
        }
    }
}

static void write_table(BenchRun *run, const Finders *f) {
    const TermStyle *style = &run->cli->style;
    Table table;
    size_t halves[2];
    table_begin(&table, "first found by", ">tasks", ">first half", ">second");
    for (size_t k = 0; k < f->n_sets; k++) {
        table_column(&table, f->sets[k], TABLE_RIGHT);
    }
    for (size_t p = 0; p < f->n_strategies; p++) {
        count_halves(f, f->strategies[p], NULL, halves);
        table_cell(&table, f->strategies[p]);
        table_fmt(&table, "%zu", halves[0] + halves[1]);
        table_fmt(&table, "%zu", halves[0]);
        table_fmt(&table, "%zu", halves[1]);
        for (size_t k = 0; k < f->n_sets; k++) {
            count_halves(f, f->strategies[p], f->sets[k], halves);
            table_fmt(&table, "%zu + %zu", halves[0], halves[1]);
        }
    }
    out_fmt(run->out,
            "First found by: different tasks of all sets for which a strategy gave the first right answer, "
            "at %" PRIi64
            " attempts, in any of the runs; of each half of all sets, and of each half of each set.\n\n",
            run->options->attempts);
    if (run->options->report) {
        table_write_markdown(&table, run->out);
    } else {
        table_write(&table, run->out, style->width, style->color != TERM_MONO);
    }
    out_char(run->out, '\n');
    table_free(&table);
}

static void write_halves(Json *json, const size_t halves[2]) {
    json_begin_row(json);
    json_uint(json, halves[0]);
    json_uint(json, halves[1]);
    json_end_array(json);
}

static void write_json(Json *json, const Finders *f) {
    size_t halves[2];
    json_key(json, "first_found_by");
    json_begin_object(json);
    for (size_t p = 0; p < f->n_strategies; p++) {
        json_key(json, f->strategies[p]);
        json_begin_object(json);
        count_halves(f, f->strategies[p], NULL, halves);
        json_kv_uint(json, "tasks", halves[0] + halves[1]);
        json_key(json, "halves");
        write_halves(json, halves);
        json_key(json, "sets");
        json_begin_object(json);
        for (size_t k = 0; k < f->n_sets; k++) {
            count_halves(f, f->strategies[p], f->sets[k], halves);
            json_key(json, f->sets[k]);
            write_halves(json, halves);
        }
        json_end_object(json);
        json_end_object(json);
    }
    json_end_object(json);
}

bool bench_search_finders(BenchRun *run, const Outcomes *files, size_t n_files) {
    Finders f = {.files = files, .n_files = n_files};
    bool good = open_finders(&f, (unsigned)run->options->attempts);
    if (good) {
        write_table(run, &f);
        write_json(run->json, &f);
    }
    close_finders(&f);
    return good || cli_error(run->cli, MEM_NONE) == EXIT_DONE;
}
