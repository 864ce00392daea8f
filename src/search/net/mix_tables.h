/* The basis in which directions are mixed, and what the matrices of mixing become in it; mixing.h says why.
 *
 * Sums of directions, with signs, that the symmetries of the square keep apart:
 * 0: all straight     1: all oblique       2: rows less columns    3: one diagonal less the other
 * 4: down less up     5: the same, oblique 6: right less left      7: the same, oblique
 * A sum depends on itself and its partners only: 0 on 1, 4 on 5, 6 on 7 and back; and in tensors that have
 * rows or columns alone (wide) also 0, 1 and 2 on each other. */
#ifndef BATT_SEARCH_NET_MIX_TABLES_H
#define BATT_SEARCH_NET_MIX_TABLES_H

#include "search/net/tensors.h"

enum { MIX_MAX = 3, MIX_TIES = 18 }; /* partners, with the sum itself, and matrices */

static inline bool net_mix_wide(NetTensorId t) {
    return net_ties(t) == MIX_TIES;
}
static inline size_t net_mix_partners(NetTensorId t) {
    return net_mix_wide(t) ? 3 : 2;
}
/* Rows are sums, columns directions; `root` is that of 1/2, as the arithmetic has it. */
void net_mix_turn(double root, double turn[8][8]);
/* The weight of every matrix in every partner of a sum. */
void net_mix_table(NetTensorId t, double root, double to[MIX_MAX][MIX_TIES][8]);

#endif
