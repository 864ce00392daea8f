/* Conditions on objects; see scene_conditions.h. */
#include "engine/scenes/scene_conditions.h"

#include "base/check.h"

bool scene_read_conditions(Val v, SceneCondition *to, uint32_t *n) {
    *n = val_is_tuple(v) ? val_len(v) : SCENE_MAX_CONDITIONS + 1;
    if (*n > SCENE_MAX_CONDITIONS) {
        return false;
    }
    for (uint32_t k = 0; k < *n; k++) {
        Val item = val_at(v, k);
        if (!val_is_ints(item) || val_len(item) != 3) {
            return false;
        }
        int64_t attribute = val_ints_at(item, 0), test = val_ints_at(item, 1), number = val_ints_at(item, 2);
        if (attribute < 0 || attribute >= ATTRIBUTE_COUNT || test < 0 || test >= SCENE_TESTS ||
            (test < SCENE_TEST_MORE && test % RULE_TESTS == RULE_SAME &&
             (number < 0 || number >= ATTRIBUTE_COUNT))) {
            return false;
        }
        to[k] = (SceneCondition){(uint8_t)attribute, (uint8_t)test, number};
    }
    return true;
}

/* How many objects have more of an attribute than this one, less, or as much. */
static int64_t count_others(const Scene *s, int32_t object, int attribute, int test) {
    const int8_t *all = s->attributes[attribute];
    int64_t n = 0;
    for (int32_t o = 0; o < s->count; o++) {
        n += test == SCENE_TEST_MORE   ? all[o] > all[object]
             : test == SCENE_TEST_LESS ? all[o] < all[object]
                                       : all[o] == all[object];
    }
    return n;
}

bool scene_meets_one(const Scene *s, int32_t object, const SceneCondition *c) {
    ASSERT(object >= 0 && object < s->count && c->test < SCENE_TESTS, "object %d of %d", object, s->count);
    int test = c->test % RULE_TESTS;
    bool opposite = c->test / RULE_TESTS % 2 != 0;
    if (c->test >= SCENE_TEST_MORE) {
        return (count_others(s, object, c->attribute, SCENE_TEST_MORE + test) == c->number) != opposite;
    }
    int64_t x = s->attributes[c->attribute][object];
    int64_t y = test == RULE_SAME ? s->attributes[c->number][object] : c->number;
    return (test == RULE_GREATER ? x > y : x == y) != opposite;
}

bool scene_meets(const Scene *s, int32_t object, const SceneCondition *conditions, uint32_t n) {
    bool all = true;
    for (uint32_t k = 0; k < n && all; k++) {
        all = scene_meets_one(s, object, &conditions[k]);
    }
    return all;
}
