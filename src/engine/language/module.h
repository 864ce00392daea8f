/* Batteries as the Python pipeline generates them, read unmodified.
 *
 *     from dsl import *
 *     def batt(task_id, S, I, C, log_path):
 *         s = []
 *         o = []
 *         t1 = identity(p_g)
 *         try:
 *             t2 = t1(I)
 *         except (TypeError, AttributeError, ValueError):
 *             t2 = _get_safe_default(t1)
 *         t3, t4, t5, t6 = batch_process_samples_gpu(S)
 *         o.append((2, False, '007bbfb7', t2))
 *         s.append((6, '007bbfb7', 'differ_c59e6ae0', t6))
 *         return o, s
 *
 * Every step becomes a call of one program over S, I, C in the dialect. A guard means what safe mode means,
 * so a module with guards is to be run in safe mode as a whole: where a step without a guard fails, Python
 * gives up the sample, and nothing can be compared. Imports, comments and decorators are skipped. */
#ifndef BATT_ENGINE_LANGUAGE_MODULE_H
#define BATT_ENGINE_LANGUAGE_MODULE_H

#include "engine/language/parse.h"

typedef struct ModuleText { /* of a string in the source, which must outlive it */
    const char *at;
    uint32_t length;
} ModuleText;

typedef struct ModuleOutput { /* o.append((step, mutated, 'solver', value)) */
    uint32_t slot;            /* of the value */
    int64_t step;
    bool mutated, again; /* again: there is one of the same solver before it */
    ModuleText solver;
    uint32_t latest; /* of a solver's first output: the number of its last one */
} ModuleOutput;

typedef struct ModuleScore { /* s.append((step, 'solver', 'differ', value)) */
    uint32_t slot;
    int64_t step;
    ModuleText solver, differ;
    int64_t output; /* whose answer it compares: the last output of that solver before it; -1: none's */
} ModuleScore;

typedef struct Module {
    Program *program; /* all steps; its result is the last one. NULL after errors */
    uint32_t guarded; /* steps with a guard */
    ModuleOutput *outputs;
    ModuleScore *scores;
    size_t n_outputs, outputs_room, n_scores, scores_room;
} Module;

/* Whether a text is a module of this kind rather than a file of solvers or a battery that batt wrote. */
bool lang_is_module(const Source *source);
/* False: no memory. After errors, which are reported, the module is empty. */
bool lang_parse_module(Lang *lang, const Source *source, Module *module, Diags *diags);
void module_free(Module *module);

#endif
