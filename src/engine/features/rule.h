/* A rule per cell in executable form: the tree that the argument of cell_rule and cell_sweep describes. */
#ifndef BATT_ENGINE_FEATURES_RULE_H
#define BATT_ENGINE_FEATURES_RULE_H

#include "engine/features/features.h"

enum { RULE_MAX_NODES = 64, RULE_VALUES = 256 };

typedef struct RuleNode {
    int16_t feature;   /* of a branch, or copied by a leaf; negative: a leaf with a color */
    uint8_t test;      /* RULE_EQUAL.. */
    bool leaf, mapped; /* mapped: a leaf that copies through its row of maps */
    int64_t number;    /* the number or feature to compare with; the color of a leaf */
    int16_t yes, no;   /* nodes */
} RuleNode;

typedef struct Rule {
    RuleNode nodes[RULE_MAX_NODES];
    int16_t count;
    /* by node, then by the value as a byte; only for mapped leaves */
    int8_t maps[RULE_MAX_NODES][RULE_VALUES];
} Rule;

/* False: the value is not a rule. */
bool rule_read(Rule *rule, Val value);
FeatureSet rule_features(const Rule *rule); /* those it tests or copies */
/* The color it gives to a cell of a grid of n cells with these features. */
int8_t rule_color(const Rule *rule, const int8_t *planes, int32_t n, int32_t cell);

#endif
