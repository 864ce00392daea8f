/* Offsets of everything; see memory.h. */
#include "search/net/memory.h"

#include <math.h>
#include <stdio.h>

enum { ALIGNED = 16 }; /* numbers: 64 bytes of float */

static size_t rounded(size_t numbers) {
    return (numbers + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static size_t take(size_t *next, size_t numbers) {
    size_t at = *next;
    *next += rounded(numbers);
    return at;
}

/* ---- tensors ---- */

static void place_tensor(NetMemory *mem, NetTensorId t) {
    const NetShape *shape = &mem->shape;
    NetPlace *p = &mem->places[t];
    p->lanes = net_has(t, AXIS_D);
    p->slots = net_has(t, AXIS_E) ? shape->n : 1;
    p->colors = net_has(t, AXIS_C) ? shape->colors : 1;
    p->rows = net_has(t, AXIS_X) ? shape->rows : 1;
    p->columns = net_has(t, AXIS_Y) ? shape->columns : 1;
    p->cells = p->colors * p->rows * p->columns;
    p->channels = net_channels(t);
}

/* Channels of a buffer that a tensor has; 0: none. */
static size_t buffer_channels(NetBuffer buffer, NetTensorId t) {
    switch (buffer) {
    case BUFFER_SHARED:
    case BUFFER_WORK:
        return NET_SHARE;
    case BUFFER_HOLD: /* what ECDXY is summed up from and to, and what examples have in common */
        return t == NET_EDXY || t == NET_ECDX || t == NET_ECDY || t == NET_ECXY || !net_has(t, AXIS_E)
                   ? NET_SHARE
                   : 0;
    case BUFFER_SOFT:
        return NET_SOFT;
    case BUFFER_CUMMAX:
    case BUFFER_SHIFT:
        return net_has_rays(t) ? NET_RAYS : 0;
    case BUFFER_NOW:
        return net_has_rays(t) ? net_channels(t) : 0;
    case BUFFER_DOWN:
        return NET_DOWN;
    default:
        return net_channels(t);
    }
}

static size_t buffer_copies(NetBuffer buffer) {
    return buffer == BUFFER_X ? NET_BLOCKS + 1 : buffer < BUFFER_G ? NET_BLOCKS : 1;
}

static void place_buffers(NetMemory *mem) {
    size_t next = 0;
    for (NetBuffer buffer = 0; buffer < NET_BUFFERS; buffer++) {
        for (NetTensorId t = 0; t < NET_TENSORS; t++) {
            NetPlace *p = &mem->places[t];
            p->slice[buffer] = rounded(p->cells * buffer_channels(buffer, t) * (p->lanes ? 8 : 1));
            p->at[buffer] = take(&next, p->slice[buffer] * p->slots * buffer_copies(buffer));
        }
    }
    mem->buffers = next;
}

static void place_weights(NetMemory *mem, size_t *next) {
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        NetPlace *p = &mem->places[t];
        if (!net_owns(t)) {
            const NetPlace *owner = &mem->places[net_tensors[t].owner];
            p->decode_w = owner->decode_w;
            p->decode_b = owner->decode_b;
            for (size_t block = 0; block < NET_BLOCKS; block++) {
                p->weights[block] = owner->weights[block];
            }
            continue;
        }
        size_t ch = p->channels;
        p->decode_w = take(next, NET_LATENT * ch);
        p->decode_b = take(next, ch);
        for (size_t block = 0; block < NET_BLOCKS; block++) {
            NetWeights *w = &p->weights[block];
            w->up_in = take(next, ch * NET_SHARE);
            w->up_out = take(next, NET_SHARE * ch);
            w->soft_in = take(next, ch * NET_SOFT);
            w->soft_out = take(next, NET_SOFT * net_soft_sets(t) * ch);
            w->cummax_in = take(next, net_has_rays(t) ? ch * NET_RAYS : 0);
            w->cummax_out = take(next, net_has_rays(t) ? NET_RAYS * ch : 0);
            w->shift_in = take(next, net_has_rays(t) ? ch * NET_RAYS : 0);
            w->shift_out = take(next, net_has_rays(t) ? NET_RAYS * ch : 0);
            w->mix = take(next, p->lanes ? net_ties(t) * ch * ch : 0);
            w->bend_in = take(next, ch * NET_SHARE);
            w->bend_out = take(next, NET_SHARE * ch);
            w->down_in = take(next, ch * NET_DOWN);
            w->down_out = take(next, NET_DOWN * ch);
        }
    }
    size_t ch = net_channels(NET_ECXY);
    mem->head_w = take(next, ch * 2);
    mem->head_b = take(next, 2);
    mem->mask_w = take(next, ch * 2);
    mem->mask_b = take(next, 2);
}

bool net_memory_open(NetMemory *mem, const Task *task, const char **why) {
    *mem = (NetMemory){0};
    if (!net_shape_open(&mem->shape, task, why)) {
        return false;
    }
    size_t next = 0;
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        NetPlace *p = &mem->places[t];
        place_tensor(mem, t);
        p->latent = rounded(p->cells * NET_LATENT * (p->lanes ? 8 : 1));
        p->mean = take(&next, p->latent * p->slots);
        p->adjust = take(&next, p->latent * p->slots);
        p->capacity = take(&next, NET_LATENT);
    }
    mem->latents = next;
    place_weights(mem, &next);
    mem->parameters = next;
    place_buffers(mem);
    mem->outputs = (size_t)(mem->shape.colors + 1) * mem->shape.rows * mem->shape.columns * 2;
    return true;
}

void net_memory_close(NetMemory *mem) {
    net_shape_close(&mem->shape);
}

/* ---- by name ---- */

/* The which-th tensor that owns its weights and has all of `axes` (or rays, with axes 0 and rays set). */
static NetTensorId owner_number(size_t *which, unsigned axes, bool rays) {
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        bool listed = net_owns(t) && (net_tensors[t].axes & axes) == axes && (!rays || net_has_rays(t));
        if (listed && (*which)-- == 0) {
            return t;
        }
    }
    return NET_NO_TENSOR;
}

typedef struct MatrixPair { /* of matrices, into a step of a block and out of it */
    const char *name;
    size_t in, out; /* channels */
    size_t at_in, at_out;
    bool rays;
} MatrixPair;

static void set(NetParameter *to, const char *prefix, size_t block, const char *name, NetTensorId t,
                size_t at, size_t rows, size_t columns, double scale) {
    to->tensor = t;
    to->at = at;
    to->rows = rows;
    to->columns = columns;
    to->scale = scale;
    if (prefix != NULL) {
        snprintf(to->name, sizeof to->name, "%s%zu.%s.%s", prefix, block, name, net_tensors[t].name);
    } else {
        snprintf(to->name, sizeof to->name, "%s%s%s", name, t != NET_NO_TENSOR ? "." : "",
                 t != NET_NO_TENSOR ? net_tensors[t].name : "");
    }
}

/* The matrices of one step of a block; false: there are not that many, and `which` is less by their number.
 */
static bool step_parameter(const NetMemory *mem, size_t *which, size_t block, const char *name, bool rays,
                           NetParameter *to) {
    static const char *const names[] = {"up", "sm", "cm", "sh", "nl", "down"};
    size_t half = *which % 2, number = *which / 2;
    NetTensorId t = owner_number(&number, 0, rays);
    if (t == NET_NO_TENSOR) {
        *which -= 2 * (rays ? (size_t)2 : (size_t)14);
        return false;
    }
    const NetWeights *w = &mem->places[t].weights[block];
    size_t at[][2] = {{w->up_in, w->up_out},       {w->soft_in, w->soft_out}, {w->cummax_in, w->cummax_out},
                      {w->shift_in, w->shift_out}, {w->bend_in, w->bend_out}, {w->down_in, w->down_out}};
    size_t between[] = {NET_SHARE, NET_SOFT, NET_RAYS, NET_RAYS, NET_SHARE, NET_DOWN};
    size_t k = 0;
    while (names[k] != name) {
        k++;
    }
    size_t ch = net_channels(t), middle = between[k];
    if (half == 1 && k == 1) {
        middle *= net_soft_sets(t);
    }
    char full[16];
    snprintf(full, sizeof full, "%s.%s", name, half == 0 ? "in" : "out");
    size_t rows = half == 0 ? ch : middle, columns = half == 0 ? middle : ch;
    set(to, "L", block, full, t, at[k][half], rows, columns, 1 / sqrt((double)rows));
    return true;
}

void net_parameter(const NetMemory *mem, size_t which, NetParameter *to) {
    *to = (NetParameter){.tensor = NET_NO_TENSOR};
    if (which < (size_t)3 * NET_TENSORS) {
        NetTensorId t = (NetTensorId)(which / 3);
        const NetPlace *p = &mem->places[t];
        size_t cells = p->cells * p->slots * (p->lanes ? 8 : 1);
        size_t at[] = {p->mean, p->adjust, p->capacity};
        static const char *const names[] = {"lat.mean", "lat.adj", "lat.cap"};
        set(to, NULL, 0, names[which % 3], t, at[which % 3], which % 3 == 2 ? 1 : cells, NET_LATENT,
            which % 3 == 0 ? 0.01 : 0);
        to->latent = which % 3 != 2;
        return;
    }
    which -= (size_t)3 * NET_TENSORS;
    if (which < (size_t)2 * 14) {
        size_t number = which / 2;
        NetTensorId t = owner_number(&number, 0, false);
        const NetPlace *p = &mem->places[t];
        if (which % 2 == 0) {
            set(to, NULL, 0, "dec.w", t, p->decode_w, NET_LATENT, p->channels, 0.5);
        } else {
            set(to, NULL, 0, "dec.b", t, p->decode_b, 1, p->channels, 0.5);
        }
        return;
    }
    which -= (size_t)2 * 14;
    for (size_t block = 0; block < NET_BLOCKS; block++) {
        if (step_parameter(mem, &which, block, "up", false, to) ||
            step_parameter(mem, &which, block, "sm", false, to) ||
            step_parameter(mem, &which, block, "cm", true, to) ||
            step_parameter(mem, &which, block, "sh", true, to)) {
            return;
        }
        size_t number = which;
        NetTensorId t = owner_number(&number, AXIS_D, false);
        if (t != NET_NO_TENSOR) {
            set(to, "L", block, "dir", t, mem->places[t].weights[block].mix, net_ties(t) * 8, 8, 1 / sqrt(8));
            return;
        }
        which -= 8;
        if (step_parameter(mem, &which, block, "nl", false, to) ||
            step_parameter(mem, &which, block, "down", false, to)) {
            return;
        }
    }
    const size_t at[] = {mem->head_w, mem->head_b, mem->mask_w, mem->mask_b};
    static const char *const names[] = {"head.w", "head.b", "mask.w", "mask.b"};
    set(to, NULL, 0, names[which], NET_NO_TENSOR, at[which], which % 2 == 0 ? 16 : 1, 2, 0.25);
}
