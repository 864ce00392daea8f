/* How far and in which direction objects move; see scene_acts.def. */
#include "base/check.h"
#include "engine/scenes/scene_acts.h"

/* Steps in a direction until a cell of the object would lie on a cell of another; -1: they do not meet. */
static int32_t steps_to(const Scene *s, const SceneObject *o, int direction, int32_t other) {
    const GridAnalysis *b = &s->grid;
    int32_t best = -1;
    for (int32_t k = 0; k < o->count; k++) {
        int32_t i = s->cells[o->first + k] / b->w, j = s->cells[o->first + k] % b->w, steps = 0;
        while (analysis_color(b, i, j) >= 0 && s->label[i * b->w + j] != other) {
            i += scene_di(direction);
            j += scene_dj(direction);
            steps++;
        }
        if (analysis_color(b, i, j) >= 0 && (best < 0 || steps < best)) {
            best = steps;
        }
    }
    return best;
}

/* The move that brings an object next to another; false: there is no straight way. */
static bool beside(const Scene *s, const SceneObject *o, int32_t other, int direction, int32_t *di,
                   int32_t *dj) {
    if (direction < 0) {
        return false;
    }
    int32_t steps = steps_to(s, o, direction, other);
    steps = steps < 0 ? scene_distance(o, &s->objects[other]) : steps;
    *di = scene_di(direction) * (steps - 1);
    *dj = scene_dj(direction) * (steps - 1);
    return true;
}

/* How far an interval must move to lie next to another one. */
static int32_t gap(int32_t first, int32_t last, int32_t other_first, int32_t other_last) {
    return first > other_last ? other_last + 1 - first : last < other_first ? other_first - 1 - last : 0;
}

/* The middle, seen from the partner's, turned about it; in half cells. False: that is no whole move. */
static bool turned_about(const SceneObject *o, const SceneObject *p, int quarters, int32_t *di, int32_t *dj) {
    int32_t i = o->top + o->bottom - p->top - p->bottom, j = o->left + o->right - p->left - p->right;
    int32_t to_i = quarters == 1   ? j
                   : quarters == 2 ? -i
                                   : -j,
            to_j = quarters == 1   ? -i
                   : quarters == 2 ? -j
                                   : i;
    *di = (to_i - i) / 2;
    *dj = (to_j - j) / 2;
    return (to_i - i) % 2 == 0 && (to_j - j) % 2 == 0;
}

/* The move that takes an object's first cell of its second color to the partner's first cell. */
static bool mark_onto(const Scene *s, int32_t number, int32_t other, int32_t *di, int32_t *dj) {
    const SceneObject *o = &s->objects[number];
    int8_t color = s->attributes[ATTRIBUTE_SECOND_COLOR][number];
    for (int32_t k = 0; k < o->count && color >= 0; k++) {
        int32_t at = s->cells[o->first + k], to = s->cells[s->objects[other].first], w = s->grid.w;
        if (s->grid.c[at] == color) {
            *di = to / w - at / w;
            *dj = to % w - at % w;
            return true;
        }
    }
    return false;
}

static bool to_partner(const Scene *s, int32_t number, const SceneAct *act, int32_t *di, int32_t *dj) {
    int32_t other = s->partners[act->by][number];
    if (other < 0) {
        return false;
    }
    const SceneObject *o = &s->objects[number], *p = &s->objects[other];
    int32_t rows = p->top + p->bottom - o->top - o->bottom, columns = p->left + p->right - o->left - o->right;
    bool straight = act->how == VECTOR_OVER || act->how == VECTOR_STEP || act->how == VECTOR_OWN_TOWARD ||
                    act->how == VECTOR_OWN_AWAY || act->how == VECTOR_BESIDE;
    int direction = straight ? scene_direction_to(s, number, other) : -1;
    int32_t step = act->how == VECTOR_STEP ? 1 : direction % 2 == 0 ? scene_height(o) : scene_width(o);
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
    case VECTOR_STEP:
    case VECTOR_OWN_TOWARD:
    case VECTOR_OWN_AWAY:
        step = act->how == VECTOR_OWN_AWAY ? -step : step;
        *di = direction >= 0 ? step * scene_di(direction) : 0;
        *dj = direction >= 0 ? step * scene_dj(direction) : 0;
        return direction >= 0;
    case VECTOR_FRAME:
        *di = gap(o->top, o->bottom, p->top, p->bottom);
        *dj = gap(o->left, o->right, p->left, p->right);
        return true;
    case VECTOR_TURNED_LEFT:
    case VECTOR_TURNED_RIGHT:
    case VECTOR_ACROSS:
        return turned_about(o, p,
                            act->how == VECTOR_TURNED_RIGHT ? 1
                            : act->how == VECTOR_ACROSS     ? 2
                                                            : 3,
                            di, dj);
    case VECTOR_MARK:
        return mark_onto(s, number, other, di, dj);
    default:
        return beside(s, o, other, direction, di, dj);
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

/* ---- directions ---- */

static int sign(int32_t x) {
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/* The direction with these signs, as a bit; 0: both are 0. */
static unsigned bit_of(int32_t di, int32_t dj) {
    for (int direction = 0; direction < DIRECTION_COUNT; direction++) {
        if (scene_di(direction) == di && scene_dj(direction) == dj) {
            return 1u << direction;
        }
    }
    return 0;
}

/* From the middle of the object's box to that of its cells of the second color; 0: there are none, or it is
 * the same. */
static unsigned to_mark(const Scene *s, int32_t number, int by) {
    const SceneObject *o = &s->objects[number];
    int8_t color = s->attributes[ATTRIBUTE_SECOND_COLOR][number];
    int32_t top = s->grid.h, left = s->grid.w, bottom = -1, right = -1, turn = by == BEARING_MARKED ? 1 : -1;
    for (int32_t k = 0; k < o->count && color >= 0; k++) {
        int32_t at = s->cells[o->first + k], i = at / s->grid.w, j = at % s->grid.w;
        if (s->grid.c[at] == color) {
            top = i < top ? i : top;
            bottom = i > bottom ? i : bottom;
            left = j < left ? j : left;
            right = j > right ? j : right;
        }
    }
    return bottom < 0 ? 0
                      : bit_of(turn * sign(top + bottom - o->top - o->bottom),
                               turn * sign(left + right - o->left - o->right));
}

unsigned scene_directions(const Scene *s, int32_t number, int by) {
    static const uint8_t sets[WAYS_COUNT - DIRECTION_COUNT] = {0x05, 0x0a, 0x0f, 0xf0, 0xff};
    const SceneObject *o = &s->objects[number];
    int32_t down = s->grid.h - 1 - o->top - o->bottom, across = s->grid.w - 1 - o->left - o->right;
    bool tall = scene_height(o) > scene_width(o);
    switch (by) {
    case BEARING_INWARD:
        return bit_of(sign(down), sign(across));
    case BEARING_OUTWARD:
        return bit_of(-sign(down), -sign(across));
    case BEARING_MARKED:
    case BEARING_UNMARKED:
        return to_mark(s, number, by);
    case BEARING_ALONG:
    case BEARING_ACROSS:
        return scene_height(o) == scene_width(o) ? 0
               : (by == BEARING_ALONG) == tall   ? sets[WAYS_VERTICAL - DIRECTION_COUNT]
                                                 : sets[WAYS_LEVEL - DIRECTION_COUNT];
    default:
        return by < DIRECTION_COUNT ? 1u << by : by < WAYS_COUNT ? sets[by - DIRECTION_COUNT] : 0;
    }
}

/* The one direction that a number names; -1: none. */
static int one_direction(const Scene *s, int32_t number, int by) {
    unsigned set = scene_directions(s, number, by);
    return set != 0 && (set & (set - 1)) == 0 ? __builtin_ctz(set) : -1;
}

/* Where an object touches another over sides: the direction, if there is only one; -1: none. */
static int contact(const Scene *s, int32_t from, int32_t to) {
    const SceneObject *o = &s->objects[from];
    unsigned found = 0;
    for (int32_t k = 0; k < o->count; k++) {
        int32_t at = s->cells[o->first + k];
        for (int direction = 0; direction < 4; direction++) {
            int32_t i = at / s->grid.w + scene_di(direction), j = at % s->grid.w + scene_dj(direction);
            bool meets = analysis_color(&s->grid, i, j) >= 0 && s->label[i * s->grid.w + j] == to;
            found |= (unsigned)meets << direction;
        }
    }
    return found != 0 && (found & (found - 1)) == 0 ? __builtin_ctz(found) : -1;
}

int scene_direction_to(const Scene *s, int32_t from, int32_t to) {
    const SceneObject *o = &s->objects[from], *p = &s->objects[to];
    bool columns = scene_shares_columns(o, p), rows = scene_shares_rows(o, p);
    if (columns == rows) {
        return columns ? contact(s, from, to) : -1;
    }
    return columns ? (p->bottom < o->top ? 0 : 2) : (p->left > o->right ? 1 : 3);
}

/* ---- mirrors ---- */

/* A mirror at the edge of an interval toward which a direction points, on its last cell or beyond it. */
static int32_t at_edge(int32_t step, int32_t first, int32_t last, bool beyond) {
    return step < 0 ? 2 * first - beyond : step > 0 ? 2 * last + beyond : SCENE_NO_MIRROR;
}

bool scene_mirror(const Scene *s, int32_t number, const SceneAct *act, int32_t *rows, int32_t *columns) {
    const SceneObject *o = &s->objects[number];
    bool straight = act->how == MIRROR_NEAR || act->how == MIRROR_MIDDLE;
    int32_t other = straight ? s->partners[act->by][number] : -1;
    int direction = straight ? (other >= 0 ? scene_direction_to(s, number, other) : -1)
                             : one_direction(s, number, act->by);
    int32_t di = direction >= 0 ? scene_di(direction) : 0, dj = direction >= 0 ? scene_dj(direction) : 0;
    const SceneObject *p = other >= 0 ? &s->objects[other] : o;
    *rows = *columns = SCENE_NO_MIRROR;
    switch ((SceneMirror)act->how) {
    case MIRROR_SIDE:
    case MIRROR_EDGE:
        *rows = at_edge(di, o->top, o->bottom, act->how == MIRROR_SIDE);
        *columns = at_edge(dj, o->left, o->right, act->how == MIRROR_SIDE);
        return direction >= 0;
    case MIRROR_NEAR:
        *rows = at_edge(-di, p->top, p->bottom, false);
        *columns = at_edge(-dj, p->left, p->right, false);
        return direction >= 0;
    case MIRROR_MIDDLE:
        *rows = di != 0 ? p->top + p->bottom : SCENE_NO_MIRROR;
        *columns = dj != 0 ? p->left + p->right : SCENE_NO_MIRROR;
        return direction >= 0;
    default:
        *rows = act->how != MIRROR_COLUMNS ? s->grid.h - 1 : SCENE_NO_MIRROR;
        *columns = act->how != MIRROR_ROWS ? s->grid.w - 1 : SCENE_NO_MIRROR;
        return true;
    }
}

bool scene_vector(const Scene *s, int32_t number, const SceneAct *act, int32_t *di, int32_t *dj) {
    ASSERT(number >= 0 && number < s->count, "object %d of %d", number, s->count);
    const SceneObject *o = &s->objects[number];
    const GridAnalysis *b = &s->grid;
    int direction = scene_vectors[act->how].by == BY_DIRECTION ? one_direction(s, number, act->by) : -1;
    int32_t i = direction >= 0 ? scene_di(direction) : 0, j = direction >= 0 ? scene_dj(direction) : 0;
    int32_t mirror_i = b->h - 1 - o->bottom - o->top, mirror_j = b->w - 1 - o->right - o->left;
    switch ((SceneVector)act->how) {
    case VECTOR_BY:
        *di = act->by;
        *dj = act->by2;
        return true;
    case VECTOR_OWN:
        *di = i * scene_height(o);
        *dj = j * scene_width(o);
        return direction >= 0;
    case VECTOR_ONE:
        *di = i;
        *dj = j;
        return direction >= 0;
    case VECTOR_SIZE:
        *di = i * o->count;
        *dj = j * o->count;
        return direction >= 0;
    case VECTOR_RIM:
        *di = i < 0 ? -o->top : i > 0 ? b->h - 1 - o->bottom : 0;
        *dj = j < 0 ? -o->left : j > 0 ? b->w - 1 - o->right : 0;
        return direction >= 0;
    case VECTOR_GRID_MIDDLE:
        *di = mirror_i / 2;
        *dj = mirror_j / 2;
        return mirror_i % 2 == 0 && mirror_j % 2 == 0;
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
        return one_direction(s, number, act->by);
    }
    int32_t other = s->partners[act->by][number];
    int direction = other >= 0 ? scene_direction_to(s, number, other) : -1;
    return direction >= 0 && act->how == SLIDE_AWAY ? (direction + 2) % 4 : direction;
}
