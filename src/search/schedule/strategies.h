/* What a strategy is: a row of strategies.def, up to six functions, and a state of its own.
 *
 * A strategy proposes programs by search_offer (candidates.h). It is given search->task, which may be a view
 * of the task, works until it has nothing left to try or search_spend says no, and keeps what a later slice
 * can use in its state. Strategies do not know each other: what two of them need is in a file of its own
 * (cell_rules.h, intermediates.h). */
#ifndef BATT_SEARCH_SCHEDULE_STRATEGIES_H
#define BATT_SEARCH_SCHEDULE_STRATEGIES_H

#include "engine/eval/scope.h"
#include "search/schedule/search.h"

typedef enum StrategyTrait {
    /* Learns from the pairs, so that it may be asked to predict one of them from the others: leave_out.h. */
    TRAIT_LEARNS = 1 << 0,
    /* All its arms are in the first subsearch: it builds on what others find, or soon has nothing to do. */
    TRAIT_FIRST_SUBSEARCH = 1 << 1,
    /* Starts from what others found, so that coming to the same answers proves nothing. */
    TRAIT_NO_WITNESS = 1 << 2,
    TRAIT_NO_PROGRAMS = 1 << 3, /* gives answers only: `net` of SearchLimits switches it */
    TRAIT_STARTS_OVER = 1 << 4, /* a second search of a task does not go on where the first one ended */
} StrategyTrait;

typedef struct StrategyRow {
    const char *name, *text;
    uint32_t max_cells; /* of the largest grid that it handles; 0: any */
    Scope scope;        /* for profiles */
    unsigned traits;    /* StrategyTrait */
    /* Makes its state before its first slice; returns NULL: no memory. The pointer is NULL if it has no
     * state. */
    void *(*open)(Search *search);
    void (*run)(Search *search, void *state); /* one slice; a state of NULL if it has none */
    void (*close)(Search *search, void *state);
    /* Of fallbacks; NULL for others. How long the first slice should be; 0: there is nothing to do. */
    double (*slice_ms)(const Search *search);
    /* Whether the programs found so far leave something to say. If not, a turn passes. */
    bool (*is_needed)(Search *search);
    /* After the last slice: says what it thinks of all candidates. */
    void (*weigh)(Search *search, void *state);
} StrategyRow;

extern const StrategyRow strategy_table[STRATEGY_COUNT];
/* The set of strategies that have a trait. */
uint32_t strategies_with(StrategyTrait trait);

#define STRATEGY_DECLARE_RUN(name) void strategy_##name##_run(Search *search, void *state);
#define STRATEGY_DECLARE_STATE(name)              \
    void *strategy_##name##_open(Search *search); \
    STRATEGY_DECLARE_RUN(name)                    \
    void strategy_##name##_close(Search *search, void *state);
#define STRATEGY_DECLARE_FALLBACK(name)                      \
    STRATEGY_DECLARE_STATE(name)                             \
    double strategy_##name##_slice_ms(const Search *search); \
    bool strategy_##name##_is_needed(Search *search);        \
    void strategy_##name##_weigh(Search *search, void *state);
#define STRATEGY(id, name, functions, max_cells, scope, traits, text) STRATEGY_DECLARE_##functions(name)
#include "search/schedule/strategies.def"

#endif
