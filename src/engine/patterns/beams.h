/* Beams: lines that start at cells and are drawn in some heading until something ends them.
 *
 * A grid has a beam for every start and every one of eight headings: starts are the cells that are not
 * ground, and doors, gaps in a wall. What is known about a beam (beam_attributes.def) is a table, used by
 * rules that say which beams are drawn, and by the code that learns such rules. What a drawn beam does at
 * which color is a short list of exceptions to going on over ground and stopping elsewhere. Beams see the
 * grid as it was, never each other. */
#ifndef BATT_PATTERNS_BEAMS_H
#define BATT_PATTERNS_BEAMS_H

#include "engine/features/board.h"
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
    const char *name, *text;
} BeamSort;
extern const BeamSort beam_attributes[BEAM_ATTRIBUTES], beam_actions[BEAM_ACTIONS];
const char *beam_attribute_name(unsigned attribute); /* for words.def */
const char *beam_attribute_text(unsigned attribute);
const char *beam_action_name(unsigned action);
const char *beam_action_text(unsigned action);

/* What an exception is about: a color, or one of these. A color comes before the start's own, and that before
 * anything that is not ground. */
enum { BEAM_AT_EDGE = BOARD_COLORS, BEAM_AT_OWN, BEAM_AT_INK, BEAM_PLACES };
/* Sources of colors from here on: the color that an attribute names. */
enum { BEAM_SOURCE = BOARD_COLORS, BEAM_SOURCES = BOARD_COLORS + BEAM_ATTRIBUTES };
enum { BEAM_HEADINGS = HEADINGS, BEAM_MOST_EVERY = 4, BEAM_MOST_LENGTH = 64, BEAM_MOST_EXCEPTIONS = 4 };

typedef struct BeamAct {
    bool draws;
    int8_t every;  /* paints those cells whose distance is a multiple of it; -2: the others of 2 */
    int8_t length; /* steps after which it ends; 0: none */
    uint8_t n;
    uint8_t at[BEAM_MOST_EXCEPTIONS], does[BEAM_MOST_EXCEPTIONS];
    int16_t color; /* a color, or a source */
} BeamAct;

typedef struct Beam {
    int16_t cell;
    int8_t heading;
    bool door;
} Beam;

typedef struct Beams {
    Board board; /* without planes */
    int32_t count;
    Beam *list;         /* by start in reading order, then by heading */
    int8_t *attributes; /* [attribute * count + beam] */
    int16_t component[FEATURE_MOST_CELLS], blob[FEATURE_MOST_CELLS];
} Beams;

/* All beams of a grid, in the region; NULL (*why): not such a grid, or no memory. Ground is a color, -1: 0,
 * or the most frequent color if there is no 0; -2: the most frequent color. */
Beams *beams_of(Ctx *ctx, Val grid, int ground, Reason *why);

static inline int8_t beam_attribute(const Beams *beams, BeamAttribute attribute, int32_t beam) {
    return beams->attributes[(size_t)attribute * (size_t)beams->count + (size_t)beam];
}

/* The cells that a beam paints, in order. */
enum { BEAM_PAINT = -1 }; /* the color that the act names; else one that the beam has taken */
typedef struct BeamPath {
    int32_t n;
    int16_t cell[4 * FEATURE_MOST_CELLS];
    int8_t color[4 * FEATURE_MOST_CELLS];
    uint8_t used;   /* exceptions that it met, bits */
    uint64_t looks; /* steps taken, of all paths so far */
    uint32_t round; /* of `been` */
    uint32_t been[FEATURE_MOST_CELLS * BEAM_HEADINGS];
} BeamPath;
void beam_path_open(BeamPath *path);
/* False: it is too long to follow. */
bool beam_follow(const Beams *beams, int32_t beam, const BeamAct *act, BeamPath *path);
/* The color it paints; -1: none. */
int8_t beam_color(const Beams *beams, int32_t beam, int source);

#endif
