/* The attributes of each object of a scene; see scene_attributes.def. */
#include "base/check.h"
#include "base/flood_fill.h"
#include "engine/scenes/scene.h"

#include <string.h>

static void set(Scene *s, SceneAttribute attribute, int32_t o, int32_t value) {
    ASSERT(attribute < ATTRIBUTE_COUNT && o >= 0 && o < s->count, "attribute %u of object %d", attribute, o);
    s->attributes[attribute][o] = analysis_clip(value);
}

/* ---- colors ---- */

/* The second most frequent color; also how many colors and how many cells of the rarest color it has. */
static int32_t second_color(const Scene *s, const SceneObject *o, int32_t *colors, int32_t *rare) {
    ColorCounts counts = {0};
    int8_t rarest = analysis_rarest(&s->grid);
    for (int32_t k = 0; k < o->count; k++) {
        int8_t c = s->grid.c[s->cells[o->first + k]];
        counts[c] = (int16_t)(counts[c] + (c != s->grid.background));
    }
    *colors = 0;
    for (int32_t c = 0; c < N_COLORS; c++) {
        *colors += counts[c] > 0;
    }
    *rare = rarest >= 0 ? counts[rarest] : 0;
    return analysis_most_frequent(counts, o->color);
}

/* The most frequent color, except background, beside an object: a cell counts once per side shared with it.
 */
static int32_t around_color(const Scene *s, int32_t number) {
    static const int8_t di[4] = {-1, 0, 1, 0}, dj[4] = {0, 1, 0, -1};
    const GridAnalysis *b = &s->grid;
    const SceneObject *o = &s->objects[number];
    ColorCounts counts = {0};
    for (int32_t k = 0; k < o->count; k++) {
        int32_t at = s->cells[o->first + k];
        for (int d = 0; d < 4; d++) {
            int32_t i = at / b->w + di[d], j = at % b->w + dj[d];
            int8_t c = analysis_color(b, i, j);
            if (c >= 0 && c != b->background && s->label[i * b->w + j] != number) {
                counts[c]++;
            }
        }
    }
    return analysis_most_frequent(counts, -1);
}

/* The most frequent color, except background, of the cells in its box that are not its own. */
static int32_t inside_color(const Scene *s, int32_t number) {
    const GridAnalysis *b = &s->grid;
    const SceneObject *o = &s->objects[number];
    ColorCounts counts = {0};
    for (int32_t i = o->top; i <= o->bottom; i++) {
        for (int32_t j = o->left; j <= o->right; j++) {
            int32_t k = i * b->w + j;
            counts[b->c[k]] =
                (int16_t)(counts[b->c[k]] + (b->c[k] != b->background && s->label[k] != number));
        }
    }
    return analysis_most_frequent(counts, -1);
}

static void fill_colors(Scene *s, int32_t number) {
    const GridAnalysis *b = &s->grid;
    const SceneObject *o = &s->objects[number];
    int32_t colors, rare, more = 0, fewer = 0;
    set(s, ATTRIBUTE_COLOR, number, o->color);
    set(s, ATTRIBUTE_SECOND_COLOR, number, second_color(s, o, &colors, &rare));
    set(s, ATTRIBUTE_COLORS, number, colors);
    set(s, ATTRIBUTE_RARE_CELLS, number, rare);
    set(s, ATTRIBUTE_AROUND_COLOR, number, around_color(s, number));
    set(s, ATTRIBUTE_INSIDE_COLOR, number, inside_color(s, number));
    for (int32_t c = 0; c < N_COLORS; c++) {
        more += b->counts[c] > b->counts[o->color];
        fewer += c != b->background && b->counts[c] > 0 && b->counts[c] < b->counts[o->color];
    }
    set(s, ATTRIBUTE_COLOR_RANK, number, more);
    set(s, ATTRIBUTE_COLOR_RANK_UP, number, fewer);
}

/* ---- shape ---- */

static int32_t count_holes(const Scene *s, int32_t number) {
    int32_t h = scene_height(&s->objects[number]), w = scene_width(&s->objects[number]), holes = 0;
    int16_t queue[FEATURE_MAX_CELLS];
    bool seen[FEATURE_MAX_CELLS];
    scene_mark_outside(s, number, seen);
    for (int32_t start = 0; start < h * w; start++) {
        if (!seen[start]) {
            seen[start] = true;
            queue[0] = (int16_t)start;
            flood_unseen(h, w, FLOOD_SIDES, queue, 1, seen);
            holes++;
        }
    }
    return holes;
}

bool scene_same_turned(const Scene *s, int32_t number, unsigned turn) {
    const SceneObject *o = &s->objects[number];
    int32_t h = scene_height(o), w = scene_width(o);
    if ((turn == 1 || turn == 3 || turn >= 6) && h != w) {
        return false;
    }
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            int32_t a, x;
            scene_turned_from(turn, h, w, i, j, &a, &x);
            bool here = scene_has(s, o, i, j);
            int32_t k = (o->top + i) * s->grid.w + o->left + j;
            int32_t from = (o->top + a) * s->grid.w + o->left + x;
            if (here != scene_has(s, o, a, x) || (here && s->grid.c[k] != s->grid.c[from])) {
                return false;
            }
        }
    }
    return true;
}

static void fill_shape(Scene *s, int32_t number) {
    const SceneObject *o = &s->objects[number];
    int32_t h = scene_height(o), w = scene_width(o);
    bool columns = scene_same_turned(s, number, 4), rows = scene_same_turned(s, number, 5);
    set(s, ATTRIBUTE_SIZE, number, o->count);
    set(s, ATTRIBUTE_SIZE_MOD2, number, o->count % 2);
    set(s, ATTRIBUTE_FOREGROUND, number, o->foreground);
    set(s, ATTRIBUTE_HEIGHT, number, h);
    set(s, ATTRIBUTE_WIDTH, number, w);
    set(s, ATTRIBUTE_HEIGHT_MOD2, number, h % 2);
    set(s, ATTRIBUTE_WIDTH_MOD2, number, w % 2);
    set(s, ATTRIBUTE_TALL, number, (h > w) - (w > h));
    set(s, ATTRIBUTE_FULL, number, o->count == h * w);
    set(s, ATTRIBUTE_HOLES, number, o->count == h * w ? 0 : count_holes(s, number));
    set(s, ATTRIBUTE_MIRRORED_COLUMNS, number, columns);
    set(s, ATTRIBUTE_MIRRORED_ROWS, number, rows);
    set(s, ATTRIBUTE_MIRRORED, number,
        columns || rows || scene_same_turned(s, number, 6) || scene_same_turned(s, number, 7));
}

/* ---- place ---- */

static int32_t half(int32_t first, int32_t last, int32_t n) {
    return first + last < n - 1 ? 0 : first + last > n - 1 ? 2 : 1;
}

static void fill_place(Scene *s, int32_t number) {
    const GridAnalysis *b = &s->grid;
    const SceneObject *o = &s->objects[number];
    bool rim = false;
    for (int32_t k = 0; k < o->count && !rim; k++) {
        int32_t i = s->cells[o->first + k] / b->w, j = s->cells[o->first + k] % b->w;
        rim = i == 0 || j == 0 || i == b->h - 1 || j == b->w - 1;
    }
    set(s, ATTRIBUTE_AT_RIM, number, rim);
    set(s, ATTRIBUTE_LINE, number,
        (o->left == 0 && o->right == b->w - 1) + 2 * (o->top == 0 && o->bottom == b->h - 1));
    set(s, ATTRIBUTE_ROW_HALF, number, half(o->top, o->bottom, b->h));
    set(s, ATTRIBUTE_COLUMN_HALF, number, half(o->left, o->right, b->w));
    set(s, ATTRIBUTE_TOP_ROW, number, o->top);
    set(s, ATTRIBUTE_LEFT_COLUMN, number, o->left);
    set(s, ATTRIBUTE_BELOW, number, b->h - 1 - o->bottom);
    set(s, ATTRIBUTE_BESIDE, number, b->w - 1 - o->right);
    set(s, ATTRIBUTE_OBJECTS, number, s->count);
}

/* ---- among the others ---- */

static void fill_among(Scene *s, int32_t number) {
    const SceneObject *o = &s->objects[number];
    int32_t n[ATTRIBUTE_COUNT] = {0};
    for (int32_t k = 0; k < s->count; k++) {
        const SceneObject *p = &s->objects[k];
        n[ATTRIBUTE_SIZE_RANK] += p->count > o->count;
        n[ATTRIBUTE_SIZE_RANK_UP] += p->count < o->count;
        n[ATTRIBUTE_FOREGROUND_RANK] += p->foreground > o->foreground;
        n[ATTRIBUTE_FOREGROUND_RANK_UP] += p->foreground < o->foreground;
        n[ATTRIBUTE_TOP_RANK] += p->top < o->top;
        n[ATTRIBUTE_LEFT_RANK] += p->left < o->left;
        n[ATTRIBUTE_BOTTOM_RANK] += p->bottom > o->bottom;
        n[ATTRIBUTE_RIGHT_RANK] += p->right > o->right;
        n[ATTRIBUTE_HEIGHT_RANK] += scene_height(p) > scene_height(o);
        n[ATTRIBUTE_WIDTH_RANK] += scene_width(p) > scene_width(o);
        n[ATTRIBUTE_COLORS_RANK] +=
            s->attributes[ATTRIBUTE_COLORS][k] > s->attributes[ATTRIBUTE_COLORS][number];
        n[ATTRIBUTE_HOLES_RANK] += s->attributes[ATTRIBUTE_HOLES][k] > s->attributes[ATTRIBUTE_HOLES][number];
        n[ATTRIBUTE_COLOR_SIZE_RANK] += p->color == o->color && p->count > o->count;
        n[ATTRIBUTE_SAME_COLOR] += p->color == o->color;
        n[ATTRIBUTE_SAME_SIZE] += p->count == o->count;
        n[ATTRIBUTE_SAME_SHAPE] += p->shape == o->shape;
        n[ATTRIBUTE_SAME_TURNED] += p->turned == o->turned;
        n[ATTRIBUTE_SAME_PICTURE] += p->picture == o->picture;
        n[ATTRIBUTE_TWINS_OTHER] += p->shape == o->shape && p->color != o->color;
        n[ATTRIBUTE_TURNED_OTHERS] += p->turned == o->turned && p->color != o->color;
        n[ATTRIBUTE_FACES_SAME] +=
            p->color == o->color && scene_shares_rows(p, o) != scene_shares_columns(p, o);
        n[ATTRIBUTE_HOLDS] += scene_holds(o, p);
        n[ATTRIBUTE_HELD] += scene_holds(p, o);
        n[ATTRIBUTE_FACES_UP] |= p->bottom < o->top && scene_shares_columns(p, o);
        n[ATTRIBUTE_FACES_DOWN] |= p->top > o->bottom && scene_shares_columns(p, o);
        n[ATTRIBUTE_FACES_LEFT] |= p->right < o->left && scene_shares_rows(p, o);
        n[ATTRIBUTE_FACES_RIGHT] |= p->left > o->right && scene_shares_rows(p, o);
    }
    n[ATTRIBUTE_TOUCHES] =
        __builtin_popcountll(s->touches[number][0]) + __builtin_popcountll(s->touches[number][1]);
    static const SceneAttribute counted[] = {ATTRIBUTE_SIZE_RANK,       ATTRIBUTE_SIZE_RANK_UP,
                                             ATTRIBUTE_FOREGROUND_RANK, ATTRIBUTE_FOREGROUND_RANK_UP,
                                             ATTRIBUTE_TOP_RANK,        ATTRIBUTE_LEFT_RANK,
                                             ATTRIBUTE_BOTTOM_RANK,     ATTRIBUTE_RIGHT_RANK,
                                             ATTRIBUTE_HEIGHT_RANK,     ATTRIBUTE_WIDTH_RANK,
                                             ATTRIBUTE_COLORS_RANK,     ATTRIBUTE_HOLES_RANK,
                                             ATTRIBUTE_SAME_COLOR,      ATTRIBUTE_SAME_SIZE,
                                             ATTRIBUTE_COLOR_SIZE_RANK, ATTRIBUTE_SAME_SHAPE,
                                             ATTRIBUTE_SAME_TURNED,     ATTRIBUTE_SAME_PICTURE,
                                             ATTRIBUTE_HOLDS,           ATTRIBUTE_HELD,
                                             ATTRIBUTE_FACES_UP,        ATTRIBUTE_FACES_DOWN,
                                             ATTRIBUTE_FACES_LEFT,      ATTRIBUTE_FACES_RIGHT,
                                             ATTRIBUTE_TOUCHES,         ATTRIBUTE_TWINS_OTHER,
                                             ATTRIBUTE_TURNED_OTHERS,   ATTRIBUTE_FACES_SAME};
    for (size_t k = 0; k < sizeof counted / sizeof *counted; k++) {
        set(s, counted[k], number, n[counted[k]]);
    }
}

/* What others that are like it are in: one of them may be a key to what is done with the rest. */
static void fill_keys(Scene *s, int32_t number) {
    const SceneObject *o = &s->objects[number];
    int32_t twins = 0, turned = 0, touching = 0, colored = 0;
    for (int32_t k = 0; k < s->count; k++) {
        const SceneObject *p = &s->objects[k];
        bool held = k != number && s->attributes[ATTRIBUTE_HELD][k] > 0;
        twins += held && p->shape == o->shape;
        turned += held && p->turned == o->turned;
        colored += held && p->color == o->color;
        touching += k != number && p->shape == o->shape && s->attributes[ATTRIBUTE_TOUCHES][k] > 0;
    }
    set(s, ATTRIBUTE_TWINS_HELD, number, twins);
    set(s, ATTRIBUTE_TURNED_HELD, number, turned);
    set(s, ATTRIBUTE_TWINS_TOUCHING, number, touching);
    set(s, ATTRIBUTE_COLOR_HELD, number, colored);
}

/* How many shapes are more frequent than its own; each shape is counted at its first object. */
static void fill_shape_rank(Scene *s, int32_t number) {
    const int8_t *same = s->attributes[ATTRIBUTE_SAME_SHAPE];
    int32_t rank = 0;
    for (int32_t k = 0; k < s->count; k++) {
        bool first = true;
        for (int32_t x = 0; x < k && first; x++) {
            first = s->objects[x].shape != s->objects[k].shape;
        }
        rank += first && same[k] > same[number];
    }
    set(s, ATTRIBUTE_SHAPE_RANK, number, rank);
}

void scene_fill_attributes(Scene *s) {
    for (int32_t o = 0; o < s->count; o++) {
        fill_colors(s, o);
        fill_shape(s, o);
        fill_place(s, o);
    }
    for (int32_t o = 0; o < s->count; o++) {
        fill_among(s, o);
    }
    for (int32_t o = 0; o < s->count; o++) {
        fill_shape_rank(s, o);
        fill_keys(s, o);
    }
    scene_fill_contents(s);
}
