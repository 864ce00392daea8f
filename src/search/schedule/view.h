/* Views: a task transformed so that each input decides which way its grids are turned, or which number a
 * color has, and pairs that differ only in that become alike; or so that panels become cells, and rules per
 * cell say what happens to panels. A program found in a view is wrapped: into the view before it, and back
 * after it. */
#ifndef BATT_SEARCH_SCHEDULE_VIEW_H
#define BATT_SEARCH_SCHEDULE_VIEW_H

#include "search/schedule/local_task.h"
#include "search/schedule/search.h"

/* The task as it is; a cell for each panel, as in panel_sum (first, since few tasks have panels and it is
 * soon searched); colors by role, as in stamp_roles; turned, in the ways of stamp_orient; with another color
 * as background, which is 0 for all strategies; each piece by itself, in the ways of local_split. */
enum {
    VIEW_NONE = -1,
    VIEW_PANELS,
    VIEW_ROLES,
    VIEW_TURNED = VIEW_ROLES + 2,
    VIEW_BACKGROUND = VIEW_TURNED + 5,
    VIEW_LOCAL = VIEW_BACKGROUND + 3,
    VIEW_COUNT = VIEW_LOCAL + LOCAL_HOWS,
    VIEW_INTERMEDIATE /* starting from a grid that a program made: view_wrap_intermediate */
};

/* How a strategy sees a task: in a view, which may itself be taken of another view, or of an intermediate. */
typedef struct Sight {
    int8_t under, view; /* VIEW_NONE: none; the view is VIEW_INTERMEDIATE if that is seen as it is */
    const struct Intermediate *intermediate; /* if one of the two is VIEW_INTERMEDIATE */
} Sight;

/* Makes the task as it is seen in `to`, and what the view is taken of in `under`. False: as for view_of. */
bool view_see(Ctx *ctx, const SearchTask *task, const Sight *how, SearchTask *under, SearchTask *to);

/* The task in a view; values live in ctx. False: it changes all inputs alike, its panels do not explain the
 * outputs, or it fails. */
bool view_of(Ctx *ctx, const SearchTask *task, int view, SearchTask *to);
/* Turns a program for the view into one for the task itself; takes it over. NULL: no memory. */
Program *view_wrap(Builder *builder, const SearchTask *task, Program *program, int view);
/* The same for a program over the grids that `intermediate` makes. */
Program *view_wrap_intermediate(Builder *builder, const Program *intermediate, Program *program);
double view_cost(const Tunables *tune, int view); /* bits that wrapping adds to a description */

#endif
