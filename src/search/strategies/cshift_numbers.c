/* Numbers that inputs give; see cshift_numbers.h. */
#include "search/strategies/cshift_numbers.h"

#include "engine/features/grid_numbers.h"
#include "engine/primitives/prim.h"

#include <stdlib.h>
#include <string.h>

enum { CONSTANT, PLACE, HALF, COUNT_OF };
enum { MAX_CONSTANT = 3, SIDES = 4, LEAST_FREQUENT = -1 };

static const unsigned sides[SIDES] = {P_uppermost, P_leftmost, P_lowermost, P_rightmost};

/* The first or last row or column of a color; false: it is not there. */
static bool place_of(const GridAnalysis *b, int side, int8_t color, int32_t *value) {
    GridBox box = analysis_box(b, color == LEAST_FREQUENT ? analysis_least_frequent(b->counts) : color);
    *value = side == 0 ? box.top : side == 1 ? box.left : side == 2 ? box.bottom : box.right;
    return box.bottom >= 0;
}

static bool value_of(const CShiftNumber *n, const GridAnalysis *b, const GridNumbers *numbers,
                     int32_t *value) {
    bool there = true;
    switch (n->kind) {
    case CONSTANT:
        *value = n->what;
        break;
    case PLACE:
        there = place_of(b, n->what, n->color, value);
        break;
    case HALF:
        *value = (n->what == 0 ? b->h : b->w) / 2;
        break;
    default:
        *value = numbers->of[n->what];
        break;
    }
    *value = (n->minus ? -1 : 1) * (*value + n->plus);
    return there;
}

/* Adds a number that all inputs have, unless a cheaper one has its values or it is 0 everywhere. */
static bool add(Search *s, CShiftNumbers *to, CShiftNumber n, const GridAnalysis *analyses,
                const GridNumbers *numbers) {
    const SearchTask *t = s->task;
    int32_t value[SEARCH_MAX_SAMPLES] = {0};
    bool any = false;
    for (uint32_t k = 0; k < t->n; k++) {
        if (!value_of(&n, &analyses[k], &numbers[k], &value[k])) {
            return true;
        }
        any |= value[k] != 0;
    }
    CShiftNumber *same = NULL;
    for (uint32_t k = 0; k < to->count && same == NULL; k++) {
        same = memcmp(to->all[k].value, value, t->n * sizeof *value) == 0 ? &to->all[k] : NULL;
    }
    if (!any || (same != NULL && same->cost <= n.cost) || (same == NULL && to->count == CSHIFT_NUMBERS_MAX)) {
        return true;
    }
    n.value = same != NULL ? same->value : ctx_alloc(s->ctx, t->n * sizeof *value);
    if (n.value == NULL) {
        return false;
    }
    memcpy(n.value, value, t->n * sizeof *value);
    *(same != NULL ? same : &to->all[to->count++]) = n;
    return true;
}

/* The number, its neighbours, and all of them negative. */
static bool add_near(Search *s, CShiftNumbers *to, CShiftNumber n, const GridAnalysis *analyses,
                     const GridNumbers *numbers) {
    static const int8_t plus[] = {0, -1, 1};
    bool good = true;
    for (uint32_t k = 0; k < 2 * sizeof plus && good; k++) {
        CShiftNumber near = n;
        near.plus = plus[k / 2];
        near.minus = k % 2 == 1;
        near.cost += (near.plus != 0 ? 2 : 0) + (near.minus ? 1 : 0);
        good = add(s, to, near, analyses, numbers);
    }
    return good;
}

static int by_cost(const void *a, const void *b) {
    const CShiftNumber *x = a, *y = b;
    return (x->cost > y->cost) - (x->cost < y->cost);
}

bool cshift_numbers_find(Search *s, CShiftNumbers *to) {
    const SearchTask *t = s->task;
    GridAnalysis *analyses = quota_grow(&s->quota, NULL, t->n, sizeof *analyses);
    GridNumbers *numbers = quota_grow(&s->quota, NULL, t->n, sizeof *numbers);
    bool good = analyses != NULL && numbers != NULL;
    to->count = 0;
    for (uint32_t k = 0; k < t->n && good; k++) {
        Reason why;
        good = analysis_of(t->in[k], &analyses[k], &why);
        if (good) {
            grid_numbers(&analyses[k], &numbers[k]);
        }
    }
    for (int8_t k = 1; k <= MAX_CONSTANT && good; k++) {
        good = add(s, to, (CShiftNumber){CONSTANT, k, 0, 0, false, k, NULL}, analyses, numbers) &&
               add(s, to, (CShiftNumber){CONSTANT, (int8_t)-k, 0, 0, false, k, NULL}, analyses, numbers);
    }
    for (int8_t side = 0; side < SIDES && good; side++) {
        for (int8_t color = LEAST_FREQUENT; color < N_COLORS && good; color++) {
            if (color == LEAST_FREQUENT || (t->in_all >> color & 1) != 0) {
                good =
                    add_near(s, to, (CShiftNumber){PLACE, side, color, 0, false, 5, NULL}, analyses, numbers);
            }
        }
    }
    for (int8_t side = 0; side < 2 && good; side++) {
        good = add(s, to, (CShiftNumber){HALF, side, 0, 0, false, 2, NULL}, analyses, numbers);
    }
    for (int8_t k = 0; k < NUMBER_COUNT && good; k++) {
        if (grid_number_sorts[k].kind == FEATURE_IS_COUNT) {
            double cost = 5 + 1.5 * grid_number_sorts[k].cost;
            good = add_near(s, to, (CShiftNumber){COUNT_OF, k, 0, 0, false, cost, NULL}, analyses, numbers);
        }
    }
    quota_free(&s->quota, analyses);
    quota_free(&s->quota, numbers);
    if (good && to->count > 0) {
        qsort(to->all, to->count, sizeof to->all[0], by_cost);
    }
    return good && to->count > 0;
}

bool cshift_numbers_alike(const CShiftNumber *a, const CShiftNumber *b) {
    return a->kind == PLACE && b->kind == PLACE && a->color == b->color;
}

static Ref call(Builder *b, unsigned prim, Ref first, Ref second, uint32_t n) {
    return build_op(b, OP_PRIM, prim, (Ref[]){first, second}, n, 0, "", 0);
}

Ref cshift_number_ref(Builder *b, const CShiftNumber *n) {
    Ref at, color;
    switch (n->kind) {
    case CONSTANT:
        return build_const(b, val_int(n->what));
    case PLACE:
        color = n->color == LEAST_FREQUENT ? call(b, P_leastcolor, PARAM_I, 0, 1)
                                           : build_const(b, val_int(n->color));
        at = call(b, sides[n->what], call(b, P_ofcolor, PARAM_I, color, 2), 0, 1);
        break;
    case HALF:
        at = call(b, P_halve, call(b, n->what == 0 ? P_height : P_width, PARAM_I, 0, 1), 0, 1);
        break;
    default:
        at = call(b, P_grid_number, PARAM_I, build_const(b, val_int(n->what)), 2);
        break;
    }
    at = n->plus > 0 ? call(b, P_increment, at, 0, 1) : n->plus < 0 ? call(b, P_decrement, at, 0, 1) : at;
    return n->minus ? call(b, P_invert, at, 0, 1) : at;
}
