/* One step of training as launches; see device_steps.h. forward.h and backward.h have the same order. */
#include "search/net/device_steps.h"

const char *const nd_kernel_names[ND_KERNELS] = {
#define NET_KERNEL(id, name, reads, writes, operations) #name,
#include "search/net/device_kernels.def"
#undef NET_KERNEL
};

typedef struct StepLauncher {
    bool (*launch)(void *user, const NdLaunch *what);
    void *user;
    NetWord block, first; /* of the last block only tensors from the first with rows or columns on count */
    bool good;
} StepLauncher;

static void launch(StepLauncher *s, const NdLaunch *what) {
    NdLaunch all = *what;
    all.block = s->block;
    s->good = s->good && s->launch(s->user, &all);
}
static void over(StepLauncher *s, NdKernel kernel, NdList list, NetWord from, NetWord to) {
    launch(s, &(NdLaunch){.kernel = kernel, .list = list, .from = from, .to = to});
}
static void over_all(StepLauncher *s, NdKernel kernel, NdList list) {
    over(s, kernel, list, 0, NET_TENSORS);
}
/* Over the tiles of the block. */
static void tiles(StepLauncher *s, NdKernel kernel) {
    over(s, kernel, ND_LIST_TILES, s->first, NET_TENSORS);
}
static void join(StepLauncher *s, NdKernel kernel, NetWord norm, bool by_color) {
    launch(s, &(NdLaunch){.kernel = kernel,
                          .list = ND_LIST_TENSORS,
                          .to = NET_TENSORS,
                          .extra = {norm, by_color},
                          .extras = 2});
}
/* Along all axes, columns first: their means over rows come after. Tensors that lack an axis end early. */
static void gather(StepLauncher *s, NdKernel kernel, NetWord from) {
    static const NetWord end[5] = {NET_CD + 1, NET_EDXY + 1, NET_ECXY + 1, NET_ECDY + 1, NET_ECDX + 1};
    for (NetWord axis = 5; axis-- > 0;) { /* numbered E, C, D, X, Y */
        if (from < end[axis]) {
            launch(s, &(NdLaunch){.kernel = kernel,
                                  .list = ND_LIST_TILES,
                                  .from = from,
                                  .to = end[axis],
                                  .extra = {axis},
                                  .extras = 1});
        }
    }
}

static void block_forward(StepLauncher *s) {
    over_all(s, ND_KERNEL_UP_IN, ND_LIST_TILES);
    over(s, ND_KERNEL_UP_SMALL, ND_LIST_TILES, 0, NET_EXY);
    over(s, ND_KERNEL_UP_BIG, ND_LIST_TILES, NET_EXY, NET_TENSORS);
    join(s, ND_KERNEL_JOIN, ND_NORM_UP, false);
    tiles(s, ND_KERNEL_UP_OUT);
    over(s, ND_KERNEL_SOFT_SUMS, ND_LIST_SLICES, s->first, NET_TENSORS);
    tiles(s, ND_KERNEL_SOFT_OUT);
    over_all(s, ND_KERNEL_CUMMAX, ND_LIST_COLORS);
    join(s, ND_KERNEL_JOIN, ND_NORM_CUMMAX, true);
    over_all(s, ND_KERNEL_SHIFT, ND_LIST_COLORS);
    join(s, ND_KERNEL_JOIN, ND_NORM_SHIFT, true);
    over(s, ND_KERNEL_MIDDLE, ND_LIST_TILES, NET_EDXY, NET_TENSORS);
    join(s, ND_KERNEL_JOIN, ND_NORM_MIX, false);
    tiles(s, ND_KERNEL_LATE_CELLS);
    tiles(s, ND_KERNEL_LATE_LANES);
    gather(s, ND_KERNEL_GATHER_DOWN, s->first);
    tiles(s, ND_KERNEL_DOWN_SUMS);
    join(s, ND_KERNEL_JOIN, ND_NORM_DOWN, false);
    tiles(s, ND_KERNEL_DOWN_OUT);
    join(s, ND_KERNEL_JOIN, ND_NORM_END, false);
}

static void block_backward(StepLauncher *s) {
    join(s, ND_KERNEL_JOIN_BACK, ND_NORM_END, false);
    tiles(s, ND_KERNEL_DOWN_OUT_BACK);
    join(s, ND_KERNEL_JOIN_BACK, ND_NORM_DOWN, false);
    tiles(s, ND_KERNEL_DOWN_SUMS_BACK);
    over(s, ND_KERNEL_DOWN_SMALL_BACK, ND_LIST_TILES, s->first, NET_EXY);
    over(s, ND_KERNEL_DOWN_BIG_BACK, ND_LIST_TILES, NET_EXY, NET_TENSORS);
    tiles(s, ND_KERNEL_LATE_CELLS_BACK);
    tiles(s, ND_KERNEL_LATE_LANES_BACK);
    join(s, ND_KERNEL_JOIN_BACK, ND_NORM_MIX, false);
    tiles(s, ND_KERNEL_MIDDLE_BACK);
    join(s, ND_KERNEL_JOIN_BACK, ND_NORM_SHIFT, false);
    over_all(s, ND_KERNEL_SHIFT_BACK, ND_LIST_COLORS);
    join(s, ND_KERNEL_JOIN_BACK, ND_NORM_CUMMAX, true);
    over_all(s, ND_KERNEL_CUMMAX_BACK, ND_LIST_COLORS);
    over(s, ND_KERNEL_SOFT_MEANS, ND_LIST_SLICES, s->first, NET_TENSORS);
    tiles(s, ND_KERNEL_SOFT_BACK);
    join(s, ND_KERNEL_JOIN_BACK, ND_NORM_UP, false);
    over_all(s, ND_KERNEL_UP_SUMS_BACK, ND_LIST_TILES);
    gather(s, ND_KERNEL_GATHER_UP_BACK, 0);
    over_all(s, ND_KERNEL_UP_IN_BACK, ND_LIST_TILES);
}

static void enter_block(StepLauncher *s, NetWord block) {
    s->block = block;
    s->first = block + 1 < NET_BLOCKS ? 0 : NET_EX;
}

bool nd_step(bool (*each)(void *user, const NdLaunch *what), void *user) {
    StepLauncher s = {.launch = each, .user = user, .good = true};
    over_all(&s, ND_KERNEL_MIXES, ND_LIST_TENSORS);
    over_all(&s, ND_KERNEL_CODE_SUMS, ND_LIST_TILES);
    over_all(&s, ND_KERNEL_CODE_JOIN, ND_LIST_TENSORS);
    over_all(&s, ND_KERNEL_DECODE, ND_LIST_TILES);
    over_all(&s, ND_KERNEL_INFORMATION, ND_LIST_TENSORS);
    for (NetWord block = 0; block < NET_BLOCKS; block++) {
        enter_block(&s, block);
        block_forward(&s);
    }
    over_all(&s, ND_KERNEL_HEADS, ND_LIST_HEADS);
    over_all(&s, ND_KERNEL_LOSS, ND_LIST_GRIDS);
    over_all(&s, ND_KERNEL_HEADS_BACK, ND_LIST_HEADS);
    for (NetWord block = NET_BLOCKS; block-- > 0;) {
        enter_block(&s, block);
        block_backward(&s);
    }
    over_all(&s, ND_KERNEL_DECODE_BACK, ND_LIST_TILES);
    over_all(&s, ND_KERNEL_DECODE_BACK_JOIN, ND_LIST_TENSORS);
    over_all(&s, ND_KERNEL_IMPROVE_LATENTS, ND_LIST_TILES);
    over_all(&s, ND_KERNEL_IMPROVE_WEIGHTS, ND_LIST_SPANS);
    return s.good;
}
