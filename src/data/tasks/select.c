/* Selects tasks by id, filter, random sample and position; see select.h. */
#include "data/tasks/select.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/nearest.h"
#include "base/rng.h"
#include "engine/language/source.h"

#include <stdio.h>
#include <string.h>

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

TaskFacts select_facts(const Task *task) {
    TaskFacts facts = {.pairs = task->n_train, .tests = task->n_test, .same_size = true};
    uint32_t colors = 0;
    for (int32_t i = 0; i < task->n_train + task->n_test; i++) {
        const TaskPair *pair = i < task->n_train ? &task->train[i] : &task->test[i - task->n_train];
        Image in = pair->in, out = pair->out;
        facts.in_h = larger(facts.in_h, in.h);
        facts.in_w = larger(facts.in_w, in.w);
        facts.out_h = larger(facts.out_h, out.h);
        facts.out_w = larger(facts.out_w, out.w);
        facts.cells = larger(facts.cells, larger(in.h * in.w, out.h * out.w));
        facts.same_size = facts.same_size && (!pair->has_output || (in.h == out.h && in.w == out.w));
        colors |= (uint32_t)image_colors(in) | image_colors(out);
    }
    facts.h = larger(facts.in_h, facts.out_h);
    facts.w = larger(facts.in_w, facts.out_w);
    facts.colors = __builtin_popcount(colors);
    ASSERT(facts.h <= TASK_MAX_SIDE && facts.w <= TASK_MAX_SIDE && facts.colors <= TASK_COLORS,
           "%d x %d, %d colors", facts.h, facts.w, facts.colors);
    return facts;
}

static const struct Field {
    const char *name;
    size_t offset;
} fields[] = {
    {"h", offsetof(TaskFacts, h)},         {"w", offsetof(TaskFacts, w)},
    {"in_h", offsetof(TaskFacts, in_h)},   {"in_w", offsetof(TaskFacts, in_w)},
    {"out_h", offsetof(TaskFacts, out_h)}, {"out_w", offsetof(TaskFacts, out_w)},
    {"cells", offsetof(TaskFacts, cells)}, {"colors", offsetof(TaskFacts, colors)},
    {"pairs", offsetof(TaskFacts, pairs)}, {"tests", offsetof(TaskFacts, tests)},
};
enum { N_FIELDS = sizeof fields / sizeof *fields, MAX_CONDITIONS = 32 };

typedef struct Condition {
    int field;                 /* -1: same_size */
    bool less, equal, greater; /* which outcomes of comparing with the number are wanted */
    bool wanted;               /* same_size: what it must be */
    int64_t number;
} Condition;

typedef struct Filter {
    Condition conditions[MAX_CONDITIONS];
    size_t n_conditions;
} Filter;

static bool complain(char *why, const char *filter, const char *at, const char *what) {
    snprintf(why, SELECT_WHY_BYTES, "filter '%.120s', position %zu: %s", filter, (size_t)(at - filter) + 1,
             what);
    return false;
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Reads "<=" and its kin; NULL: it is none of them. */
static const char *read_operator(const char *p, Condition *condition) {
    char sign = *p;
    if (sign != '<' && sign != '>' && sign != '=' && !(sign == '!' && p[1] == '=')) {
        return NULL;
    }
    bool with_equal = p[1] == '=';
    condition->less = sign == '<' || sign == '!';
    condition->greater = sign == '>' || sign == '!';
    condition->equal = sign == '=' || (with_equal && sign != '!');
    return p + 1 + with_equal;
}

static const char *read_number(const char *p, int64_t *number) {
    const char *start = p;
    for (*number = 0; *p >= '0' && *p <= '9' && p - start < 9; p++) {
        *number = *number * 10 + (*p - '0');
    }
    return p > start && !(*p >= '0' && *p <= '9') ? p : NULL;
}

static bool read_condition(const char *filter, const char **cursor, Condition *condition, char *why) {
    const char *p = skip_blanks(*cursor);
    bool negated = *p == '!';
    const char *name = p = skip_blanks(p + negated);
    while (is_name(*p)) {
        p++;
    }
    size_t length = (size_t)(p - name);
    *condition = (Condition){.field = -1, .wanted = !negated};
    if (length == strlen("same_size") && memcmp(name, "same_size", length) == 0) {
        *cursor = skip_blanks(p);
        return true;
    }
    for (int i = 0; i < N_FIELDS; i++) {
        if (strlen(fields[i].name) == length && memcmp(fields[i].name, name, length) == 0) {
            condition->field = i;
        }
    }
    if (condition->field < 0) {
        return complain(why, filter, name,
                        "expected h, w, in_h, in_w, out_h, out_w, cells, colors, pairs, tests or same_size");
    }
    if (negated) {
        return complain(why, filter, name, "'!' goes with same_size only");
    }
    const char *sign = skip_blanks(p), *after = read_operator(sign, condition);
    if (after == NULL) {
        return complain(why, filter, sign, "expected one of < <= = == != >= >");
    }
    const char *digits = skip_blanks(after), *end = read_number(digits, &condition->number);
    if (end == NULL) {
        return complain(why, filter, digits, "expected a whole number of at most nine digits");
    }
    *cursor = skip_blanks(end);
    return true;
}

static bool read_filter(const char *text, Filter *filter, char *why) {
    const char *p = text;
    for (filter->n_conditions = 0;; p++) {
        if (filter->n_conditions == MAX_CONDITIONS) {
            return complain(why, text, p, "too many conditions");
        }
        if (!read_condition(text, &p, &filter->conditions[filter->n_conditions++], why)) {
            return false;
        }
        if (*p == '\0') {
            return true;
        }
        if (*p != ',') {
            return complain(why, text, p, "expected ',' between conditions");
        }
    }
}

static bool passes(const Filter *filter, const Task *task) {
    if (filter->n_conditions == 0) {
        return true;
    }
    TaskFacts facts = select_facts(task);
    for (size_t i = 0; i < filter->n_conditions; i++) {
        const Condition *condition = &filter->conditions[i];
        if (condition->field < 0) {
            if (facts.same_size != condition->wanted) {
                return false;
            }
            continue;
        }
        int32_t fact;
        memcpy(&fact, (const char *)&facts + fields[condition->field].offset, sizeof fact);
        bool holds = fact < condition->number   ? condition->less
                     : fact > condition->number ? condition->greater
                                                : condition->equal;
        if (!holds) {
            return false;
        }
    }
    return true;
}

/* The task with this id; if there is none, `why` names the nearest one. */
static const Task *find_named(const TaskSet *set, const char *id, size_t length, char *why) {
    char name[TASK_MAX_ID + 1];
    if (length <= TASK_MAX_ID) {
        memcpy(name, id, length);
        name[length] = '\0';
        const Task *task = task_find(set, name);
        if (task != NULL) {
            return task;
        }
    }
    if (length == 0) {
        snprintf(why, SELECT_WHY_BYTES, "an empty task id is named");
        return NULL;
    }
    length = length < 64 ? length : 64; /* the part that is quoted in the message */
    Nearest nearest = nearest_to(id, length);
    for (size_t i = 0; i < set->n_tasks; i++) {
        nearest_offer(&nearest, set->tasks[i].id);
    }
    snprintf(why, SELECT_WHY_BYTES, "no task '%.*s' among the %zu loaded%s%.64s%s", (int)length, id,
             set->n_tasks, nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
             nearest.best ? "'?" : "; batt show --list lists them");
    return NULL;
}

/* Takes the named tasks in the order in which they are named, each once: `taken` has a flag for every task of
 * the set. */
static bool take_named(const TaskSet *set, const SelectOptions *options, const Task **tasks, size_t *n_tasks,
                       bool *taken, char *why) {
    for (size_t i = 0; i < options->n_ids; i++) {
        for (const char *p = options->ids[i];; p++) {
            size_t length = strcspn(p, ",");
            const Task *task = find_named(set, p, length, why);
            if (task == NULL) {
                return false;
            }
            if (!taken[task - set->tasks]) {
                taken[task - set->tasks] = true;
                tasks[(*n_tasks)++] = task;
            }
            p += length;
            if (*p == '\0') {
                break;
            }
        }
    }
    return true;
}

void select_sample(const Task **tasks, size_t *n_tasks, size_t n, uint64_t seed) {
    Rng rng = rng_stream(seed, *n_tasks, n);
    size_t kept = 0, total = *n_tasks;
    for (size_t k = 0; k < total && kept < n; k++) {
        if (rng_below(&rng, (uint32_t)(total - k)) < n - kept) {
            tasks[kept++] = tasks[k];
        }
    }
    *n_tasks = kept;
}

static void narrow(const Filter *filter, const SelectOptions *options, const Task **tasks, size_t *n_tasks) {
    size_t kept = 0, passed = 0;
    for (size_t i = 0; i < *n_tasks; i++) {
        if (passes(filter, tasks[i])) {
            tasks[passed++] = tasks[i];
        }
    }
    if (options->sample > 0) {
        select_sample(tasks, &passed, options->sample, options->seed);
    }
    for (size_t i = options->start; i < passed && (options->count == 0 || kept < options->count); i++) {
        tasks[kept++] = tasks[i];
    }
    *n_tasks = kept;
}

const Task **select_tasks(const TaskSet *set, const SelectOptions *options, size_t *n_tasks,
                          char why[SELECT_WHY_BYTES]) {
    Filter filter = {.n_conditions = 0};
    if (options->filter != NULL && !read_filter(options->filter, &filter, why)) {
        return NULL;
    }
    const Task **tasks = mem_array(set->n_tasks, sizeof *tasks);
    bool *taken = mem_zalloc(set->n_tasks, sizeof *taken);
    bool good = tasks != NULL && taken != NULL;
    *n_tasks = 0;
    if (!good) {
        snprintf(why, SELECT_WHY_BYTES, MEM_NONE);
    } else if (options->n_ids > 0) {
        good = take_named(set, options, tasks, n_tasks, taken, why);
    } else {
        for (size_t i = 0; i < set->n_tasks; i++) {
            tasks[(*n_tasks)++] = &set->tasks[i];
        }
    }
    mem_free(taken);
    if (!good) {
        mem_free(tasks);
        return NULL;
    }
    narrow(&filter, options, tasks, n_tasks);
    return tasks;
}

/* ---- ids from a file ---- */

/* Divides the text into words, in place. */
static void split_ids(SelectIds *ids) {
    for (char *at = ids->text; *at != '\0';) {
        at += strspn(at, " \t\r\n,");
        if (*at != '\0' && *at != '#') {
            ids->items[ids->count++] = at;
            at += strcspn(at, " \t\r\n,#");
        }
        bool comment = *at == '#';
        if (*at != '\0') {
            *at++ = '\0';
        }
        at += comment ? strcspn(at, "\n") : 0;
    }
}

bool select_ids_read(SelectIds *ids, const char *path, char why[SELECT_WHY_BYTES]) {
    Source source;
    char reason[128];
    *ids = (SelectIds){0};
    if (!source_read(&source, path, reason, sizeof reason)) {
        snprintf(why, SELECT_WHY_BYTES, "%.100s: %s", path, reason);
        return false;
    }
    ids->text = mem_strndup(source.text, source.length);
    ids->items = mem_array(source.length / 2 + 1, sizeof *ids->items);
    source_free(&source);
    if (ids->text == NULL || ids->items == NULL) {
        snprintf(why, SELECT_WHY_BYTES, MEM_NONE);
        select_ids_free(ids);
        return false;
    }
    split_ids(ids);
    return true;
}

void select_ids_free(SelectIds *ids) {
    mem_free(ids->text);
    mem_free(ids->items);
    *ids = (SelectIds){0};
}
