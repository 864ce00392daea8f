/* Batteries of the Python pipeline (engine/language/module.h): their solvers as programs, and their scores as
 * Python counts them. */
#ifndef BATT_SEARCH_EVOLUTION_PYTHON_BATTERY_H
#define BATT_SEARCH_EVOLUTION_PYTHON_BATTERY_H

#include "engine/language/module.h"
#include "search/run/run.h"

typedef struct PythonScore {
    uint32_t slot;   /* of the pair (score, value) in the whole program */
    uint32_t solver; /* number of the solver whose answer is compared */
} PythonScore;

typedef struct PythonBattery {
    Program *whole; /* all steps; NULL: there is no such battery */
    uint32_t guarded, mutated;
    uint32_t n_solvers;
    PythonScore *scores; /* by solver */
    uint32_t *first;     /* by solver: its first score; one more than there are solvers */
} PythonBattery;

/* Appends the solvers, named solve_ID, and where a solver has more outputs solve_ID_tSTEP. Findings go to
 * diags; after errors nothing is appended. False: no memory. */
bool python_battery_read(Lang *lang, const Source *source, ProgList *solvers, PythonBattery *battery,
                         Diags *diags);
void python_battery_free(PythonBattery *battery);

/* ---- scores ---- */

typedef struct PythonWorker {
    Ctx ctx; /* its own: answers live in the worker's */
    Val *slots;
    const TaskPair *pair;
} PythonWorker;

/* A sample counts 1,000 if it is right. Otherwise it counts the mean of its differs, each the first number of
 * its pair from 0 to 1,000, but never as much as a right one; nothing without differs. */
typedef struct PythonScoring {
    RunScoring scoring; /* for the RunSpec */
    const PythonBattery *battery;
    PythonWorker *workers;
    unsigned count;
    bool safe;
} PythonScoring;

/* Not to be moved once open. False: no memory. */
bool python_scoring_open(PythonScoring *scoring, const PythonBattery *battery, const Pool *pool, bool safe);
void python_scoring_close(PythonScoring *scoring);

#endif
