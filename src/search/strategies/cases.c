/* The cases strategy combines programs that are right on some pairs only: a number that describes
 * the input (engine/features/grid_numbers.h) chooses between them. It also learns tables that map
 * such a number to one of a few fixed outputs. */
#include "engine/eval/eval.h"
#include "engine/features/grid_numbers.h"
#include "engine/language/lambda.h"
#include "search/schedule/strategies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIDES = 96, MAX_CONDITIONS = 512, MAX_OFFERS = 12, MAX_ROWS = 10 };

typedef struct CaseCondition {
    uint8_t number;
    bool greater; /* than the value; else equal to it */
    int16_t value;
    uint64_t yes; /* samples, bits */
    double cost;
} CaseCondition;

typedef struct Cases {
    Search *search;
    int16_t numbers[SEARCH_MAX_SAMPLES][NUMBER_COUNT];
    CaseCondition conditions[MAX_CONDITIONS];
    uint32_t count;
} Cases;

/* ---- conditions ---- */

static bool find_numbers(Cases *c) {
    const SearchTask *t = c->search->task;
    for (uint32_t s = 0; s < t->n; s++) {
        GridAnalysis b;
        Reason why;
        GridNumbers numbers;
        if (!analysis_of(t->in[s], &b, &why) || !search_spend(c->search, 8 + (uint64_t)b.n / 4)) {
            return false;
        }
        grid_numbers(&b, &numbers);
        memcpy(c->numbers[s], numbers.of, sizeof numbers.of);
    }
    return true;
}

static uint64_t train_bits(const SearchTask *t) {
    return t->n_train >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << t->n_train) - 1;
}

/* Adds a condition that some training pairs meet and others do not, unless it divides the samples like a
 * cheaper one. */
static void add_condition(Cases *c, int number, bool greater, int16_t value) {
    const SearchTask *t = c->search->task;
    CaseCondition made = {(uint8_t)number, greater, value, 0,
                          grid_number_sorts[number].cost + (greater ? 0.5 : 0)};
    for (uint32_t s = 0; s < t->n; s++) {
        bool yes = greater ? c->numbers[s][number] > value : c->numbers[s][number] == value;
        made.yes |= (uint64_t)yes << s;
    }
    made.cost += grid_number_sorts[number].kind == FEATURE_IS_COLOR ? 1 : value > 9 ? 2 : value > 3 ? 1 : 0;
    uint64_t train = made.yes & train_bits(t), all = t->n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << t->n) - 1;
    if (train == 0 || train == train_bits(t)) {
        return;
    }
    for (uint32_t k = 0; k < c->count; k++) {
        CaseCondition *old = &c->conditions[k];
        if (old->yes == made.yes || old->yes == (~made.yes & all)) {
            *old = made.cost < old->cost ? made : *old;
            return;
        }
    }
    if (c->count < MAX_CONDITIONS) {
        c->conditions[c->count++] = made;
    }
}

static void find_conditions(Cases *c) {
    const SearchTask *t = c->search->task;
    for (int number = 0; number < NUMBER_COUNT; number++) {
        for (uint32_t s = 0; s < t->n_train; s++) {
            int16_t value = c->numbers[s][number];
            add_condition(c, number, false, value);
            if (grid_number_sorts[number].kind == FEATURE_IS_COUNT) {
                add_condition(c, number, true, value);
            }
        }
    }
}

static Ref number_ref(Builder *b, int number) {
    Ref args[2] = {PARAM_I, build_const(b, val_int(number))};
    return build_op(b, OP_PRIM, P_grid_number, args, 2, 0, "", 0);
}

static Ref compare_ref(Builder *b, Ref number, bool greater, int16_t value) {
    Ref args[2] = {number, build_const(b, val_int(value))};
    return build_op(b, OP_PRIM, greater ? P_greater : P_equality, args, 2, 0, "", 0);
}

/* ---- tables of outputs ---- */

typedef struct OutputRows {
    int16_t value[MAX_ROWS];
    uint32_t pair[MAX_ROWS]; /* whose output it is */
    uint32_t seen[MAX_ROWS]; /* pairs with that value */
    uint32_t n;
} OutputRows;

/* Whether the number determines the output, is known in the tests, and an output comes twice. */
static bool learn_rows(const Cases *c, int number, OutputRows *rows) {
    const SearchTask *t = c->search->task;
    rows->n = 0;
    for (uint32_t s = 0; s < t->n; s++) {
        uint32_t k = 0;
        while (k < rows->n && rows->value[k] != c->numbers[s][number]) {
            k++;
        }
        if (k == rows->n && (k == MAX_ROWS || s >= t->n_train)) {
            return false;
        }
        if (k == rows->n) {
            rows->value[k] = c->numbers[s][number];
            rows->pair[k] = s;
            rows->seen[k] = 1;
            rows->n++;
        } else if (s < t->n_train && !val_eq(t->out[rows->pair[k]], t->out[s])) {
            return false;
        } else {
            rows->seen[k] += s < t->n_train;
        }
    }
    return rows->n >= 2 && rows->n < t->n_train;
}

static void try_rows(Cases *c, int number) {
    Search *search = c->search;
    const SearchTask *t = search->task;
    Builder *b = &search->builder;
    OutputRows rows;
    if (!learn_rows(c, number, &rows)) {
        return;
    }
    double cost = search->tune->cases_cost + search->tune->cases_scale * grid_number_sorts[number].cost;
    build_start(b);
    Ref asked = number_ref(b, number), at = build_const(b, t->out[rows.pair[rows.n - 1]]);
    for (uint32_t k = rows.n - 1; k-- > 0;) {
        Ref args[3] = {compare_ref(b, asked, false, rows.value[k]), build_const(b, t->out[rows.pair[k]]), at};
        at = build_op(b, OP_PRIM, P_branch, args, 3, 0, "", 0);
    }
    cost += rows.n + 1 == t->n_train ? search->tune->cases_once_cost : 0;
    for (uint32_t k = 0; k < rows.n; k++) {
        Val out = t->out[rows.pair[k]];
        cost += search->tune->cases_row_cost + (rows.seen[k] == 1 ? search->tune->cases_row_once_cost : 0) +
                search->tune->cases_cell_scale * out.n * out.w * log2(1 + __builtin_popcount(t->out_colors));
    }
    search_offer(search, search_finish(search, at), cost);
}

/* ---- one program or another ---- */

typedef struct Alternative {
    const Program *program;
    double cost;
    uint64_t right; /* training pairs, bits */
    uint64_t gives; /* inputs for which it does not fail, bits */
} Alternative;

static int by_cost(const void *a, const void *b) {
    const Alternative *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

static void try_side(Search *s, Alternative *side) {
    const SearchTask *t = s->own;
    ctx_reset(s->check);
    for (uint32_t k = 0; k < t->n; k++) {
        ctx_rebudget(s->check);
        CtxMark mark = ctx_mark(s->check);
        Val v = eval_program(s->check, side->program, &t->in[k]);
        search_spend(s, ctx_steps_used(s->check));
        side->gives |= (uint64_t)!val_failed(v) << k;
        side->right |= k < t->n_train ? (uint64_t)val_eq(v, t->out[k]) << k : 0;
        ctx_release(s->check, mark);
    }
}

/* The cheapest programs that are right on some pairs only. */
static uint32_t list_sides(Search *s, Alternative *sides) {
    uint32_t count, n = 0, kept = 0;
    const Candidate *candidates = search_candidates(s, &count);
    Alternative *all = quota_grow(&s->quota, NULL, count + 1, sizeof *all);
    for (uint32_t k = 0; k < count && all != NULL; k++) {
        const Candidate *c = &candidates[k];
        if (c->right > 0 && c->right < s->own->n_train) {
            all[n++] = (Alternative){.program = c->program, .cost = c->cost};
        }
    }
    if (n > 0) {
        qsort(all, n, sizeof *all, by_cost);
    }
    for (uint32_t k = 0; k < n && kept < MAX_SIDES && !s->slice_over; k++) {
        try_side(s, &all[k]);
        bool new = all[k].right != 0;
        for (uint32_t x = 0; x < kept && new;
             x++) { /* a cheaper one is right on the same pairs and fails nowhere else */
            new = (all[k].right & ~sides[x].right) != 0 || (all[k].gives & ~sides[x].gives) != 0;
        }
        if (new) {
            sides[kept++] = all[k];
        }
    }
    quota_free(&s->quota, all);
    return kept;
}

static const Alternative *cheapest(const Alternative *sides, uint32_t n, uint64_t pairs, uint64_t inputs) {
    for (uint32_t k = 0; k < n; k++) { /* cheapest first */
        if ((pairs & ~sides[k].right) == 0 && (inputs & ~sides[k].gives) == 0) {
            return &sides[k];
        }
    }
    return NULL;
}

/* Bits that choose a condition among all that cost no more and divide the samples differently. */
static double choice_cost(const Cases *c, const CaseCondition *chosen) {
    uint32_t n = 1;
    for (uint32_t k = 0; k < c->count; k++) {
        n += c->conditions[k].cost <= chosen->cost;
    }
    return log2(n);
}

typedef struct Branch {
    const CaseCondition *condition;
    const Alternative *yes, *no;
    double cost;
} Branch;

static int by_price(const void *a, const void *b) {
    const Branch *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* NULL: no memory, or a side cannot be made a function although it fails on the other's inputs. */
static Program *program_of(Search *s, const Branch *c) {
    Builder *b = &s->builder;
    uint64_t all = s->own->n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << s->own->n) - 1;
    Ref input = PARAM_I;
    build_start(b);
    Ref condition =
        compare_ref(b, number_ref(b, c->condition->number), c->condition->greater, c->condition->value);
    if ((c->yes->gives & c->no->gives & all) == all) {
        Ref yes = build_inline(b, c->yes->program, &input), no = build_inline(b, c->no->program, &input);
        return search_finish(s, build_op(b, OP_PRIM, P_branch, (Ref[]){condition, yes, no}, 3, 0, "", 0));
    }
    Ref yes = lambda_of(b, c->yes->program), no = lambda_of(b, c->no->program);
    if (yes == (Ref)LAMBDA_NONE || no == (Ref)LAMBDA_NONE) {
        return NULL;
    }
    Ref function = build_op(b, OP_PRIM, P_branch, (Ref[]){condition, yes, no}, 3, 0, "", 0);
    return search_finish(s, build_op(b, OP_VALUE, 0, (Ref[]){function, PARAM_I}, 2, 0, "", 0));
}

static void try_branches(Cases *c) {
    Search *s = c->search;
    const SearchTask *t = s->own;
    Alternative sides[MAX_SIDES];
    uint32_t n = list_sides(s, sides), found = 0;
    Branch *choices = quota_grow(&s->quota, NULL, MAX_CONDITIONS, sizeof *choices);
    uint64_t all = t->n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << t->n) - 1;
    for (uint32_t k = 0; k < c->count && n > 1 && choices != NULL; k++) {
        uint64_t yes = c->conditions[k].yes, no = all & ~yes;
        Branch choice = {&c->conditions[k], cheapest(sides, n, yes & train_bits(t), yes),
                         cheapest(sides, n, no & train_bits(t), no), 0};
        if (choice.yes == NULL || choice.no == NULL) {
            continue;
        }
        int few = (__builtin_popcountll(yes & train_bits(t)) == 1) +
                  (__builtin_popcountll(no & train_bits(t)) == 1);
        choice.cost = s->tune->cases_branch_cost + choice.yes->cost + choice.no->cost +
                      s->tune->cases_scale * choice.condition->cost + choice_cost(c, choice.condition) +
                      few * s->tune->cases_once_cost;
        if (choice.cost <= s->tune->cases_cost_max) {
            choices[found++] = choice;
        }
    }
    if (found > 0) {
        qsort(choices, found, sizeof *choices, by_price);
    }
    /* All are made before any is offered: what is offered may replace the programs that they are made of. */
    Program *programs[MAX_OFFERS];
    uint32_t made = found < MAX_OFFERS ? found : MAX_OFFERS;
    for (uint32_t k = 0; k < made; k++) {
        programs[k] = program_of(s, &choices[k]);
    }
    for (uint32_t k = 0; k < made; k++) {
        if (programs[k] != NULL) {
            search_offer(s, programs[k], choices[k].cost);
        }
    }
    quota_free(&s->quota, choices);
}

typedef struct CasesState {
    uint32_t count; /* candidates at the end of the last time slice */
} CasesState;

void *strategy_cases_open(Search *search) {
    CasesState *state = quota_grow(&search->quota, NULL, 1, sizeof *state);
    if (state != NULL) {
        *state = (CasesState){0};
    }
    return state;
}

void strategy_cases_close(Search *search, void *state) {
    quota_free(&search->quota, state);
}

void strategy_cases_run(Search *search, void *of) {
    CasesState *state = of;
    uint32_t count;
    search_candidates(search, &count);
    bool tables = search->effort == 1;
    /* others must have had their turn before there is anything to choose from */
    bool branches =
        search->effort > 1 && search->task == search->own && !search_is_trial(search) && count > state->count;
    Cases *c = tables || branches ? quota_grow(&search->quota, NULL, 1, sizeof *c) : NULL;
    if (c != NULL) {
        c->search = search;
        c->count = 0;
        bool good = search->task->n_train >= 2 && find_numbers(c);
        for (int number = 0; number < NUMBER_COUNT && good && tables; number++) {
            try_rows(c, number);
        }
        if (good && branches) {
            state->count = count;
            find_conditions(c);
            try_branches(c);
        }
    }
    quota_free(&search->quota, c);
}
