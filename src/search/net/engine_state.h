/* The state of a running net, and how its arrays are reached (template: see engine.h).
 *
 * Work on a tensor's slice goes in strips of a few cells, whose intermediate values stay in the first cache;
 * a step of the net that needs a sum over all cells (a norm) ends a phase (team.h). */
#ifndef BATT_SEARCH_NET_ENGINE_STATE_H
#define BATT_SEARCH_NET_ENGINE_STATE_H

#include "search/net/engine_table.h"
#include "search/net/linear.h"
#include "search/net/memory.h"
#include "search/net/mix_tables.h"

enum { STRIP = 18, MAX_CHANNELS = 16 };
/* Numbers of a strip with so many channels, of either kind */
#define STRIP_NUMBERS(channels) ((size_t)STRIP * (channels)*LANES)

typedef struct Norm { /* per channel: what a norm takes off, and what it multiplies by */
    _Alignas(64) Real mean[MAX_CHANNELS], inverse[MAX_CHANNELS];
} Norm;

typedef enum NormStage {
    NORM_UP,
    NORM_CUMMAX,
    NORM_SHIFT,
    NORM_MIX,
    NORM_DOWN,
    NORM_END,
    NORM_STAGES
} NormStage;

/* Two sums per channel of an item's slice: for a norm its mean and sum of squares about it; on the way back
 * the sums of g and of g y. */
typedef struct NormSums {
    double a[MAX_CHANNELS], b[MAX_CHANNELS];
} NormSums;

typedef struct LatentSums { /* of an item's slice, per channel; what a step backward adds up, in the lower
                               half */
    double adjust[NET_LATENT], mean[NET_LATENT], square[NET_LATENT];
    double scale[NET_LATENT], lambda[NET_LATENT], gy[NET_LATENT], gyy[NET_LATENT];
    double kl;
} LatentSums;

typedef struct LatentNorm { /* what holds for a tensor's code, per channel */
    Real adjust[NET_LATENT], theta[NET_LATENT], mean[NET_LATENT], inverse[NET_LATENT], scale[NET_LATENT];
    Real gy[NET_LATENT], gyy[NET_LATENT], lambda[NET_LATENT];
} LatentNorm;

#define MIX_NUMBERS ((size_t)MIX_MAX * 8 * 8 * LANES)
typedef struct MixTable { /* weight of a matrix in a partner of a lane */
    _Alignas(64) Real of[MIX_MAX][MIX_TIES][LANES];
} MixTable;

typedef struct Scratch { /* of one thread */
    Real *soft, *rays;
    Real *x, *y, *g, *h, *z; /* strips of 24 channels */
    Real *sum[3], *mix;      /* gradients of matrices, by lane */
    double *loss;
} Scratch;

typedef struct NetRun {
    const NetMemory *mem;
    NetMeter *meters;      /* by thread; NULL: not measured */
    const NetProbe *probe; /* may be NULL */
    size_t step;           /* the current one, with its seed and where its noise comes from */
    uint64_t seed;
    NetNoise noise_kind;
    size_t block;                       /* of the current phase */
    Real *parameters, *moment, *square; /* Adam's */
    Real *noise;                        /* as the means of the latents lie */
    Real *latent_gradient;              /* as latents lie */
    Real *weight_gradients;             /* an array for each item */
    Real *buffers;
    Real *mixes; /* [block][tensor][MIX_NUMBERS] */
    MixTable mix_tables[NET_TENSORS];
    Real *averages;  /* per example: weights of means over rows and columns, see share.h */
    Real *masks;     /* per example: 1 where the cell is inside */
    Real soft_range; /* of h, beyond which softmax goes slowly */
    uint8_t *slow;   /* [block][tensor][item]: softmax took its slow path */
    NormSums *sums;  /* [item][tensor] */
    LatentSums *latent_sums;
    Norm norms[NET_BLOCKS][NORM_STAGES][NET_TENSORS];
    Norm backs[NET_TENSORS]; /* mean of g, mean of g y */
    Norm nothing;            /* changes nothing */
    LatentNorm latent_norms[NET_TENSORS];
    Scratch *scratches;
    unsigned threads;
    double *item_rec; /* by item */
    NetOutput out;
} NetRun;

INLINE TensorKind kind_of(NetTensorId t) {
    return net_has(t, AXIS_D) ? KIND_LANES : KIND_CELLS;
}

INLINE Real *buffer(const NetRun *run, NetBuffer which, NetTensorId t, size_t block, size_t item) {
    return run->buffers + net_buffer_at(run->mem, which, t, block, item);
}
INLINE const Real *weight(const NetRun *run, size_t at) {
    return run->parameters + at;
}
INLINE Real *weight_gradient(const NetRun *run, size_t item, size_t at) {
    return run->weight_gradients + item * net_weights(run->mem) + (at - run->mem->latents);
}
INLINE NormSums *sums_of(const NetRun *run, NetTensorId t, size_t item) {
    return &run->sums[item * NET_TENSORS + t];
}
/* The norm of the stream as it comes into a block. */
INLINE const Norm *norm_in(const NetRun *run, size_t block, NetTensorId t) {
    return block == 0 ? &run->nothing : &run->norms[block - 1][NORM_END][t];
}
INLINE size_t strip_cells(size_t cells, size_t begin) {
    return cells - begin < STRIP ? cells - begin : STRIP;
}

typedef struct CellAt { /* where a cell of a slice lies */
    size_t c, x, y;
} CellAt;
INLINE CellAt cell_at(const NetPlace *p, size_t cell) {
    return (CellAt){cell / (p->rows * p->columns), cell / p->columns % p->rows, cell % p->columns};
}
INLINE void cell_next(const NetPlace *p, CellAt *at) {
    if (++at->y == p->columns) {
        at->y = 0;
        if (++at->x == p->rows) {
            at->x = 0;
            at->c++;
        }
    }
}

/* Where number (cell, direction, channel) of a slice stands in the canonical order of its tensor, of so many
 * channels: example, color, direction, row, column, channel; and where it lies. */
static size_t canonical(const NetPlace *p, size_t slot, size_t cell, size_t d, size_t ch, size_t channels) {
    CellAt at = cell_at(p, cell);
    size_t directions = p->lanes ? LANES : 1;
    return ((((slot * p->colors + at.c) * directions + d) * p->rows + at.x) * p->columns + at.y) * channels +
           ch;
}
static size_t slice_index(const NetPlace *p, size_t cell, size_t d, size_t ch, size_t channels) {
    return p->lanes ? (cell * channels + ch) * LANES + d : cell * channels + ch;
}

static void probe_writes(const NetRun *run, double *to, NetTensorId t, size_t item, const Real *x,
                         size_t begin, size_t cells) {
    const NetPlace *p = &run->mem->places[t];
    for (size_t k = 0; k < cells * p->channels * (p->lanes ? LANES : 1); k++) {
        size_t ch = k % p->channels, cell = k / p->channels % cells, d = k / p->channels / cells;
        to[canonical(p, net_has(t, AXIS_E) ? item : 0, begin + cell, d, ch, p->channels)] =
            (double)x[slice_index(p, cell, d, ch, p->channels)];
    }
}
/* Shows a strip that begins at cell `begin`. */
INLINE void probe_strip(const NetRun *run, NetPoint point, NetTensorId t, size_t item, const Real *x,
                        size_t begin, size_t cells) {
    if (UNLIKELY(run->probe != NULL) && run->probe->to[point][run->block][t] != NULL) {
        probe_writes(run, run->probe->to[point][run->block][t], t, item, x, begin, cells);
    }
}

/* Tensors of an item, in canonical order */
#define EACH_TENSOR(run, item, t)                   \
    for (NetTensorId t = 0; t < NET_TENSORS; t++) { \
        if (!net_item_has((run)->mem, item, t)) {   \
            continue;                               \
        }
#define END_EACH }

/* Calls fn(KIND_LANES, 8, ..) or fn(KIND_CELLS, 16, ..), so that kind and channels are constants inside. */
#define BY_KIND(t, fn, ...)                          \
    do {                                             \
        if (kind_of(t) == KIND_LANES) {              \
            fn(KIND_LANES, (size_t)8, __VA_ARGS__);  \
        } else {                                     \
            fn(KIND_CELLS, (size_t)16, __VA_ARGS__); \
        }                                            \
    } while (0)

#endif
