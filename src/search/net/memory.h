/* The memory layout of a net: where every number of it lies, computed before any memory is
 * allocated.
 *
 * All numbers of a net are in a few flat arrays, found by the offsets here (in numbers, not bytes):
 * parameters (first the latents of all tensors, then the weights), and buffers of what is computed.
 * A layout holds no pointers, so arrays and offsets can be moved to a device as they are.
 *
 * A slice is what a tensor has for one example; it starts at a multiple of 16 numbers. Tensors
 * without the axis of examples have one slice, which belongs to item n, the one after the
 * examples. */
#ifndef BATT_SEARCH_NET_MEMORY_H
#define BATT_SEARCH_NET_MEMORY_H

#include "search/net/shape.h"
#include "search/net/tensors.h"

/* What is computed: BUFFER(ID, channels; 0: those of the tensor, copies). */
typedef enum NetBuffer {
    BUFFER_X,      /* the stream into each block before its norm, and out of the last one */
    BUFFER_SHARED, /* sums that went up, 16 channels */
    BUFFER_UP,     /* the stream after that */
    BUFFER_SOFT,   /* exponentials of softmax, 2 channels */
    BUFFER_CUMMAX, /* what cummax and shift gave, 4 channels */
    BUFFER_SHIFT,
    BUFFER_MIDDLE, /* the stream before directions are mixed */
    BUFFER_LATE,   /* the stream before sums go down */
    BUFFER_DOWN,   /* sums that went down, 8 channels */
    /* of the current block only */
    BUFFER_G,    /* gradient of the stream */
    BUFFER_WORK, /* gradients on the way, 16 channels */
    BUFFER_NOW,  /* the stream between cummax and shift */
    BUFFER_HOLD, /* sums at the time when they are passed on, 16 channels */
    NET_BUFFERS
} NetBuffer;

typedef struct NetWeights { /* offsets of the matrices of one tensor in one block */
    size_t up_in, up_out, soft_in, soft_out, cummax_in, cummax_out, shift_in, shift_out, mix, bend_in,
        bend_out, down_in, down_out;
} NetWeights;

typedef struct NetPlace {                /* a tensor's */
    bool lanes;                          /* directions */
    uint32_t slots;                      /* slices: examples, or 1 */
    size_t colors, rows, columns, cells; /* of a slice; an axis it has not counts 1 */
    size_t channels;
    size_t mean, adjust, capacity; /* latents; slices of `latent` numbers */
    size_t latent;
    size_t decode_w, decode_b;
    NetWeights weights[NET_BLOCKS];
    size_t at[NET_BUFFERS], slice[NET_BUFFERS];
} NetPlace;

typedef struct NetMemory {
    NetShape shape;
    NetPlace places[NET_TENSORS];
    size_t head_w, head_b, mask_w, mask_b;
    size_t latents, parameters; /* weights come after latents */
    size_t buffers;             /* numbers in all buffers */
    size_t outputs;             /* per example: logits of both grids */
} NetMemory;

/* False: `why` says why not. */
bool net_memory_open(NetMemory *mem, const Task *task, const char **why);
void net_memory_close(NetMemory *mem);

static inline size_t net_weights(const NetMemory *mem) {
    return mem->parameters - mem->latents;
}
/* Examples, and the item of tensors that have none. */
static inline size_t net_items(const NetMemory *mem) {
    return (size_t)mem->shape.n + 1;
}
static inline bool net_item_has(const NetMemory *mem, size_t item, NetTensorId t) {
    return net_has(t, AXIS_E) == (item < mem->shape.n);
}
static inline size_t net_buffer_at(const NetMemory *mem, NetBuffer buffer, NetTensorId t, size_t block,
                                   size_t item) {
    const NetPlace *p = &mem->places[t];
    size_t slot = p->slots > 1 || net_has(t, AXIS_E) ? item : 0;
    return p->at[buffer] + (block * p->slots + slot) * p->slice[buffer];
}

/* ---- parameters by name, for tests and tools ---- */

/* In the canonical order: latents, decoding, blocks, heads. */
typedef struct NetParameter {
    char name[24];
    NetTensorId tensor; /* or NET_NO_TENSOR */
    bool latent;        /* shape: cells of the tensor, then `columns` channels */
    size_t at, rows, columns;
    double scale; /* of its first values */
} NetParameter;
enum { NET_PARAMETERS = 598 };
void net_parameter(const NetMemory *mem, size_t which, NetParameter *to);

#endif
