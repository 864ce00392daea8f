/* Objects of a grid as a list: those that meet conditions, sorted by an attribute, as runs of colors or as
 * grids. */
#include "engine/scenes/object_list.h"

#include "base/check.h"
#include "engine/scenes/scene_conditions.h"

typedef struct ListHow { /* (order, down, what, times) */
    int32_t order, what, times;
    bool down;
} ListHow;

static bool in_range(int64_t x, int64_t first, int64_t after) {
    return x >= first && x < after;
}

static bool read_how(Val v, int32_t whats, ListHow *how) {
    if (!val_is_ints(v) || val_len(v) != 4) {
        return false;
    }
    int64_t order = val_ints_at(v, 0), down = val_ints_at(v, 1), what = val_ints_at(v, 2),
            times = val_ints_at(v, 3);
    *how =
        (ListHow){.order = (int32_t)order, .what = (int32_t)what, .times = (int32_t)times, .down = down == 1};
    return in_range(order, 0, ATTRIBUTE_COUNT) && in_range(down, 0, 2) && in_range(what, 0, whats) &&
           in_range(times, OBJECT_ONCE, ATTRIBUTE_COUNT);
}

void object_list_order(const Scene *s, int32_t attribute, bool down, uint8_t *order) {
    ASSERT(attribute >= 0 && attribute < ATTRIBUTE_COUNT, "attribute %d", attribute);
    const int8_t *by = s->attributes[attribute];
    for (int32_t o = 0; o < s->count; o++) { /* insertion sort: objects are few, and it is stable */
        int32_t at = o;
        while (at > 0 && (down ? by[order[at - 1]] < by[o] : by[order[at - 1]] > by[o])) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = (uint8_t)o;
    }
}

int32_t object_list_times(const Scene *s, int32_t object, int32_t times) {
    int32_t n = times == OBJECT_ONCE ? 1 : s->attributes[times][object];
    return n < 0 ? 0 : n;
}

typedef struct ObjectList {
    Scene *scene;
    uint8_t chosen[SCENE_MAX_OBJECTS]; /* objects in the list's order */
    int32_t count;
} ObjectList;

/* Makes the list; false: *why says why not. */
static bool make_list(Ctx *ctx, const Val *a, const ListHow *how, ObjectList *list, Reason *why) {
    SceneSegmentation segmentation;
    int background;
    SceneCondition conditions[SCENE_MAX_CONDITIONS];
    uint32_t n;
    if (!scene_read_segmentation(a[1], &segmentation, &background) ||
        !scene_read_conditions(a[2], conditions, &n)) {
        *why = FAIL_TYPE;
        return false;
    }
    list->scene = scene_described(ctx, a[0], segmentation, background, why);
    if (list->scene == NULL) {
        return false;
    }
    uint8_t order[SCENE_MAX_OBJECTS];
    object_list_order(list->scene, how->order, how->down, order);
    list->count = 0;
    for (int32_t k = 0; k < list->scene->count; k++) {
        if (scene_meets(list->scene, order[k], conditions, n)) {
            list->chosen[list->count++] = order[k];
        }
    }
    return true;
}

Val prim_object_runs(Ctx *ctx, const Val *a) {
    ListHow how;
    ObjectList list;
    Reason why;
    if (!read_how(a[3], ATTRIBUTE_COUNT, &how)) {
        return val_fail(FAIL_TYPE);
    }
    int8_t *to = ctx_alloc(ctx, 2 * SCENE_MAX_OBJECTS);
    if (to == NULL) {
        return val_fail_budget(ctx);
    }
    CtxMark mark = ctx_mark(ctx);
    if (!make_list(ctx, a, &how, &list, &why)) {
        return val_fail(why);
    }
    for (int32_t k = 0; k < list.count; k++) {
        int32_t o = list.chosen[k];
        to[2 * k] = list.scene->attributes[how.what][o];
        to[2 * k + 1] = (int8_t)object_list_times(list.scene, o, how.times);
    }
    ctx_release(ctx, mark);
    return list.count == 0 ? VAL_EMPTY_TUPLE : val_grid8(to, (uint32_t)list.count, 2);
}

Val prim_object_grids(Ctx *ctx, const Val *a) {
    ListHow how;
    ObjectList list;
    Reason why;
    uint32_t n = 0;
    if (!read_how(a[3], CUT_COUNT, &how)) {
        return val_fail(FAIL_TYPE);
    }
    if (!make_list(ctx, a, &how, &list, &why)) {
        return val_fail(why);
    }
    Val *to = val_buffer(ctx, OBJECT_GRIDS_MAX);
    if (to == NULL) {
        return val_fail_budget(ctx);
    }
    for (int32_t k = 0; k < list.count; k++) {
        int32_t times = object_list_times(list.scene, list.chosen[k], how.times);
        if (n + (uint32_t)times > OBJECT_GRIDS_MAX) {
            return val_fail(FAIL_LIMIT);
        }
        Val grid =
            times > 0 ? scene_cut_grid(ctx, list.scene, list.chosen[k], (SceneCut)how.what) : VAL_EMPTY_TUPLE;
        if (val_failed(grid)) {
            return grid;
        }
        for (; times > 0; times--) {
            to[n++] = grid;
        }
    }
    return val_tuple(ctx, to, n);
}
