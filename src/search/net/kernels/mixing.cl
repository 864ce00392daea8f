/* Mixing of directions, in the basis of search/net/mixing.h: lanes are turned into sums that the symmetries keep apart, where a
 * lane depends on itself and one or two partners. `tables` begins with the turn, [sum][direction]; then there is a table
 * [partner][matrix][lane] for tensors with neither or both of rows and columns, with rows, with columns. */
enum { MIX_TURN = 64 };

/* Lane l of partner p is lane mix_from[wide][p][l]; mix_to is the way back. */
constant uchar mix_from[2][3][8] = {{{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {0, 1, 2, 3, 4, 5, 6, 7}},
                                    {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 0, 3, 5, 4, 7, 6}, {2, 0, 1, 3, 4, 5, 6, 7}}};
constant uchar mix_to[2][3][8] = {{{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}, {0, 1, 2, 3, 4, 5, 6, 7}},
                                  {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 0, 1, 3, 5, 4, 7, 6}, {1, 2, 0, 3, 4, 5, 6, 7}}};

INLINE uint mix_wide(const Here *h) {
    return h->t->mix_table != MIX_TURN;
}
INLINE uint mix_ties(const Here *h) {
    return mix_wide(h) ? 18 : 10;
}

/* Matrices to weights by lane, for all blocks: [partner][channel][channel][lane]. */
KERNEL void net_mixes(GIVEN) {
    BEGIN;
    if (h.t->lanes == 1) {
        return;
    }
    uint each = (2 + mix_wide(&h)) * 512, ties = mix_ties(&h);
    for (uint k = LANE; k < ND_BLOCKS * each; k += ND_LANES) {
        uint of = k / each, i = k % each, p = i / 512, weight = i / 8 % 64, l = i % 8;
        global const float *matrices = h.m + h.t->weights[of].mix;
        float sum = 0;
        for (uint tie = 0; tie < ties; tie++) {
            sum = fma(matrices[tie * 64 + weight], tables[h.t->mix_table + (p * ND_TIES + tie) * 8 + l], sum);
        }
        h.m[h.t->mixes + of * ND_MIX + i] = sum;
    }
}

/* to[k] = sum over the lanes s of a cell of what is staged, by a row or (back) a column of the turn. */
INLINE void mix_turn(global const float *tables, bool back, local const float *from, float *to) {
    uint l = LANE % 8, cell = LANE / 8 * 8;
    clear(8, to);
    for (uint s = 0; s < 8; s++) {
        float weight = tables[back ? s * 8 + l : l * 8 + s];
        UNROLL for (uint k = 0; k < 8; k++) {
            to[k] = fma(weight, from[(cell + s) * 8 + k], to[k]);
        }
    }
}

/* Leaves what the items of a strip have, turned, in `turned`. */
INLINE void mix_turn_all(global const float *tables, const float *x, local float *turned, local float *spare) {
    float out[8];
    stage(8, x, spare);
    MEET();
    mix_turn(tables, false, spare, out);
    stage(8, out, turned);
    MEET();
}

/* x += what is mixed of z; z turned is left in `turned`. All work-items of a strip call this. */
INLINE void mix_add(const Here *h, uint block, global const float *tables, const float *z, float *x, local float *turned,
                    local float *spare) {
    uint l = LANE % 8, cell = LANE / 8 * 8, wide = mix_wide(h);
    global const float *w = h->m + h->t->mixes + block * ND_MIX + l;
    float out[8], back[8];
    mix_turn_all(tables, z, turned, spare);
    clear(8, out);
    for (uint p = 0; p < 2 + wide; p++) {
        local const float *from = turned + (cell + mix_from[wide][p][l]) * 8;
        UNROLL for (uint k = 0; k < 8; k++) {
            UNROLL for (uint j = 0; j < 8; j++) {
                out[j] = fma(from[k], w[((p * 8 + k) * 8 + j) * 8], out[j]);
            }
        }
    }
    stage(8, out, spare);
    MEET();
    mix_turn(tables, true, spare, back);
    UNROLL for (uint k = 0; k < 8; k++) {
        x[k] += back[k];
    }
}

/* g, the gradient of x, becomes that of z; turned it is left in `turned`. */
INLINE void mix_back(const Here *h, uint block, global const float *tables, float *g, local float *turned,
                     local float *spare) {
    uint l = LANE % 8, cell = LANE / 8 * 8, wide = mix_wide(h);
    float out[8];
    mix_turn_all(tables, g, turned, spare);
    clear(8, out);
    for (uint p = 0; p < 2 + wide; p++) {
        uint to = mix_to[wide][p][l];
        local const float *from = turned + (cell + to) * 8;
        global const float *w = h->m + h->t->mixes + block * ND_MIX + to;
        UNROLL for (uint k = 0; k < 8; k++) {
            UNROLL for (uint j = 0; j < 8; j++) {
                out[k] = fma(from[j], w[((p * 8 + k) * 8 + j) * 8], out[k]);
            }
        }
    }
    stage(8, out, spare);
    MEET();
    mix_turn(tables, true, spare, g);
}

/* Gradients of the weights by lane: an item has lane l and column j of all rows. */
INLINE void mix_outer(const Here *h, local const float *turned, local const float *turned_g, uint cells, float *sums) {
    uint l = LANE % 8, j = LANE / 8, wide = mix_wide(h);
    for (uint cell = 0; cell < cells; cell++) {
        float g = turned_g[(cell * 8 + l) * 8 + j];
        UNROLL for (uint p = 0; p < 3; p++) {
            local const float *from = turned + (cell * 8 + mix_from[wide][p][l]) * 8;
            UNROLL for (uint k = 0; k < 8; k++) {
                sums[p * 8 + k] = fma(from[k], g, sums[p * 8 + k]);
            }
        }
    }
}
/* And of the matrices. */
INLINE void mix_outer_end(const Here *h, global const float *tables, const float *sums, local float *all, global float *to) {
    uint l = LANE % 8, j = LANE / 8;
    MEET();
    UNROLL for (uint k = 0; k < 24; k++) {
        all[(k * 8 + j) * 8 + l] = sums[k];
    }
    MEET();
    for (uint tie = 0; tie < mix_ties(h); tie++) {
        float sum = 0;
        for (uint p = 0; p < 2 + mix_wide(h); p++) {
            for (uint s = 0; s < 8; s++) {
                sum = fma(all[(p * 64 + LANE) * 8 + s], tables[h->t->mix_table + (p * ND_TIES + tie) * 8 + s], sum);
            }
        }
        to[tie * 64 + LANE] = sum;
    }
}
