/* What a part of the search is: three functions and a state of its own.
 *
 * A part proposes programs by search_offer (candidates.h). It looks at search->task, which may be a view of
 * the task, works until it has nothing left to try or search_spend says no, and keeps what a later look can
 * use in its state. Parts do not know each other: what two of them need is in a file of its own
 * (cell_rules.h, intermediates.h). */
#ifndef BATT_SEARCH_SCHEDULE_STRATEGIES_H
#define BATT_SEARCH_SCHEDULE_STRATEGIES_H

#include "engine/eval/scope.h"
#include "search/schedule/search.h"

typedef struct StrategyRow {
    const char *name, *text;
    /* Makes its state before its first look; returns NULL: no memory. The pointer is NULL if it has no
     * state. */
    void *(*open)(Search *search);
    void (*run)(Search *search, void *state); /* one look */
    void (*close)(Search *search, void *state);
    Scope scope; /* for profiles */
} StrategyRow;

extern const StrategyRow strategy_table[STRATEGY_COUNT];

/* Cells of the largest grid that a part looks at; 0: any. */
uint32_t search_strategy_max_cells(Strategy strategy);

void strategy_library_run(Search *search, void *state);

void *strategy_cells_open(Search *search);
void strategy_cells_run(Search *search, void *state);

void strategy_cells_close(Search *search, void *state);

void *strategy_sweeps_open(Search *search);
void strategy_sweeps_run(Search *search, void *state);
void strategy_sweeps_close(Search *search, void *state);

void strategy_repair_run(Search *search, void *state);

void *strategy_objects_open(Search *search);
void strategy_objects_run(Search *search, void *of);
void strategy_objects_close(Search *search, void *state);

void strategy_templates_run(Search *search, void *state);

void strategy_walkers_run(Search *search, void *state);

void *strategy_pick_open(Search *search);
void strategy_pick_run(Search *search, void *of);
void strategy_pick_close(Search *search, void *state);

void strategy_beams_run(Search *search, void *state);

void *strategy_layouts_open(Search *search);
void strategy_layouts_run(Search *search, void *of);
void strategy_layouts_close(Search *search, void *state);

void *strategy_mosaics_open(Search *search);
void strategy_mosaics_run(Search *search, void *of);
void strategy_mosaics_close(Search *search, void *of);

void strategy_cyclic_shifts_run(Search *search, void *state);

void *strategy_stamps_open(Search *search);
void strategy_stamps_run(Search *search, void *state);

void strategy_stamps_close(Search *search, void *state);

void *strategy_enumerate_open(Search *search);
void strategy_enumerate_run(Search *search, void *state);
void strategy_enumerate_close(Search *search, void *state);

void *strategy_cases_open(Search *search);
void strategy_cases_run(Search *search, void *of);
void strategy_cases_close(Search *search, void *state);

void *strategy_evolve_open(Search *search);
void strategy_evolve_run(Search *search, void *state);
void strategy_evolve_close(Search *search, void *state);

void *strategy_net_open(Search *search);
void strategy_net_run(Search *search, void *of);
void strategy_net_close(Search *search, void *of);

#endif
