/* How far and in which direction objects move; see scene_acts.def. */
#include "core/check.h"
#include "scenes/scene_acts.h"

/* Steps in a direction until a cell of the object would lie on a cell of another; -1: they do not meet. */
static int32_t steps_to(const Scene *s, const SceneObject *o, int direction, int32_t other) {
    const Board *b = &s->board;
    int32_t best = -1;
    for (int32_t k = 0; k < o->count; k++) {
        int32_t i = s->cells[o->first + k] / b->w, j = s->cells[o->first + k] % b->w, steps = 0;
        while (board_color(b, i, j) >= 0 && s->label[i * b->w + j] != other) {
            i += scene_di(direction);
            j += scene_dj(direction);
            steps++;
        }
        if (board_color(b, i, j) >= 0 && (best < 0 || steps < best)) {
            best = steps;
        }
    }
    return best;
}

/* The move that brings an object next to another; false: there is no straight way. */
static bool beside(const Scene *s, const SceneObject *o, int32_t other, int32_t *di, int32_t *dj) {
    int direction = scene_direction_to(o, &s->objects[other]);
    if (direction < 0) {
        return false;
    }
    int32_t steps = steps_to(s, o, direction, other);
    steps = steps < 0 ? scene_distance(o, &s->objects[other]) : steps;
    *di = scene_di(direction) * (steps - 1);
    *dj = scene_dj(direction) * (steps - 1);
    return true;
}

static bool to_partner(const Scene *s, int32_t number, const SceneAct *act, int32_t *di, int32_t *dj) {
    int32_t other = s->partners[act->by][number];
    if (other < 0) {
        return false;
    }
    const SceneObject *o = &s->objects[number], *p = &s->objects[other];
    int32_t rows = p->top + p->bottom - o->top - o->bottom, columns = p->left + p->right - o->left - o->right;
    int direction = scene_direction_to(o, p);
    *di = *dj = 0;
    switch ((SceneVector)act->how) {
    case VECTOR_TOPS:
        *di = p->top - o->top;
        return true;
    case VECTOR_BOTTOMS:
        *di = p->bottom - o->bottom;
        return true;
    case VECTOR_LEFTS:
        *dj = p->left - o->left;
        return true;
    case VECTOR_RIGHTS:
        *dj = p->right - o->right;
        return true;
    case VECTOR_MIDDLE_ROWS: /* only if both middles are on cells, or both between cells */
        *di = rows / 2;
        return rows % 2 == 0;
    case VECTOR_MIDDLE_COLUMNS:
        *dj = columns / 2;
        return columns % 2 == 0;
    case VECTOR_MIDDLES:
        *di = rows / 2;
        *dj = columns / 2;
        return rows % 2 == 0 && columns % 2 == 0;
    case VECTOR_PLACE:
        *di = p->top - o->top;
        *dj = p->left - o->left;
        return true;
    case VECTOR_OVER:
        *di = direction % 2 == 0 ? rows : 0;
        *dj = direction % 2 == 0 ? 0 : columns;
        return direction >= 0;
    default:
        return beside(s, o, other, di, dj);
    }
}

/* Where the object with this rank begins; false: not exactly one object has it. */
static bool slot(const Scene *s, SceneAttribute by, int32_t rank, bool columns, int32_t *at) {
    int32_t found = 0;
    for (int32_t k = 0; k < s->count; k++) {
        if (s->attributes[by][k] == rank) {
            *at = columns ? s->objects[k].left : s->objects[k].top;
            found++;
        }
    }
    return found == 1;
}

/* The move to the place that an object has when all are sorted by size; false: places are not unique. */
static bool sorted(const Scene *s, int32_t number, SceneVector how, int32_t *di, int32_t *dj) {
    const SceneObject *o = &s->objects[number];
    bool columns = how == VECTOR_SORT_COLUMNS || how == VECTOR_SORT_COLUMNS_DOWN;
    bool down = how == VECTOR_SORT_COLUMNS_DOWN || how == VECTOR_SORT_ROWS_DOWN;
    int32_t rank = s->attributes[down ? ATTRIBUTE_SIZE_RANK : ATTRIBUTE_SIZE_RANK_UP][number], at = 0;
    bool found = slot(s, columns ? ATTRIBUTE_LEFT_RANK : ATTRIBUTE_TOP_RANK, rank, columns, &at);
    *di = columns ? 0 : at - o->top;
    *dj = columns ? at - o->left : 0;
    return found;
}

bool scene_vector(const Scene *s, int32_t number, const SceneAct *act, int32_t *di, int32_t *dj) {
    ASSERT(number >= 0 && number < s->count, "object %d of %d", number, s->count);
    const SceneObject *o = &s->objects[number];
    const Board *b = &s->board;
    int32_t i = act->by < DIRECTION_COUNT && act->by >= 0 ? scene_di(act->by) : 0;
    int32_t j = act->by < DIRECTION_COUNT && act->by >= 0 ? scene_dj(act->by) : 0;
    int32_t mirror_i = b->h - 1 - o->bottom - o->top, mirror_j = b->w - 1 - o->right - o->left;
    switch ((SceneVector)act->how) {
    case VECTOR_BY:
        *di = act->by;
        *dj = act->by2;
        return true;
    case VECTOR_OWN:
        *di = i * scene_height(o);
        *dj = j * scene_width(o);
        return true;
    case VECTOR_SIZE:
        *di = i * o->count;
        *dj = j * o->count;
        return true;
    case VECTOR_RIM:
        *di = i < 0 ? -o->top : i > 0 ? b->h - 1 - o->bottom : 0;
        *dj = j < 0 ? -o->left : j > 0 ? b->w - 1 - o->right : 0;
        return true;
    case VECTOR_MIRROR_COLUMNS:
    case VECTOR_MIRROR_ROWS:
    case VECTOR_MIRROR_BOTH:
        *di = act->how == VECTOR_MIRROR_COLUMNS ? 0 : mirror_i;
        *dj = act->how == VECTOR_MIRROR_ROWS ? 0 : mirror_j;
        return true;
    case VECTOR_SORT_COLUMNS:
    case VECTOR_SORT_COLUMNS_DOWN:
    case VECTOR_SORT_ROWS:
    case VECTOR_SORT_ROWS_DOWN:
        return sorted(s, number, (SceneVector)act->how, di, dj);
    default:
        return to_partner(s, number, act, di, dj);
    }
}

int scene_slide_direction(const Scene *s, int32_t number, const SceneAct *act) {
    ASSERT(number >= 0 && number < s->count, "object %d of %d", number, s->count);
    if (act->how == SLIDE_ONE_WAY) {
        return act->by;
    }
    int32_t other = s->partners[act->by][number];
    int direction = other >= 0 ? scene_direction_to(&s->objects[number], &s->objects[other]) : -1;
    return direction >= 0 && act->how == SLIDE_AWAY ? (direction + 2) % 4 : direction;
}
