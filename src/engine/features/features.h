/* Features of cells: what a rule may ask about each cell of a grid. */
#ifndef BATT_ENGINE_FEATURES_FEATURES_H
#define BATT_ENGINE_FEATURES_FEATURES_H

#include "engine/primitives/prim.h"

typedef enum FeatureId {
#define FEATURE(id, group, kind, cost, text) FEATURE_##id,
#include "engine/features/features.def"
#undef FEATURE
    FEATURE_COUNT
} FeatureId;

/* Runs of features that are numbered consecutively (groups.def): the number of the first. */
typedef enum FeatureRun {
#define GROUP(id, function)
#define RUN(id, first, last, length) FEATURE_RUN_##id = FEATURE_##first,
#include "engine/features/groups.def"
#undef GROUP
#undef RUN
} FeatureRun;

static inline FeatureId feature_of_run(FeatureRun run, int k) {
    return (FeatureId)((int)run + k);
}

enum { FEATURE_MAX_CELLS = 1024, FEATURE_MAX_COST = 32 };

typedef enum FeatureKind { FEATURE_IS_COLOR, FEATURE_IS_COUNT } FeatureKind;

typedef struct FeatureSort { /* a row of features.def */
    uint8_t group, kind;
    double cost;
} FeatureSort;
extern const FeatureSort feature_sorts[FEATURE_COUNT];

/* What a branch of a rule asks: does a feature equal a number, exceed it, or equal another feature? Rules per
 * cell may also ask whether it exceeds another feature, and whether one of four directions' features is a
 * number; rules over objects have only the first three tests. */
typedef enum RuleTest {
    RULE_EQUAL,
    RULE_GREATER,
    RULE_SAME,
    RULE_TESTS,
    RULE_MORE = RULE_TESTS,
    RULE_AMONG,
    RULE_CELL_TESTS
} RuleTest;

/* The four directions that a feature is the first of: sides, corners, and what is seen that way. */
enum { AMONG_DIRECTIONS = 4 };
static inline bool feature_begins_directions(int64_t feature) {
    return feature == FEATURE_ABOVE || feature == FEATURE_ABOVE_RIGHT || feature == FEATURE_SEEN_UP ||
           feature == FEATURE_SEEN_UP_RIGHT;
}
static inline int64_t feature_in_direction(int64_t first, int k) {
    return first + (first < FEATURE_SEEN_UP ? 2 * k : k);
}

typedef struct FeatureSet {
    bool has[FEATURE_COUNT];
} FeatureSet;

/* The requested features (NULL: all) of every cell of a grid with colors 0 to 9 and at most FEATURE_MAX_CELLS
 * cells, plane by plane (feature * cells + cell); the other planes are undefined. NULL: no memory, or not
 * such a grid (*why). Background is 0, or the most frequent color if there is no 0. */
int8_t *features_of(Ctx *ctx, Val grid, const FeatureSet *wanted, Reason *why);

#endif
