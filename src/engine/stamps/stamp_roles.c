/* Colors by role: a grid is renumbered so that a number stands for a role, such as the most frequent color.
 *
 * Color 0 and the colors in `fixed` (a bit set) stay. The other colors of the reference grid are ranked and
 * get the free numbers from 1 on in that order; colors that the reference lacks get the rest. This is a
 * permutation, so it can be undone. */
#include "engine/stamps/stamp.h"

#include <string.h>

typedef struct ColorUse {
    int32_t count, first, height; /* cells; first cell in reading order; rows spanned */
} ColorUse;

/* Is color a to be ranked before color b? */
static bool before(const ColorUse *use, int32_t by, int32_t a, int32_t b) {
    int32_t x = use[a].count, y = use[b].count;
    switch (by) {
    case 0: /* frequent first */
        break;
    case 1: /* rare first */
        x = -x;
        y = -y;
        break;
    case 2: /* in reading order */
        x = -use[a].first;
        y = -use[b].first;
        break;
    default: /* tall first */
        x = use[a].height;
        y = use[b].height;
        break;
    }
    return x != y ? x > y : a < b;
}

static bool role_map(const Stamp *reference, int32_t by, uint32_t fixed, int8_t map[10]) {
    ColorUse use[10] = {{0}};
    for (int32_t k = 0, n = stamp_cells(reference); k < n; k++) {
        int8_t c = reference->c[k];
        if (c < 0 || c > 9) {
            return false;
        }
        use[c].first = use[c].count == 0 ? k : use[c].first;
        use[c].height = k / reference->w - use[c].first / reference->w + 1;
        use[c].count++;
    }
    bool placed[10] = {false}, taken[10] = {false};
    for (int32_t c = 0; c < 10; c++) {
        if (c == 0 || fixed >> c & 1) {
            map[c] = (int8_t)c;
            placed[c] = taken[c] = true;
        }
    }
    for (int32_t number = 1; number < 10; number++) {
        int32_t best = -1;
        for (int32_t c = 1; c < 10; c++) {
            if (placed[c]) {
                continue;
            }
            bool better = best < 0 || (use[c].count > 0 && use[best].count == 0) ||
                          ((use[c].count > 0) == (use[best].count > 0) &&
                           (use[c].count > 0 ? before(use, by, c, best) : c < best));
            best = better ? c : best;
        }
        if (best >= 0 && !taken[number]) {
            map[best] = (int8_t)number;
            placed[best] = taken[number] = true;
        }
    }
    for (int32_t c = 0; CHECKED && c < 10; c++) { /* a permutation: stamp_unroles undoes it */
        ASSERT(placed[c] && taken[c], "color %d has no number, or number %d no color", c, c);
    }
    return true;
}

static Val recolored(Ctx *ctx, const Stamp *s, const int8_t map[10]) {
    int8_t *to = stamp_new(ctx, s->h, s->w);
    if (to == NULL) {
        return val_fail(ctx->exhausted ? (Reason)ctx->exhausted : FAIL_LIMIT);
    }
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        to[k] = s->c[k] >= 0 && s->c[k] <= 9 ? map[s->c[k]] : s->c[k];
    }
    return stamp_val(ctx, (Stamp){s->i, s->j, s->h, s->w, to});
}

static bool read_roles(const Val *a, Stamp *s, Stamp *reference, int8_t map[10]) {
    return stamp_read(a[0], s) && stamp_read(a[1], reference) && val_int_within(a[2], 0, 4) &&
           val_int_within(a[3], 0, 1024) && role_map(reference, (int32_t)a[2].i, (uint32_t)a[3].i, map);
}

Val prim_stamp_roles(Ctx *ctx, const Val *a) {
    Stamp s, reference;
    int8_t map[10];
    return read_roles(a, &s, &reference, map) ? recolored(ctx, &s, map) : val_fail(FAIL_TYPE);
}

Val prim_stamp_unroles(Ctx *ctx, const Val *a) {
    Stamp s, reference;
    int8_t map[10], back[10];
    if (!read_roles(a, &s, &reference, map)) {
        return val_fail(FAIL_TYPE);
    }
    for (int8_t c = 0; c < 10; c++) {
        back[map[c]] = c;
    }
    return recolored(ctx, &s, back);
}
