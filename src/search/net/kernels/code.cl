/* The code of a task: latents to the stream and back, and the optimiser; see search/net/latents.h, search/net/noise.h, search/net/adam.h. */

/* What holds for a tensor's code, per channel */
enum { CODE_ADJUST = 0, CODE_THETA = 4, CODE_MEAN = 8, CODE_INVERSE = 12, CODE_SCALE = 16, CODE_GY = 20, CODE_GYY = 24,
       CODE_LAMBDA = 28 };

/* ---- noise ---- */

constant float normal_near[9] = {2.81022636e-08f, 3.43273939e-07f,  -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f,
                                 -0.00125372503f, -0.00417768164f, 0.246640727f,    1.50140941f};
constant float normal_tail[9] = {-0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
                                 -0.0076224613f,   0.00943887047f,  1.00167406f,    2.83297682f};
/* Number i of a stream of normally distributed ones. */
INLINE float noise_normal(ulong key, uint i) {
    int part = (int)(noise_bits(i, (uint)key, (uint)(key >> 32)) >> 8);
    float a = ((float)(part - (1 << 23)) + 0.5f) * 0x1p-23f, w = -log((1 - a) * (1 + a));
    bool near = w < 5;
    float x = near ? w - 2.5f : sqrt(w) - 3, p = near ? normal_near[0] : normal_tail[0];
    for (uint k = 1; k < 9; k++) {
        p = fma(p, x, near ? normal_near[k] : normal_tail[k]);
    }
    return 1.41421356f * a * p;
}

/* ---- forward ---- */

/* Where the code of a site begins in the latents of its tensor; channels are `lanes` apart. */
INLINE uint code_at(const Here *h, uint site) {
    uint cell = h->first + (site >> h->t->shift);
    return ((cell * 4) << h->t->shift) + (site & (h->t->lanes - 1));
}

KERNEL void net_code_sums(GIVEN) {
    local float x[ND_LANES * 8], room[4 * ND_LANES];
    BEGIN;
    Adding adding = {0, 0, 0};
    EACH_STRIP
    if (mine) {
        float both[8];
        global const float *from = h.m + h.slot * h.t->latent + code_at(&h, site);
        UNROLL for (uint k = 0; k < 4; k++) {
            both[k] = from[h.t->mean + (k << h.t->shift)];
            both[4 + k] = from[h.t->adjust + (k << h.t->shift)];
        }
        stage(8, both, x);
    }
    MEET();
    adding_squares(8, x, sites, begin == 0, &adding);
    MEET();
    END_STRIP
    adding_end(&h, 8, &adding, true, h.count, room);
}

KERNEL void net_code_join(GIVEN) {
    local float room[ND_LANES];
    BEGIN;
    float mean, squares, all = 4.0f * sites_of(&h);
    mean_of_rows(&h, h.t->tiles, sites_of(&h), room, &mean, &squares);
    global float *code = h.m + h.t->code;
    if (LANE < 4) {
        float theta = fmin(10 * h.m[h.t->capacity + LANE], 60.0f);
        code[CODE_THETA + LANE] = theta;
        code[CODE_MEAN + LANE] = mean;
        code[CODE_INVERSE + LANE] = 1 / sqrt(1e-8f + squares / sites_of(&h));
        code[CODE_SCALE + LANE] = -expm1(-2 * (10000 * exp(theta) + 0.5f) / all);
    } else if (LANE < 8) {
        code[CODE_ADJUST + LANE - 4] = mean;
    }
}

typedef struct Code { /* of one element; see Latent of search/net/latents.h */
    float y, q, t, sig, a, a2, w, eps;
    bool exact;
} Code;

INLINE void code_draw(const Here *h, ulong key, uint at, uint channel, Code *c) {
    global const float *code = h->m + h->t->code, *from = h->m + h->slot * h->t->latent + at;
    c->eps = noise_normal(key, at);
    c->y = (from[h->t->mean] - code[CODE_MEAN + channel]) * code[CODE_INVERSE + channel];
    c->q = 10000 * exp(fmin(from[h->t->adjust] + (code[CODE_THETA + channel] - code[CODE_ADJUST + channel]), 60.0f));
    c->t = (c->q + 0.5f) * (1 / (4.0f * sites_of(h)));
    float fall = -expm1(-c->t);
    c->sig = 1 - fall;
    c->a2 = fall * (1 + c->sig);
    c->exact = c->t > 10;
    c->a = c->exact ? 1.0f : sqrt(c->a2);
    c->w = fma(c->a, c->y, c->sig * c->eps);
}
INLINE ulong code_key(const Here *h, global const NdNow *now) {
    return noise_key(now->seed, (ulong)now->step + 1, h->tensor * 1024 + h->slot);
}

/* z, and the information in it */
INLINE float code_of_site(const Here *h, ulong key, uint site, float *z) {
    float kl = 0;
    UNROLL for (uint k = 0; k < 4; k++) {
        Code c;
        code_draw(h, key, code_at(h, site) + (k << h->t->shift), k, &c);
        kl += fma(0.5f * c.a2, c.y * c.y - 1, c.t);
        z[k] = h->m[h->t->code + CODE_SCALE + k] * c.w;
    }
    return kl;
}
INLINE void decode_site(const uint channels, const Here *h, ulong key, uint site, local float *to) {
    float z[4], x[16];
    to[LANE] = code_of_site(h, key, site, z);
    UNROLL for (uint k = 0; k < channels; k++) {
        x[k] = h->m[h->t->decode_b + k];
    }
    linear(4, channels, h->m + h->t->decode_w, z, x);
    save(h, ND_X, 0, channels, site, x);
}
KERNEL void net_decode(GIVEN) {
    local float kl[ND_LANES], room[4 * ND_LANES];
    BEGIN;
    ulong key = code_key(&h, &nows[piece.task]);
    Adding adding = {0, 0, 0};
    EACH_STRIP
    if (mine) {
        BY_CHANNELS(decode_site, &h, key, site, kl)
    }
    MEET();
    adding_products(1, kl, kl, sites, &adding);
    MEET();
    END_STRIP
    adding_end(&h, 1, &adding, false, h.count, room);
}
KERNEL void net_information(GIVEN) {
    local float room[ND_LANES];
    BEGIN;
    float kl = sum_rows(&h, h.t->tiles, 0, room);
    if (LANE == 0) {
        back[h.task->out + h.tensor] = kl;
    }
}

/* ---- backward ---- */

/* Gradients of y and lambda go where those of mean and adjustment will be. */
INLINE void decode_back_site(const uint channels, const Here *h, ulong key, uint site, local float *to_z, local float *to_g,
                             local float *to_sums) {
    float g[16], gz[4], z[4], sums[16], share = 1 / (4.0f * sites_of(h));
    global float *gradient = h->m + h->task->gradient + h->slot * h->t->latent;
    load(h, ND_G, 0, channels, site, g);
    clear(4, gz);
    linear_back(channels, 4, h->m + h->t->decode_w, g, gz);
    UNROLL for (uint k = 0; k < 4; k++) {
        uint at = code_at(h, site) + (k << h->t->shift);
        Code c;
        code_draw(h, key, at, k, &c);
        float scale = h->m[h->t->code + CODE_SCALE + k], u = scale * gz[k];
        float of_y = fma(u, c.a, c.a2 * c.y);
        float of_sig = fma(u, c.eps, c.sig * (1 - c.y * c.y));
        float of_k = 1 - of_sig * c.sig;
        of_k += c.exact ? 0.0f : u * c.y * (c.sig * c.sig) / c.a;
        float of_lambda = of_k * share * c.q;
        gradient[h->t->mean + at] = of_y;
        gradient[h->t->adjust + at] = of_lambda;
        z[k] = scale * c.w;
        sums[k] = gz[k] * c.w;
        sums[4 + k] = of_lambda;
        sums[8 + k] = of_y;
        sums[12 + k] = of_y * c.y;
    }
    stage(4, z, to_z);
    stage(channels, g, to_g);
    stage(16, sums, to_sums);
}
KERNEL void net_decode_back(GIVEN) {
    local float z[ND_LANES * 4], g[ND_LANES * 16], sums[ND_LANES * 16], one[ND_LANES], room[4 * ND_LANES];
    BEGIN;
    ulong key = code_key(&h, &nows[piece.task]);
    uint channels = h.t->channels;
    Adding adding = {0, 0, 0};
    float4 of_w = 0, of_b = 0;
    one[LANE] = 1;
    EACH_STRIP
    if (mine) {
        BY_CHANNELS(decode_back_site, &h, key, site, z, g, sums)
    }
    MEET();
    outer(4, channels, z, g, sites, &of_w);
    outer(1, channels, one, g, sites, &of_b);
    adding_products(16, sums, sums, sites, &adding);
    MEET();
    END_STRIP
    outer_end(4, channels, of_w, room, partial_of(&h, h.t->decode_w));
    outer_end(1, channels, of_b, room, partial_of(&h, h.t->decode_b));
    adding_end(&h, 16, &adding, false, h.count, room);
}

/* ---- the optimiser ---- */

INLINE void improve(const Here *h, global const NdNow *now, uint at, float g) {
    global float *p = h->m + at, *moment = p + h->task->parameters, *square = moment + h->task->parameters;
    h->m[h->task->gradient + at] = g;
    float m = 0.5f * (*moment + g), s = fma(0.1f * g, g, 0.9f * *square);
    *moment = m;
    *square = s;
    *p -= now->first * m / (sqrt(s * now->second) + 1e-8f);
}

KERNEL void net_decode_back_join(GIVEN) {
    local float room[ND_LANES], all[16];
    BEGIN;
    float sum = sum_rows(&h, h.t->tiles, 0, room), elements = 4.0f * sites_of(&h);
    if (LANE < 16) {
        all[LANE] = sum;
    }
    MEET();
    global float *code = h.m + h.t->code;
    if (LANE < 4) {
        float scale = all[LANE], lambda = all[4 + LANE], q = 10000 * exp(code[CODE_THETA + LANE]);
        code[CODE_LAMBDA + LANE] = lambda / sites_of(&h);
        code[CODE_GY + LANE] = all[8 + LANE] / sites_of(&h);
        code[CODE_GYY + LANE] = all[12 + LANE] / sites_of(&h);
        improve(&h, &nows[piece.task], h.t->capacity + LANE,
                10 * (lambda + scale * exp(-2 * (q + 0.5f) / elements) * (2 / elements) * q));
    }
}

KERNEL void net_improve_latents(GIVEN) {
    BEGIN;
    global const float *code = h.m + h.t->code, *gradient = h.m + h.task->gradient;
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        for (uint k = 0; k < 4; k++) {
            uint at = h.slot * h.t->latent + code_at(&h, site) + (k << h.t->shift);
            float y = (h.m[h.t->mean + at] - code[CODE_MEAN + k]) * code[CODE_INVERSE + k];
            float of_y = gradient[h.t->mean + at] - code[CODE_GY + k] - y * code[CODE_GYY + k];
            improve(&h, &nows[piece.task], h.t->mean + at, of_y * code[CODE_INVERSE + k]);
            improve(&h, &nows[piece.task], h.t->adjust + at, gradient[h.t->adjust + at] - code[CODE_LAMBDA + k]);
        }
    }
}

/* Gradients of weights, added up in the order of rows; those of a tensor that uses the same weights come last. */
INLINE float sum_partials(const Here *h, global const NdTensor *t, uint at) {
    float sum = 0;
    for (uint row = 0; row < t->rows_of_sums; row++) {
        sum += h->m[t->partial + row * t->stride + at];
    }
    return sum;
}
/* A span of weights: from `first` on; slot 1 marks heads, which begin at `row`. */
KERNEL void net_improve_weights(GIVEN) {
    BEGIN;
    if (LANE < h.count) {
        uint at = h.slot == 1 ? h.t->stride - ND_HEADS + h.first + LANE - h.row : h.first + LANE - h.t->decode_w;
        float g = sum_partials(&h, h.t, at);
        if (h.t->partner < ND_TENSORS) {
            g += sum_partials(&h, &h.task->tensors[h.t->partner], at);
        }
        improve(&h, &nows[piece.task], h.first + LANE, g);
    }
}

/* Everything begins with 0. */
kernel void net_clear(global float *memory, ulong numbers) {
    for (ulong k = get_global_id(0); k < numbers; k += get_global_size(0)) {
        memory[k] = 0;
    }
}
