/* Views: a task as it looks when what the inputs show decides which way its grids lie, or which number a
 * color has, so that pairs that differ only in that become alike; or when panels are cells, so that rules of
 * cells say what happens to panels. A program found in a view is wrapped: there before, back after. */
#ifndef BATT_SEARCH_VIEW_H
#define BATT_SEARCH_VIEW_H

#include "search/local_task.h"
#include "search/search.h"

/* As it is; a cell for each panel, as panel_sum, first since few tasks have it and it is soon looked through;
 * colors by role, as stamp_roles; turned, in the ways of stamp_orient; each piece by itself, in the ways of
 * local_split. */
enum {
    VIEW_NONE = -1,
    VIEW_PANELS,
    VIEW_ROLES,
    VIEW_TURNED = VIEW_ROLES + 2,
    VIEW_LOCAL = VIEW_TURNED + 5,
    VIEW_COUNT = VIEW_LOCAL + LOCAL_HOWS,
    VIEW_BASE /* starting from a grid that a program made: view_wrap_base */
};

/* The task in a view; values live in ctx. False: all inputs are changed alike, or outputs are not what their
 * panels say, or it fails. */
bool view_of(Ctx *ctx, const SearchTask *task, int view, SearchTask *to);
/* A program over I as it is in the task itself; takes it over. NULL: no memory. */
Program *view_wrap(Builder *builder, const SearchTask *task, Program *program, int view);
/* The same for a program over what `base` makes. */
Program *view_wrap_base(Builder *builder, const Program *base, Program *program);
double view_cost(const Tunables *tune, int view); /* bits that wrapping adds to a description */

#endif
