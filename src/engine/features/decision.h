/* Decision trees over attributes of what a grid is made of, cells, beams or objects, as values and in
 * executable form.
 *
 * A branch is (attribute, test, number, yes, no); with RULE_SAME and RULE_MORE the number is an attribute,
 * too. Everything else is a leaf, which says what is done and is the owner's to read. */
#ifndef BATT_ENGINE_FEATURES_DECISION_H
#define BATT_ENGINE_FEATURES_DECISION_H

#include "engine/features/features.h"

enum { DECISION_MAX_NODES = 64 };

typedef struct DecisionNode {
    bool leaf;
    uint8_t test;              /* of a branch; RuleTest */
    int64_t attribute, number; /* the number or attribute to compare with */
    int16_t yes, no;           /* nodes */
} DecisionNode;

typedef struct Decision {
    DecisionNode nodes[DECISION_MAX_NODES];
    int16_t count;
} Decision;

typedef struct DecisionReader {
    int64_t tests; /* those allowed: RULE_TESTS or RULE_CELL_TESTS */
    bool (*is_attribute)(int64_t number);
    bool (*read_leaf)(void *user, int16_t node, Val leaf); /* a tuple; false: it is none */
    void *user;
} DecisionReader;

static inline bool decision_compares(unsigned test) { /* two attributes */
    return test == RULE_SAME || test == RULE_MORE;
}

static inline bool decision_exceeds(unsigned test) { /* the first, not equals the second */
    return test == RULE_GREATER || test == RULE_MORE;
}

/* Whether one of four directions' attributes is the number. */
static inline bool decision_among(const DecisionNode *node,
                                  int64_t (*attribute)(const void *all, int64_t attribute, int32_t item),
                                  const void *all, int32_t item) {
    bool any = false;
    for (int k = 0; k < AMONG_DIRECTIONS && !any; k++) {
        any = attribute(all, feature_in_direction(node->attribute, k), item) == node->number;
    }
    return any;
}

/* A branch as a value; a failure if one of the sides is one, or if there is no memory. */
Val decision_branch(Ctx *ctx, int64_t attribute, unsigned test, int64_t number, Val yes, Val no);

bool decision_read(Decision *to, const DecisionReader *reader, Val value); /* false: it is none */

/* The leaf that is decided for. */
static inline int16_t decision_of(const Decision *d,
                                  int64_t (*attribute)(const void *all, int64_t attribute, int32_t item),
                                  const void *all, int32_t item) {
    int16_t at = 0;
    while (!d->nodes[at].leaf) {
        const DecisionNode *node = &d->nodes[at];
        ASSERT(node->yes > at && node->yes < d->count && node->no > at && node->no < d->count,
               "branch %d of %d leads to %d and %d", at, d->count, node->yes, node->no);
        int64_t x = attribute(all, node->attribute, item);
        int64_t y = decision_compares(node->test) ? attribute(all, node->number, item) : node->number;
        bool yes = decision_exceeds(node->test) ? x > y : x == y;
        if (node->test == RULE_AMONG && !yes) {
            yes = decision_among(node, attribute, all, item);
        }
        at = yes ? node->yes : node->no;
    }
    return at;
}

#endif
