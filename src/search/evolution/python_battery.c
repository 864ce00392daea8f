/* Batteries of the Python pipeline; see python_battery.h. */
#include "search/evolution/python_battery.h"

#include "base/alloc.h"
#include "engine/eval/eval.h"
#include "engine/language/slice.h"
#include "search/evolution/differs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- solvers ---- */

/* solve_ID as an identifier: other characters than letters and digits become '_', as in match_programs.h. */
static int write_name(char *name, size_t room, const ModuleOutput *output) {
    int shown = (int)(output->solver.length < 160 ? output->solver.length : 160);
    int length = snprintf(name, room, "solve_%.*s", shown, output->solver.at);
    for (int k = 6; k < length; k++) {
        bool plain = (name[k] >= '0' && name[k] <= '9') || (name[k] >= 'a' && name[k] <= 'z') ||
                     (name[k] >= 'A' && name[k] <= 'Z');
        name[k] = plain ? name[k] : '_';
    }
    if (output->again) {
        length += snprintf(name + length, room - (size_t)length, "_t%" PRId64, output->step);
    }
    return length;
}

static bool cut_solvers(const Module *m, ProgList *solvers) {
    Slicer slicer;
    if (!slicer_open(&slicer, m->program)) {
        return false;
    }
    bool good = true;
    for (size_t k = 0; k < m->n_outputs && good; k++) {
        char name[240];
        int length = write_name(name, sizeof name, &m->outputs[k]);
        Program *own = slicer_cut(&slicer, m->outputs[k].slot, name, (size_t)length);
        good = own != NULL && progs_add(solvers, own);
    }
    slicer_close(&slicer);
    return good;
}

/* The scores of each solver, one solver after the other; those of 'None' compare nobody's answer. */
static bool sort_scores(const Module *m, PythonBattery *b) {
    b->n_solvers = (uint32_t)m->n_outputs;
    b->first = mem_zalloc(m->n_outputs + 2, sizeof *b->first);
    b->scores = mem_array(m->n_scores + 1, sizeof *b->scores);
    if (b->first == NULL || b->scores == NULL) {
        return false;
    }
    uint32_t *next = b->first + 1; /* ends up one place further left: as the first of each */
    for (size_t k = 0; k < m->n_scores; k++) {
        if (m->scores[k].output >= 0 && m->scores[k].output + 1 < (int64_t)m->n_outputs) {
            next[m->scores[k].output + 1]++;
        }
    }
    for (size_t k = 1; k < m->n_outputs; k++) {
        next[k] += next[k - 1];
    }
    for (size_t k = 0; k < m->n_scores; k++) {
        if (m->scores[k].output >= 0) {
            uint32_t solver = (uint32_t)m->scores[k].output;
            b->scores[next[solver]++] = (PythonScore){m->scores[k].slot, solver};
        }
    }
    return true;
}

bool python_battery_read(Lang *lang, const Source *source, ProgList *solvers, PythonBattery *battery,
                         Diags *diags) {
    Module module;
    *battery = (PythonBattery){0};
    if (!lang_parse_module(lang, source, &module, diags)) {
        return false;
    }
    bool good = true;
    if (module.program != NULL) {
        good = cut_solvers(&module, solvers) && sort_scores(&module, battery);
        battery->guarded = module.guarded;
        for (size_t k = 0; k < module.n_outputs; k++) {
            battery->mutated += module.outputs[k].mutated;
        }
        battery->whole = module.program;
        module.program = NULL;
    }
    module_free(&module);
    return good;
}

void python_battery_free(PythonBattery *battery) {
    prog_free(battery->whole);
    mem_free(battery->scores);
    mem_free(battery->first);
    *battery = (PythonBattery){0};
}

/* ---- scores ---- */

/* Runs all steps, as Python does, with the expected output as C. Each step has the whole budget, as in a
 * battery. */
static void begin(void *user, const Worker *worker, const Task *task, const TaskPair *pair) {
    const PythonScoring *s = user;
    PythonWorker *w = &s->workers[worker->index];
    const Program *p = s->battery->whole;
    w->pair = pair;
    if (s->battery->first[s->battery->n_solvers] == 0) {
        return; /* no scores: right or wrong is all that counts */
    }
    ctx_reset(&w->ctx);
    prim_bind(&w->ctx, MODE_BATT, s->safe);
    w->slots[PARAM_S] = run_samples_value(&w->ctx, task);
    w->slots[PARAM_I] = eval_grid(pair->in);
    w->slots[PARAM_C] = eval_grid(pair->out);
    memcpy(w->slots + p->nparams, p->consts, p->nconsts * sizeof *w->slots);
    Val *to = w->slots + prog_op_slot(p, 0);
    for (uint32_t k = 0; k < p->nops; k++) {
        ctx_rebudget(&w->ctx);
        CtxMark mark = ctx_mark(&w->ctx);
        to[k] = eval_op(&w->ctx, p, &p->ops[k], w->slots);
        if (!ctx_charge(&w->ctx, 0)) {
            to[k] = val_fail((Reason)w->ctx.exhausted);
        }
        if (val_failed(to[k])) {
            ctx_release(&w->ctx, mark);
        }
    }
}

static int score(void *user, const Worker *worker, size_t program, Val answer) {
    const PythonScoring *s = user;
    const PythonBattery *b = s->battery;
    const PythonWorker *w = &s->workers[worker->index];
    if (run_judge(answer, w->pair) == SAMPLE_RIGHT) {
        return SCORE_EXACT;
    }
    uint32_t from = b->first[program], to = b->first[program + 1];
    int64_t sum = 0;
    for (uint32_t k = from; k < to; k++) {
        sum += differ_grade(w->slots[b->scores[k].slot]);
    }
    sum = to > from ? sum / (to - from) : 0;
    return sum < SCORE_NEAREST ? (int)sum : SCORE_NEAREST;
}

bool python_scoring_open(PythonScoring *s, const PythonBattery *battery, const Pool *pool, bool safe) {
    *s = (PythonScoring){.scoring = {.user = s, .begin = begin, .score = score, .sum = true},
                         .battery = battery,
                         .workers = mem_zalloc(pool->count, sizeof *s->workers),
                         .safe = safe};
    bool good = s->workers != NULL;
    for (unsigned k = 0; k < pool->count && good; k++) {
        PythonWorker *w = &s->workers[k];
        w->slots = mem_array(prog_slots(battery->whole), sizeof *w->slots);
        good = w->slots != NULL && prim_open(&w->ctx, MODE_BATT, safe, &pool->workers[0].ctx.budget);
        if (!good) {
            mem_free(w->slots);
        }
        s->count += good;
    }
    if (!good) {
        python_scoring_close(s);
    }
    return good;
}

void python_scoring_close(PythonScoring *s) {
    for (unsigned k = 0; k < s->count; k++) {
        prim_close(&s->workers[k].ctx);
        mem_free(s->workers[k].slots);
    }
    mem_free(s->workers);
    *s = (PythonScoring){0};
}
