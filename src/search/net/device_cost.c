/* Counts what the kernels of a step do; see device_cost.h. */
#include "search/net/device_cost.h"

#include "search/net/device_steps.h"

typedef struct Counting {
    const NetMemory *mem;
    NdTask task;
    NetStepCost cost;
} Counting;

static double sites_of(const NdTensor *t) {
    return (double)t->slots * t->cells * t->lanes;
}

/* Units of a tensor in a list. */
static double units(const Counting *c, NdList list, NetTensorId id) {
    const NdTask *task = &c->task;
    const NdTensor *t = &task->tensors[id];
    size_t pieces = nd_pieces(c->mem, task, list, id, 0, NULL);
    switch (list) {
    case ND_LIST_TENSORS:
        return t->tiles;
    case ND_LIST_GRIDS:
        return (double)pieces * (task->colors + 1) * task->plane;
    case ND_LIST_SPANS:
        return (double)pieces * ND_LANES * t->rows_of_sums;
    default:
        return pieces > 0 ? sites_of(t) : 0;
    }
}

/* Sites of the tensor with one more axis for each of this one. */
static double gathered(const NdTask *task, const NdTensor *t, NetWord axis) {
    return t->with[axis] < ND_TENSORS ? sites_of(&task->tensors[t->with[axis]]) / sites_of(t) : 0;
}

/* Tensors that are spread to this one: kernels/share.cl. */
static double summed(const NdTask *task, NetTensorId id) {
    double sum = 0;
    for (NetTensorId u = id < NET_EXY ? 0 : NET_EXY; u < NET_TENSORS; u++) {
        sum += (task->tensors[u].axes & ~task->tensors[id].axes) == 0;
    }
    return id < NET_EXY ? sum : sum + 3;
}

static bool count(void *user, const NdLaunch *what) {
    Counting *c = user;
    c->cost.launches++;
    for (NetTensorId id = what->from; id < what->to; id++) {
        const NdTensor *t = &c->task.tensors[id];
        double n = units(c, what->list, id), wide = 1;
        for (size_t a = 0; a < 4; a++) {
            wide *= t->wide[a];
        }
        /* the letters of device_kernels.def */
        const double C = t->channels, Q = t->soft_sets, F = wide * t->slots / sites_of(t), L = t->lanes == 8,
                     R = net_has_rays(id), END = net_alive(what->block, id, STAGE_DOWN_OUT),
                     N = what->extras == 1 ? gathered(&c->task, t, what->extra[0]) : 0,
                     U = summed(&c->task, id);
        const double of[ND_KERNELS][3] = {
#define NET_KERNEL(id, name, reads, writes, operations) {reads, writes, operations},
#include "search/net/device_kernels.def"
#undef NET_KERNEL
        };
        c->cost.read_bytes += sizeof(float) * n * of[what->kernel][0];
        c->cost.written_bytes += sizeof(float) * n * of[what->kernel][1];
        c->cost.operations += n * of[what->kernel][2];
    }
    return true;
}

NetStepCost net_device_cost(const NetMemory *mem) {
    Counting c = {.mem = mem};
    nd_describe(mem, &c.task);
    nd_step(count, &c);
    return c.cost;
}
