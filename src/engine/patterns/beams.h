/* Beams: lines that start at cells and are drawn in some heading until something ends them.
 *
 * A grid has a beam for every start and every one of eight headings: starts are the cells that are not
 * background, and doors, gaps in a wall. What is known about a beam (beam_attributes.def) is a table, used by
 * rules that say which beams are drawn, and by the code that learns such rules. What a drawn beam does at
 * which color is a short list of exceptions to going on over background and stopping elsewhere. Beams see the
 * grid as it was, never each other. */
#ifndef BATT_ENGINE_PATTERNS_BEAMS_H
#define BATT_ENGINE_PATTERNS_BEAMS_H

#include "engine/features/grid_analysis.h"
#include "engine/patterns/headings.h"

typedef enum BeamAttribute {
#define BEAM_ATTRIBUTE(id, kind, cost, text) BEAM_##id,
#include "engine/patterns/beam_attributes.def"
#undef BEAM_ATTRIBUTE
    BEAM_ATTRIBUTES
} BeamAttribute;

typedef enum BeamAction {
#define BEAM_ACTION(id, cost, text) BEAM_DO_##id,
#include "engine/patterns/beam_actions.def"
#undef BEAM_ACTION
    BEAM_ACTIONS
} BeamAction;

typedef struct BeamSort { /* a row of a .def file */
    uint8_t kind;         /* FeatureKind, of an attribute */
    double cost;
} BeamSort;
extern const BeamSort beam_attributes[BEAM_ATTRIBUTES], beam_actions[BEAM_ACTIONS];

/* What an exception is about: a color, or one of these. A color comes before the start's own, and that before
 * anything that is not background. */
enum { BEAM_AT_EDGE = N_COLORS, BEAM_AT_OWN, BEAM_AT_FOREGROUND, BEAM_PLACES };
/* Sources of colors from here on: the color that an attribute names. */
enum { BEAM_SOURCE = N_COLORS, BEAM_SOURCES = N_COLORS + BEAM_ATTRIBUTES };
enum { BEAM_HEADINGS = HEADINGS, BEAM_MAX_EVERY = 4, BEAM_MAX_LENGTH = 64, BEAM_MAX_EXCEPTIONS = 4 };

typedef struct BeamAct {
    bool draws;
    int8_t every;  /* paints those cells whose distance is a multiple of it; -2: the others of 2 */
    int8_t length; /* steps after which it ends; 0: none */
    uint8_t n;
    uint8_t at[BEAM_MAX_EXCEPTIONS], does[BEAM_MAX_EXCEPTIONS];
    int16_t color; /* a color, or a source */
} BeamAct;

typedef struct Beam {
    int16_t cell;
    int8_t heading;
    bool door;
} Beam;

typedef struct Beams {
    GridAnalysis grid; /* without planes */
    int32_t count;
    Beam *list;         /* by start in reading order, then by heading */
    int8_t *attributes; /* [attribute * count + beam] */
    int16_t component[FEATURE_MAX_CELLS], mcomp[FEATURE_MAX_CELLS];
} Beams;

/* All beams of a grid, in the arena; NULL (*why): not such a grid, or no memory. Background is a color, -1:
 * 0, or the most frequent color if there is no 0; -2: the most frequent color. */
Beams *beams_of(Ctx *ctx, Val grid, int background, Reason *why);

static inline int8_t beam_attribute(const Beams *beams, BeamAttribute attribute, int32_t beam) {
    return beams->attributes[(size_t)attribute * (size_t)beams->count + (size_t)beam];
}

/* The cells that a beam paints, in order. */
enum { BEAM_PAINT = -1 }; /* the color that the act names; else one that the beam has taken */
typedef struct BeamPath {
    int32_t n;
    int16_t cell[4 * FEATURE_MAX_CELLS];
    int8_t color[4 * FEATURE_MAX_CELLS];
    uint8_t used;   /* exceptions that it met, bits */
    uint64_t looks; /* steps taken, of all paths so far */
    uint32_t round; /* of `been` */
    uint32_t been[FEATURE_MAX_CELLS * BEAM_HEADINGS];
} BeamPath;
void beam_path_open(BeamPath *path);
/* False: it is too long to follow. */
bool beam_follow(const Beams *beams, int32_t beam, const BeamAct *act, BeamPath *path);
/* The color it paints; -1: none. */
int8_t beam_color(const Beams *beams, int32_t beam, int source);

#endif
