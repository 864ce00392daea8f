/* What a part of the search is: three functions and a state of its own.
 *
 * A part proposes programs by search_offer (candidates.h). It looks at search->task, which may be a view of
 * the task, works until it has nothing left to try or search_spend says no, and keeps what a later look can
 * use in its state. Parts do not know each other: what two of them need is in a file of its own
 * (cell_rules.h, bases.h). */
#ifndef BATT_SEARCH_PARTS_H
#define BATT_SEARCH_PARTS_H

#include "engine/eval/scope.h"
#include "search/schedule/search.h"

typedef struct PartRow {
    const char *name, *text;
    /* Makes its state before its first look; returns NULL: no memory. The pointer is NULL if it has no
     * state. */
    void *(*open)(Search *search);
    void (*run)(Search *search, void *state); /* one look */
    void (*close)(Search *search, void *state);
    Scope scope; /* for profiles */
} PartRow;

extern const PartRow search_parts[PART_COUNT];

/* Cells of the largest grid that a part looks at; 0: any. */
uint32_t search_part_most_cells(SearchPart part);

void part_library_run(Search *search, void *state);

void *part_cells_open(Search *search);
void part_cells_run(Search *search, void *state);

void part_cells_close(Search *search, void *state);

void *part_sweeps_open(Search *search);
void part_sweeps_run(Search *search, void *state);
void part_sweeps_close(Search *search, void *state);

void part_repair_run(Search *search, void *state);

void *part_objects_open(Search *search);
void part_objects_run(Search *search, void *of);
void part_objects_close(Search *search, void *state);

void part_templates_run(Search *search, void *state);

void part_walkers_run(Search *search, void *state);

void *part_pick_open(Search *search);
void part_pick_run(Search *search, void *of);
void part_pick_close(Search *search, void *state);

void part_beams_run(Search *search, void *state);

void *part_layouts_open(Search *search);
void part_layouts_run(Search *search, void *of);
void part_layouts_close(Search *search, void *state);

void *part_mosaics_open(Search *search);
void part_mosaics_run(Search *search, void *of);
void part_mosaics_close(Search *search, void *of);

void part_rolls_run(Search *search, void *state);

void *part_stamps_open(Search *search);
void part_stamps_run(Search *search, void *state);

void part_stamps_close(Search *search, void *state);

void *part_enumerate_open(Search *search);
void part_enumerate_run(Search *search, void *state);
void part_enumerate_close(Search *search, void *state);

void *part_cases_open(Search *search);
void part_cases_run(Search *search, void *of);
void part_cases_close(Search *search, void *state);

void *part_evolve_open(Search *search);
void part_evolve_run(Search *search, void *state);
void part_evolve_close(Search *search, void *state);

void *part_net_open(Search *search);
void part_net_run(Search *search, void *of);
void part_net_close(Search *search, void *of);

#endif
