/* What all kernels of nets share: pieces, products of small matrices, and sums of tiles. OpenCL C 1.2.
 *
 * A site is a cell with a direction (where the tensor has directions); a work-item holds the channels of a site, a
 * work-group goes over a tile in strips of ND_LANES sites. What has to be summed over sites is put into local memory and
 * added there in a fixed order; sums of tiles are rows in global memory, which are added in the order of tiles. So
 * results depend neither on timing nor on the other tasks of a batch. */
#define UNROLL _Pragma("unroll")
/* These functions tell work-items apart, and arrays of channels have to become registers. */
#define INLINE static inline __attribute__((always_inline))
#define LANE ((uint)get_local_id(0))
#define MEET() barrier(CLK_LOCAL_MEM_FENCE)
#define MEET_GLOBAL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define KERNEL kernel __attribute__((reqd_work_group_size(ND_LANES, 1, 1)))
/* What every kernel is given. */
#define GIVEN \
    global float *memory, global const NdTask *tasks, global const NdNow *nows, global const NdPiece *pieces, \
        global const float *tables, global float *back, uint piece_0, uint block

typedef struct Here {
    global float *m; /* of the task */
    global const NdTask *task;
    global const NdTensor *t;
    uint slot, first, count, row, tensor;
} Here;

#define HERE_OF(piece_) \
    ((Here){memory + tasks[(piece_).task].base, &tasks[(piece_).task], &tasks[(piece_).task].tensors[(piece_).tensor], \
            (piece_).slot, (piece_).first, (piece_).count, (piece_).row, (piece_).tensor})
/* The piece of this work-group; tasks that rest are left alone. */
#define BEGIN \
    const NdPiece piece = pieces[piece_0 + get_group_id(0)]; \
    if (!nows[piece.task].active) \
        return; \
    const Here h = HERE_OF(piece)

/* The last block feeds only the heads. */
INLINE bool alive_middle(const Here *h, uint block) {
    return block + 1 < ND_BLOCKS || h->tensor >= ND_TENSOR_EX;
}
INLINE bool alive_end(const Here *h, uint block) {
    return block + 1 < ND_BLOCKS || h->tensor == ND_TENSOR_EX || h->tensor == ND_TENSOR_EY || h->tensor == ND_TENSOR_ECXY;
}
INLINE bool has_rays(const Here *h) {
    return h->tensor >= ND_TENSOR_EDXY;
}

/* ---- numbers of a site ---- */

INLINE global float *slice_of(const Here *h, uint buffer, uint copy) {
    return h->m + h->t->at[buffer] + (ulong)(copy * h->t->slots + h->slot) * h->t->slice[buffer];
}
/* Where channel 0 of a site is; channels are `lanes` apart. */
INLINE global float *site_of(const Here *h, uint buffer, uint copy, uint channels, uint site) {
    uint cell = h->first + (site >> h->t->shift), d = site & (h->t->lanes - 1);
    return slice_of(h, buffer, copy) + ((cell * channels) << h->t->shift) + d;
}
INLINE void load(const Here *h, uint buffer, uint copy, const uint channels, uint site, float *x) {
    global const float *from = site_of(h, buffer, copy, channels, site);
    UNROLL for (uint k = 0; k < channels; k++) {
        x[k] = from[k << h->t->shift];
    }
}
INLINE void save(const Here *h, uint buffer, uint copy, const uint channels, uint site, const float *x) {
    global float *to = site_of(h, buffer, copy, channels, site);
    UNROLL for (uint k = 0; k < channels; k++) {
        to[k << h->t->shift] = x[k];
    }
}

/* y += x w and y += w x, w being [a, b] and [b, a]. Matrices begin at multiples of 16 numbers, so that four weights are one
 * load where their rows allow it. */
INLINE void linear(const uint a, const uint b, global const float *w, const float *x, float *y) {
    UNROLL for (uint k = 0; k < a; k++) {
        if (b % 4 == 0) {
            UNROLL for (uint j = 0; j < b; j += 4) {
                float4 four = *(global const float4 *)(w + k * b + j);
                y[j] = fma(x[k], four.x, y[j]);
                y[j + 1] = fma(x[k], four.y, y[j + 1]);
                y[j + 2] = fma(x[k], four.z, y[j + 2]);
                y[j + 3] = fma(x[k], four.w, y[j + 3]);
            }
        } else {
            UNROLL for (uint j = 0; j < b; j++) {
                y[j] = fma(x[k], w[k * b + j], y[j]);
            }
        }
    }
}
INLINE void linear_back(const uint a, const uint b, global const float *w, const float *x, float *y) {
    UNROLL for (uint j = 0; j < b; j++) {
        if (a % 4 == 0) {
            UNROLL for (uint k = 0; k < a; k += 4) {
                float4 four = *(global const float4 *)(w + j * a + k);
                y[j] = fma(x[k], four.x, y[j]);
                y[j] = fma(x[k + 1], four.y, y[j]);
                y[j] = fma(x[k + 2], four.z, y[j]);
                y[j] = fma(x[k + 3], four.w, y[j]);
            }
        } else {
            UNROLL for (uint k = 0; k < a; k++) {
                y[j] = fma(x[k], w[j * a + k], y[j]);
            }
        }
    }
}
INLINE void clear(const uint n, float *x) {
    UNROLL for (uint k = 0; k < n; k++) {
        x[k] = 0;
    }
}

/* ---- norms ---- */

INLINE global const float *norm_of(const Here *h, uint block, uint norm) {
    return h->m + h->t->norms + (block * ND_NORMS + norm) * 32;
}
INLINE void norm_apply(const uint channels, global const float *norm, float *x) {
    UNROLL for (uint k = 0; k < channels; k++) {
        x[k] = (x[k] - norm[k]) * norm[16 + k];
    }
}
/* The stream as it comes into a block. */
INLINE void load_stream(const Here *h, uint block, const uint channels, uint site, float *x) {
    load(h, ND_X, block, channels, site, x);
    if (block > 0) {
        norm_apply(channels, norm_of(h, block - 1, ND_NORM_END), x);
    }
}
/* g becomes the gradient of what was normed to y. */
INLINE void norm_back(const Here *h, const uint channels, global const float *norm, const float *y, float *g) {
    global const float *means = h->m + h->t->back;
    UNROLL for (uint k = 0; k < channels; k++) {
        g[k] = (g[k] - means[k] - y[k] * means[16 + k]) * norm[16 + k];
    }
}

/* The gradient `of` of what the norm of a buffer gives becomes that of the buffer; y is what the norm gave. */
INLINE void norm_back_site(const Here *h, const uint channels, uint block, uint norm, uint buffer, uint of, uint site,
                           float *y) {
    float g[16];
    load(h, buffer, block, channels, site, y);
    load(h, of, 0, channels, site, g);
    norm_apply(channels, norm_of(h, block, norm), y);
    norm_back(h, channels, norm_of(h, block, norm), y, g);
    save(h, of, 0, channels, site, g);
}

/* ---- sums over the sites of a tile ---- */

INLINE void stage(const uint channels, const float *x, local float *to) { /* to: [site][channels] */
    UNROLL for (uint k = 0; k < channels; k++) {
        to[LANE * channels + k] = x[k];
    }
}

typedef struct Adding { /* of one work-item, which adds a share of the sites of one channel */
    float pivot, a, b;
} Adding;

/* For a norm: numbers about the tile's first one, and their squares; `sites` of the strip are there. */
INLINE void adding_squares(const uint channels, local const float *x, uint sites, bool first, Adding *to) {
    uint k = LANE % channels, begin = LANE / channels * channels; /* as many sites as channels */
    if (first) {
        to->pivot = x[k];
    }
    for (uint s = begin; s < begin + channels && s < sites; s++) {
        float d = x[s * channels + k] - to->pivot;
        to->a += d;
        to->b = fma(d, d, to->b);
    }
}
/* On the way back: g and g y. */
INLINE void adding_products(const uint channels, local const float *g, local const float *y, uint sites, Adding *to) {
    uint k = LANE % channels, begin = LANE / channels * channels; /* as many sites as channels */
    for (uint s = begin; s < begin + channels && s < sites; s++) {
        to->a += g[s * channels + k];
        to->b = fma(g[s * channels + k], y[s * channels + k], to->b);
    }
}
/* Puts the shares together into a row; room: 2 ND_LANES numbers. With `squares`, as mean and squares about it. */
INLINE void adding_end(const Here *h, const uint channels, const Adding *from, bool squares, uint count, local float *room) {
    MEET();
    room[LANE] = from->a;
    room[ND_LANES + LANE] = from->b;
    MEET();
    global float *to = h->m + h->t->stats + h->row * ND_STATS;
    if (LANE < channels) {
        float a = 0, b = 0;
        for (uint s = LANE; s < ND_LANES; s += channels) {
            a += room[s];
            b += room[ND_LANES + s];
        }
        if (squares) { /* the pivot is that of the item's own channel */
            float about = a / count;
            b = fmax(b - a * about, 0.0f);
            a = from->pivot + about;
        }
        to[LANE] = a;
        to[16 + LANE] = b;
    }
    if (LANE == 0) {
        to[ND_COUNT] = count;
    }
    MEET();
}

/* Sums for the norm of what a buffer has in a piece. */
INLINE void buffer_sums(const Here *h, const uint channels, uint buffer, uint copy, local float *x, local float *room) {
    Adding adding = {0, 0, 0};
    for (uint begin = 0; begin < h->count; begin += ND_LANES) {
        uint site = begin + LANE, sites = min(h->count - begin, (uint)ND_LANES);
        if (site < h->count) {
            float y[16];
            load(h, buffer, copy, channels, site, y);
            stage(channels, y, x);
        }
        MEET();
        adding_squares(channels, x, sites, begin == 0, &adding);
        MEET();
    }
    adding_end(h, channels, &adding, true, h->count, room);
}

/* ---- gradients of weights ---- */

/* Sums over sites of x[k] g[j], [rows, columns] of them, columns a multiple of 4: an item has four columns of a row, and
 * every so many-th site, so that all have something to do; all products of the two are powers of two. */
INLINE void outer(const uint rows, const uint columns, local const float *x, local const float *g, uint sites, float4 *sum) {
    uint quads = rows * columns / 4, quad = LANE % quads, k = quad / (columns / 4), j = quad % (columns / 4) * 4;
    float4 all = *sum;
    for (uint s = LANE / quads; s < sites; s += ND_LANES / quads) {
        all = fma((float4)(x[s * rows + k]), vload4(0, g + s * columns + j), all);
    }
    *sum = all;
}
/* The shares of all items put together: true for those who then have a sum. room: 4 ND_LANES numbers. */
INLINE bool outer_sum(uint quads, local float *room, float4 *sum) {
    MEET();
    vstore4(*sum, LANE, room);
    MEET();
    if (LANE < quads) {
        for (uint s = LANE + quads; s < ND_LANES; s += quads) {
            *sum += vload4(s, room);
        }
    }
    return LANE < quads;
}
INLINE global float *partial_of(const Here *h, uint weight) {
    return h->m + h->t->partial + h->row * h->t->stride + (weight - h->t->decode_w);
}
INLINE void outer_end(const uint rows, const uint columns, float4 sum, local float *room, global float *to) {
    if (outer_sum(rows * columns / 4, room, &sum)) {
        vstore4(sum, LANE, to);
    }
}
/* The same where the matrix is the other way round. */
INLINE void outer_end_turned(const uint rows, const uint columns, float4 sum, local float *room, global float *to) {
    uint k = LANE / (columns / 4), j = LANE % (columns / 4) * 4;
    if (outer_sum(rows * columns / 4, room, &sum)) {
        to[j * rows + k] = sum.x;
        to[(j + 1) * rows + k] = sum.y;
        to[(j + 2) * rows + k] = sum.z;
        to[(j + 3) * rows + k] = sum.w;
    }
}

/* Goes over the strips of a tile: `site` of this item, `sites` in the strip, `mine`: there is one for it. */
#define EACH_STRIP \
    for (uint begin = 0; begin < h.count; begin += ND_LANES) { \
        const uint site = begin + LANE, sites = min(h.count - begin, (uint)ND_LANES); \
        const bool mine = site < h.count;
#define END_STRIP }
/* Calls a function with the channels of the tensor as a constant. */
#define BY_CHANNELS(function, ...) \
    if (h.t->lanes == 8) { \
        function(8, __VA_ARGS__); \
    } else { \
        function(16, __VA_ARGS__); \
    }
