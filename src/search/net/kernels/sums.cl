/* Sums of tiles put together: a tensor of a task to a work-group, rows in their order. */

/* Whether a tensor has the norm of a stage in this block, and of how many channels. */
INLINE uint norm_channels(const Here *h, uint block, uint norm) {
    switch (norm) {
    case ND_NORM_UP:
        return alive_middle(h, block) ? 16 : 0;
    case ND_NORM_CUMMAX:
    case ND_NORM_SHIFT:
        return has_rays(h) ? 4 : 0;
    case ND_NORM_MIX:
        return h->t->lanes == 8 && alive_middle(h, block) ? 8 : 0;
    case ND_NORM_DOWN:
        return alive_end(h, block) ? 8 : 0;
    default:
        return alive_end(h, block) ? h->t->channels : 0;
    }
}

/* An item has a channel (LANE % 16) and a quarter of the rows; all get the sum of the quarters of their channel. */
INLINE float sum_quarters(float mine, local float *room) {
    MEET();
    room[LANE] = mine;
    MEET();
    uint k = LANE % 16;
    return (room[k] + room[16 + k]) + (room[32 + k] + room[48 + k]);
}
/* Sum over rows of the numbers at `which`. */
INLINE float sum_rows(const Here *h, uint rows, uint which, local float *room) {
    global const float *from = h->m + h->t->stats + which + LANE % 16;
    float sum = 0;
    for (uint r = LANE / 16 * rows / 4; r < (LANE / 16 + 1) * rows / 4; r++) {
        sum += from[r * ND_STATS];
    }
    return sum_quarters(sum, room);
}
/* Mean and squares about it, of all rows. */
INLINE void mean_of_rows(const Here *h, uint rows, uint count, local float *room, float *mean, float *squares) {
    global const float *from = h->m + h->t->stats;
    uint begin = LANE / 16 * rows / 4, end = (LANE / 16 + 1) * rows / 4, k = LANE % 16;
    float sum = 0, about = 0;
    for (uint r = begin; r < end; r++) {
        sum += from[r * ND_STATS + ND_COUNT] / count * from[r * ND_STATS + k];
    }
    *mean = sum_quarters(sum, room);
    for (uint r = begin; r < end; r++) {
        float off = from[r * ND_STATS + k] - *mean;
        about += from[r * ND_STATS + 16 + k] + from[r * ND_STATS + ND_COUNT] * off * off;
    }
    *squares = sum_quarters(about, room);
}
INLINE uint sites_of(const Here *h) { /* of all slices */
    return h->t->slots * h->t->cells * h->t->lanes;
}

/* The norm of a stage; by_color: its rows are colors of examples, not tiles. */
KERNEL void net_join(GIVEN, uint norm, uint by_color) {
    local float room[ND_LANES];
    BEGIN;
    uint channels = norm_channels(&h, block, norm), rows = by_color ? h.t->slots * h.t->colors : h.t->tiles;
    if (channels == 0) {
        return;
    }
    float mean, squares;
    mean_of_rows(&h, rows, sites_of(&h), room, &mean, &squares);
    global float *to = h.m + h.t->norms + (block * ND_NORMS + norm) * 32;
    if (LANE < channels) {
        to[LANE] = mean;
        to[16 + LANE] = 1 / sqrt(1e-8f + squares / sites_of(&h));
    }
}

/* The same on the way back: means of g and of g y. */
KERNEL void net_join_back(GIVEN, uint norm, uint by_color) {
    local float room[ND_LANES];
    BEGIN;
    uint channels = norm_channels(&h, block, norm), rows = by_color ? h.t->slots * h.t->colors : h.t->tiles;
    if (channels == 0) {
        return;
    }
    float a = sum_rows(&h, rows, 0, room), b = sum_rows(&h, rows, 16, room);
    global float *to = h.m + h.t->back;
    if (LANE < channels) {
        to[LANE] = a / sites_of(&h);
        to[16 + LANE] = b / sites_of(&h);
    }
}
