/* Rules of processes: internals of the processes strategy (processes.c). */
#ifndef BATT_SEARCH_STRATEGIES_PROCESSES_INTERNAL_H
#define BATT_SEARCH_STRATEGIES_PROCESSES_INTERNAL_H

#include "base/bits.h"
#include "engine/features/rule.h"
#include "search/schedule/search.h"

enum {
    MAX_QUESTIONS = 200,
    MAX_LEAVES = 32,
    MAX_TRIED = 40,
    MAX_RULES = PROCESS_MAX_RULES,
    MAX_PROCESSES = 3,
    MAX_FROM = 3,    /* colors of cells that a rule may paint */
    MAX_VALUES = 12, /* of a feature that is asked about */
    COLORS = 10
};

/* What can be seen from a cell, and where it is: what a step may depend on. The first of these features are
 * colors, and may be copied. */
enum { STEP_FEATURES = 32, STEP_COPIED = 18 };

typedef struct StepQuestion {
    uint8_t feature, test;
    int8_t number;
    double cost;
    uint64_t *yes, *no; /* items: cells in the grids as they are, then the same cells in the outputs */
} StepQuestion;

typedef struct StepLeaf {
    bool copy;
    uint8_t what; /* a color, or a feature */
    double cost;
    /* cells that it would paint wrong; that it would put right; and those of the outputs that it explains */
    uint64_t *bad, *good, *explained;
} StepLeaf;

typedef struct StepRule {
    struct StepAsked {
        uint8_t feature, test;
        int8_t number;
        bool no;
    } asked[2];
    uint8_t n_asked, what; /* what: as of a leaf */
    int8_t from;           /* the color of cells that it paints */
    bool copy;
    double cost;
    uint32_t explains; /* an estimate of how many cells it puts right in the end */
    uint32_t leaf, good, explained;
} StepRule;

typedef struct State { /* of the training grids */
    int8_t cells[SEARCH_MAX_SAMPLES][FEATURE_MAX_CELLS];
} State;

typedef struct Process {
    StepRule rules[MAX_RULES];
    uint32_t n;
    double cost;
} Process;

typedef struct Processes {
    Search *search;
    Process chain[MAX_PROCESSES];
    uint32_t count;
    Rule rules[MAX_RULES]; /* scratch */
    uint32_t right;        /* cells in the state where the last process ends */
    State states[4];
    State *start, *now, *best, *scratch; /* where the last process begins; where it ends; of a trial */
    /* while rules are learnt: */
    int8_t from;
    uint32_t n, half, words; /* cells; words for them, and for them twice */
    int8_t *planes[STEP_FEATURES], *color;
    int8_t *target;
    StepQuestion questions[MAX_QUESTIONS];
    StepLeaf leaves[MAX_LEAVES];
    uint32_t n_questions, n_leaves;
    StepRule tried[MAX_TRIED];
    uint32_t n_tried;
} Processes;

/* Ways in which the copies of a rule are turned and mirrored. */
typedef enum Orbit { ORBIT_AS_IS, ORBIT_COLUMNS, ORBIT_ROWS, ORBIT_TURNS, ORBIT_ALL, ORBITS } Orbit;

static inline uint32_t step_cells(const SearchTask *t, uint32_t k) {
    return t->in[k].n * (uint32_t)t->in[k].w;
}

/* Finds the rules of up to two questions for cells of the color p->from that do no harm to the grids as they
 * are (p->now) and to the outputs, the most promising first. False: there are none, no memory, or cut short.
 */
bool processes_find_rules(Processes *processes);
/* Adds the copies of a rule to a process. False: no room, or copies that are all alike. */
bool processes_add_rule(Process *to, const StepRule *rule, Orbit orbit);

#endif
