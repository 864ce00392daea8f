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

/* Rules that are applied together: a cell gets the color of the first that changes it. */
typedef struct RuleProcess {
    const Rule *rules;
    uint32_t n;
    FeatureSet used; /* features of all rules, by process_features */
} RuleProcess;

enum { PROCESS_MAX_RULES = 16, PROCESS_MAX_ROUNDS = 256 };
FeatureSet process_features(const Rule *rules, uint32_t n);
/* One round; `to` must have room for the grid. False: not such a grid, or no memory (*why). */
bool process_round(Ctx *ctx, const RuleProcess *process, Val grid, int8_t *to, Reason *why);

#endif
