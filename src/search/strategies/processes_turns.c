/* Rules that hold in all directions: their turned and mirrored copies; see processes_internal.h. */
#include "search/strategies/processes_internal.h"

#include <string.h>

static uint8_t in_run(int feature, FeatureRun run, int length, int turn, int mirror) {
    int k = feature - (int)run;
    k = mirror >= 0 ? (mirror - k + length) % length : k;
    return (uint8_t)feature_of_run(run, (k + turn) % length);
}

static bool is_in(int feature, FeatureRun run, int length) {
    return feature >= (int)run && feature < (int)run + length;
}

/* What a feature is called after so many quarter turns to the right, and before that a mirror left to right.
 */
static uint8_t turned(uint8_t f, int turns, bool mirrored) {
    static const uint8_t swapped[][2] = {{FEATURE_BETWEEN_SIDES, FEATURE_BETWEEN_ENDS},
                                         {FEATURE_ROW_MOD2, FEATURE_COLUMN_MOD2},
                                         {FEATURE_ROW_MOD3, FEATURE_COLUMN_MOD3}};
    if (is_in(f, FEATURE_RUN_NEIGHBORS, 8)) {
        return in_run(f, FEATURE_RUN_NEIGHBORS, 8, 2 * turns, mirrored ? 0 : -1);
    }
    if (is_in(f, FEATURE_RUN_SEEN, 4)) {
        return in_run(f, FEATURE_RUN_SEEN, 4, turns, mirrored ? 0 : -1);
    }
    if (is_in(f, FEATURE_RUN_SEEN_SLANTED, 4)) {
        return in_run(f, FEATURE_RUN_SEEN_SLANTED, 4, turns, mirrored ? 3 : -1);
    }
    if (f == FEATURE_DIAGONAL || f == FEATURE_ANTIDIAGONAL) {
        bool other = (f == FEATURE_ANTIDIAGONAL) ^ (turns & 1) ^ mirrored;
        return other ? FEATURE_ANTIDIAGONAL : FEATURE_DIAGONAL;
    }
    for (size_t k = 0; k < sizeof swapped / sizeof *swapped && (turns & 1); k++) {
        for (int side = 0; side < 2; side++) {
            if (f == swapped[k][side]) {
                return swapped[k][!side];
            }
        }
    }
    return f;
}

bool processes_add_rule(Process *to, const StepRule *rule, Orbit orbit) {
    static const uint8_t ways[ORBITS] = {0x01, 0x11, 0x41, 0x0f, 0xff}; /* bits: turns, 4 later mirrored */
    uint32_t first = to->n;
    for (int way = 0; way < 8; way++) {
        StepRule copy = *rule;
        bool known = !(ways[orbit] >> way & 1);
        for (uint32_t k = 0; k < copy.n_asked; k++) {
            if (copy.asked[k].test != RULE_AMONG) {
                copy.asked[k].feature = turned(copy.asked[k].feature, way % 4, way >= 4);
            }
        }
        copy.what = copy.copy ? turned(copy.what, way % 4, way >= 4) : copy.what;
        for (uint32_t k = first; k < to->n && !known; k++) {
            known = memcmp(copy.asked, to->rules[k].asked, copy.n_asked * sizeof *copy.asked) == 0 &&
                    copy.what == to->rules[k].what;
        }
        if (!known && to->n == MAX_RULES) {
            return false;
        }
        if (!known) {
            to->rules[to->n++] = copy;
        }
    }
    to->cost += rule->cost + (orbit != ORBIT_AS_IS);
    return orbit == ORBIT_AS_IS || to->n > first + 1;
}
