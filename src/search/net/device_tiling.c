/* Offsets and pieces for a device; see device_tiling.h. */
#include "search/net/device_tiling.h"

#include "search/net/mix_tables.h"

#include <math.h>
#include <string.h>

_Static_assert((int)ND_TENSORS == (int)NET_TENSORS && (int)ND_BLOCKS == (int)NET_BLOCKS, "as in the net");
_Static_assert((int)ND_TABLE == MIX_MAX * MIX_TIES * 8 && (int)ND_TIES == (int)MIX_TIES, "as in mixing");
_Static_assert((int)ND_TENSOR_EX == (int)NET_EX && (int)ND_TENSOR_EY == (int)NET_EY &&
                   (int)ND_TENSOR_EXY == (int)NET_EXY && (int)ND_TENSOR_ECXY == (int)NET_ECXY &&
                   (int)ND_TENSOR_EDXY == (int)NET_EDXY,
               "as in the net");
_Static_assert((int)ND_AXIS_E == (int)AXIS_E && (int)ND_AXIS_C == (int)AXIS_C &&
                   (int)ND_AXIS_D == (int)AXIS_D && (int)ND_AXIS_X == (int)AXIS_X &&
                   (int)ND_AXIS_Y == (int)AXIS_Y,
               "as in the net");

/* ---- offsets ---- */

typedef struct OffsetCursor {
    uint64_t next;
} OffsetCursor;

static NetWord take(OffsetCursor *from, uint64_t numbers) {
    uint64_t at = from->next;
    from->next += (numbers + 15) / 16 * 16;
    return (NetWord)at;
}

static uint64_t sites_of(const NdTensor *t) { /* of a slice */
    return (uint64_t)t->cells * t->lanes;
}
static NetWord tiles_of_slice(const NdTensor *t) {
    return (NetWord)((sites_of(t) + ND_TILE - 1) / ND_TILE);
}

/* Numbers of a slice of a buffer. */
static uint64_t slice_numbers(const NdTensor *t, NetTensorId id, unsigned buffer) {
    uint64_t sites = sites_of(t), wide = (uint64_t)t->wide[0] * t->wide[1] * t->wide[2] * t->wide[3];
    switch (buffer) {
    case ND_SHARED:
    case ND_WORK:
        return sites * NET_SHARE;
    case ND_DOWN:
    case ND_OTHER:
        return sites * NET_DOWN;
    case ND_CUMMAX:
    case ND_SHIFT:
    case ND_RAYS:
    case ND_RAYS_BACK:
    case ND_RAYS_IN:
        return net_has_rays(id) ? sites * NET_RAYS : 0;
    case ND_NOW:
        return net_has_rays(id) ? sites * t->channels : 0;
    case ND_SOFT:
    case ND_SOFT_TAKEN:
        return wide * NET_SOFT;
    case ND_SOFT_MEANS:
        return wide * NET_SOFT * t->channels;
    default:
        return sites * t->channels;
    }
}

static void describe_weights(const NetPlace *p, NdTensor *to) {
    for (size_t block = 0; block < NET_BLOCKS; block++) {
        const NetWeights *w = &p->weights[block];
        to->weights[block] = (NdWeights){(NetWord)w->up_in,    (NetWord)w->up_out,    (NetWord)w->soft_in,
                                         (NetWord)w->soft_out, (NetWord)w->cummax_in, (NetWord)w->cummax_out,
                                         (NetWord)w->shift_in, (NetWord)w->shift_out, (NetWord)w->mix,
                                         (NetWord)w->bend_in,  (NetWord)w->bend_out,  (NetWord)w->down_in,
                                         (NetWord)w->down_out};
    }
}

static void describe_tensor(const NetMemory *mem, NetTensorId id, NdTensor *to) {
    static const unsigned axes[5] = {AXIS_E, AXIS_C, AXIS_D, AXIS_X, AXIS_Y};
    const NetPlace *p = &mem->places[id];
    *to = (NdTensor){.axes = net_tensors[id].axes,
                     .slots = p->slots,
                     .colors = (NetWord)p->colors,
                     .rows = (NetWord)p->rows,
                     .columns = (NetWord)p->columns,
                     .cells = (NetWord)p->cells,
                     .lanes = p->lanes ? 8 : 1,
                     .shift = p->lanes ? 3 : 0,
                     .channels = (NetWord)p->channels,
                     .mean = (NetWord)p->mean,
                     .adjust = (NetWord)p->adjust,
                     .capacity = (NetWord)p->capacity,
                     .latent = (NetWord)p->latent,
                     .decode_w = (NetWord)p->decode_w,
                     .decode_b = (NetWord)p->decode_b,
                     .partner = ND_TENSORS};
    describe_weights(p, to);
    to->wide[0] = to->colors + net_has(id, AXIS_C);
    to->wide[1] = to->rows + net_has(id, AXIS_X);
    to->wide[2] = to->columns + net_has(id, AXIS_Y);
    to->wide[3] = to->lanes + net_has(id, AXIS_D);
    to->soft_sets = (NetWord)net_soft_sets(id);
    for (NetWord k = 0; k < to->soft_sets; k++) {
        to->soft_axes[k] = net_soft_set(id, k);
        to->soft_row[to->soft_axes[k]] = k;
    }
    for (size_t a = 0; a < 5; a++) {
        bool has = net_has(id, axes[a]);
        to->with[a] = has ? (NetWord)ND_TENSORS : net_tensor_with(to->axes | axes[a]);
        to->without[a] = has ? net_tensor_with(to->axes & ~axes[a]) : (NetWord)ND_TENSORS;
    }
    for (NetTensorId other = 0; other < NET_TENSORS; other++) {
        if (other != id && net_owns(id) && net_tensors[other].owner == id) {
            to->partner = other;
        }
    }
    size_t table = net_ties(id) == 10 ? 0 : net_has(id, AXIS_X) ? 1 : 2;
    to->mix_table = (NetWord)(64 + table * ND_TABLE);
    to->tiles = tiles_of_slice(to) * to->slots;
    NetWord colors = net_has_rays(id) ? to->slots * to->colors : 0;
    to->rows_of_sums = to->tiles > colors ? to->tiles : colors;
}

/* Weights of a tensor, from decode_w on. */
static NetWord weights_of(const NetMemory *mem, NetTensorId id) {
    size_t begin = mem->places[id].decode_w, end = mem->head_w;
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        size_t other = mem->places[t].decode_w;
        end = other > begin && other < end ? other : end;
    }
    return (NetWord)(end - begin);
}

static void place_tensor(const NetMemory *mem, NetTensorId id, NdTensor *t, OffsetCursor *from) {
    for (unsigned buffer = 0; buffer < ND_BUFFERS; buffer++) {
        unsigned copies = buffer == ND_X ? NET_BLOCKS + 1 : buffer < ND_G ? NET_BLOCKS : 1;
        uint64_t numbers = (slice_numbers(t, id, buffer) + 15) / 16 * 16;
        t->slice[buffer] = (NetWord)numbers;
        t->at[buffer] = take(from, numbers * t->slots * copies);
    }
    t->stats = take(from, (uint64_t)t->rows_of_sums * ND_STATS);
    t->stride = weights_of(mem, id) + ND_HEADS;
    t->partial = take(from, (uint64_t)t->rows_of_sums * t->stride);
    t->norms = take(from, NET_BLOCKS * ND_NORMS * 32);
    t->back = take(from, 32);
    t->code = take(from, ND_CODE);
    t->mixes = take(from, t->lanes == 8 ? NET_BLOCKS * ND_MIX : 0);
}

static uint64_t loss_numbers(const NetShape *shape) {
    return 2 * (uint64_t)shape->rows * shape->columns + 2 * ((uint64_t)shape->rows + shape->columns) + 2;
}

uint64_t nd_describe(const NetMemory *mem, NdTask *to) {
    const NetShape *shape = &mem->shape;
    uint64_t n = shape->n, plane = (uint64_t)shape->rows * shape->columns;
    *to = (NdTask){.n = shape->n,
                   .n_train = shape->n_train,
                   .colors = shape->colors,
                   .rows = shape->rows,
                   .columns = shape->columns,
                   .plane = (NetWord)plane,
                   .outputs = (NetWord)mem->outputs,
                   .parameters = (NetWord)mem->parameters,
                   .head_w = (NetWord)mem->head_w,
                   .mask_w = (NetWord)mem->mask_w,
                   .head_b = (NetWord)mem->head_b,
                   .mask_b = (NetWord)mem->mask_b,
                   .average = (NetWord)(2 * plane + shape->rows + shape->columns),
                   .loss_numbers = (NetWord)loss_numbers(shape),
                   .uncertain = {net_size_uncertain(shape, false), net_size_uncertain(shape, true)}};
    OffsetCursor from = {0};
    take(&from, 3 * (uint64_t)mem->parameters);
    to->gradient = take(&from, mem->parameters);
    NetWord *outputs[2][3] = {{&to->logits, &to->row_scores, &to->column_scores},
                              {&to->g_logits, &to->g_row_scores, &to->g_column_scores}};
    for (size_t k = 0; k < 2; k++) {
        *outputs[k][0] = take(&from, n * mem->outputs);
        *outputs[k][1] = take(&from, n * 2 * shape->rows);
        *outputs[k][2] = take(&from, n * 2 * shape->columns);
    }
    to->averages = take(&from, n * to->average);
    to->masks = take(&from, n * plane);
    to->sizes = take(&from, n * 4);
    to->targets = take(&from, n * 2 * plane);
    to->loss_room = take(&from, n * 2 * to->loss_numbers);
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        describe_tensor(mem, t, &to->tensors[t]);
        place_tensor(mem, t, &to->tensors[t], &from);
    }
    return from.next <= UINT32_MAX ? from.next : 0;
}

size_t nd_back_numbers(const NetShape *shape) {
    size_t plane = (size_t)shape->rows * shape->columns;
    return NET_TENSORS + 2 * (size_t)shape->n +
           shape->n_test * ((shape->colors + (size_t)1) * plane + shape->rows + shape->columns);
}

size_t nd_fixed_numbers(const NdTask *task) {
    return task->loss_room - task->averages;
}

void nd_fixed(const NetMemory *mem, const NdTask *task, float *to) {
    const NetShape *shape = &mem->shape;
    size_t rows = shape->rows, columns = shape->columns, plane = rows * columns;
    memset(to, 0, nd_fixed_numbers(task) * sizeof *to);
    for (size_t e = 0; e < shape->n; e++) {
        const NetExample *example = &shape->examples[e];
        float *average = to + e * task->average, *mask = to + (task->masks - task->averages) + e * plane;
        for (size_t k = 0; k < plane; k++) {
            size_t x = k / columns, y = k % columns;
            average[k] = (float)net_mean_weight(shape, e, x, y, false);
            average[plane + k] = (float)net_mean_weight(shape, e, x, y, true);
            mask[k] = net_inside(shape, e, x, y);
        }
        for (size_t y = 0; y < columns; y++) {
            average[2 * plane + y] = average[y];
        }
        for (size_t x = 0; x < rows; x++) {
            average[2 * plane + columns + x] = average[plane + x * columns];
        }
        for (size_t o = 0; o < 2; o++) {
            NetSize size = example->size[o];
            float *sizes = to + (task->sizes - task->averages) + 4 * e + 2 * o;
            float *target = to + (task->targets - task->averages) + (2 * e + o) * plane;
            sizes[0] = (float)size.h;
            sizes[1] = (float)size.w;
            for (size_t k = 0; example->grid[o] != NULL && k < (size_t)size.h * size.w; k++) {
                target[k] = example->grid[o][k];
            }
        }
    }
}

/* ---- pieces ---- */

static void put(NdPiece *to, size_t *count, NdPiece piece) {
    if (to != NULL) {
        to[*count] = piece;
    }
    (*count)++;
}

/* ND_LANES weights at a time; of heads, `slot` is 1 and `row` where they begin. */
static size_t spans(const NetMemory *mem, const NdTask *task, NetTensorId t, NetWord which, NdPiece *to) {
    size_t count = 0;
    const NdTensor *of = &task->tensors[t];
    for (NetWord head = 0; head < 2; head++) {
        NetWord begin = head == 0 ? of->decode_w : t == NET_ECXY ? task->head_w : task->mask_w;
        NetWord numbers = head == 0 ? weights_of(mem, t) : ND_HEADS;
        if (head == 0 ? !net_owns(t) : t != NET_EX && t != NET_ECXY) {
            continue;
        }
        for (NetWord k = 0; k < numbers; k += ND_LANES) {
            NetWord left = numbers - k;
            put(to, &count, (NdPiece){which, t, head, begin + k, left < ND_LANES ? left : ND_LANES, begin});
        }
    }
    return count;
}

size_t nd_pieces(const NetMemory *mem, const NdTask *task, NdList list, NetTensorId t, NetWord which,
                 NdPiece *to) {
    const NdTensor *of = &task->tensors[t];
    NetWord sites = (NetWord)sites_of(of), plane = of->rows * of->columns, tiles = tiles_of_slice(of);
    size_t count = 0;
    if (list == ND_LIST_SPANS) {
        return spans(mem, task, t, which, to);
    }
    if (list == ND_LIST_TENSORS) {
        put(to, &count, (NdPiece){which, t, 0, 0, 0, 0});
        return count;
    }
    if (list == ND_LIST_GRIDS) {
        for (NetWord k = 0; t == 0 && k < 2 * task->n; k++) {
            put(to, &count, (NdPiece){which, t, k / 2, k % 2, 0, 0});
        }
        return count;
    }
    bool head = t == NET_EX || t == NET_EY || t == NET_ECXY;
    for (NetWord slot = 0; slot < of->slots; slot++) {
        if (list == ND_LIST_SLICES) {
            put(to, &count, (NdPiece){which, t, slot, 0, sites, slot});
        } else if (list == ND_LIST_COLORS) {
            for (NetWord c = 0; net_has_rays(t) && c < of->colors; c++) {
                put(to, &count,
                    (NdPiece){which, t, slot, c * plane, plane * of->lanes, slot * of->colors + c});
            }
        } else if (list == ND_LIST_TILES || head) {
            for (NetWord k = 0; k < tiles; k++) {
                NetWord first = k * (ND_TILE / of->lanes), left = sites - first * of->lanes;
                put(to, &count,
                    (NdPiece){which, t, slot, first, left < ND_TILE ? left : ND_TILE, slot * tiles + k});
            }
        }
    }
    return count;
}

/* ---- mixing ---- */

void nd_tables(float *to) {
    static const NetTensorId tensors[3] = {NET_D, NET_EDX, NET_EDY};
    const double root = (double)sqrtf(0.5f);
    double turn[8][8], of[MIX_MAX][MIX_TIES][8];
    net_mix_turn(root, turn);
    for (size_t k = 0; k < 64; k++) {
        to[k] = (float)turn[k / 8][k % 8];
    }
    for (size_t table = 0; table < 3; table++) {
        net_mix_table(tensors[table], root, of);
        for (size_t k = 0; k < ND_TABLE; k++) {
            to[64 + table * ND_TABLE + k] = (float)((const double *)of)[k];
        }
    }
}
