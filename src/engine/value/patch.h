/* Reading a patch the plain way: any container is taken as a patch, and its elements are unpacked one by one.
 *
 * Packed sets (VAL_INDICES, and the object kind of the mode) have their own fast paths in
 * engine/arcdsl/. Everything else comes through here: tuples of cells, coordinates beyond the range of a
 * key, malformed patches. */
#ifndef BATT_ENGINE_VALUE_PATCH_H
#define BATT_ENGINE_VALUE_PATCH_H

#include "engine/value/value.h"

typedef struct PatchCell {
    int64_t i, j;
    Val c; /* color: any value where it is only compared; the integer 0 for an index */
} PatchCell;

typedef struct Patch {
    uint32_t n;
    bool object; /* decided by the object test on the first element */
    PatchCell *cells;
} Patch;

/* FAIL_NONE and *patch filled, or the reason. An empty container gives n = 0; the caller decides what that
 * means. */
Reason patch_read(Ctx *ctx, Val container, Patch *patch);
/* One element as a cell of the context's mode, or as an index. */
Reason patch_read_cell(const Ctx *ctx, Val element, PatchCell *cell);
Reason patch_read_index(Val element, PatchCell *cell);
/* The object test of the mode on an element: does it look like a cell? */
Reason patch_looks_like_cell(const Ctx *ctx, Val element, bool *yes);

#endif
