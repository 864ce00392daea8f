/* One step of a net: the template that engine.c instantiates as the library's engine.
 *
 * The including file may define NET_DOUBLE (numbers are double) and NET_PLAIN (no vectors), and
 * defines NET_ENGINE, the name of the resulting NetEngine. Everything else in here is static. */
#ifndef BATT_SEARCH_NET_ENGINE_H
#define BATT_SEARCH_NET_ENGINE_H

#include "search/net/adam.h"
#include "search/net/backward.h"
#include "search/net/forward.h"
#include "search/net/heads.h"
#include "search/net/noise.h"

#if defined __SSE__ && !defined NET_DOUBLE
#include <xmmintrin.h>
#define NET_FLUSHES 1
#else
#define NET_FLUSHES 0
#endif

/* Numbers too small to be normal become 0: they cost many cycles and change nothing. */
static unsigned flush_begin(void) {
#if NET_FLUSHES
    unsigned was = _mm_getcsr();
    _mm_setcsr(was | 0x8040);
    return was;
#else
    return 0;
#endif
}
static void flush_end(unsigned was) {
#if NET_FLUSHES
    _mm_setcsr(was);
#else
    (void)was;
#endif
}

/* ---- memory ---- */

typedef struct BlockCursor { /* block NULL: only counts */
    char *block;
    size_t next;
} BlockCursor;

static void *take_bytes(BlockCursor *from, size_t bytes) {
    void *at = from->block != NULL ? from->block + from->next : NULL;
    from->next += (bytes + 63) / 64 * 64;
    return at;
}
static Real *take_reals(BlockCursor *from, size_t numbers) {
    return take_bytes(from, numbers * sizeof(Real));
}
static double *take_doubles(BlockCursor *from, size_t numbers) {
    return take_bytes(from, numbers * sizeof(double));
}

static size_t soft_numbers(const NetShape *shape) {
    size_t c = shape->colors, x = shape->rows, y = shape->columns;
    size_t faces = x * y + c * y + c * x, edges = c + x + y + 1;
    size_t lanes = SOFT_ALL + (faces + edges) * (2 * SOFT_TWO + SOFT_ALL) + faces * (SOFT_ALL + SOFT_TWO);
    size_t cells = c * x * y * (2 * SOFT_ROOM + NET_SOFT) + (faces + edges) * NET_SOFT;
    size_t slow = c * x * y * LANES * 4;
    size_t max = lanes > cells ? lanes : cells;
    return (max > slow ? max : slow) + 16;
}

static void scratch_take(const NetMemory *mem, BlockCursor *from, Scratch *s) {
    Scratch none = {0};
    s = s != NULL ? s : &none;
    s->soft = take_reals(from, soft_numbers(&mem->shape));
    s->rays = take_reals(from, frame_numbers(&mem->shape));
    Real **strips[] = {&s->x, &s->y, &s->g, &s->h, &s->z};
    for (size_t k = 0; k < sizeof strips / sizeof *strips; k++) {
        *strips[k] = take_reals(from, STRIP_NUMBERS(24));
    }
    for (size_t k = 0; k < 3; k++) {
        s->sum[k] = take_reals(from, (size_t)MAX_CHANNELS * MAX_CHANNELS * LANES);
    }
    s->mix = take_reals(from, MIX_NUMBERS);
    s->loss = take_doubles(from, net_loss_scratch(&mem->shape));
}

static size_t run_take(const NetMemory *mem, unsigned threads, void *block, NetRun **to) {
    BlockCursor from = {block, 0};
    const NetShape *shape = &mem->shape;
    size_t items = net_items(mem), n = shape->n;
    NetRun unused, *run = take_bytes(&from, sizeof *run);
    if (block == NULL) {
        run = &unused;
    } else {
        *to = run;
    }
    run->mem = mem;
    run->threads = threads;
    run->scratches = take_bytes(&from, threads * sizeof *run->scratches);
    run->parameters = take_reals(&from, mem->parameters);
    run->moment = take_reals(&from, mem->parameters);
    run->square = take_reals(&from, mem->parameters);
    run->noise = take_reals(&from, mem->latents / 2 + 64);
    run->latent_gradient = take_reals(&from, mem->latents);
    run->weight_gradients = take_reals(&from, items * net_weights(mem));
    run->buffers = take_reals(&from, mem->buffers);
    run->mixes = take_reals(&from, NET_BLOCKS * NET_TENSORS * MIX_NUMBERS);
    run->averages = take_reals(&from, n * averages_numbers(shape));
    run->masks = take_reals(&from, n * shape->rows * shape->columns);
    run->slow = take_bytes(&from, NET_BLOCKS * NET_TENSORS * items);
    run->sums = take_bytes(&from, items * NET_TENSORS * sizeof *run->sums);
    run->latent_sums = take_bytes(&from, items * NET_TENSORS * sizeof *run->latent_sums);
    run->item_rec = take_doubles(&from, n);
    run->out.logits = take_doubles(&from, n * mem->outputs);
    run->out.g_logits = take_doubles(&from, n * mem->outputs);
    run->out.rows = take_doubles(&from, n * 2 * shape->rows);
    run->out.g_rows = take_doubles(&from, n * 2 * shape->rows);
    run->out.columns = take_doubles(&from, n * 2 * shape->columns);
    run->out.g_columns = take_doubles(&from, n * 2 * shape->columns);
    for (unsigned k = 0; k < threads; k++) {
        scratch_take(mem, &from, block != NULL ? &run->scratches[k] : NULL);
    }
    return from.next;
}

static size_t engine_bytes(const NetMemory *mem, unsigned threads) {
    return run_take(mem, threads, NULL, NULL);
}

static NetRun *engine_open(const NetMemory *mem, unsigned threads, void *block) {
    NetRun *run = NULL;
    run_take(mem, threads, block, &run);
    const NetShape *shape = &mem->shape;
    run->soft_range = SOFT_RANGE;
    for (size_t e = 0; e < shape->n; e++) {
        averages_fill(run->averages + e * averages_numbers(shape), shape, e);
        Real *mask = run->masks + e * shape->rows * shape->columns;
        for (size_t x = 0; x < shape->rows; x++) {
            for (size_t y = 0; y < shape->columns; y++) {
                mask[x * shape->columns + y] = net_inside(shape, e, x, y);
            }
        }
    }
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        if (net_has(t, AXIS_D)) {
            mix_table(t, &run->mix_tables[t]);
        }
    }
    for (size_t k = 0; k < MAX_CHANNELS; k++) {
        run->nothing.inverse[k] = 1;
    }
    return run;
}

static void engine_measure(NetRun *run, NetMeter *meters) {
    for (unsigned k = 0; meters != NULL && meters != run->meters && k < run->threads; k++) {
        meters[k].now = NET_LAYER_WAIT;
        meters[k].since = 0;
    }
    run->meters = meters;
}

/* ---- phases ---- */

typedef struct PhaseCall {
    NetRun *run;
    void (*phase)(NetRun *run, size_t item, unsigned thread);
} PhaseCall;

static void call_phase(void *user, size_t item, unsigned thread) {
    const PhaseCall *call = user;
    unsigned was = flush_begin();
    call->phase(call->run, item, thread);
    flush_end(was);
}

/* Over the examples, or with `common` also over what they have in common. */
static void go(NetRun *run, NetTeam *team, void (*phase)(NetRun *run, size_t item, unsigned thread),
               bool common) {
    PhaseCall call = {run, phase};
    net_team_run(team, run->mem->shape.n + (size_t)common, call_phase, &call);
}

static void phase_latents(NetRun *run, size_t item, unsigned thread) {
    meter_move(run, thread, NET_LAYER_LATENTS);
    EACH_TENSOR(run, item, t)
    noise_slice(run, t, item, run->seed, run->noise_kind);
    latents_sum(run, t, item);
    END_EACH
    memset(weight_gradient(run, item, run->mem->latents), 0, net_weights(run->mem) * sizeof(Real));
    meter_move(run, thread, NET_LAYER_WAIT);
}

static void phase_decode(NetRun *run, size_t item, unsigned thread) {
    meter_move(run, thread, NET_LAYER_LATENTS);
    EACH_TENSOR(run, item, t)
    latents_decode(run, t, item, &run->scratches[thread]);
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

static void phase_latents_back(NetRun *run, size_t item, unsigned thread) {
    meter_move(run, thread, NET_LAYER_LATENTS_BACK);
    EACH_TENSOR(run, item, t)
    latents_back(run, t, item, &run->scratches[thread]);
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

static void phase_latents_end(NetRun *run, size_t item, unsigned thread) {
    meter_move(run, thread, NET_LAYER_LATENTS_BACK);
    EACH_TENSOR(run, item, t)
    latents_back_end(run, t, item);
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

static void phase_improve(NetRun *run, size_t item, unsigned thread) {
    meter_move(run, thread, NET_LAYER_ADAM);
    Adam adam = adam_step(run->step);
    EACH_TENSOR(run, item, t)
    const NetPlace *p = &run->mem->places[t];
    adam_latents(run, &adam, p->mean + latent_at(p, t, item), p->latent);
    adam_latents(run, &adam, p->adjust + latent_at(p, t, item), p->latent);
    END_EACH
    if (item == run->mem->shape.n) {
        for (NetTensorId t = 0; t < NET_TENSORS; t++) {
            adam_latents(run, &adam, run->mem->places[t].capacity, LANES);
        }
    }
    /* weights in equal shares; all offsets are multiples of 16 */
    size_t items = net_items(run->mem), all = net_weights(run->mem) / 16;
    adam_weights(run, &adam, all * item / items * 16, all * (item + 1) / items * 16);
    meter_move(run, thread, NET_LAYER_WAIT);
}

static void prepare_mixes(NetRun *run) {
    for (size_t block = 0; block < NET_BLOCKS; block++) {
        for (NetTensorId t = 0; t < NET_TENSORS; t++) {
            if (net_has(t, AXIS_D)) {
                mix_weights(t, &run->mix_tables[t], weight(run, run->mem->places[t].weights[block].mix),
                            run->mixes + (block * NET_TENSORS + t) * MIX_NUMBERS);
            }
        }
    }
}

/* ---- a step ---- */

static void block_forward(NetRun *run, NetTeam *team) {
    meter_move(run, 0, NET_LAYER_UP);
    up_common(run);
    go(run, team, phase_up, false);
    forward_join(run, NORM_UP);
    go(run, team, phase_softmax, true);
    forward_join(run, NORM_CUMMAX);
    go(run, team, phase_shift, false);
    forward_join(run, NORM_SHIFT);
    go(run, team, phase_middle, true);
    forward_join(run, NORM_MIX);
    go(run, team, phase_late, true);
    meter_move(run, 0, NET_LAYER_DOWN);
    down_common(run);
    forward_join(run, NORM_DOWN);
    go(run, team, phase_down, true);
    forward_join(run, NORM_END);
}

static void block_backward(NetRun *run, NetTeam *team) {
    meter_move(run, 0, NET_LAYER_NORM_BACK);
    backward_join(run, NORM_END);
    go(run, team, phase_down_back, true);
    backward_join(run, NORM_DOWN);
    meter_move(run, 0, NET_LAYER_DOWN_BACK);
    down_common_back(run);
    go(run, team, phase_late_back, true);
    backward_join(run, NORM_MIX);
    go(run, team, phase_shift_back, true);
    backward_join(run, NORM_SHIFT);
    go(run, team, phase_cummax_back, false);
    backward_join(run, NORM_CUMMAX);
    go(run, team, phase_softmax_back, true);
    backward_join(run, NORM_UP);
    go(run, team, phase_up_back, false);
    meter_move(run, 0, NET_LAYER_UP_BACK);
    up_common_back(run);
}

static NetLoss engine_forward(NetRun *run, NetTeam *team, size_t t, uint64_t seed, NetNoise noise) {
    unsigned was = flush_begin();
    run->step = t;
    run->seed = seed;
    run->noise_kind = noise;
    meter_move(run, 0, NET_LAYER_LATENTS);
    prepare_mixes(run);
    go(run, team, phase_latents, true);
    for (NetTensorId k = 0; k < NET_TENSORS; k++) {
        latents_join(run, k);
    }
    go(run, team, phase_decode, true);
    for (run->block = 0; run->block < NET_BLOCKS; run->block++) {
        block_forward(run, team);
    }
    go(run, team, phase_heads, false);
    NetLoss loss = {0, 0};
    for (size_t item = 0; item < net_items(run->mem); item++) {
        EACH_TENSOR(run, item, k)
        loss.kl += latent_sums_of(run, k, item)->kl;
        END_EACH
    }
    for (size_t e = 0; e < run->mem->shape.n; e++) {
        loss.rec += run->item_rec[e];
    }
    flush_end(was);
    meter_move(run, 0, NET_LAYER_LOSS); /* what the caller makes of the outputs belongs to it */
    return loss;
}

static void engine_backward(NetRun *run, NetTeam *team) {
    unsigned was = flush_begin();
    go(run, team, phase_heads_back, false);
    for (run->block = NET_BLOCKS; run->block-- > 0;) {
        block_backward(run, team);
    }
    run->block = 0;
    go(run, team, phase_latents_back, true);
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        latents_back_join(run, t);
    }
    go(run, team, phase_latents_end, true);
    flush_end(was);
}

static void engine_improve(NetRun *run, NetTeam *team) {
    go(run, team, phase_improve, true);
}

static const NetOutput *engine_output(const NetRun *run) {
    return &run->out;
}

/* ---- numbers in and out ---- */

static size_t engine_state_bytes(const NetMemory *mem) {
    return 3 * mem->parameters * sizeof(Real);
}
static void engine_first_state(const NetMemory *mem, uint64_t seed, void *to) {
    Real *parameters = to;
    noise_parameters(mem, seed, parameters);
    memset(parameters + mem->parameters, 0, 2 * mem->parameters * sizeof(Real));
}
static void engine_begin(NetRun *run, uint64_t seed) {
    size_t bytes = run->mem->parameters * sizeof(Real);
    noise_parameters(run->mem, seed, run->parameters);
    memset(run->moment, 0, bytes);
    memset(run->square, 0, bytes);
}
static void engine_save(const NetRun *run, void *to) {
    size_t bytes = run->mem->parameters * sizeof(Real);
    memcpy(to, run->parameters, bytes);
    memcpy((char *)to + bytes, run->moment, bytes);
    memcpy((char *)to + 2 * bytes, run->square, bytes);
}
static void engine_load(NetRun *run, const void *from) {
    size_t bytes = run->mem->parameters * sizeof(Real);
    memcpy(run->parameters, from, bytes);
    memcpy(run->moment, (const char *)from + bytes, bytes);
    memcpy(run->square, (const char *)from + 2 * bytes, bytes);
}

/* Goes through the numbers of a slice in memory; order[k] is where the k-th of the canonical order lies. */
static void engine_read(const NetRun *run, const NetParameter *what, bool gradient, double *to) {
    const NetMemory *mem = run->mem;
    if (what->latent) {
        const NetPlace *p = &mem->places[what->tensor];
        const Real *from = (gradient ? run->latent_gradient : run->parameters) + what->at;
        for (size_t slot = 0; slot < p->slots; slot++) {
            for (size_t k = 0; k < p->cells * NET_LATENT * (p->lanes ? LANES : 1); k++) {
                size_t cell = k / NET_LATENT % p->cells, d = k / NET_LATENT / p->cells, ch = k % NET_LATENT;
                to[canonical(p, slot, cell, d, ch, NET_LATENT)] =
                    (double)from[slot * p->latent + slice_index(p, cell, d, ch, NET_LATENT)];
            }
        }
        return;
    }
    for (size_t k = 0; k < what->rows * what->columns; k++) {
        if (!gradient || what->at < mem->latents) {
            to[k] = (double)(gradient ? run->latent_gradient : run->parameters)[what->at + k];
            continue;
        }
        to[k] = 0;
        for (size_t item = 0; item < net_items(mem); item++) {
            to[k] += (double)weight_gradient(run, item, what->at)[k];
        }
    }
}

static void engine_write(NetRun *run, const NetParameter *what, const double *from) {
    Real *to = run->parameters + what->at;
    if (!what->latent) {
        for (size_t k = 0; k < what->rows * what->columns; k++) {
            to[k] = (Real)from[k];
        }
        return;
    }
    const NetPlace *p = &run->mem->places[what->tensor];
    for (size_t slot = 0; slot < p->slots; slot++) {
        for (size_t k = 0; k < p->cells * NET_LATENT * (p->lanes ? LANES : 1); k++) {
            size_t cell = k / NET_LATENT % p->cells, d = k / NET_LATENT / p->cells, ch = k % NET_LATENT;
            to[slot * p->latent + slice_index(p, cell, d, ch, NET_LATENT)] =
                (Real)from[canonical(p, slot, cell, d, ch, NET_LATENT)];
        }
    }
}

static void engine_stream(const NetRun *run, NetBuffer which, NetTensorId t, size_t block, double *to) {
    const NetPlace *p = &run->mem->places[t];
    size_t channels = p->slice[which] / p->cells / (p->lanes ? LANES : 1);
    channels = channels < p->channels ? channels : p->channels;
    for (size_t slot = 0; slot < p->slots; slot++) {
        const Real *from = run->buffers + p->at[which] + (block * p->slots + slot) * p->slice[which];
        for (size_t k = 0; k < p->cells * channels * (p->lanes ? LANES : 1); k++) {
            size_t cell = k / channels % p->cells, d = k / channels / p->cells, ch = k % channels;
            to[canonical(p, slot, cell, d, ch, channels)] =
                (double)from[slice_index(p, cell, d, ch, channels)];
        }
    }
}

static void engine_code(const NetRun *run, NetTensorId t, double *to) {
    const NetPlace *p = &run->mem->places[t];
    for (size_t slot = 0; slot < p->slots; slot++) {
        size_t at = slot * p->latent;
        for (size_t k = 0; k < latent_vectors(p); k++) {
            LatentOf of = latent_of(p, &run->latent_norms[t], (Real)(1 / latent_elements(run->mem, t)), k);
            size_t v = at + k * LANES;
            Latent l =
                latent_draw(&of, v_load(run->parameters + p->mean + v),
                            v_load(run->parameters + p->adjust + v), v_load(run->noise + p->mean / 2 + v));
            V z = v_mul(of.scale, l.w);
            for (size_t lane = 0; lane < LANES; lane++) {
                size_t cell = p->lanes ? k / NET_LATENT : 2 * k + lane / NET_LATENT;
                size_t ch = p->lanes ? k % NET_LATENT : lane % NET_LATENT, d = p->lanes ? lane : 0;
                if (cell < p->cells) {
                    to[canonical(p, slot, cell, d, ch, NET_LATENT)] = (double)v_lane(z, lane);
                }
            }
        }
    }
}

static double engine_kl(const NetRun *run, NetTensorId t) {
    size_t first, end;
    double kl = 0;
    first_and_last_item(run, t, &first, &end);
    for (size_t item = first; item < end; item++) {
        kl += latent_sums_of(run, t, item)->kl;
    }
    return kl;
}

static void engine_probe(NetRun *run, const NetProbe *probe) {
    run->probe = probe;
}

const NetEngine NET_ENGINE = {
    .real = sizeof(Real),
    .bytes = engine_bytes,
    .open = engine_open,
    .measure = engine_measure,
    .begin = engine_begin,
    .forward = engine_forward,
    .backward = engine_backward,
    .improve = engine_improve,
    .output = engine_output,
    .state_bytes = engine_state_bytes,
    .first_state = engine_first_state,
    .save = engine_save,
    .load = engine_load,
    .read = engine_read,
    .write = engine_write,
    .stream = engine_stream,
    .code = engine_code,
    .kl = engine_kl,
    .probe = engine_probe,
};

#endif
