/* What is done with the objects of a scene: acts, the cells that each act paints, and the grid after all of
 * them.
 *
 * An act is described by small numbers (scene_acts.def), so that a rule can hold it and a learner can list
 * all acts. Both use the same function to find the cells it paints: what is learnt is what runs. */
#ifndef BATT_ENGINE_SCENES_SCENE_ACTS_H
#define BATT_ENGINE_SCENES_SCENE_ACTS_H

#include "engine/scenes/scene.h"

typedef enum SceneActId {
#define ACT(id, cost, text) ACT_##id,
#include "engine/scenes/scene_acts.def"
#undef ACT
    ACT_COUNT
} SceneActId;

typedef enum SceneRegion {
#define REGION(id, by, cost, text) REGION_##id,
#include "engine/scenes/scene_acts.def"
#undef REGION
    REGION_COUNT
} SceneRegion;

typedef enum SceneVector {
#define VECTOR(id, by, cost, text) VECTOR_##id,
#include "engine/scenes/scene_acts.def"
#undef VECTOR
    VECTOR_COUNT
} SceneVector;

typedef enum SceneSlide {
#define SLIDE(id, by, cost, text) SLIDE_##id,
#include "engine/scenes/scene_acts.def"
#undef SLIDE
    SLIDE_COUNT
} SceneSlide;

typedef enum SceneMirror {
#define MIRROR(id, by, cost, text) MIRROR_##id,
#include "engine/scenes/scene_acts.def"
#undef MIRROR
    MIRROR_COUNT
} SceneMirror;

/* Numbers for colors: 0 to 9 are colors themselves, then come these sources, then the main colors of
 * partners. */
typedef enum SceneSource {
    SOURCE_FIRST = 9,
#define SOURCE(id, cost, text) SOURCE_##id,
#include "engine/scenes/scene_acts.def"
#undef SOURCE
    SOURCE_END,
    SOURCE_PARTNER = 32,
    SOURCE_LIMIT = SOURCE_PARTNER + PARTNER_COUNT
} SceneSource;

/* Up, right, down, left, then the diagonals clockwise from up-right; from 8 on, several directions at
 * once. */
enum { DIRECTION_COUNT = 8, WAYS_VERTICAL = 8, WAYS_LEVEL, WAYS_FOUR, WAYS_DIAGONAL, WAYS_EIGHT, WAYS_COUNT };
/* Numbers for directions that depend on the object come after them; ALONG and ACROSS are two directions each.
 */
typedef enum SceneBearing {
    BEARING_FIRST = 16,
    BEARING_BEFORE = BEARING_FIRST - 1,
#define BEARING(id, cost, text) BEARING_##id,
#include "engine/scenes/scene_acts.def"
#undef BEARING
    BEARING_END,
    BEARING_PAIRS = BEARING_ALONG
} SceneBearing;

typedef enum SceneBy { BY_NOTHING, BY_DIRECTION, BY_WAYS, BY_PARTNER, BY_PAIR } SceneBy;

typedef struct SceneHow { /* a row of scene_acts.def */
    uint8_t by;           /* SceneBy */
    double cost;
    const char *text;
} SceneHow;
extern const SceneHow scene_acts[ACT_COUNT], scene_regions[REGION_COUNT], scene_vectors[VECTOR_COUNT],
    scene_slides[SLIDE_COUNT], scene_mirrors[MIRROR_COUNT], scene_bearings[BEARING_END - BEARING_FIRST],
    scene_sources[SOURCE_END - SOURCE_FIRST - 1];

typedef struct SceneAct {
    uint8_t act, how; /* how: region, vector, slide or turn */
    int16_t by, by2;  /* direction, ways or partner; by2 of pairs only */
    int16_t color;    /* SceneSource */
} SceneAct;

/* The row of the table that an act's `how` refers to; NULL for acts without such a table. */
const SceneHow *scene_how(const SceneAct *act);
/* Are all its numbers valid? */
bool scene_act_is_good(const SceneAct *act);
/* Does the object vacate the cells that it does not paint? */
static inline bool scene_act_leaves(const SceneAct *act) {
    return act->act == ACT_DELETE || act->act == ACT_MOVE || act->act == ACT_TURN || act->act == ACT_SLIDE ||
           act->act == ACT_STAMP || act->act == ACT_MIRROR || act->act == ACT_DOCK;
}

/* Cells to be painted, each once: the first color given to a cell counts. */
enum { SCENE_PAINT = -1 }; /* the color that the act's source names */
typedef struct SceneCells {
    int32_t n;
    int16_t cell[FEATURE_MAX_CELLS];
    int8_t color[FEATURE_MAX_CELLS]; /* or SCENE_PAINT */
    bool has[FEATURE_MAX_CELLS];
} SceneCells;
void scene_cells_clear(SceneCells *cells); /* removes all cells; a new struct must be zeroed instead */
static inline void scene_cells_add(SceneCells *cells, int32_t cell, int8_t color) {
    if (!cells->has[cell]) {
        cells->has[cell] = true;
        cells->cell[cells->n] = (int16_t)cell;
        cells->color[cells->n++] = color;
    }
}

/* Adds the cells that an act other than a slide paints, in the object's own colors if it moves. False: the
 * act is impossible (for instance, there is no partner), and the object stays as it is. */
bool scene_act_cells(const Scene *scene, int32_t object, const SceneAct *act, SceneCells *to);
bool scene_region_cells(const Scene *scene, int32_t object, const SceneAct *act, SceneCells *to);
bool scene_vector(const Scene *scene, int32_t object, const SceneAct *act, int32_t *di, int32_t *dj);
/* The direction of a slide; -1: none. */
int scene_slide_direction(const Scene *s, int32_t number, const SceneAct *act);
/* Adds the object turned and enlarged so that its cells of the other's colors lie on the other's cells;
 * false: there is no such way. */
bool scene_add_fitted(const Scene *scene, int32_t object, int32_t other, SceneCells *to);
/* The straight direction from an object to another; -1: there is none. Where their boxes overlap, it is the
 * one in which they touch over sides, if there is only one. */
int scene_direction_to(const Scene *scene, int32_t from, int32_t to);
/* The directions that a number names for an object, as bits; 0: none. */
unsigned scene_directions(const Scene *s, int32_t number, int by);
/* Where a mirror stands: cell (i, j) is shown at (*rows - i, *columns - j), where SCENE_NO_MIRROR
 * lets rows or columns stay. False: there is none. */
enum { SCENE_NO_MIRROR = INT32_MIN };
bool scene_mirror(const Scene *scene, int32_t object, const SceneAct *act, int32_t *rows, int32_t *columns);
/* The color a source names for an object; -1: none. AS_IS is its main color. */
int8_t scene_color(const Scene *s, int32_t number, int source);

/* The grid after acts of pairs of objects: each act is done with the source, and its partner ANCHOR is the
 * other one. Vacated cells become background first, then the acts paint in order. Slides paint nothing. */
typedef struct SceneDeed {
    uint8_t source, anchor;
    uint16_t act;
} SceneDeed;
static inline void scene_aim(Scene *scene, int32_t source, int32_t anchor) {
    scene->partners[PARTNER_ANCHOR][source] = (int8_t)anchor;
}
void scene_apply_pairs(Scene *scene, const SceneDeed *deeds, int32_t n, const SceneAct *acts, bool under,
                       SceneCells *scratch, int8_t *to);

static inline int32_t scene_di(int direction) {
    static const int8_t di[DIRECTION_COUNT] = {-1, 0, 1, 0, -1, 1, 1, -1};
    return di[direction];
}
static inline int32_t scene_dj(int direction) {
    static const int8_t dj[DIRECTION_COUNT] = {0, 1, 0, -1, 1, 1, -1, -1};
    return dj[direction];
}

/* The grid after each object's act (acts[of[object]]): first vacated cells become background, then objects
 * paint in order, then come the slides, the objects farthest ahead first. With `under`, only background and
 * the object's own cells are painted. `to` has as many cells as the grid. */
void scene_apply(const Scene *scene, const SceneAct *acts, const uint16_t *of, bool under,
                 SceneCells *scratch, int8_t *to);

#endif
