/* Sums that go up and down between tensors; see search/net/share.h for what they are.
 *
 * To spread is to add to every tensor those whose axes are among its own. Tensors without rows and columns together add
 * up all of them; the four with both take the sums of their neighbours without columns and without rows, less what
 * those have in common. To gather goes axis by axis, because a sum over an axis is worth keeping for the next one. */

typedef struct Coordinates {
    uint slot, c, x, y, d;
} Coordinates;

INLINE void coordinates_of(const Here *h, uint site, Coordinates *to) {
    uint cell = h->first + (site >> h->t->shift), row = cell / h->t->columns;
    to->slot = h->slot;
    to->c = row / h->t->rows;
    to->x = row % h->t->rows;
    to->y = cell % h->t->columns;
    to->d = site & (h->t->lanes - 1);
}
/* Channel 0 at these coordinates of another tensor, which may lack some of the axes. */
INLINE global float *other_site(const Here *h, global const NdTensor *u, uint buffer, uint copy, uint channels,
                                const Coordinates *at) {
    uint slot = u->axes & ND_AXIS_E ? at->slot : 0, c = u->axes & ND_AXIS_C ? at->c : 0;
    uint x = u->axes & ND_AXIS_X ? at->x : 0, y = u->axes & ND_AXIS_Y ? at->y : 0;
    uint cell = (c * u->rows + x) * u->columns + y;
    return h->m + u->at[buffer] + (ulong)(copy * u->slots + slot) * u->slice[buffer] + ((cell * channels) << u->shift) +
           (u->axes & ND_AXIS_D ? at->d : 0);
}

/* ---- weights of means ---- */

/* Of an example: over columns and over rows, by cell; then over columns of row 0, over rows of column 0. */
INLINE float over_columns(const Here *h, bool both, const Coordinates *at) {
    global const float *of = h->m + h->task->averages + at->slot * h->task->average;
    return both ? of[at->x * h->task->columns + at->y] : of[2 * h->task->plane + at->y];
}
INLINE float over_rows(const Here *h, bool both, const Coordinates *at) {
    global const float *of = h->m + h->task->averages + at->slot * h->task->average;
    return both ? of[h->task->plane + at->x * h->task->columns + at->y] : of[2 * h->task->plane + h->task->columns + at->x];
}
/* Of examples, colors and directions that one tensor has and the other has not. */
INLINE float over_others(const Here *h, uint axes) {
    return (axes & ND_AXIS_E ? 1.0f / h->task->n : 1.0f) * (axes & ND_AXIS_C ? 1.0f / h->task->colors : 1.0f) *
           (axes & ND_AXIS_D ? 0.125f : 1.0f);
}

INLINE void add(const uint channels, float weight, global const float *from, uint shift, float *to) {
    UNROLL for (uint k = 0; k < channels; k++) {
        to[k] = fma(weight, from[k << shift], to[k]);
    }
}

/* ---- spreading, from ND_WORK ---- */

INLINE void spread_small(const uint channels, const bool means, const Here *h, uint block, uint site, float *sum) {
    Coordinates at;
    coordinates_of(h, site, &at);
    clear(channels, sum);
    for (uint k = 0; k < ND_TENSORS; k++) {
        global const NdTensor *u = &h->task->tensors[k];
        uint less = h->t->axes & ~u->axes;
        if ((u->axes & ~h->t->axes) != 0 || (means && block + 1 == ND_BLOCKS && k < ND_TENSOR_EX)) {
            continue;
        }
        float weight = 1;
        if (means) {
            weight = over_others(h, less) * (less & ND_AXIS_X ? over_rows(h, false, &at) : 1.0f) *
                     (less & ND_AXIS_Y ? over_columns(h, false, &at) : 1.0f);
        }
        add(channels, weight, other_site(h, u, ND_WORK, 0, channels, &at), u->shift, sum);
    }
}

/* The others' sums are in `to` already. */
INLINE void spread_big(const uint channels, const bool means, const Here *h, uint block, uint to, uint copy, uint site,
                       float *sum) {
    Coordinates at;
    coordinates_of(h, site, &at);
    clear(channels, sum);
    for (uint k = ND_TENSOR_EXY; k < ND_TENSORS; k++) {
        global const NdTensor *u = &h->task->tensors[k];
        if ((u->axes & ~h->t->axes) == 0) {
            float weight = means ? over_others(h, h->t->axes & ~u->axes) : 1.0f;
            add(channels, weight, other_site(h, u, ND_WORK, 0, channels, &at), u->shift, sum);
        }
    }
    global const NdTensor *no_y = &h->task->tensors[h->t->without[4]], *no_x = &h->task->tensors[h->t->without[3]];
    float of_x = means ? over_rows(h, true, &at) : 1.0f;
    add(channels, means ? over_columns(h, true, &at) : 1.0f, other_site(h, no_y, to, copy, channels, &at), no_y->shift, sum);
    add(channels, of_x, other_site(h, no_x, to, copy, channels, &at), no_x->shift, sum);
    uint neither = no_x->without[4];
    if (neither < ND_TENSORS && !(means && block + 1 == ND_BLOCKS)) {
        global const NdTensor *u = &h->task->tensors[neither];
        float less = means ? over_columns(h, false, &at) : 1.0f;
        add(channels, -of_x * less, other_site(h, u, to, copy, channels, &at), u->shift, sum);
    }
}

/* Up: 16 channels, and the sums of their norm. */
INLINE void up_sums(const Here *h, uint block, bool big, local float *x, local float *room) {
    Adding adding = {0, 0, 0};
    for (uint begin = 0; begin < h->count; begin += ND_LANES) {
        uint site = begin + LANE, sites = min(h->count - begin, (uint)ND_LANES);
        float sum[16];
        if (site < h->count) {
            if (big) {
                spread_big(16, false, h, block, ND_SHARED, block, site, sum);
            } else {
                spread_small(16, false, h, block, site, sum);
            }
            save(h, ND_SHARED, block, 16, site, sum);
            stage(16, sum, x);
        }
        MEET();
        adding_squares(16, x, sites, begin == 0, &adding);
        MEET();
    }
    adding_end(h, 16, &adding, true, h->count, room);
}
KERNEL void net_up_small(GIVEN) {
    local float x[ND_LANES * 16], room[2 * ND_LANES];
    BEGIN;
    up_sums(&h, block, false, x, room);
}
KERNEL void net_up_big(GIVEN) {
    local float x[ND_LANES * 16], room[2 * ND_LANES];
    BEGIN;
    up_sums(&h, block, true, x, room);
}

/* Down, backward: 8 channels to ND_OTHER. */
KERNEL void net_down_small_back(GIVEN) {
    BEGIN;
    if (!alive_middle(&h, block)) {
        return;
    }
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        float sum[8];
        spread_small(8, true, &h, block, site, sum);
        save(&h, ND_OTHER, 0, 8, site, sum);
    }
}
KERNEL void net_down_big_back(GIVEN) {
    BEGIN;
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        float sum[8];
        spread_big(8, true, &h, block, ND_OTHER, 0, site, sum);
        save(&h, ND_OTHER, 0, 8, site, sum);
    }
}

/* ---- gathering, in place ---- */

INLINE void gather(const uint channels, const bool means, const Here *h, uint buffer, uint copy, uint axis) {
    if (h->t->with[axis] == ND_TENSORS) {
        return;
    }
    global const NdTensor *u = &h->task->tensors[h->t->with[axis]];
    uint n = axis == 0 ? u->slots : axis == 1 ? u->colors : axis == 2 ? 8 : axis == 3 ? u->rows : u->columns;
    bool both = (u->axes & (ND_AXIS_X | ND_AXIS_Y)) == (ND_AXIS_X | ND_AXIS_Y);
    for (uint site = LANE; site < h->count; site += ND_LANES) {
        Coordinates at;
        float sum[16];
        coordinates_of(h, site, &at);
        load(h, buffer, copy, channels, site, sum);
        for (uint k = 0; k < n; k++) {
            at.slot = axis == 0 ? k : at.slot;
            at.c = axis == 1 ? k : at.c;
            at.d = axis == 2 ? k : at.d;
            at.x = axis == 3 ? k : at.x;
            at.y = axis == 4 ? k : at.y;
            float weight = 1;
            if (means) {
                weight = axis < 3    ? over_others(h, 1u << axis)
                         : axis == 3 ? over_rows(h, both, &at)
                                     : over_columns(h, both, &at);
            }
            add(channels, weight, other_site(h, u, buffer, copy, channels, &at), u->shift, sum);
        }
        save(h, buffer, copy, channels, site, sum);
    }
}

KERNEL void net_gather_down(GIVEN, uint axis) {
    BEGIN;
    if (alive_middle(&h, block)) {
        gather(8, true, &h, ND_DOWN, block, axis);
    }
}
KERNEL void net_gather_up_back(GIVEN, uint axis) {
    BEGIN;
    gather(16, false, &h, ND_WORK, 0, axis);
}
