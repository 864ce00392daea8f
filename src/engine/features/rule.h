/* A rule per cell in executable form: the tree that the argument of cell_rule and cell_grow describes. */
#ifndef BATT_ENGINE_FEATURES_RULE_H
#define BATT_ENGINE_FEATURES_RULE_H

#include "engine/features/decision.h"

enum { RULE_VALUES = 256 };

typedef struct RuleLeaf {
    int16_t feature; /* that it copies; negative: it gives a color */
    int8_t color;
    bool mapped; /* the copy goes through the leaf's row of maps */
} RuleLeaf;

typedef struct Rule {
    Decision tree;
    RuleLeaf leaves[DECISION_MAX_NODES]; /* by node */
    /* by node, then by the value as a byte; only for mapped leaves */
    int8_t maps[DECISION_MAX_NODES][RULE_VALUES];
} Rule;

/* False: the value is not a rule. */
bool rule_read(Rule *rule, Val value);
FeatureSet rule_features(const Rule *rule); /* those it tests or copies */
/* The color it gives to a cell of a grid of n cells with these features. */
int8_t rule_color(const Rule *rule, const int8_t *planes, int32_t n, int32_t cell);

#endif
