/* Views: a task whose grids are turned by what the inputs show, so that pairs that differ only in which way
 * they lie become alike. A program found in a view is wrapped: turned before, turned back after. */
#ifndef BATT_SEARCH_VIEW_H
#define BATT_SEARCH_VIEW_H

#include "search/search.h"

enum { VIEW_NONE = -1, VIEW_COUNT = 5 }; /* the ways of stamp_orient */

/* The task in a view; values live in ctx. False: it turns all inputs alike, or fails. */
bool view_of(Ctx *ctx, const SearchTask *task, int view, SearchTask *to);
/* A program over I as it is in the task itself; takes it over. NULL: no memory. */
Program *view_wrap(Builder *builder, Program *program, int view);

#endif
