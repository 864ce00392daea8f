/* Learning a layout: which objects of the input, in which order, and how they are laid out as the
 * output.
 *
 * A Layouts holds one way of dividing all inputs. The outputs' sizes and the number of painted
 * cells are checked first, since they refute nearly every choice of objects; orders and colors are
 * tried for what is left. */
#ifndef BATT_SEARCH_STRATEGIES_LAYOUTS_INTERNAL_H
#define BATT_SEARCH_STRATEGIES_LAYOUTS_INTERNAL_H

#include "engine/patterns/lay.h"
#include "engine/scenes/object_list.h"
#include "search/strategies/objects_internal.h"

enum { LAYOUTS_WORDS = 2 * OBJECTS_MAX / 64, LAYOUTS_ORDERS = 24, LAYOUTS_READINGS = 64 };

/* Where the outputs' size comes from: each side is a constant, a multiple or a fraction of the input's, or
 * what the list needs. */
typedef enum LayoutSide { SIDE_CONSTANT, SIDE_TIMES, SIDE_PART, SIDE_NEEDED, SIDE_KINDS } LayoutSide;
typedef struct LayoutSize {
    uint8_t h, w; /* LayoutSide */
    int16_t number_h, number_w;
    double cost;
} LayoutSize;

/* The outputs read along a path: the colors up to the last that is not `rest`; for bars, only how many are
 * not. */
typedef struct LayoutReading {
    uint8_t path;
    int8_t rest,
        foreground; /* foreground: the only color of all outputs except rest; -1: there are several */
    uint32_t painted[SEARCH_MAX_SAMPLES]; /* cells of the list */
    int8_t *colors[SEARCH_MAX_SAMPLES];   /* that many, in order; NULL for bars */
} LayoutReading;

/* The outputs read in all ways, once per time slice. */
typedef struct LayoutReadings {
    LayoutReading items[LAYOUTS_READINGS];
    uint32_t count;
} LayoutReadings;

/* Some of the objects: those that meet a condition, or all. */
typedef struct LayoutChoice {
    int32_t question; /* -1: all */
    bool no;          /* those that do not meet it */
    double cost;
    uint64_t set[LAYOUTS_WORDS];
    uint32_t min, max; /* fewest and most objects chosen in a sample, tests included */
} LayoutChoice;

typedef struct LayoutRuns { /* of all samples */
    LayRun runs[SEARCH_MAX_SAMPLES][SCENE_MAX_OBJECTS];
    int32_t count[SEARCH_MAX_SAMPLES];
} LayoutRuns;

typedef struct Layouts {
    Objects o;
    const LayoutReadings *readings;
    uint32_t offers, intermediates;
    uint8_t *orders; /* [order * o.n]: the objects of every sample in that order */
    bool made[LAYOUTS_ORDERS];
    LayoutRuns *runs;  /* scratch */
    struct Pile *pile; /* likewise, of layouts_pile.c */
} Layouts;

bool layouts_read(Search *search, LayoutReadings *readings);

/* Offers what fits; false: the time slice is over. */
bool layouts_try_runs(Layouts *l, const LayoutChoice *choice);
bool layouts_try_grids(Layouts *l, const LayoutChoice *choice);
bool layouts_try_pile(Layouts *l, const LayoutChoice *choice);
size_t layouts_pile_bytes(void);

/* What both of these need. */
typedef struct LayoutOrder {
    uint8_t attribute;
    bool down;
    double cost;
} LayoutOrder;
extern const LayoutOrder layouts_orders[LAYOUTS_ORDERS];
typedef struct LayoutTimes {
    int8_t attribute; /* or OBJECT_ONCE */
    double cost;
} LayoutTimes;
enum { LAYOUTS_TIMES = 9 };
extern const LayoutTimes layouts_times[LAYOUTS_TIMES];

/* Lists the chosen objects of a sample in an order, as numbers of its scene; returns how many. */
int32_t layouts_list(Layouts *l, const LayoutChoice *choice, uint32_t order, uint32_t sample, uint8_t *list);
/* A call of object_runs or object_grids in the search's builder, and its cost. */
Ref layouts_list_ref(Layouts *l, unsigned prim, const LayoutChoice *choice, uint32_t order, int32_t what,
                     uint32_t times);
double layouts_list_cost(const Layouts *l, const LayoutChoice *choice, uint32_t times);
bool layouts_may_offer(Layouts *l);

#endif
