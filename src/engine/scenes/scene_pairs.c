/* What is known about pairs of objects; see pair_relations.def. */
#include "engine/scenes/scene_pairs.h"

const double pair_relation_costs[RELATION_COUNT] = {
#define RELATION(id, cost, text) cost,
#include "engine/scenes/pair_relations.def"
#undef RELATION
};

typedef struct Both {
    const Scene *scene;
    const SceneObject *a, *b;
    int32_t source, anchor;
} Both;

bool pair_is_attribute(int64_t number) {
    return number >= 0 && (number < PAIR_OF_BOTH ? number % PAIR_OF_ANCHOR < ATTRIBUTE_COUNT
                                                 : number - PAIR_OF_BOTH < RELATION_COUNT);
}

static int8_t is_straight(const Both *p) {
    bool columns = scene_shares_columns(p->a, p->b), rows = scene_shares_rows(p->a, p->b);
    return (int8_t)(columns == rows ? 0 : columns ? 1 : 2);
}

static int8_t middles(const Both *p) {
    int32_t rows = p->a->top + p->a->bottom - p->b->top - p->b->bottom;
    int32_t columns = p->a->left + p->a->right - p->b->left - p->b->right;
    return (int8_t)(rows == 0 && columns == 0             ? 4
                    : columns == 0                        ? 1
                    : rows == 0                           ? 2
                    : rows == columns || rows == -columns ? 3
                                                          : 0);
}

static int8_t way(const Both *p) {
    int32_t di = p->b->bottom < p->a->top ? -1 : p->b->top > p->a->bottom;
    int32_t dj = p->b->right < p->a->left ? -1 : p->b->left > p->a->right;
    for (int direction = 0; direction < DIRECTION_COUNT; direction++) {
        if (scene_di(direction) == di && scene_dj(direction) == dj) {
            return (int8_t)direction;
        }
    }
    return -1;
}

/* How many other objects have cells between the boxes. */
static int8_t blockers(const Both *p) {
    const SceneObject *a = p->a, *b = p->b;
    bool columns = is_straight(p) == 1;
    if (is_straight(p) == 0) {
        return -1;
    }
    int32_t top = a->top > b->top ? a->top : b->top, bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
    int32_t left = a->left > b->left ? a->left : b->left, right = a->right < b->right ? a->right : b->right;
    int32_t from_i = columns ? bottom + 1 : top, to_i = columns ? top - 1 : bottom;
    int32_t from_j = columns ? left : right + 1, to_j = columns ? right : left - 1;
    bool met[SCENE_MAX_OBJECTS] = {false};
    int8_t n = 0;
    for (int32_t i = from_i; i <= to_i; i++) {
        for (int32_t j = from_j; j <= to_j; j++) {
            int32_t other = p->scene->label[i * p->scene->grid.w + j];
            if (other >= 0 && other != p->source && other != p->anchor && !met[other]) {
                met[other] = true;
                n++;
            }
        }
    }
    return n;
}

/* How many other objects are nearer to one of the two than the other is; color -1: of any. */
static int8_t nearer(const Both *p, const SceneObject *to, int color) {
    int32_t far = scene_distance(p->a, p->b);
    int8_t n = 0;
    for (int32_t k = 0; k < p->scene->count; k++) {
        const SceneObject *o = &p->scene->objects[k];
        n = (int8_t)(n + (o != p->a && o != p->b && (color < 0 || o->color == color) &&
                          scene_distance(o, to) < far));
    }
    return n;
}

static bool has_color(const Both *p, int8_t color) {
    for (int32_t k = 0; k < p->a->count; k++) {
        if (p->scene->grid.c[p->scene->cells[p->a->first + k]] == color) {
            return true;
        }
    }
    return false;
}

int8_t pair_relation(const Scene *s, PairRelation relation, int32_t source, int32_t anchor) {
    const Both p = {s, &s->objects[source], &s->objects[anchor], source, anchor};
    int32_t distance;
    switch (relation) {
    case RELATION_SAME_COLOR:
        return p.a->color == p.b->color;
    case RELATION_SAME_SHAPE:
        return p.a->shape == p.b->shape;
    case RELATION_SAME_TURNED:
        return p.a->turned == p.b->turned;
    case RELATION_LARGER:
        return (int8_t)((p.a->count > p.b->count) - (p.a->count < p.b->count));
    case RELATION_TOUCHES:
        return s->touches[source][anchor / 64] >> anchor % 64 & 1;
    case RELATION_INSIDE:
        return (int8_t)(scene_holds(p.a, p.b) - scene_holds(p.b, p.a));
    case RELATION_STRAIGHT:
        return is_straight(&p);
    case RELATION_MIDDLES:
        return middles(&p);
    case RELATION_WAY:
        return way(&p);
    case RELATION_BLOCKED:
        return blockers(&p);
    case RELATION_DISTANCE:
        distance = scene_distance(p.a, p.b);
        return (int8_t)(distance < 127 ? distance : 127);
    case RELATION_NEARER:
        return nearer(&p, p.a, -1);
    case RELATION_NEARER_LIKE:
        return nearer(&p, p.a, p.b->color);
    case RELATION_NEARER_BACK:
        return nearer(&p, p.b, -1);
    case RELATION_SHARES:
        return has_color(&p, p.b->color);
    case RELATION_SECOND:
        return s->attributes[ATTRIBUTE_SECOND_COLOR][source] == p.b->color;
    default:
        return source < anchor;
    }
}

int8_t pair_attribute(const Scene *s, int64_t number, int32_t source, int32_t anchor) {
    if (number >= PAIR_OF_BOTH) {
        return pair_relation(s, (PairRelation)(number - PAIR_OF_BOTH), source, anchor);
    }
    int32_t object = number >= PAIR_OF_ANCHOR ? anchor : source;
    int64_t own = number % PAIR_OF_ANCHOR;
    return (int8_t)(own < ATTRIBUTE_COUNT ? s->attributes[own][object] : -1);
}
