/* Pieces of a grid that can be treated separately and put back: what a local task is made of. */
#include "features/local.h"

#include <string.h>

typedef struct Boxes {
    int32_t count;
    BoardBox items[LOCAL_MOST];
    bool many; /* there were more than fit */
} Boxes;

static void add_box(Boxes *boxes, BoardBox box) {
    if (boxes->count == LOCAL_MOST) {
        boxes->many = true;
    } else {
        boxes->items[boxes->count++] = box;
    }
}

static bool inside(const BoardBox *a, const BoardBox *b) {
    return a->top >= b->top && a->bottom <= b->bottom && a->left >= b->left && a->right <= b->right;
}

static bool overlap(const BoardBox *a, const BoardBox *b) {
    return a->top <= b->bottom && b->top <= a->bottom && a->left <= b->right && b->left <= a->right;
}

/* Drops boxes that lie inside another one; false: two boxes overlap in part. */
static bool keep_outer(Boxes *boxes) {
    int32_t kept = 0;
    for (int32_t k = 0; k < boxes->count; k++) {
        bool inner = false;
        for (int32_t x = 0; x < boxes->count && !inner; x++) {
            const BoardBox *a = &boxes->items[k], *b = &boxes->items[x];
            inner = x != k && inside(a, b) && (!inside(b, a) || x < k);
        }
        if (!inner) {
            boxes->items[kept++] = boxes->items[k];
        }
    }
    ASSERT(kept > 0 || boxes->count == 0, "%d boxes lie inside each other", boxes->count);
    boxes->count = kept;
    for (int32_t k = 0; k < kept; k++) {
        for (int32_t x = 0; x < k; x++) {
            if (overlap(&boxes->items[k], &boxes->items[x])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- where the pieces are ---- */

typedef struct Blob {
    BoardBox box;
    int32_t size;
    int8_t color;
} Blob;

/* Blobs (mixed) or components, those of ground included, in the order of their first cells. */
static int32_t find_blobs(const Board *b, bool mixed, Blob *blobs) {
    int16_t label[FEATURE_MOST_CELLS];
    int32_t count = board_label(b, mixed, label);
    for (int32_t k = 0; k < count; k++) {
        blobs[k] = (Blob){{b->h, -1, b->w, -1}, 0, -1};
    }
    for (int32_t k = 0; k < b->n; k++) {
        if (label[k] >= 0) {
            Blob *blob = &blobs[label[k]];
            int32_t i = k / b->w, j = k % b->w;
            blob->box.top = i < blob->box.top ? i : blob->box.top;
            blob->box.bottom = i > blob->box.bottom ? i : blob->box.bottom;
            blob->box.left = j < blob->box.left ? j : blob->box.left;
            blob->box.right = j > blob->box.right ? j : blob->box.right;
            blob->size++;
            blob->color = b->c[k];
        }
    }
    return count;
}

static void add_blobs(const Board *b, bool mixed, Boxes *boxes) {
    Blob blobs[FEATURE_MOST_CELLS];
    int32_t count = find_blobs(b, mixed, blobs);
    for (int32_t k = 0; k < count; k++) {
        if (mixed || blobs[k].color != b->ground) {
            add_box(boxes, blobs[k].box);
        }
    }
}

/* What a frame of one color, one cell thick, encloses. A frame is a component that has all cells on the rim
 * of its box and no others. */
static void add_frames(const Board *b, Boxes *boxes) {
    Blob blobs[FEATURE_MOST_CELLS];
    int32_t count = find_blobs(b, false, blobs);
    for (int32_t k = 0; k < count; k++) {
        BoardBox x = blobs[k].box;
        int32_t h = x.bottom - x.top + 1, w = x.right - x.left + 1;
        bool ring = h >= 3 && w >= 3 && blobs[k].size == 2 * (h + w) - 4 && blobs[k].color != b->ground;
        for (int32_t i = x.top; i <= x.bottom && ring; i++) {
            for (int32_t j = x.left; j <= x.right && ring; j++) {
                bool rim = i == x.top || i == x.bottom || j == x.left || j == x.right;
                ring = !rim || b->c[i * b->w + j] == blobs[k].color;
            }
        }
        if (ring) {
            add_box(boxes, (BoardBox){x.top + 1, x.bottom - 1, x.left + 1, x.right - 1});
        }
    }
}

static bool line_is_ground(const Board *b, bool columns, int32_t x) {
    int32_t length = columns ? b->h : b->w;
    for (int32_t y = 0; y < length; y++) {
        if ((columns ? b->c[y * b->w + x] : b->c[x * b->w + y]) != b->ground) {
            return false;
        }
    }
    return true;
}

static BoardBox band(const Board *b, bool columns, int32_t from, int32_t to) {
    return columns ? (BoardBox){0, b->h - 1, from, to} : (BoardBox){from, to, 0, b->w - 1};
}

/* Each row (or column) by itself; with `joined`, neighbouring ones that are not all ground together. */
static void add_bands(const Board *b, bool columns, bool joined, Boxes *boxes) {
    int32_t n = columns ? b->w : b->h, start = 0;
    for (int32_t x = 0; x <= n; x++) {
        bool ends = x == n || !joined || line_is_ground(b, columns, x);
        if (!joined && x < n) {
            add_box(boxes, band(b, columns, x, x));
        } else if (joined && ends) {
            if (x > start) {
                add_box(boxes, band(b, columns, start, x - 1));
            }
            start = x + 1;
        }
    }
}

/* False: there are none, too many, or some overlap. */
static bool find_boxes(const Board *b, LocalHow how, Boxes *boxes) {
    *boxes = (Boxes){0};
    switch (how) {
    case LOCAL_PANELS:
        boxes->count = board_panels(b, boxes->items, LOCAL_MOST);
        break;
    case LOCAL_BLOBS:
    case LOCAL_COMPONENTS:
        add_blobs(b, how == LOCAL_BLOBS, boxes);
        break;
    case LOCAL_FRAMES:
        add_frames(b, boxes);
        break;
    case LOCAL_ROWS:
    case LOCAL_COLUMNS:
        add_bands(b, how == LOCAL_COLUMNS, false, boxes);
        break;
    default:
        add_bands(b, how == LOCAL_STRIPES, true, boxes);
        break;
    }
    return boxes->count > 0 && !boxes->many && keep_outer(boxes);
}

/* ---- primitives ---- */

/* Reads the first argument as a board and finds the boxes that the second asks for; false: *failure says why
 * not. */
static bool begin(Ctx *ctx, const Val *a, Board *b, Boxes *boxes, Val *failure) {
    Reason why;
    if (!val_is_int(a[1])) {
        *failure = val_fail(FAIL_TYPE);
    } else if (a[1].i < 0 || a[1].i >= LOCAL_HOWS) {
        *failure = val_fail(FAIL_RANGE);
    } else if (!board_of(a[0], b, &why)) {
        *failure = val_fail(why);
    } else if (!ctx_charge(ctx, (uint64_t)b->n / 8)) {
        *failure = val_fail_budget(ctx);
    } else if (!find_boxes(b, (LocalHow)a[1].i, boxes)) {
        *failure = val_fail(FAIL_EMPTY);
    } else {
        return true;
    }
    return false;
}

Val prim_local_split(Ctx *ctx, const Val *a) {
    Board b;
    Boxes boxes;
    Val failure;
    if (!begin(ctx, a, &b, &boxes, &failure)) {
        return failure;
    }
    Val *items = val_buffer(ctx, (size_t)boxes.count);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (int32_t k = 0; k < boxes.count; k++) {
        items[k] = board_cut(ctx, &b, boxes.items[k]);
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_tuple(ctx, items, (uint32_t)boxes.count);
}

Val prim_local_join(Ctx *ctx, const Val *a) {
    Board b;
    Boxes boxes;
    Val failure;
    Reason why;
    if (a[2].kind != VAL_TUPLE) {
        return val_fail(FAIL_TYPE);
    }
    if (!begin(ctx, a, &b, &boxes, &failure)) {
        return failure;
    }
    if (val_len(a[2]) != (uint32_t)boxes.count) {
        return val_fail(FAIL_RANGE);
    }
    int8_t *to = grid_buffer(ctx, (uint32_t)b.h, (uint32_t)b.w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    memcpy(to, b.c, (size_t)b.n);
    for (int32_t k = 0; k < boxes.count; k++) {
        BoardBox x = boxes.items[k];
        Val piece = val_at(a[2], (uint32_t)k);
        if (piece.kind != VAL_GRID8) {
            return val_fail(FAIL_TYPE);
        }
        if ((int32_t)piece.n != x.bottom - x.top + 1 || (int32_t)piece.w != x.right - x.left + 1) {
            return val_fail(FAIL_RANGE);
        }
        for (uint32_t i = 0; i < piece.n; i++) {
            memcpy(to + (x.top + (int32_t)i) * b.w + x.left, piece.b8 + (size_t)i * piece.w, piece.w);
        }
    }
    return val_grid8(to, (uint32_t)b.h, (uint32_t)b.w);
}
