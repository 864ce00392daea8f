/* Shared by the host and the kernels of nets: included by C, and prepended to all kernels.
 *
 * A batch has one block of memory, in which every task has a stretch of its own. Offsets count
 * numbers (float) from where the stretch begins, so they do not depend on the other tasks. */
#ifndef BATT_SEARCH_NET_KERNELS_TILING_H
#define BATT_SEARCH_NET_KERNELS_TILING_H

#ifdef __OPENCL_VERSION__
typedef uint NetWord;
typedef ulong NetLong;
#else
#include <stdint.h>
typedef uint32_t NetWord;
typedef uint64_t NetLong;
#endif

enum {
    ND_TENSORS = 18,
    ND_BLOCKS = 4,
    ND_LANES = 64,  /* work-items of a work-group: as many sites are worked on at once */
    ND_TILE = 256,  /* maximum sites of a tile: a number of one cell and direction for every channel */
    ND_STATS = 48,  /* numbers of a row of sums: two for each of 16 channels, then how many were added */
    ND_COUNT = 32,  /* where the latter stands */
    ND_CODE = 32,   /* numbers that hold for the code of a tensor */
    ND_HEADS = 48,  /* room for gradients of a head */
    ND_MIX = 1536,  /* weights of mixing in one block */
    ND_TIES = 18,   /* maximum matrices of mixing */
    ND_TABLE = 432, /* numbers of a table of mixing: [partner][matrix][lane] */
    ND_SOFT_SETS = 15
};

/* What is computed; kept from forward to backward for every block up to ND_DOWN, then for the current one.
 * Soft buffers have the cells of a tensor and behind them what is summed along its axes: see soft.cl. */
enum {
    ND_X,
    ND_SHARED,
    ND_UP,
    ND_SOFT,
    ND_CUMMAX,
    ND_SHIFT,
    ND_MIDDLE,
    ND_LATE,
    ND_DOWN,
    ND_G,         /* gradient of the stream */
    ND_WORK,      /* sums on their way, and their gradients */
    ND_OTHER,     /* the same, after they were spread */
    ND_NOW,       /* the stream between cummax and shift */
    ND_RAYS,      /* what goes into cummax and shift */
    ND_RAYS_BACK, /* gradients of what comes out of them */
    ND_RAYS_IN,   /* and of what goes in */
    ND_SOFT_MEANS,
    ND_SOFT_TAKEN,
    ND_BUFFERS
};

enum { ND_AXIS_E = 1, ND_AXIS_C = 2, ND_AXIS_D = 4, ND_AXIS_X = 8, ND_AXIS_Y = 16 };
/* Tensors that kernels know by number */
enum { ND_TENSOR_EX = 6, ND_TENSOR_EY = 10, ND_TENSOR_EXY = 14, ND_TENSOR_ECXY = 15, ND_TENSOR_EDXY = 16 };

enum { ND_NORM_UP, ND_NORM_CUMMAX, ND_NORM_SHIFT, ND_NORM_MIX, ND_NORM_DOWN, ND_NORM_END, ND_NORMS };

typedef struct NdWeights {
    NetWord up_in, up_out, soft_in, soft_out, cummax_in, cummax_out, shift_in, shift_out, mix, bend_in,
        bend_out, down_in, down_out;
} NdWeights;

typedef struct NdTensor {
    NetWord axes, slots, colors, rows, columns, cells;
    NetWord lanes, shift; /* 8 and 3, or 1 and 0 */
    NetWord channels;
    NetWord mean, adjust, capacity, latent; /* as in NetMemory */
    NetWord decode_w, decode_b;
    NdWeights weights[ND_BLOCKS];
    NetWord at[ND_BUFFERS], slice[ND_BUFFERS];
    NetWord wide[4]; /* colors, rows, columns, lanes with room for sums along them */
    NetWord soft_sets, soft_axes[ND_SOFT_SETS], soft_row[32]; /* sets of axes, and the number of a set */
    NetWord tiles, rows_of_sums;
    NetWord stats;               /* [row][ND_STATS] */
    NetWord partial, stride;     /* gradients of weights: [row][stride], from decode_w on; heads at the end */
    NetWord norms;               /* [block][norm][32]: means, then inverses */
    NetWord back;                /* [32]: means of g and of g y */
    NetWord code;                /* [ND_CODE] */
    NetWord mixes, mix_table;    /* [block][ND_MIX]; where its table begins among the tables */
    NetWord with[5], without[5]; /* the tensor with one more or one less of E, C, D, X, Y; or ND_TENSORS */
    NetWord partner;             /* whose gradients count for the same weights; ND_TENSORS: nobody's */
} NdTensor;

typedef struct NdTask {
    NetLong base; /* where its stretch begins */
    NetWord n, n_train, colors, rows, columns, plane, outputs;
    NetWord parameters, gradient; /* the state is at 0: parameters, moments, squares */
    NetWord head_w, head_b, mask_w, mask_b;
    NetWord logits, row_scores, column_scores;       /* as NetOutput has them */
    NetWord g_logits, g_row_scores, g_column_scores; /* gradients */
    NetWord averages, average;                       /* weights of means: share.cl; numbers of an example */
    NetWord masks;                                   /* 1 where a cell is inside, by example */
    NetWord sizes;                                   /* [example][grid][height, width], as numbers */
    NetWord targets;                                 /* [example][grid][plane], as numbers */
    NetWord loss_room, loss_numbers;                 /* scratch of the loss, by grid */
    NetWord uncertain[2];                            /* sizes of inputs, of outputs */
    NetWord out; /* in what comes back: a loss per tensor, per grid, then the tests' logits and scores */
    NdTensor tensors[ND_TENSORS];
} NdTask;

/* What differs from step to step */
typedef struct NdNow {
    NetLong seed;
    NetWord step, active;
    float first, second; /* of the optimiser */
    float heat, cool;    /* of the loss, where sizes are uncertain */
} NdNow;

/* The piece of a work-group: cells of a slice; a slice; a color of it; or a span of parameters. */
typedef struct NdPiece {
    NetWord task, tensor, slot, first, count, row;
} NdPiece;

#endif
