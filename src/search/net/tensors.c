/* The tensors, their softmax sets, and which matrices of directions are the same; see tensors.h. */
#include "search/net/tensors.h"

const NetTensor net_tensors[NET_TENSORS] = {
    [NET_C] = {"C", AXIS_C, NET_C},
    [NET_EC] = {"EC", AXIS_E | AXIS_C, NET_EC},
    [NET_D] = {"D", AXIS_D, NET_D},
    [NET_ED] = {"ED", AXIS_E | AXIS_D, NET_ED},
    [NET_CD] = {"CD", AXIS_C | AXIS_D, NET_CD},
    [NET_ECD] = {"ECD", AXIS_E | AXIS_C | AXIS_D, NET_ECD},
    [NET_EX] = {"EX", AXIS_E | AXIS_X, NET_EX},
    [NET_ECX] = {"ECX", AXIS_E | AXIS_C | AXIS_X, NET_ECX},
    [NET_EDX] = {"EDX", AXIS_E | AXIS_D | AXIS_X, NET_EDX},
    [NET_ECDX] = {"ECDX", AXIS_E | AXIS_C | AXIS_D | AXIS_X, NET_ECDX},
    [NET_EY] = {"EY", AXIS_E | AXIS_Y, NET_EX},
    [NET_ECY] = {"ECY", AXIS_E | AXIS_C | AXIS_Y, NET_ECX},
    [NET_EDY] = {"EDY", AXIS_E | AXIS_D | AXIS_Y, NET_EDX},
    [NET_ECDY] = {"ECDY", AXIS_E | AXIS_C | AXIS_D | AXIS_Y, NET_ECDX},
    [NET_EXY] = {"EXY", AXIS_E | AXIS_X | AXIS_Y, NET_EXY},
    [NET_ECXY] = {"ECXY", AXIS_E | AXIS_C | AXIS_X | AXIS_Y, NET_ECXY},
    [NET_EDXY] = {"EDXY", AXIS_E | AXIS_D | AXIS_X | AXIS_Y, NET_EDXY},
    [NET_ECDXY] = {"ECDXY", AXIS_E | AXIS_C | AXIS_D | AXIS_X | AXIS_Y, NET_ECDXY},
};

NetTensorId net_tensor_with(unsigned axes) {
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        if (net_tensors[t].axes == axes) {
            return t;
        }
    }
    return NET_NO_TENSOR;
}

size_t net_soft_sets(NetTensorId t) {
    size_t axes = (size_t)__builtin_popcount(net_tensors[t].axes & ~(unsigned)AXIS_E);
    return ((size_t)1 << axes) - 1;
}

/* By size, then in the order of the axes' letters: C first. */
static bool comes_before(unsigned a, unsigned b) {
    int more = __builtin_popcount(a) - __builtin_popcount(b);
    unsigned differ = a ^ b;
    return more != 0 ? more < 0 : (a & differ & -differ) != 0;
}

unsigned net_soft_set(NetTensorId t, size_t k) {
    unsigned all = net_tensors[t].axes & ~(unsigned)AXIS_E;
    for (unsigned set = 1; set < AXIS_SETS; set++) {
        if ((set & ~all) != 0) {
            continue;
        }
        size_t before = 0;
        for (unsigned other = 1; other < AXIS_SETS; other++) {
            before += (other & ~all) == 0 && comes_before(other, set);
        }
        if (before == k) {
            return set;
        }
    }
    return 0;
}

/* What the symmetries of the square make equal, and what only the two reflections do. */
static const uint8_t square[8][8] = {
    {0, 1, 2, 3, 4, 3, 2, 1}, {5, 6, 5, 7, 8, 9, 8, 7}, {2, 1, 0, 1, 2, 3, 4, 3}, {8, 7, 5, 6, 5, 7, 8, 9},
    {4, 3, 2, 1, 0, 1, 2, 3}, {8, 9, 8, 7, 5, 6, 5, 7}, {2, 3, 4, 3, 2, 1, 0, 1}, {5, 7, 8, 9, 8, 7, 5, 6},
};
static const uint8_t mirrors[8][8] = {
    {0, 1, 2, 3, 4, 3, 2, 1},         {5, 6, 7, 8, 9, 10, 11, 12}, {13, 14, 15, 14, 13, 16, 17, 16},
    {9, 8, 7, 6, 5, 12, 11, 10},      {4, 3, 2, 1, 0, 1, 2, 3},    {9, 10, 11, 12, 5, 6, 7, 8},
    {13, 16, 17, 16, 13, 14, 15, 14}, {5, 12, 11, 10, 9, 8, 7, 6},
};

static bool one_of_rows_and_columns(NetTensorId t) {
    return net_has(t, AXIS_X) != net_has(t, AXIS_Y);
}

size_t net_tie(NetTensorId t, size_t to, size_t from) {
    if (!one_of_rows_and_columns(t)) {
        return square[to][from];
    }
    size_t turn = net_has(t, AXIS_Y) ? 2 : 0;
    return mirrors[(to + turn) % 8][(from + turn) % 8];
}

size_t net_ties(NetTensorId t) {
    return one_of_rows_and_columns(t) ? 18 : 10;
}
