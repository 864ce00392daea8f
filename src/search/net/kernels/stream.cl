/* The stream through a block, site by site: what needs no other site but those of its cell.
 *
 * Names and order are those of search/net/forward.h and search/net/backward.h. */

/* ---- up ---- */

INLINE void up_in_site(const uint channels, const Here *h, uint block, uint site) {
    float x[16], y[16];
    load_stream(h, block, channels, site, x);
    clear(16, y);
    linear(channels, 16, h->m + h->t->weights[block].up_in, x, y);
    save(h, ND_WORK, 0, 16, site, y);
}
KERNEL void net_up_in(GIVEN) {
    BEGIN;
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        BY_CHANNELS(up_in_site, &h, block, site)
    }
}

INLINE void up_out_site(const uint channels, const Here *h, uint block, uint site) {
    global const NdWeights *w = &h->t->weights[block];
    float x[16], s[16], soft[2];
    load_stream(h, block, channels, site, x);
    load(h, ND_SHARED, block, 16, site, s);
    norm_apply(16, norm_of(h, block, ND_NORM_UP), s);
    linear(16, channels, h->m + w->up_out, s, x);
    save(h, ND_UP, block, channels, site, x);
    clear(2, soft);
    linear(channels, 2, h->m + w->soft_in, x, soft);
    soft_put(h, block, site, soft);
}
KERNEL void net_up_out(GIVEN) {
    BEGIN;
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        BY_CHANNELS(up_out_site, &h, block, site)
    }
}

/* Out of softmax: to the stream before mixing, with its sums, or to what goes on to cummax. */
INLINE void soft_out_site(const uint channels, const Here *h, uint block, uint site, local float *to) {
    float x[16];
    load(h, ND_UP, block, channels, site, x);
    soft_add(channels, h, block, site, x);
    save(h, has_rays(h) ? ND_NOW : ND_MIDDLE, has_rays(h) ? 0 : block, channels, site, x);
    stage(channels, x, to);
}
KERNEL void net_soft_out(GIVEN) {
    local float x[ND_LANES * 16], room[4 * ND_LANES];
    BEGIN;
    Adding adding = {0, 0, 0};
    EACH_STRIP
    if (mine) {
        BY_CHANNELS(soft_out_site, &h, block, site, x)
    }
    MEET();
    adding_squares(h.t->channels, x, sites, begin == 0, &adding);
    MEET();
    END_STRIP
    adding_end(&h, h.t->channels, &adding, true, h.count, room);
}

/* Out of shift. */
KERNEL void net_middle(GIVEN) {
    local float staged[ND_LANES * 8], room[4 * ND_LANES];
    BEGIN;
    Adding adding = {0, 0, 0};
    EACH_STRIP
    if (mine) {
        float x[8], y[4];
        load(&h, ND_NOW, 0, 8, site, x);
        load(&h, ND_SHIFT, block, 4, site, y);
        norm_apply(4, norm_of(&h, block, ND_NORM_SHIFT), y);
        linear(4, 8, h.m + h.t->weights[block].shift_out, y, x);
        save(&h, ND_MIDDLE, block, 8, site, x);
        stage(8, x, staged);
    }
    MEET();
    adding_squares(8, staged, sites, begin == 0, &adding);
    MEET();
    END_STRIP
    adding_end(&h, 8, &adding, true, h.count, room);
}

/* ---- mixing, the nonlinear step, into "down" ---- */

INLINE float logistic(float x) {
    return 1 / (1 + exp(-x));
}

INLINE void late_site(const uint channels, const Here *h, uint block, uint site, const float *x) {
    global const NdWeights *w = &h->t->weights[block];
    float bent[16], y[16], down[8];
    clear(16, bent);
    linear(channels, 16, h->m + w->bend_in, x, bent);
    UNROLL for (uint k = 0; k < 16; k++) {
        bent[k] *= logistic(bent[k]);
    }
    UNROLL for (uint k = 0; k < channels; k++) {
        y[k] = x[k];
    }
    linear(16, channels, h->m + w->bend_out, bent, y);
    save(h, ND_LATE, block, channels, site, y);
    clear(8, down);
    linear(channels, 8, h->m + w->down_in, y, down);
    save(h, ND_DOWN, block, 8, site, down);
}
KERNEL void net_late_cells(GIVEN) {
    BEGIN;
    if (h.t->lanes == 8) {
        return;
    }
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        float x[16];
        load(&h, ND_MIDDLE, block, 16, site, x);
        late_site(16, &h, block, site, x);
    }
}
KERNEL void net_late_lanes(GIVEN) {
    local float a[ND_LANES * 8], b[ND_LANES * 8];
    BEGIN;
    if (h.t->lanes == 1) {
        return;
    }
    for (uint begin = 0; begin < h.count; begin += ND_LANES) {
        const uint site = begin + LANE;
        const bool mine = site < h.count;
        float x[8], z[8];
        clear(8, x);
        if (mine) {
            load(&h, ND_MIDDLE, block, 8, site, x);
        }
        UNROLL for (uint k = 0; k < 8; k++) {
            z[k] = x[k];
        }
        norm_apply(8, norm_of(&h, block, ND_NORM_MIX), z);
        mix_add(&h, block, tables, z, x, a, b);
        if (mine) {
            late_site(8, &h, block, site, x);
        }
        MEET();
    }
}

KERNEL void net_down_sums(GIVEN) {
    local float x[ND_LANES * 8], room[4 * ND_LANES];
    BEGIN;
    if (!alive_end(&h, block)) {
        return;
    }
    buffer_sums(&h, 8, ND_DOWN, block, x, room);
}

INLINE void down_out_site(const uint channels, const Here *h, uint block, uint site, local float *to) {
    float x[16], down[8];
    load(h, ND_LATE, block, channels, site, x);
    load(h, ND_DOWN, block, 8, site, down);
    norm_apply(8, norm_of(h, block, ND_NORM_DOWN), down);
    linear(8, channels, h->m + h->t->weights[block].down_out, down, x);
    save(h, ND_X, block + 1, channels, site, x);
    stage(channels, x, to);
}
KERNEL void net_down_out(GIVEN) {
    local float x[ND_LANES * 16], room[4 * ND_LANES];
    BEGIN;
    if (!alive_end(&h, block)) {
        return;
    }
    Adding adding = {0, 0, 0};
    EACH_STRIP
    if (mine) {
        BY_CHANNELS(down_out_site, &h, block, site, x)
    }
    MEET();
    adding_squares(h.t->channels, x, sites, begin == 0, &adding);
    MEET();
    END_STRIP
    adding_end(&h, h.t->channels, &adding, true, h.count, room);
}

/* ---- backward: out of "down" ---- */

INLINE void down_out_back_site(const uint channels, const Here *h, uint block, uint site, local float *to_g,
                               local float *to_y, local float *to_down) {
    float x[16], g[16], y[8], down[8];
    global const float *end = norm_of(h, block, ND_NORM_END);
    load(h, ND_X, block + 1, channels, site, x);
    load(h, ND_G, 0, channels, site, g);
    load(h, ND_DOWN, block, 8, site, y);
    norm_apply(channels, end, x);
    norm_back(h, channels, end, x, g);
    norm_apply(8, norm_of(h, block, ND_NORM_DOWN), y);
    clear(8, down);
    linear_back(channels, 8, h->m + h->t->weights[block].down_out, g, down);
    save(h, ND_G, 0, channels, site, g);
    save(h, ND_WORK, 0, 8, site, down);
    stage(channels, g, to_g);
    stage(8, y, to_y);
    stage(8, down, to_down);
}
INLINE void clear_site(const uint channels, const Here *h, const uint work, uint site) {
    float nothing[16];
    clear(16, nothing);
    save(h, ND_G, 0, channels, site, nothing);
    save(h, ND_WORK, 0, work, site, nothing);
}
KERNEL void net_down_out_back(GIVEN) {
    local float g[ND_LANES * 16], y[ND_LANES * 8], down[ND_LANES * 8], room[4 * ND_LANES];
    BEGIN;
    if (!alive_end(&h, block)) {
        for (uint site = LANE; site < h.count; site += ND_LANES) {
            BY_CHANNELS(clear_site, &h, 8, site)
        }
        return;
    }
    Adding adding = {0, 0, 0};
    float4 of_out = 0;
    EACH_STRIP
    if (mine) {
        BY_CHANNELS(down_out_back_site, &h, block, site, g, y, down)
    }
    MEET();
    outer(8, h.t->channels, y, g, sites, &of_out);
    adding_products(8, down, y, sites, &adding);
    MEET();
    END_STRIP
    outer_end(8, h.t->channels, of_out, room, partial_of(&h, h.t->weights[block].down_out));
    adding_end(&h, 8, &adding, false, h.count, room);
}

/* Gradients of sums, from those of what their norm gives. */
KERNEL void net_down_sums_back(GIVEN) {
    BEGIN;
    if (!alive_end(&h, block)) {
        return;
    }
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        float y[8];
        norm_back_site(&h, 8, block, ND_NORM_DOWN, ND_DOWN, ND_WORK, site, y);
    }
}

/* ---- backward: into "down", the nonlinear step, mixing ---- */

typedef struct LateBack { /* staged: [site][channels] */
    local float *late, *down, *x, *g, *bent, *back;
} LateBack;

/* g comes as that after the nonlinear step, and goes as that before it; x is the stream there. */
INLINE void late_back_site(const uint channels, const Here *h, uint block, uint site, const float *x, float *g,
                           const LateBack *to) {
    global const NdWeights *w = &h->t->weights[block];
    float late[16], down[8], bent[16], back[16];
    load(h, ND_LATE, block, channels, site, late);
    load(h, ND_OTHER, 0, 8, site, down);
    load(h, ND_G, 0, channels, site, g);
    linear_back(8, channels, h->m + w->down_in, down, g);
    stage(channels, late, to->late);
    stage(8, down, to->down);
    stage(channels, x, to->x);
    stage(channels, g, to->g);
    clear(16, bent);
    clear(16, back);
    linear(channels, 16, h->m + w->bend_in, x, bent);
    linear_back(channels, 16, h->m + w->bend_out, g, back);
    UNROLL for (uint k = 0; k < 16; k++) {
        float s = logistic(bent[k]);
        back[k] *= s * fma(bent[k], 1 - s, 1.0f);
        bent[k] *= s;
    }
    stage(16, bent, to->bent);
    stage(16, back, to->back);
    linear_back(16, channels, h->m + w->bend_in, back, g);
    save(h, ND_G, 0, channels, site, g);
}

typedef struct LateSums {
    float4 down_in, bend_in, bend_out;
} LateSums;

INLINE void late_outer(uint channels, const LateBack *from, uint sites, LateSums *sums) {
    outer(channels, 8, from->late, from->down, sites, &sums->down_in);
    outer(channels, 16, from->x, from->back, sites, &sums->bend_in);
    outer(16, channels, from->bent, from->g, sites, &sums->bend_out);
}
INLINE void late_outer_end(const Here *h, uint channels, uint block, const LateSums *sums, local float *room) {
    global const NdWeights *w = &h->t->weights[block];
    outer_end(channels, 8, sums->down_in, room, partial_of(h, w->down_in));
    outer_end(channels, 16, sums->bend_in, room, partial_of(h, w->bend_in));
    outer_end(16, channels, sums->bend_out, room, partial_of(h, w->bend_out));
}

KERNEL void net_late_cells_back(GIVEN) {
    local float late[ND_LANES * 16], down[ND_LANES * 8], x[ND_LANES * 16], g[ND_LANES * 16], bent[ND_LANES * 16],
        back_[ND_LANES * 16], room[4 * ND_LANES];
    BEGIN;
    if (h.t->lanes == 8) {
        return;
    }
    LateBack to = {late, down, x, g, bent, back_};
    LateSums sums = {0, 0, 0};
    EACH_STRIP
    if (mine) {
        float own[16], gradient[16];
        load(&h, ND_MIDDLE, block, 16, site, own);
        late_back_site(16, &h, block, site, own, gradient, &to);
    }
    MEET();
    late_outer(16, &to, sites, &sums);
    MEET();
    END_STRIP
    late_outer_end(&h, 16, block, &sums, room);
}

KERNEL void net_late_lanes_back(GIVEN) {
    local float late[ND_LANES * 8], down[ND_LANES * 8], x[ND_LANES * 8], g[ND_LANES * 8], bent[ND_LANES * 16],
        back_[ND_LANES * 16], turned[ND_LANES * 8], turned_g[ND_LANES * 8], spare[ND_LANES * 8], room[4 * ND_LANES],
        all[ND_MIX];
    BEGIN;
    if (h.t->lanes == 1) {
        return;
    }
    LateBack to = {late, down, x, g, bent, back_};
    LateSums sums = {0, 0, 0};
    Adding adding = {0, 0, 0};
    float of_mix[24];
    clear(24, of_mix);
    EACH_STRIP
    float own[8], z[8], gradient[8];
    clear(8, own);
    clear(8, gradient);
    if (mine) {
        load(&h, ND_MIDDLE, block, 8, site, own);
    }
    UNROLL for (uint k = 0; k < 8; k++) {
        z[k] = own[k];
    }
    norm_apply(8, norm_of(&h, block, ND_NORM_MIX), z);
    mix_add(&h, block, tables, z, own, turned, spare);
    if (mine) {
        late_back_site(8, &h, block, site, own, gradient, &to);
    }
    MEET();
    late_outer(8, &to, sites, &sums);
    mix_back(&h, block, tables, gradient, turned_g, spare); /* gradient becomes that of z */
    mix_outer(&h, turned, turned_g, sites / 8, of_mix);
    MEET();
    if (mine) {
        save(&h, ND_WORK, 0, 8, site, gradient);
        stage(8, gradient, g);
        stage(8, z, x);
    }
    MEET();
    adding_products(8, g, x, sites, &adding);
    MEET();
    END_STRIP
    late_outer_end(&h, 8, block, &sums, room);
    mix_outer_end(&h, tables, of_mix, all, partial_of(&h, h.t->weights[block].mix));
    adding_end(&h, 8, &adding, false, h.count, room);
}

/* ---- backward: the norm before mixing, and out of shift ---- */

KERNEL void net_middle_back(GIVEN) {
    local float g[ND_LANES * 8], y[ND_LANES * 4], back_[ND_LANES * 4], room[4 * ND_LANES];
    BEGIN;
    if (h.t->lanes == 1) {
        return;
    }
    Adding adding = {0, 0, 0};
    float4 of_out = 0;
    EACH_STRIP
    if (mine) {
        float x[8], own[8], of_z[8];
        global const float *norm = norm_of(&h, block, ND_NORM_MIX);
        load(&h, ND_MIDDLE, block, 8, site, x);
        load(&h, ND_G, 0, 8, site, own);
        load(&h, ND_WORK, 0, 8, site, of_z);
        norm_apply(8, norm, x);
        norm_back(&h, 8, norm, x, of_z);
        UNROLL for (uint k = 0; k < 8; k++) {
            own[k] += of_z[k];
        }
        save(&h, ND_G, 0, 8, site, own);
        if (has_rays(&h)) {
            float shifted[4], of_shifted[4];
            load(&h, ND_SHIFT, block, 4, site, shifted);
            norm_apply(4, norm_of(&h, block, ND_NORM_SHIFT), shifted);
            clear(4, of_shifted);
            linear_back(8, 4, h.m + h.t->weights[block].shift_out, own, of_shifted);
            save(&h, ND_RAYS_BACK, 0, 4, site, of_shifted);
            stage(8, own, g);
            stage(4, shifted, y);
            stage(4, of_shifted, back_);
        }
    }
    MEET();
    if (has_rays(&h)) {
        outer(4, 8, y, g, sites, &of_out);
        adding_products(4, back_, y, sites, &adding);
    }
    MEET();
    END_STRIP
    if (has_rays(&h)) {
        outer_end(4, 8, of_out, room, partial_of(&h, h.t->weights[block].shift_out));
    }
    adding_end(&h, 4, &adding, false, h.count, room);
}

/* ---- backward: into softmax, and out of "up" ---- */

INLINE void soft_back_site(const uint channels, const Here *h, uint block, uint site, local float *to_x,
                           local float *to_soft, local float *to_g, local float *to_y, local float *to_up) {
    global const NdWeights *w = &h->t->weights[block];
    float x[16], g[16], soft[2], y[16], up[16];
    load(h, ND_UP, block, channels, site, x);
    load(h, ND_G, 0, channels, site, g);
    soft_take(channels, h, block, site, g, soft);
    stage(channels, x, to_x);
    stage(2, soft, to_soft);
    linear_back(2, channels, h->m + w->soft_in, soft, g);
    save(h, ND_G, 0, channels, site, g);
    load(h, ND_SHARED, block, 16, site, y);
    norm_apply(16, norm_of(h, block, ND_NORM_UP), y);
    clear(16, up);
    linear_back(channels, 16, h->m + w->up_out, g, up);
    save(h, ND_WORK, 0, 16, site, up);
    stage(channels, g, to_g);
    stage(16, y, to_y);
    stage(16, up, to_up);
}
KERNEL void net_soft_back(GIVEN) {
    local float x[ND_LANES * 16], soft[ND_LANES * 2], g[ND_LANES * 16], y[ND_LANES * 16], up[ND_LANES * 16],
        room[4 * ND_LANES];
    BEGIN;
    Adding adding = {0, 0, 0};
    float4 of_in = 0, of_out = 0;
    uint channels = h.t->channels;
    EACH_STRIP
    if (mine) {
        BY_CHANNELS(soft_back_site, &h, block, site, x, soft, g, y, up)
    }
    MEET();
    outer(2, channels, soft, x, sites, &of_in);
    outer(16, channels, y, g, sites, &of_out);
    adding_products(16, up, y, sites, &adding);
    MEET();
    END_STRIP
    outer_end_turned(2, channels, of_in, room, partial_of(&h, h.t->weights[block].soft_in));
    outer_end(16, channels, of_out, room, partial_of(&h, h.t->weights[block].up_out));
    adding_end(&h, 16, &adding, false, h.count, room);
}

KERNEL void net_up_sums_back(GIVEN) {
    BEGIN;
    if (!alive_middle(&h, block)) {
        for (uint site = LANE; site < h.count; site += ND_LANES) {
            BY_CHANNELS(clear_site, &h, 16, site)
        }
        return;
    }
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        float y[16];
        norm_back_site(&h, 16, block, ND_NORM_UP, ND_SHARED, ND_WORK, site, y);
    }
}

INLINE void up_in_back_site(const uint channels, const Here *h, uint block, uint site, local float *to_x, local float *to_up,
                            local float *to_g) {
    float x[16], up[16], g[16];
    load_stream(h, block, channels, site, x);
    load(h, ND_WORK, 0, 16, site, up);
    load(h, ND_G, 0, channels, site, g);
    linear_back(16, channels, h->m + h->t->weights[block].up_in, up, g);
    save(h, ND_G, 0, channels, site, g);
    stage(channels, x, to_x);
    stage(16, up, to_up);
    stage(channels, g, to_g);
}
KERNEL void net_up_in_back(GIVEN) {
    local float x[ND_LANES * 16], up[ND_LANES * 16], g[ND_LANES * 16], room[4 * ND_LANES];
    BEGIN;
    Adding adding = {0, 0, 0};
    float4 of_in = 0;
    uint channels = h.t->channels;
    EACH_STRIP
    if (mine) {
        BY_CHANNELS(up_in_back_site, &h, block, site, x, up, g)
    }
    MEET();
    outer(channels, 16, x, up, sites, &of_in);
    adding_products(channels, g, x, sites, &adding);
    MEET();
    END_STRIP
    outer_end(channels, 16, of_in, room, partial_of(&h, h.t->weights[block].up_in));
    adding_end(&h, channels, &adding, false, h.count, room);
}
