/* The primitives that were registered in a context.
 *
 * Programs point at them, and may outlive the context, so an arena holds them that the context, programs and
 * values share. A context changes its own list only while nothing is evaluated in it; the entries themselves
 * do not change, so that any thread may call them. */
#ifndef BATT_TOOLS_API_OWN_H
#define BATT_TOOLS_API_OWN_H

#include "engine/language/own.h"
#include "search/learning/idioms.h"
#include "tools/api/api_internal.h"

/* What lang_open_with is given; NULL: nothing was registered. */
const OwnPrims *own_prims(const batt_context *context);
/* Adds an idiom for each primitive that has a price, and for each way to choose its truth values. False: no
 * memory. */
bool own_idioms(const batt_context *context, IdiomSet *idioms);
/* Whether search can use a primitive at this price; if not, why. */
bool own_idioms_fit(const char *name, const char *signature, unsigned price, char *why, size_t size);
/* The message of the last failure of a primitive of one's own in this context, or "". */
const char *own_message(const batt_context *context);

#endif
