/* Tables of mixing; see mix_tables.h. */
#include "search/net/mix_tables.h"

#include <string.h>

/* Partner p of sum l; and whether it has that partner. */
static const uint8_t from[2][MIX_MAX][8] = {
    {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {0}},
    {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 0, 3, 5, 4, 7, 6}, {2, 0, 1, 3, 4, 5, 6, 7}},
};
static const uint8_t has[2][MIX_MAX][8] = {
    {{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 0, 0, 1, 1, 1, 1}, {0}},
    {{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 0, 1, 1, 1, 1}, {1, 1, 1, 0, 0, 0, 0, 0}},
};

void net_mix_turn(double root, double turn[8][8]) {
    static const int8_t signs[8][8] = {
        {1, 0, 1, 0, 1, 0, 1, 0},   {0, 1, 0, 1, 0, 1, 0, 1},   {1, 0, -1, 0, 1, 0, -1, 0},
        {0, 1, 0, -1, 0, 1, 0, -1}, {1, 0, 0, 0, -1, 0, 0, 0},  {0, 1, 0, -1, 0, -1, 0, 1},
        {0, 0, 1, 0, 0, 0, -1, 0},  {0, 1, 0, 1, 0, -1, 0, -1},
    };
    for (size_t l = 0; l < 8; l++) {
        for (size_t d = 0; d < 8; d++) {
            turn[l][d] = (l == 4 || l == 6 ? root : 0.5) * signs[l][d];
        }
    }
}

void net_mix_table(NetTensorId t, double root, double to[MIX_MAX][MIX_TIES][8]) {
    static const double strength[8] = {1, 0.2, 0.4, 0.2, 1, 0.2, 0.4, 0.2};
    double turn[8][8];
    bool wide = net_mix_wide(t);
    net_mix_turn(root, turn);
    memset(to, 0, MIX_MAX * sizeof *to);
    for (size_t p = 0; p < net_mix_partners(t); p++) {
        for (size_t l = 0; l < 8; l++) {
            for (size_t k = 0; has[wide][p][l] && k < 64; k++) {
                size_t d = k / 8, other = k % 8;
                to[p][net_tie(t, d, other)][l] +=
                    turn[l][d] * strength[(other + 8 - d) % 8] * turn[from[wide][p][l]][other];
            }
        }
    }
}
