/* Cummax and shift: what runs along straight lines of cells. A work-group has one color of an example.
 *
 * Channel 2q + p of direction d walks along d if p is 0, against it if p is 1, and its result is channel 2p + q. A
 * work-item of cummax has one such line and walks it twice: for its highest and lowest, then for what comes of it. */

constant int ray_rows[8] = {1, 1, 0, -1, -1, -1, 0, 1}, ray_columns[8] = {0, 1, 1, 1, 0, -1, -1, -1};

INLINE uint ray_result(uint channel) {
    return (channel & 1) * 2 + channel / 2;
}

typedef struct Ray {
    int dx, dy, x, y; /* its step, and its first cell */
} Ray;

INLINE void ray_step(uint d, uint channel, Ray *ray) {
    int sign = channel & 1 ? -1 : 1;
    ray->dx = sign * ray_rows[d];
    ray->dy = sign * ray_columns[d];
}
/* The k-th ray; false: there are not that many. */
INLINE bool ray_of(const Here *h, uint k, uint d, uint channel, Ray *ray) {
    int rows = h->t->rows, columns = h->t->columns, i = k;
    ray_step(d, channel, ray);
    int top = ray->dx > 0 ? 0 : rows - 1, left = ray->dy > 0 ? 0 : columns - 1;
    if (ray->dy == 0) {
        ray->x = top;
        ray->y = i;
        return i < columns;
    }
    if (ray->dx == 0) {
        ray->x = i;
        ray->y = left;
        return i < rows;
    }
    bool from_top = i < columns;
    ray->x = from_top ? top : top + ray->dx * (i - columns + 1);
    ray->y = from_top ? i : left;
    return true; /* rows + columns - 1 of them */
}
INLINE bool ray_inside(const Here *h, int x, int y) {
    return x >= 0 && y >= 0 && x < (int)h->t->rows && y < (int)h->t->columns;
}
/* Where a number of the piece's color is in a slice of rays. */
INLINE uint ray_at(const Here *h, int x, int y, uint channel, uint d) {
    uint cell = h->first + x * h->t->columns + y;
    return (cell * 4 + channel) * 8 + d;
}
INLINE float ray_mask(const Here *h, int x, int y) {
    return h->m[h->task->masks + h->slot * h->task->plane + x * h->task->columns + y];
}

typedef struct Cummax { /* of a ray */
    float high, low;
} Cummax;

INLINE void cummax_of(const Here *h, const Ray *ray, global const float *in, uint channel, uint d, Cummax *to) {
    to->high = -1e30f;
    to->low = 1e30f;
    for (int x = ray->x, y = ray->y; ray_inside(h, x, y); x += ray->dx, y += ray->dy) {
        float mask = ray_mask(h, x, y), v = mask * in[ray_at(h, x, y, channel, d)], outside = 1000 * (1 - mask);
        to->high = fmax(to->high, v - outside);
        to->low = fmin(to->low, v + outside);
    }
}
/* What a cell makes of its running maximum u: rho, and by which it was divided. */
INLINE float cummax_rho(const Cummax *c, uint d, float u, float outside, float *den) {
    float slack = d % 2 == 0 ? 0.001f : 0.0f, b = c->low - outside - slack;
    *den = c->high + outside + slack - b + (d % 2 == 0 ? 0.0f : 0.00001f);
    return (u + outside - b) / *den;
}

/* All rays of the color: from ND_RAYS to ND_CUMMAX. */
INLINE void cummax_walk(const Here *h, uint block) {
    global const float *in = slice_of(h, ND_RAYS, 0);
    global float *out = slice_of(h, ND_CUMMAX, block);
    for (uint i = LANE; i < (h->t->rows + h->t->columns - 1) * 32; i += ND_LANES) {
        uint d = i % 8, channel = i / 8 % 4;
        Ray ray;
        if (!ray_of(h, i / 32, d, channel, &ray)) {
            continue;
        }
        Cummax c;
        cummax_of(h, &ray, in, channel, d, &c);
        float u = -1e30f, den;
        for (int x = ray.x, y = ray.y; ray_inside(h, x, y); x += ray.dx, y += ray.dy) {
            float mask = ray_mask(h, x, y), outside = 1000 * (1 - mask);
            u = fmax(u, mask * in[ray_at(h, x, y, channel, d)] - outside);
            float rho = cummax_rho(&c, d, u, outside, &den);
            out[ray_at(h, x, y, ray_result(channel), d)] = (d % 2 == 0 ? 1.0f : mask) * (2 * rho - 1);
        }
    }
}

/* Gradients of results in ND_RAYS_BACK to those of what went in, in ND_RAYS_IN. */
INLINE void cummax_walk_back(const Here *h) {
    global const float *in = slice_of(h, ND_RAYS, 0), *g = slice_of(h, ND_RAYS_BACK, 0);
    global float *to = slice_of(h, ND_RAYS_IN, 0);
    for (uint i = LANE; i < (h->t->rows + h->t->columns - 1) * 32; i += ND_LANES) {
        uint d = i % 8, channel = i / 8 % 4, result = ray_result(channel);
        Ray ray;
        if (!ray_of(h, i / 32, d, channel, &ray)) {
            continue;
        }
        Cummax c;
        cummax_of(h, &ray, in, channel, d, &c);
        /* of running maxima the last of equals gets what follows; of the highest and the lowest the first */
        int newest = -1, highest = -1, lowest = -1;
        float u = -1e30f, flow = 0, of_high = 0, of_low = 0, den, newest_mask = 0, high_mask = 0, low_mask = 0;
        for (int x = ray.x, y = ray.y; ray_inside(h, x, y); x += ray.dx, y += ray.dy) {
            uint at = ray_at(h, x, y, channel, d);
            float mask = ray_mask(h, x, y), outside = 1000 * (1 - mask), v = mask * in[at];
            if (v - outside >= u) {
                if (newest >= 0) {
                    to[newest] = newest_mask * flow;
                }
                flow = 0;
                newest = at;
                newest_mask = mask;
                u = v - outside;
            } else {
                to[at] = 0;
            }
            if (highest < 0 && v - outside == c.high) {
                highest = at;
                high_mask = mask;
            }
            if (lowest < 0 && v + outside == c.low) {
                lowest = at;
                low_mask = mask;
            }
            float rho = cummax_rho(&c, d, u, outside, &den);
            float t = 2 * (d % 2 == 0 ? 1.0f : mask) * g[ray_at(h, x, y, result, d)] / den;
            flow += t;
            of_high = fma(-t, rho, of_high);
            of_low = fma(t, rho - 1, of_low);
        }
        if (newest >= 0 && highest >= 0 && lowest >= 0) { /* not where numbers are none */
            to[newest] = newest_mask * flow;
            to[highest] += high_mask * of_high;
            to[lowest] += low_mask * of_low;
        }
    }
}

/* One step along rays: from ND_RAYS to ND_SHIFT. */
INLINE void shift_walk(const Here *h, uint block) {
    global const float *in = slice_of(h, ND_RAYS, 0);
    global float *out = slice_of(h, ND_SHIFT, block);
    for (uint i = LANE; i < h->task->plane * 32; i += ND_LANES) {
        uint d = i % 8, channel = i / 8 % 4;
        int x = i / 32 / h->t->columns, y = i / 32 % h->t->columns;
        Ray ray;
        ray_step(d, channel, &ray);
        bool inside = ray_inside(h, x - ray.dx, y - ray.dy);
        float from = inside ? ray_mask(h, x - ray.dx, y - ray.dy) * in[ray_at(h, x - ray.dx, y - ray.dy, channel, d)] : 0;
        out[ray_at(h, x, y, ray_result(channel), d)] = from;
    }
}
INLINE void shift_walk_back(const Here *h) {
    global const float *g = slice_of(h, ND_RAYS_BACK, 0);
    global float *to = slice_of(h, ND_RAYS_IN, 0);
    for (uint i = LANE; i < h->task->plane * 32; i += ND_LANES) {
        uint d = i % 8, channel = i / 8 % 4;
        int x = i / 32 / h->t->columns, y = i / 32 % h->t->columns;
        Ray ray;
        ray_step(d, channel, &ray);
        bool inside = ray_inside(h, x + ray.dx, y + ray.dy);
        to[ray_at(h, x, y, channel, d)] =
            inside ? ray_mask(h, x, y) * g[ray_at(h, x + ray.dx, y + ray.dy, ray_result(channel), d)] : 0;
    }
}

/* ---- with the stream around them ---- */

/* Through the norm of what rays gave; the stream before it was added is left in ND_NOW and x. */
INLINE void ray_norm_back_site(const Here *h, uint block, uint norm, uint rays, uint out, uint stream, uint copy, uint site,
                               float *x) {
    float y[4], taken[8];
    norm_back_site(h, 4, block, norm, rays, ND_RAYS_BACK, site, y);
    load(h, stream, copy, 8, site, x);
    clear(8, taken);
    linear(4, 8, h->m + out, y, taken);
    UNROLL for (uint k = 0; k < 8; k++) {
        x[k] -= taken[k];
    }
    save(h, ND_NOW, 0, 8, site, x);
}

KERNEL void net_cummax(GIVEN) {
    local float x[ND_LANES * 4], room[4 * ND_LANES];
    BEGIN;
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        float now[8], in[4];
        load(&h, ND_NOW, 0, 8, site, now);
        clear(4, in);
        linear(8, 4, h.m + h.t->weights[block].cummax_in, now, in);
        save(&h, ND_RAYS, 0, 4, site, in);
    }
    MEET_GLOBAL();
    cummax_walk(&h, block);
    MEET_GLOBAL();
    buffer_sums(&h, 4, ND_CUMMAX, block, x, room);
}

KERNEL void net_shift(GIVEN) {
    local float x[ND_LANES * 4], room[4 * ND_LANES];
    BEGIN;
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        float now[8], y[4], in[4];
        load(&h, ND_NOW, 0, 8, site, now);
        load(&h, ND_CUMMAX, block, 4, site, y);
        norm_apply(4, norm_of(&h, block, ND_NORM_CUMMAX), y);
        linear(4, 8, h.m + h.t->weights[block].cummax_out, y, now);
        save(&h, ND_NOW, 0, 8, site, now);
        clear(4, in);
        linear(8, 4, h.m + h.t->weights[block].shift_in, now, in);
        save(&h, ND_RAYS, 0, 4, site, in);
    }
    MEET_GLOBAL();
    shift_walk(&h, block);
    MEET_GLOBAL();
    buffer_sums(&h, 4, ND_SHIFT, block, x, room);
}

/* Through shift, then out of cummax. The stream between them is got by taking off what was added. */
KERNEL void net_shift_back(GIVEN) {
    local float now[ND_LANES * 8], in[ND_LANES * 4], g[ND_LANES * 8], y[ND_LANES * 4], out[ND_LANES * 4], room[4 * ND_LANES];
    BEGIN;
    global const NdWeights *w = &h.t->weights[block];
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        float x[8];
        ray_norm_back_site(&h, block, ND_NORM_SHIFT, ND_SHIFT, w->shift_out, ND_MIDDLE, block, site, x);
    }
    MEET_GLOBAL();
    shift_walk_back(&h);
    MEET_GLOBAL();
    Adding adding = {0, 0, 0};
    float4 of_in = 0, of_out = 0;
    EACH_STRIP
    if (mine) {
        float x[8], of[4], own[8], cummax[4], of_cummax[4];
        load(&h, ND_NOW, 0, 8, site, x);
        load(&h, ND_RAYS_IN, 0, 4, site, of);
        load(&h, ND_G, 0, 8, site, own);
        linear_back(4, 8, h.m + w->shift_in, of, own);
        save(&h, ND_G, 0, 8, site, own);
        load(&h, ND_CUMMAX, block, 4, site, cummax);
        norm_apply(4, norm_of(&h, block, ND_NORM_CUMMAX), cummax);
        clear(4, of_cummax);
        linear_back(8, 4, h.m + w->cummax_out, own, of_cummax);
        save(&h, ND_RAYS_BACK, 0, 4, site, of_cummax);
        stage(8, x, now);
        stage(4, of, in);
        stage(8, own, g);
        stage(4, cummax, y);
        stage(4, of_cummax, out);
    }
    MEET();
    outer(8, 4, now, in, sites, &of_in);
    outer(4, 8, y, g, sites, &of_out);
    adding_products(4, out, y, sites, &adding);
    MEET();
    END_STRIP
    outer_end(8, 4, of_in, room, partial_of(&h, w->shift_in));
    outer_end(4, 8, of_out, room, partial_of(&h, w->cummax_out));
    adding_end(&h, 4, &adding, false, h.count, room);
}

/* Through cummax. */
KERNEL void net_cummax_back(GIVEN) {
    local float now[ND_LANES * 8], in[ND_LANES * 4], room[4 * ND_LANES];
    BEGIN;
    global const NdWeights *w = &h.t->weights[block];
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        float x[8], into[4];
        ray_norm_back_site(&h, block, ND_NORM_CUMMAX, ND_CUMMAX, w->cummax_out, ND_NOW, 0, site, x);
        clear(4, into);
        linear(8, 4, h.m + w->cummax_in, x, into);
        save(&h, ND_RAYS, 0, 4, site, into);
    }
    MEET_GLOBAL();
    cummax_walk_back(&h);
    MEET_GLOBAL();
    float4 of_in = 0;
    EACH_STRIP
    if (mine) {
        float x[8], of[4], own[8];
        load(&h, ND_NOW, 0, 8, site, x);
        load(&h, ND_RAYS_IN, 0, 4, site, of);
        load(&h, ND_G, 0, 8, site, own);
        linear_back(4, 8, h.m + w->cummax_in, of, own);
        save(&h, ND_G, 0, 8, site, own);
        stage(8, x, now);
        stage(4, of, in);
    }
    MEET();
    outer(8, 4, now, in, sites, &of_in);
    MEET();
    END_STRIP
    outer_end(8, 4, of_in, room, partial_of(&h, w->cummax_in));
}
