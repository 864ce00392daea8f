/* The tensors of the net: 18 subsets of the axes example, color, direction, row and column.
 *
 * A tensor exists for every set of axes in which a row or a column comes with an example, and which is more
 * than an example. Its cells are numbered example, color, row, column. A tensor with directions has eight
 * numbers, one per direction, for each of its 8 channels in every cell; they lie beside each other, so that
 * the directions are the lanes of the arithmetic (lanes.h). A tensor without has 16 channels beside each
 * other, which are lanes. */
#ifndef BATT_SEARCH_NET_TENSORS_H
#define BATT_SEARCH_NET_TENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AXIS_E = 1, AXIS_C = 2, AXIS_D = 4, AXIS_X = 8, AXIS_Y = 16, AXIS_SETS = 32 };

/* In their canonical order */
typedef enum NetTensorId {
    NET_C,
    NET_EC,
    NET_D,
    NET_ED,
    NET_CD,
    NET_ECD,
    NET_EX,
    NET_ECX,
    NET_EDX,
    NET_ECDX,
    NET_EY,
    NET_ECY,
    NET_EDY,
    NET_ECDY,
    NET_EXY,
    NET_ECXY,
    NET_EDXY,
    NET_ECDXY,
    NET_TENSORS,
    NET_NO_TENSOR = NET_TENSORS
} NetTensorId;

enum {
    NET_BLOCKS = 4,
    NET_LATENT = 4, /* channels of the code */
    NET_SHARE = 16, /* channels that go up, and of the nonlinear step */
    NET_DOWN = 8,   /* channels that go down */
    NET_RAYS = 4,   /* channels of cummax and shift */
    NET_SOFT = 2,   /* channels of softmax */
    NET_MAX_SOFT = 30
};

typedef struct NetTensor {
    const char *name;
    uint8_t axes;
    uint8_t owner; /* the tensor whose weights it uses: a column is treated as a row */
} NetTensor;
extern const NetTensor net_tensors[NET_TENSORS];

NetTensorId net_tensor_with(unsigned axes); /* NET_NO_TENSOR: there is none */

static inline bool net_has(NetTensorId t, unsigned axis) {
    return (net_tensors[t].axes & axis) != 0;
}
static inline bool net_owns(NetTensorId t) {
    return net_tensors[t].owner == t;
}
static inline size_t net_channels(NetTensorId t) {
    return net_has(t, AXIS_D) ? 8 : 16;
}
static inline bool net_has_rays(NetTensorId t) { /* cummax and shift */
    return t == NET_EDXY || t == NET_ECDXY;
}
/* The sets of axes along which softmax runs: their number, and the k-th, in the order of the weights. */
size_t net_soft_sets(NetTensorId t);
unsigned net_soft_set(NetTensorId t, size_t k);

/* ---- directions ---- */

/* Which of the tensor's matrices takes direction `from` to direction `to`, and how many there are. */
size_t net_tie(NetTensorId t, size_t to, size_t from);
size_t net_ties(NetTensorId t);

/* The last block feeds only the heads, so not all of it has an effect. */
typedef enum NetStage { STAGE_UP_IN, STAGE_MIDDLE, STAGE_DOWN_OUT } NetStage;
static inline bool net_alive(size_t block, NetTensorId t, NetStage stage) {
    return block + 1 < NET_BLOCKS || stage == STAGE_UP_IN ||
           (stage == STAGE_MIDDLE ? net_has(t, AXIS_X | AXIS_Y)
                                  : t == NET_EX || t == NET_EY || t == NET_ECXY);
}

#endif
