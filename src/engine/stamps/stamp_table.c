/* Combining two stamps cell by cell: a table says which color each pair of colors gives. */
#include "engine/stamps/stamp.h"

#include <string.h>

Val prim_stamp_table(Ctx *ctx, const Val *a) {
    Stamp first, second;
    int8_t map[10][10];
    Val rows = a[2];
    if (!stamp_read(a[0], &first) || !stamp_read(a[1], &second) || rows.kind != VAL_GRID8 || rows.w != 3) {
        return val_fail(FAIL_TYPE);
    }
    if (first.h != second.h || first.w != second.w) {
        return val_fail(FAIL_RANGE);
    }
    memset(map, -1, sizeof map);
    for (uint32_t k = 0; k < rows.n; k++) {
        const int8_t *row = rows.b8 + (size_t)k * 3;
        if (row[0] < 0 || row[0] > 9 || row[1] < 0 || row[1] > 9) {
            return val_fail(FAIL_RANGE);
        }
        map[row[0]][row[1]] = row[2];
    }
    int8_t *to = stamp_new(ctx, first.h, first.w);
    if (to == NULL) {
        return val_fail(ctx->exhausted ? (Reason)ctx->exhausted : FAIL_LIMIT);
    }
    for (int32_t k = 0, n = stamp_cells(&first); k < n; k++) {
        int8_t x = first.c[k], y = second.c[k];
        to[k] = x >= 0 && x <= 9 && y >= 0 && y <= 9 ? map[x][y] : -1;
        if (to[k] < 0) { /* the table has no entry for this pair */
            return val_fail(FAIL_RANGE);
        }
    }
    return stamp_val(ctx, (Stamp){first.i, first.j, first.h, first.w, to});
}
