/* Features of cells along paths: multicolor components that are one cell thick and lead from one end to
 * another. */
#include "engine/features/grid_analysis.h"

#include <string.h>

/* The cells that a cell of a multicolor component leads to: over a side, or over a corner where no cell
 * beside both is in the multicolor component. Returns how many there are, at most 3. */
static int links_of(const GridAnalysis *b, int32_t k, int32_t links[3]) {
    static const int8_t di[8] = {-1, -1, 0, 1, 1, 1, 0, -1}, dj[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    bool busy[8];
    int n = 0;
    for (int d = 0; d < 8; d++) {
        int8_t c = analysis_color(b, k / b->w + di[d], k % b->w + dj[d]);
        busy[d] = c != -1 && c != b->background;
    }
    for (int d = 0; d < 8 && n < 3; d++) {
        if (busy[d] && (d % 2 == 0 || (!busy[d - 1] && !busy[(d + 1) % 8]))) {
            links[n++] = k + di[d] * b->w + dj[d];
        }
    }
    return n;
}

/* Follows a path from an end to the other; returns its length, 0: it is none. */
static int32_t follow(const GridAnalysis *b, int32_t end, int16_t *path) {
    int32_t length = 0, links[3], before = -1, at = end;
    for (int n = links_of(b, at, links);; n = links_of(b, at, links)) {
        path[length++] = (int16_t)at;
        if (n > 2 || (before < 0 && n != 1)) {
            return 0;
        }
        if (before >= 0 && n == 1) {
            return length;
        }
        int32_t next = links[0] == before ? links[1] : links[0];
        before = at;
        at = next;
    }
}

bool features_fill_paths(Ctx *ctx, const GridAnalysis *b) {
    int16_t path[FEATURE_MAX_CELLS];
    int8_t *reversed = analysis_plane(b, FEATURE_PATH_REVERSED),
           *steps = analysis_plane(b, FEATURE_PATH_STEPS), *mod2 = analysis_plane(b, FEATURE_PATH_MOD2);
    (void)ctx;
    memset(reversed, -1, (size_t)b->n);
    memset(steps, -1, (size_t)b->n);
    memset(mod2, -1, (size_t)b->n);
    for (int32_t k = 0; k < b->n; k++) {
        int32_t n = b->c[k] != b->background && steps[k] < 0 ? follow(b, k, path) : 0;
        for (int32_t x = 0; x < n; x++) {
            int32_t far = x < n - 1 - x ? x : n - 1 - x;
            reversed[path[x]] = b->c[path[n - 1 - x]];
            steps[path[x]] = analysis_clip(far);
            mod2[path[x]] = (int8_t)(far % 2);
        }
    }
    return true;
}
