/* Features of cells: what a rule may ask about each cell of a grid. */
#ifndef BATT_FEATURES_FEATURES_H
#define BATT_FEATURES_FEATURES_H

#include "dsl/prim.h"

typedef enum FeatureId {
#define FEATURE(id, group, kind, cost, text) FEATURE_##id,
#include "features/features.def"
#undef FEATURE
    FEATURE_COUNT
} FeatureId;

/* Features that stand in a row (groups.def): the number of the first. */
typedef enum FeatureRun {
#define GROUP(id, function)
#define RUN(id, first, last, length) FEATURE_RUN_##id = FEATURE_##first,
#include "features/groups.def"
#undef GROUP
#undef RUN
} FeatureRun;

static inline FeatureId feature_of_run(FeatureRun run, int k) {
    return (FeatureId)((int)run + k);
}

enum { FEATURE_MOST_CELLS = 1024, FEATURE_MOST_COST = 32 };

typedef enum FeatureKind { FEATURE_IS_COLOR, FEATURE_IS_COUNT } FeatureKind;

typedef struct FeatureSort { /* what features.def says of one */
    uint8_t group, kind;
    double cost;
    const char *name, *text;
} FeatureSort;
extern const FeatureSort feature_sorts[FEATURE_COUNT];
const char *feature_name(unsigned feature); /* for words.def */
const char *feature_text(unsigned feature);

/* What a rule's branch asks of a feature: is it the number, greater, or the same as another feature? */
typedef enum RuleTest { RULE_EQUAL, RULE_GREATER, RULE_SAME, RULE_TESTS } RuleTest;

typedef struct FeatureSet {
    bool has[FEATURE_COUNT];
} FeatureSet;

/* The wanted features (NULL: all) of all cells of a grid of colors 0 to 9 of at most FEATURE_MOST_CELLS
 * cells, plane by plane (feature * cells + cell); planes that are not wanted hold nothing of use. NULL: no
 * memory, or not such a grid (*why). Ground is 0, or the most frequent color where there is no 0. */
const int8_t *features_of(Ctx *ctx, Val grid, const FeatureSet *wanted, Reason *why);

#endif
