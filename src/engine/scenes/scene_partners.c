/* The other objects that each object of a scene may refer to; see scene_partners.def. */
#include "base/check.h"
#include "engine/scenes/scene.h"

typedef struct Pair {
    const Scene *scene;
    const SceneObject *a, *b; /* b is a candidate for a's partner */
    int32_t number, other;
} Pair;

/* An attribute of one object of the pair. */
static int8_t of(const Pair *p, SceneAttribute attribute, bool other) {
    return p->scene->attributes[attribute][other ? p->other : p->number];
}

/* Whether two boxes share rows or columns, but not both. */
static bool boxes_apart(const SceneObject *a, const SceneObject *b) {
    return scene_shares_columns(a, b) != scene_shares_rows(a, b);
}

static bool may_be(ScenePartner partner, const Pair *p) {
    const SceneObject *a = p->a, *b = p->b;
    switch (partner) {
    case PARTNER_ANCHOR:
        return false;
    case PARTNER_TOUCHING:
        return p->scene->touches[p->number][p->other / 64] >> p->other % 64 & 1;
    case PARTNER_HOLDER:
        return scene_holds(b, a);
    case PARTNER_HELD:
        return scene_holds(a, b);
    case PARTNER_FACING:
        return boxes_apart(a, b);
    case PARTNER_OTHER_COLOR:
        return a->color != b->color;
    case PARTNER_SAME_COLOR:
        return a->color == b->color;
    case PARTNER_TWIN:
        return a->shape == b->shape;
    case PARTNER_TURNED_TWIN:
        return a->turned == b->turned;
    case PARTNER_OTHER_SHAPE:
        return a->shape != b->shape;
    case PARTNER_SAME_SIZE:
        return a->count == b->count;
    case PARTNER_ODD_COLOR:
        return of(p, ATTRIBUTE_SAME_COLOR, true) == 1;
    case PARTNER_ODD_SHAPE:
        return of(p, ATTRIBUTE_SAME_SHAPE, true) == 1;
    case PARTNER_UP:
        return b->bottom < a->top && scene_shares_columns(a, b);
    case PARTNER_DOWN:
        return b->top > a->bottom && scene_shares_columns(a, b);
    case PARTNER_LEFT:
        return b->right < a->left && scene_shares_rows(a, b);
    case PARTNER_RIGHT:
        return b->left > a->right && scene_shares_rows(a, b);
    case PARTNER_LARGER:
        return b->count > a->count;
    case PARTNER_SMALLER:
        return b->count < a->count;
    case PARTNER_LINE:
        return of(p, ATTRIBUTE_LINE, true) != 0;
    case PARTNER_RAREST:
        return b->color == analysis_rarest(&p->scene->grid);
    case PARTNER_COLORFUL:
        return of(p, ATTRIBUTE_COLORS, true) > of(p, ATTRIBUTE_COLORS, false);
    case PARTNER_LARGEST_SAME:
        return a->color == b->color;
    case PARTNER_SAME_COLOR_LARGER:
        return a->color == b->color && b->count > a->count;
    case PARTNER_FACING_SAME:
        return boxes_apart(a, b) && a->color == b->color;
    case PARTNER_FACING_OTHER:
        return boxes_apart(a, b) && a->color != b->color;
    case PARTNER_FACING_LARGER:
        return boxes_apart(a, b) && b->count > a->count;
    case PARTNER_MARKED:
        return b->color == of(p, ATTRIBUTE_SECOND_COLOR, false);
    case PARTNER_TWIN_OTHER:
        return a->shape == b->shape && a->color != b->color;
    case PARTNER_TURNED_OTHER:
        return a->turned == b->turned && a->color != b->color;
    case PARTNER_TOUCHING_LARGEST:
        return p->scene->touches[p->number][p->other / 64] >> p->other % 64 & 1;
    default:
        return true;
    }
}

/* The key that chooses among several candidates: the smallest is the partner; ties go to the first. */
static int32_t order_of(ScenePartner partner, const Pair *p) {
    switch (partner) {
    case PARTNER_HOLDER:
        return scene_height(p->b) * scene_width(p->b);
    case PARTNER_HELD:
    case PARTNER_LARGEST:
    case PARTNER_TOUCHING_LARGEST:
    case PARTNER_LARGEST_SAME:
        return -p->b->count;
    case PARTNER_SMALLEST:
        return p->b->count;
    case PARTNER_TOUCHING:
    case PARTNER_ODD_COLOR:
    case PARTNER_ODD_SHAPE:
    case PARTNER_FIRST:
        return 0;
    default:
        return scene_distance(p->a, p->b);
    }
}

/* Whether the partner is the same for all objects of the scene, or of a color; the object that it is has none
 * itself. */
static bool is_absolute(ScenePartner partner) {
    return partner == PARTNER_LARGEST || partner == PARTNER_SMALLEST || partner == PARTNER_ODD_COLOR ||
           partner == PARTNER_ODD_SHAPE || partner == PARTNER_FIRST || partner == PARTNER_LARGEST_SAME;
}

static int8_t find(const Scene *s, ScenePartner partner, int32_t number) {
    ASSERT(partner < PARTNER_COUNT && number >= 0 && number < s->count, "partner %u of object %d", partner,
           number);
    int32_t best = -1, best_order = 0;
    for (int32_t k = 0; k < s->count; k++) {
        Pair p = {s, &s->objects[number], &s->objects[k], number, k};
        if ((k != number || is_absolute(partner)) && may_be(partner, &p)) {
            int32_t order = order_of(partner, &p);
            if (best < 0 || order < best_order) {
                best = k;
                best_order = order;
            }
        }
    }
    return (int8_t)(best == number ? -1 : best);
}

void scene_fill_partners(Scene *s) {
    for (int partner = 0; partner < PARTNER_COUNT; partner++) {
        for (int32_t o = 0; o < s->count; o++) {
            s->partners[partner][o] = find(s, (ScenePartner)partner, o);
        }
    }
}
