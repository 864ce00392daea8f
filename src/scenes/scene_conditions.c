/* Conditions on objects; see scene_conditions.h. */
#include "scenes/scene_conditions.h"

#include "core/check.h"

bool scene_read_conditions(Val v, SceneCondition *to, uint32_t *n) {
    *n = val_is_tuple(v) ? val_len(v) : SCENE_MOST_CONDITIONS + 1;
    if (*n > SCENE_MOST_CONDITIONS) {
        return false;
    }
    for (uint32_t k = 0; k < *n; k++) {
        Val item = val_at(v, k);
        if (!val_is_ints(item) || val_len(item) != 3) {
            return false;
        }
        int64_t attribute = val_ints_at(item, 0), test = val_ints_at(item, 1), number = val_ints_at(item, 2);
        if (attribute < 0 || attribute >= ATTRIBUTE_COUNT || test < 0 || test >= 2 * RULE_TESTS ||
            (test % RULE_TESTS == RULE_SAME && (number < 0 || number >= ATTRIBUTE_COUNT))) {
            return false;
        }
        to[k] = (SceneCondition){(uint8_t)attribute, (uint8_t)test, number};
    }
    return true;
}

static bool meets(const Scene *s, int32_t object, const SceneCondition *c) {
    ASSERT(object >= 0 && object < s->count, "object %d of %d", object, s->count);
    int test = c->test % RULE_TESTS;
    int64_t x = s->attributes[c->attribute][object];
    int64_t y = test == RULE_SAME ? s->attributes[c->number][object] : c->number;
    return (test == RULE_GREATER ? x > y : x == y) != (c->test >= RULE_TESTS);
}

bool scene_meets(const Scene *s, int32_t object, const SceneCondition *conditions, uint32_t n) {
    bool all = true;
    for (uint32_t k = 0; k < n && all; k++) {
        all = meets(s, object, &conditions[k]);
    }
    return all;
}
