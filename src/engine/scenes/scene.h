/* A grid as a set of objects: what they are, what is known about each, and how they relate to each other.
 *
 * A scene divides a grid in one of several ways (scene_segmentations.def); no cell belongs to two objects.
 * Objects are numbered by their first cells in reading order. Their attributes (scene_attributes.def) and
 * partners (scene_partners.def) are tables, used both by rules over objects and by the code that learns such
 * rules. */
#ifndef BATT_ENGINE_SCENES_SCENE_H
#define BATT_ENGINE_SCENES_SCENE_H

#include "engine/features/grid_analysis.h"

typedef enum SceneSegmentation {
#define SEGMENTATION(id, cost, text) SEGMENT_##id,
#include "engine/scenes/scene_segmentations.def"
#undef SEGMENTATION
    SEGMENT_COUNT
} SceneSegmentation;

typedef enum SceneAttribute {
#define ATTRIBUTE(id, kind, cost, text) ATTRIBUTE_##id,
#include "engine/scenes/scene_attributes.def"
#undef ATTRIBUTE
    ATTRIBUTE_COUNT
} SceneAttribute;

typedef enum ScenePartner {
#define PARTNER(id, cost, text) PARTNER_##id,
#include "engine/scenes/scene_partners.def"
#undef PARTNER
    PARTNER_COUNT
} ScenePartner;

typedef struct SceneSort { /* a row of a .def file */
    uint8_t kind;          /* FeatureKind, of an attribute */
    double cost;
    const char *text;
} SceneSort;
extern const SceneSort scene_segmentations[SEGMENT_COUNT], scene_attributes[ATTRIBUTE_COUNT],
    scene_partners[PARTNER_COUNT];

/* Values of `background` that are not a color. USUAL: 0, or the most frequent color if there is no 0; MOST:
 * always the most frequent color. */
enum { SCENE_BACKGROUND_USUAL = -1, SCENE_BACKGROUND_MOST_FREQUENT = -2 };
enum { SCENE_MAX_OBJECTS = 127, SCENE_TURNS = 8 };

typedef struct SceneObject {
    int16_t first, count; /* its cells in Scene.cells, in reading order */
    int16_t top, left, bottom, right;
    int16_t foreground; /* cells that are not background */
    int8_t color;
    uint64_t shape, turned, picture; /* hashes: of the shape, in any turn, and with colors */
} SceneObject;

typedef struct Scene {
    GridAnalysis grid; /* without planes */
    int32_t segmentation, count;
    SceneObject objects[SCENE_MAX_OBJECTS];
    int16_t label[FEATURE_MAX_CELLS]; /* object of each cell, -1: none */
    int16_t cells[FEATURE_MAX_CELLS];
    uint64_t touches[SCENE_MAX_OBJECTS][2];                /* bit sets of objects */
    int8_t attributes[ATTRIBUTE_COUNT][SCENE_MAX_OBJECTS]; /* at most 127 */
    int8_t partners[PARTNER_COUNT][SCENE_MAX_OBJECTS];     /* -1: none */
    int8_t legend[N_COLORS]; /* the color that a legend pairs with a color; -1: none */
} Scene;

/* Makes the scene of a grid, in the arena; NULL (*why): not such a grid, too many objects, no panels, or no
 * memory. */
Scene *scene_of(Ctx *ctx, Val grid, SceneSegmentation segmentation, int background, Reason *why);
/* The same without partners, which take longest. */
Scene *scene_described(Ctx *ctx, Val grid, SceneSegmentation segmentation, int background, Reason *why);
/* The same, but finds only which cell belongs to which object. */
Scene *scene_segment(Ctx *ctx, Val grid, SceneSegmentation segmentation, int background, Reason *why);

/* Reads the argument (way, background) of primitives, which says how a grid is divided; false: it is
 * malformed. */
bool scene_read_segmentation(Val pair, SceneSegmentation *segmentation, int *background);

/* How an object is cut out: its box as it is in the grid, with background for cells of others, without the
 * edge, or with one more line on every side, which is background outside the grid. */
typedef enum SceneCut { CUT_BOX, CUT_OWN, CUT_INSIDE, CUT_AROUND, CUT_COUNT } SceneCut;
typedef struct SceneFrame {
    int32_t top, left, h, w;
} SceneFrame;
/* false: nothing is left */
bool scene_cut(const Scene *scene, int32_t object, SceneCut how, SceneFrame *frame);
int8_t scene_cut_color(const Scene *scene, int32_t object, SceneCut how, int32_t i, int32_t j);
Val scene_cut_grid(Ctx *ctx, const Scene *scene, int32_t object, SceneCut how);
/* Whether two objects look the same when they are cut out so; not if nothing is left of them. */
bool scene_cut_same(const Scene *scene, int32_t a, int32_t b, SceneCut how);

/* Numbers for attributes of a partner: this many times one more than the partner's number, and the attribute.
 */
enum { SCENE_OF_PARTNER = 100, SCENE_NUMBERS = SCENE_OF_PARTNER * (1 + PARTNER_COUNT) };
static inline bool scene_is_attribute(int64_t number) {
    return number >= 0 && number < SCENE_NUMBERS && number % SCENE_OF_PARTNER < ATTRIBUTE_COUNT;
}
/* The attribute with this number; -1 if there is no such partner. */
static inline int8_t scene_attribute(const Scene *s, int64_t number, int32_t object) {
    object = number < SCENE_OF_PARTNER ? object : s->partners[number / SCENE_OF_PARTNER - 1][object];
    return (int8_t)(object < 0 ? -1 : s->attributes[number % SCENE_OF_PARTNER][object]);
}

void scene_fill_attributes(Scene *scene);
void scene_fill_contents(Scene *scene); /* some of them, see scene_contents.c */
void scene_fill_partners(Scene *scene);

static inline int32_t scene_height(const SceneObject *o) {
    return o->bottom - o->top + 1;
}
static inline int32_t scene_width(const SceneObject *o) {
    return o->right - o->left + 1;
}
static inline bool scene_shares_columns(const SceneObject *a, const SceneObject *b) {
    return a->left <= b->right && b->left <= a->right;
}
static inline bool scene_shares_rows(const SceneObject *a, const SceneObject *b) {
    return a->top <= b->bottom && b->top <= a->bottom;
}
/* Is b's box inside a's, and smaller? */
bool scene_holds(const SceneObject *a, const SceneObject *b);
/* The distance between two boxes: rows plus columns. */
int32_t scene_distance(const SceneObject *a, const SceneObject *b);

/* Whether the cell at (i, j) of its box belongs to the object's shape: its foreground, or all its cells if it
 * is all background. */
bool scene_has(const Scene *scene, const SceneObject *o, int32_t i, int32_t j);
/* Marks the cells of an object's box that are its own or connected over sides with the box's edge; the others
 * are its holes. */
void scene_mark_outside(const Scene *scene, int32_t number, bool seen[FEATURE_MAX_CELLS]);
/* Whether it looks the same when it is turned so (turns as in stamp_turn), colors and all. */
bool scene_same_turned(const Scene *scene, int32_t object, unsigned turn);
/* Where cell (i, j) of a turned picture (turns as in stamp_turn) comes from in the original of h rows and w
 * columns. */
void scene_turned_from(unsigned turn, int32_t h, int32_t w, int32_t i, int32_t j, int32_t *fi, int32_t *fj);

#endif
