/* Runs the rounds of a plan on devices and the host; see levels.h. */
#include "backends/devices/levels.h"

#include "backends/devices/backend_internal.h"
#include "backends/devices/levels_internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/language/own.h"

#include <stdio.h>
#include <string.h>

/* Where the arrays of a chunk are in the memory of a device. Everything before `work` goes up at once. */
typedef struct LevelDevice {
    unsigned queue; /* of the backend */
    Device *device;
    DeviceBuffer *memory;
    DeviceProgram *program;
    DeviceKernel *call, *judge;
    uint32_t lanes;
    uint32_t first, count; /* samples */
    uint64_t calls;        /* that it made */
    size_t bytes;          /* of the memory */
    size_t work;
    LevelHead head;
    uint64_t up, up_end; /* memory for what goes up */
    LevelValue *down_values;
    LevelValue *up_values;
    unsigned char *kept, *ups; /* copies of the memory of values that came down, and that go up */
    uint32_t kept_read;        /* units of it that came down */
    _Atomic uint64_t up_used;
    uint64_t up_written;
    uint8_t *verdicts;
    uint32_t *status;
    pthread_mutex_t lock; /* of the device, once a chunk is done */
} LevelDevice;

struct Levels {
    LevelsSpec spec;
    LevelPlan plan;
    LevelDevice devices[BACKEND_MAX_DEVICES];
    unsigned n_devices;
    Ctx *ctxs; /* by worker: the host's values of a chunk */
    unsigned n_ctxs;
    uint32_t chunk;            /* samples at a time */
    double probe_ns, chunk_ns; /* for a sample: on the processor alone, and by levels */
    uint32_t *bytes;           /* by node: what its values take on average, an estimate */
    uint32_t n;                /* samples of the chunk */
    const LevelsSample *samples;
    Val *values;             /* by sample and node */
    uint64_t *steps;         /* likewise; LEFT: a device left it */
    uint32_t *closures;      /* by sample: made so far */
    uint32_t round;          /* in which the host works */
    uint32_t *lefts, *calls; /* by node, of the chunk */
    bool checked;
    atomic_bool bad; /* a value that came down cannot be one */
};

static const uint64_t LEFT = (uint64_t)1 << 40;

static size_t aligned(size_t n) {
    return (n + 63) / 64 * 64;
}

static BatteryRun run_of(const Levels *levels, uint32_t sample) {
    size_t at = (size_t)sample * levels->plan.nodes;
    return (BatteryRun){.values = levels->values + at, .steps = levels->steps + at};
}

static LevelDevice *device_of(Levels *levels, uint32_t sample) {
    unsigned k = 0;
    while (k + 1 < levels->n_devices && sample >= levels->devices[k + 1].first) {
        k++;
    }
    return &levels->devices[k];
}

static bool fault(Levels *levels, const LevelDevice *d, const DeviceError *why) {
    backend_note_fault(levels->spec.backend, d->queue, BACKEND_BATTERY, why);
    return false;
}

/* ---- the beginning of a chunk ---- */

static size_t cells_of(const Image *image) {
    return image->cells != NULL ? aligned((size_t)image->h * (size_t)image->w) : 0;
}

typedef struct LevelRoom { /* for the values of a sample */
    size_t up, down, all;
} LevelRoom;

static LevelRoom room_of(const Levels *levels) {
    LevelRoom room = {0};
    for (uint32_t node = levels->spec.nparams; node < levels->plan.nodes; node++) {
        uint8_t flags = levels->plan.flags[node];
        room.up += flags & LEVEL_UP ? levels->bytes[node] : 0;
        room.down += flags & LEVEL_DOWN ? levels->bytes[node] : 0;
        room.all += flags & LEVEL_ON_DEVICE ? levels->bytes[node] : 0; /* those that come down need scratch */
    }
    return room;
}

/* Places of all arrays of a chunk. */
static void lay_out(Levels *levels, LevelDevice *d) {
    const LevelPlan *p = &levels->plan;
    size_t at = aligned(sizeof(LevelHead)), n = d->count, cells = 0;
    LevelHead *h = &d->head;
    *h = (LevelHead){.samples = d->count,
                     .core = battery_mode(levels->spec.battery) == MODE_CORE,
                     .uppermost = P_uppermost + 1};
    h->nodes = at;
    at = aligned(at + (p->n_list + p->n_judged) * sizeof(LevelNode));
    h->constants = at;
    at = aligned(at + p->n_constants * sizeof(LevelValue));
    for (uint32_t k = 0; k < p->n_constants; k++) {
        LevelValue form;
        Val v = battery_node(levels->spec.battery, p->constants[k]).constant;
        cells += level_form(v, &form) ? aligned(level_bytes(&form)) : 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        const LevelsSample *s = &levels->samples[d->first + k];
        cells += cells_of(&s->input) + cells_of(&s->expected);
    }
    at += cells; /* put_inputs fills them in this order */
    h->expected = at;
    h->values = aligned(at + n * sizeof(LevelValue));
    d->work = h->values + n * sizeof(LevelValue);
    h->status = aligned(h->values + p->n_slots * n * sizeof(LevelValue));
    h->verdicts = aligned(h->status + p->n_slots * n * sizeof(uint32_t));
    d->up = aligned(h->verdicts + p->n_judged * n);
    LevelRoom room = room_of(levels);
    d->up_end = aligned(d->up + n * room.up + LEVEL_MAX_BYTES);
    h->pool[1] = d->up_end;
    h->end[1] = h->pool[0] = aligned(h->pool[1] + n * room.down + LEVEL_MAX_BYTES);
    h->end[0] = aligned(h->pool[0] + n * room.all + LEVEL_MAX_BYTES);
    d->up_used = d->up_written = 0;
    d->kept_read = 0;
}

static unsigned char *put_image(const Image *image, LevelValue *value, const unsigned char *base,
                                unsigned char *at) {
    *value = (LevelValue){.form = LEVEL_FAIL, .a = LEVEL_LEFT};
    if (image->cells == NULL) {
        return at;
    }
    size_t bytes = (size_t)image->h * (size_t)image->w;
    memcpy(at, image->cells, bytes);
    if (image->h <= LEVEL_MAX_SIDE && image->w <= LEVEL_MAX_SIDE && bytes <= LEVEL_MAX_CELLS) {
        *value = (LevelValue){.form = LEVEL_GRID,
                              .h = (uint16_t)image->h,
                              .w = (uint16_t)image->w,
                              .at = (uint64_t)(at - base)};
    }
    return at + cells_of(image);
}

/* What goes up once: nodes, constants, inputs and expected outputs. */
static bool put_inputs(Levels *levels, LevelDevice *d, DeviceError *why) {
    const LevelPlan *p = &levels->plan;
    unsigned char *base = mem_zalloc(d->work, 1);
    if (base == NULL) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return false;
    }
    memcpy(base, &d->head, sizeof d->head);
    memcpy(base + d->head.nodes, p->list, (p->n_list + p->n_judged) * sizeof *p->list);
    LevelValue *constants = (LevelValue *)(void *)(base + d->head.constants);
    LevelValue *expected = (LevelValue *)(void *)(base + d->head.expected);
    LevelValue *inputs = (LevelValue *)(void *)(base + d->head.values);
    unsigned char *at = base + aligned(d->head.constants + p->n_constants * sizeof *constants);
    for (uint32_t k = 0; k < p->n_constants; k++) {
        Val v = battery_node(levels->spec.battery, p->constants[k]).constant;
        if (!level_form(v, &constants[k])) {
            constants[k] = (LevelValue){.form = LEVEL_FAIL, .a = LEVEL_LEFT};
            continue;
        }
        constants[k].at = (uint64_t)(at - base);
        level_write(v, &constants[k], at);
        at += aligned(level_bytes(&constants[k]));
    }
    for (uint32_t k = 0; k < d->count; k++) {
        const LevelsSample *s = &levels->samples[d->first + k];
        at = put_image(&s->input, &inputs[k], base, at);
        at = put_image(&s->expected, &expected[k], base, at);
    }
    bool good = device_write(d->device, d->memory, 0, base, d->work, why);
    mem_free(base);
    return good;
}

static bool grow(void *array, size_t bytes) { /* without keeping what was there */
    void **at = array;
    mem_free(*at);
    *at = mem_alloc(bytes > 0 ? bytes : 1);
    return *at != NULL;
}

static bool begin_chunk(Levels *levels, LevelDevice *d, DeviceError *why) {
    const LevelPlan *p = &levels->plan;
    lay_out(levels, d);
    size_t bytes = d->head.end[0];
    if (!grow(&d->down_values, p->n_down * (size_t)d->count * sizeof(LevelValue)) ||
        !grow(&d->up_values, p->n_up * (size_t)d->count * sizeof(LevelValue)) ||
        !grow(&d->kept, d->head.end[1] - d->head.pool[1]) || !grow(&d->ups, d->up_end - d->up) ||
        !grow(&d->verdicts, (size_t)p->n_judged * d->count) ||
        !grow(&d->status, (size_t)p->n_slots * d->count * sizeof *d->status)) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return false;
    }
    if (d->memory == NULL || d->bytes < bytes) {
        device_buffer_free(d->device, d->memory);
        d->memory = device_buffer(d->device, bytes, why);
        d->bytes = bytes;
    }
    return d->memory != NULL && put_inputs(levels, d, why);
}

/* ---- the devices' part of a round ---- */

static bool submit(LevelDevice *d, DeviceKernel *kernel, uint32_t first, uint32_t count, DeviceError *why) {
    uint64_t at = 0;
    const DeviceArg args[] = {{.buffer = d->memory},
                              {.value = &at, .bytes = sizeof at},
                              {.value = &first, .bytes = sizeof first},
                              {.value = &count, .bytes = sizeof count}};
    size_t groups = (d->count + d->lanes - 1) / d->lanes;
    return device_submit(d->device, kernel, args, 4, groups * count, d->lanes, why);
}

static bool launch_round(Levels *levels, LevelDevice *d, DeviceError *why) {
    const LevelRound *round = &levels->plan.rounds[levels->round];
    bool good = true;
    for (uint32_t k = 0; k < round->launches && good && d->count > 0; k++) {
        const LevelLaunch *launch = &levels->plan.launches[round->first_launch + k];
        good = submit(d, d->call, launch->first, launch->count, why);
    }
    return good;
}

/* What the host needs of this round: values that stand together, and the memory that was used for them. */
static bool fetch_round(Levels *levels, LevelDevice *d, DeviceError *why) {
    const LevelRound *round = &levels->plan.rounds[levels->round];
    size_t n = d->count;
    uint32_t used, room = (uint32_t)((d->head.end[1] - d->head.pool[1]) / 16), before = 0;
    if (n == 0 || !device_finish(d->device, why)) {
        return n == 0;
    }
    if (round->downs == 0) {
        return true;
    }
    for (uint32_t r = 0; r < levels->round; r++) {
        before += levels->plan.rounds[r].downs;
    }
    bool good =
        device_read(d->device, d->memory, offsetof(LevelHead, used) + sizeof used, &used, sizeof used, why);
    used = used < room ? used : room; /* beyond it: values that found none, and were left */
    size_t at = (size_t)d->kept_read * 16, bytes = used > d->kept_read ? (size_t)used * 16 - at : 0;
    good =
        good && device_read(d->device, d->memory, d->head.values + round->down_slot * n * sizeof(LevelValue),
                            d->down_values + before * n, round->downs * n * sizeof(LevelValue), why);
    good = good && device_read(d->device, d->memory, d->head.pool[1] + at, d->kept + at, bytes, why);
    d->kept_read = used > d->kept_read ? used : d->kept_read;
    return good;
}

/* Whether a value can be one: what it says of its size. */
static bool is_possible(const LevelValue *v) {
    if (v->form == LEVEL_FAIL) {
        return v->a > 0 && v->a < FAIL_REASONS && v->prim <= PRIM_COUNT + OWN_MAX;
    }
    uint32_t most = v->form == LEVEL_OBJECTS ? LEVEL_MAX_PLANE : LEVEL_MAX_CELLS;
    return v->form <= LEVEL_OBJECTS &&
           (level_bytes(v) == 0 ||
            (v->h > 0 && v->w > 0 && v->h <= LEVEL_MAX_SIDE && v->w <= LEVEL_MAX_SIDE &&
             (uint32_t)v->h * v->w <= most && v->n <= most && v->a > -(1 << 21) && v->a < 1 << 21 &&
             v->b > -(1 << 21) && v->b < 1 << 21));
}

/* Whether a value that came down is one, with its cells where values are kept. */
static bool is_sound(const LevelDevice *d, const LevelValue *v) {
    size_t bytes = is_possible(v) ? level_bytes(v) : 0;
    bool there = bytes == 0 || (v->at % 16 == 0 && v->at >= d->head.pool[1] && v->at <= d->head.end[1] &&
                                bytes <= d->head.end[1] - v->at);
    return is_possible(v) && there && (bytes == 0 || level_is_sound(v, d->kept + (v->at - d->head.pool[1])));
}

/* ---- the host's part ---- */

static void take_down(Levels *levels, LevelDevice *d, Ctx *ctx, uint32_t sample, BatteryRun *run) {
    const LevelRound *round = &levels->plan.rounds[levels->round];
    const LevelValue *from = d->down_values + (sample - d->first);
    for (uint32_t r = 0; r < levels->round; r++) {
        from += (size_t)levels->plan.rounds[r].downs * d->count;
    }
    for (uint32_t k = 0; k < round->downs; k++, from += d->count) {
        uint32_t node = levels->plan.node_of[round->down_slot + k];
        if (!is_sound(d, from)) {
            levels->bad = true;
            run->values[node] = val_fail(FAIL_MEMORY);
            continue;
        }
        size_t at = level_bytes(from) > 0 ? from->at - d->head.pool[1] : 0;
        run->values[node] = level_read(ctx, from, d->kept + at);
    }
}

static void put_up(Levels *levels, LevelDevice *d, uint32_t sample, const BatteryRun *run) {
    const LevelRound *round = &levels->plan.rounds[levels->round];
    for (uint32_t k = 0; k < round->ups; k++) {
        LevelValue *to = &d->up_values[(size_t)k * d->count + sample - d->first];
        Val v = run->values[levels->plan.node_of[round->up_slot + k]];
        bool good = level_form(v, to);
        size_t bytes = good ? (level_bytes(to) + 15) / 16 * 16 : 0;
        if (bytes > 0) {
            uint64_t at = atomic_fetch_add(&d->up_used, bytes);
            good = at + bytes <= d->up_end - d->up;
            if (good) {
                to->at = d->up + at;
                level_write(v, to, d->ups + at);
            }
        }
        if (!good) {
            *to = (LevelValue){.form = LEVEL_FAIL, .a = LEVEL_LEFT};
        }
    }
}

static void host_sample(Worker *worker, size_t item) {
    Levels *levels = worker->shared;
    uint32_t sample = (uint32_t)item;
    LevelDevice *d = device_of(levels, sample);
    const LevelRound *round = &levels->plan.rounds[levels->round];
    Ctx *ctx = &levels->ctxs[worker->index];
    BatteryRun run = run_of(levels, sample);
    ctx->stop = worker->ctx.stop;
    ctx_rebudget(ctx);
    if (levels->round == 0) {
        Val params[3];
        levels->spec.parameters(ctx, levels->samples[sample].user, levels->spec.nparams, params);
        battery_begin(levels->spec.battery, ctx, params, &run);
        levels->closures[sample] = 0;
    }
    ctx->closures = levels->closures[sample];
    take_down(levels, d, ctx, sample, &run);
    battery_run_nodes(levels->spec.battery, ctx, levels->plan.hosts + round->first_host, round->hosts, &run);
    levels->closures[sample] = ctx->closures;
    put_up(levels, d, sample, &run);
}

static bool send_round(Levels *levels, LevelDevice *d, DeviceError *why) {
    const LevelRound *round = &levels->plan.rounds[levels->round];
    size_t n = d->count, used = d->up_used < d->up_end - d->up ? d->up_used : d->up_end - d->up;
    if (round->ups == 0 || n == 0) {
        return true;
    }
    bool good = device_write(d->device, d->memory, d->head.values + round->up_slot * n * sizeof(LevelValue),
                             d->up_values, round->ups * n * sizeof(LevelValue), why) &&
                device_write(d->device, d->memory, d->up + d->up_written, d->ups + d->up_written,
                             used - d->up_written, why);
    d->up_written = used;
    return good;
}

/* ---- the end of a chunk ---- */

static bool judge(Levels *levels, LevelDevice *d, DeviceError *why) {
    const LevelPlan *p = &levels->plan;
    return d->count == 0 || ((p->n_judged == 0 || submit(d, d->judge, p->n_list, p->n_judged, why)) &&
                             device_finish(d->device, why) &&
                             device_read(d->device, d->memory, d->head.verdicts, d->verdicts,
                                         (size_t)p->n_judged * d->count, why) &&
                             device_read(d->device, d->memory, d->head.status, d->status,
                                         (size_t)p->n_slots * d->count * sizeof *d->status, why));
}

static bool is_left(const Levels *levels, const BatteryRun *run, uint32_t node) {
    return (levels->plan.flags[node] & LEVEL_CONST) == 0 && run->steps[node] >= LEFT;
}

/* In the counters that the pool's contexts keep. */
static void count_call(const Levels *levels, uint32_t prim, uint32_t status) {
    Ctx *ctx = &levels->spec.pool->workers[0].ctx;
    if (status >> 16 != 0) { /* else the call was not made */
        ctx->calls[prim]++;
        ctx->fails[prim] += (status & 15) != 0;
    }
}

/* Steps and failures of the devices' nodes, and what was left: because of the node itself if no operand was.
 */
static void take_status(Levels *levels, LevelDevice *d, uint32_t sample, BackendShare *share) {
    BatteryRun run = run_of(levels, sample);
    for (uint32_t node = levels->spec.nparams; node < levels->plan.nodes; node++) {
        uint8_t flags = levels->plan.flags[node];
        if (flags & LEVEL_ON_HOST) {
            bool hungry = val_failed(run.values[node]) && run.values[node].w == FAIL_MEMORY;
            share->host_calls += run.steps[node] > 0;
            run.steps[node] = hungry ? LEFT : run.steps[node];
        } else if (flags & LEVEL_ON_DEVICE) {
            uint32_t status = d->status[(size_t)levels->plan.slot[node] * d->count + sample - d->first];
            uint32_t reason = status & 15, prim = status >> 4 & 0xfff;
            bool left = reason == LEVEL_LEFT;
            run.steps[node] = left ? LEFT : status >> 16;
            run.values[node] =
                reason != 0 ? (Val){.kind = VAL_FAIL, .w = (uint16_t)reason, .n = prim} : val_int(0);
            share->device_calls += !left && status >> 16 != 0;
            d->calls += !left && status >> 16 != 0;
            levels->calls[node] += !left && status >> 16 != 0;
            count_call(levels, battery_node(levels->spec.battery, node).prim, status);
            if (left) {
                BatteryNode n = battery_node(levels->spec.battery, node);
                bool inherited = false;
                for (uint32_t k = 0; k < n.nargs; k++) {
                    inherited |= is_left(levels, &run, n.args[k]);
                }
                levels->lefts[node] += !inherited;
                share->left += !inherited;
            }
        }
    }
}

/* Nodes that devices leave too often go to the host. True: the plan is to be made anew. */
static bool demote(Levels *levels) {
    bool changed = false;
    for (uint32_t node = 0; node < levels->plan.nodes; node++) {
        if (levels->lefts[node] > 0 && levels->lefts[node] * 8 > levels->calls[node]) {
            levels->plan.op[node] = -1;
            changed = true;
        }
    }
    return changed;
}

/* ---- comparing ---- */

/* A value as it is on a device; false: the device failed, or it is none. */
static bool fetch_value(LevelDevice *d, uint32_t slot, uint32_t sample, LevelValue *value,
                        unsigned char *cells, size_t room, DeviceError *why) {
    uint64_t at = d->head.values + ((uint64_t)slot * d->count + sample - d->first) * sizeof *value;
    if (!device_read(d->device, d->memory, at, value, sizeof *value, why)) {
        return false;
    }
    size_t bytes = is_possible(value) ? level_bytes(value) : 0;
    bool there = is_possible(value) && bytes <= room &&
                 (bytes == 0 || (value->at <= d->bytes && bytes <= d->bytes - value->at));
    if (there && bytes > 0 && !device_read(d->device, d->memory, value->at, cells, bytes, why)) {
        return false;
    }
    if (!there || !level_is_sound(value, cells)) {
        *why = (DeviceError){.fault = DEVICE_WRONG, .text = "a value that cannot be one"};
        return false;
    }
    return true;
}

/* Whether the devices' nodes of a sample have the values and steps that they have on the processor. */
static bool compare_sample(Levels *levels, LevelDevice *d, uint32_t sample, DeviceError *why) {
    const LevelPlan *p = &levels->plan;
    Ctx *ctx = &levels->ctxs[0];
    CtxMark mark = ctx_mark(ctx);
    BatteryRun plain = {.values = mem_array(p->nodes, sizeof *plain.values),
                        .steps = mem_array(p->nodes, sizeof *plain.steps)};
    unsigned char *cells = mem_alloc(LEVEL_MAX_BYTES);
    bool good = plain.values != NULL && plain.steps != NULL && cells != NULL;
    BatteryRun run = run_of(levels, sample);
    Val params[3];
    if (good) {
        ctx_rebudget(ctx);
        levels->spec.parameters(ctx, levels->samples[sample].user, levels->spec.nparams, params);
        battery_begin(levels->spec.battery, ctx, params, &plain);
        battery_run(levels->spec.battery, ctx, params, &plain);
        ctx_rebudget(ctx);
    } else {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
    }
    for (uint32_t node = levels->spec.nparams; node < p->nodes && good; node++) {
        LevelValue value;
        if (!(p->flags[node] & LEVEL_ON_DEVICE) || run.steps[node] >= LEFT ||
            (val_failed(plain.values[node]) && plain.values[node].w >= FAIL_STEPS)) {
            continue;
        }
        good = fetch_value(d, p->slot[node], sample, &value, cells, LEVEL_MAX_BYTES, why);
        Val v = good ? level_read(ctx, &value, cells) : val_int(0), other = plain.values[node];
        bool same = val_failed(v) ? val_failed(other) && v.w == other.w && v.n == other.n
                                  : !val_failed(other) && val_eq(v, other);
        bool same_steps = run.steps[node] == plain.steps[node];
        uint32_t judged = p->judged[node];
        bool same_verdict =
            judged == LEVELS_NONE || d->verdicts[(size_t)judged * d->count + sample - d->first] ==
                                         level_verdict(other, &levels->samples[sample].expected);
        bool all_same = same && same_steps && same_verdict;
        if (good && levels->spec.compare != NULL) {
            levels->spec.compare(levels->spec.user, battery_node(levels->spec.battery, node).prim, all_same);
        } else if (good && !all_same) {
            why->fault = DEVICE_WRONG;
            snprintf(why->text, sizeof why->text, "%s does not give the CPU's %s",
                     prim_table[battery_node(levels->spec.battery, node).prim].name,
                     !same         ? "value"
                     : !same_steps ? "steps"
                                   : "verdict");
            good = false;
        }
    }
    ctx_release(ctx, mark);
    mem_free(plain.values);
    mem_free(plain.steps);
    mem_free(cells);
    return good;
}

static bool compare(Levels *levels) {
    uint32_t compared = levels->spec.compared;
    DeviceError why = {0};
    for (unsigned k = 0; k < levels->n_devices; k++) {
        LevelDevice *d = &levels->devices[k];
        for (uint32_t s = 0; s < d->count && s < compared; s++) {
            bool good = compare_sample(
                levels, d,
                d->first + (compared < d->count ? (uint32_t)((uint64_t)s * d->count / compared) : s), &why);
            backend_note_checked(levels->spec.backend, why.fault != DEVICE_WRONG);
            if (!good) {
                return fault(levels, d, &why);
            }
        }
    }
    levels->checked = true;
    return true;
}

/* ---- a chunk ---- */

static bool reserve_chunk(Levels *levels, uint32_t n) {
    size_t nodes = levels->plan.nodes;
    return grow(&levels->values, n * nodes * sizeof *levels->values) &&
           grow(&levels->steps, n * nodes * sizeof *levels->steps) &&
           grow(&levels->closures, n * sizeof *levels->closures);
}

typedef bool DeviceStep(Levels *levels, LevelDevice *d, DeviceError *why);

static bool on_devices(Levels *levels, DeviceStep *step) {
    bool good = true;
    for (unsigned k = 0; k < levels->n_devices && good; k++) {
        DeviceError why = {0};
        good = step(levels, &levels->devices[k], &why) || fault(levels, &levels->devices[k], &why);
    }
    return good;
}

static bool run_rounds(Levels *levels, const Stop *stop) {
    bool good = on_devices(levels, begin_chunk);
    for (levels->round = 0; levels->round < levels->plan.n_rounds && good; levels->round++) {
        const LevelRound *round = &levels->plan.rounds[levels->round];
        good = on_devices(levels, launch_round) && on_devices(levels, fetch_round);
        if (good && (levels->round == 0 || round->downs + round->hosts + round->ups > 0)) {
            pool_run(levels->spec.pool, levels->n, host_sample, levels, stop);
            good = !stop_is_requested(stop) && on_devices(levels, send_round);
        }
        if (levels->bad) {
            DeviceError why = {.fault = DEVICE_WRONG, .text = "a value that cannot be one"};
            good = fault(levels, &levels->devices[0], &why);
        }
    }
    return good && on_devices(levels, judge);
}

bool levels_run(Levels *levels, const LevelsSample *samples, uint32_t n, const Stop *stop) {
    BackendShare share = {.samples = n};
    uint64_t begin = clock_now_ns();
    if (levels->n > 0 && demote(levels) &&
        !level_plan_make(&levels->plan, levels->spec.battery, levels->spec.nparams)) {
        return false;
    }
    levels->samples = samples;
    levels->n = n;
    for (unsigned k = 0; k < levels->n_devices; k++) {
        LevelDevice *d = &levels->devices[k];
        d->first = (uint32_t)((uint64_t)n * k / levels->n_devices);
        d->count = (uint32_t)((uint64_t)n * (k + 1) / levels->n_devices) - d->first;
    }
    for (unsigned k = 0; k < levels->n_ctxs; k++) {
        ctx_reset(&levels->ctxs[k]);
    }
    memset(levels->lefts, 0, levels->plan.nodes * sizeof *levels->lefts);
    memset(levels->calls, 0, levels->plan.nodes * sizeof *levels->calls);
    if (!reserve_chunk(levels, n) || !run_rounds(levels, stop)) {
        return false;
    }
    for (uint32_t s = 0; s < n; s++) {
        take_status(levels, device_of(levels, s), s, &share);
    }
    if (!levels->checked && !compare(levels)) {
        return false;
    }
    share.nodes = battery_stats(levels->spec.battery).calls_after;
    share.device_nodes = levels->plan.n_list;
    share.rounds = levels->plan.n_rounds;
    uint64_t ns = clock_now_ns() - begin;
    levels->chunk_ns = (double)ns / (n > 0 ? n : 1);
    backend_note_levels(levels->spec.backend, &share, ns);
    return true;
}

bool levels_pays(const Levels *levels, char *why, size_t room) {
    bool pays = levels->chunk_ns <= levels->probe_ns;
    *why = '\0';
    if (levels->spec.backend->mode != BACKEND_AUTO) {
        return true;
    }
    snprintf(why, room, "auto: %s: %.0f us for a sample with devices, %.0f us on the CPU alone",
             pays ? "a device is faster" : "the CPU alone is faster", levels->chunk_ns * 1e-3,
             levels->probe_ns * 1e-3);
    return pays;
}

/* ---- answers ---- */

LevelsAnswer levels_answer(const Levels *levels, uint32_t sample, int program) {
    BatteryRun run = run_of(levels, sample);
    uint32_t node = battery_result(levels->spec.battery, program);
    LevelsAnswer answer = {.verdict = -1};
    answer.value = battery_answer(levels->spec.battery, &levels->ctxs[0], &run, program, &answer.steps);
    answer.left = answer.steps >= LEFT;
    if (!answer.left && !val_failed(answer.value) && levels->plan.judged[node] != LEVELS_NONE) {
        const LevelDevice *d = device_of((Levels *)(uintptr_t)levels, sample);
        answer.verdict = d->verdicts[(size_t)levels->plan.judged[node] * d->count + sample - d->first];
    }
    return answer;
}

bool levels_grid(Levels *levels, uint32_t sample, int program, Image *image, int8_t *cells) {
    LevelDevice *d = device_of(levels, sample);
    uint32_t slot = levels->plan.slot[battery_result(levels->spec.battery, program)];
    LevelValue value;
    DeviceError why = {0};
    pthread_mutex_lock(&d->lock);
    bool good = fetch_value(d, slot, sample, &value, (unsigned char *)cells, LEVELS_MAX_CELLS, &why);
    pthread_mutex_unlock(&d->lock);
    if (good && value.form == LEVEL_GRID) {
        *image = (Image){value.h, value.w, cells};
    }
    return good || fault(levels, d, &why);
}

/* ---- opening ---- */

static bool open_device(Levels *levels, unsigned queue, DeviceError *why) {
    LevelDevice *d = &levels->devices[levels->n_devices];
    char options[32];
    d->queue = queue;
    d->device = device_open(levels->spec.backend->devices, levels->spec.backend->queues[queue].which, why);
    if (d->device == NULL) {
        return false;
    }
    levels->n_devices++;
    pthread_mutex_init(&d->lock, NULL);
    const DeviceInfo *info = d->device->info;
    d->lanes = levels->spec.backend->lanes != 0 ? levels->spec.backend->lanes : info->cpu ? 16 : 64;
    d->lanes = d->lanes < info->max_work_group ? d->lanes : (uint32_t)info->max_work_group;
    snprintf(options, sizeof options, "-DLANES=%u", d->lanes);
    const char *sources[] = {kernel_source(KERNEL_COMMON), kernel_source(KERNEL_LEVELS)};
    d->program = device_program(d->device, sources, 2, options, why);
    d->call = d->program != NULL ? device_kernel(d->device, d->program, "levels_call", why) : NULL;
    d->judge = d->call != NULL ? device_kernel(d->device, d->program, "levels_judge", why) : NULL;
    return d->judge != NULL;
}

/* Some samples on the processor: which nodes have operands with forms, and how much memory a sample takes. */
static bool probe(Levels *levels, size_t *host_bytes) {
    const LevelsSpec *spec = &levels->spec;
    const Battery *b = spec->battery;
    BatteryRun run = run_of(levels, 0);
    Ctx *ctx = &levels->ctxs[0];
    uint64_t begin = clock_now_ns();
    for (uint32_t s = 0; s < spec->n_probes; s++) {
        Val params[3];
        LevelValue form;
        ctx_reset(ctx);
        spec->parameters(ctx, spec->probes[s].user, spec->nparams, params);
        battery_run(b, ctx, params, &run);
        size_t used = ctx_bytes_used(ctx);
        *host_bytes = used > *host_bytes ? used : *host_bytes;
        for (uint32_t node = spec->nparams; node < levels->plan.nodes; node++) {
            BatteryNode n = battery_node(b, node);
            bool formed = n.needed && !n.once && level_form(run.values[node], &form);
            levels->bytes[node] += formed ? (uint32_t)level_bytes(&form) : 0;
            for (uint32_t k = 0; k < n.nargs && levels->plan.op[node] >= 0; k++) {
                bool fits =
                    level_form(run.values[n.args[k]], &form) && level_takes(levels->plan.op[node], k, &form);
                levels->plan.op[node] = fits ? levels->plan.op[node] : -1;
            }
        }
    }
    unsigned threads = spec->pool->count - spec->pool->spares.count;
    levels->probe_ns = (double)(clock_now_ns() - begin) / (spec->n_probes > 0 ? spec->n_probes : 1) / threads;
    for (uint32_t node = 0; node < levels->plan.nodes; node++) {
        levels->bytes[node] = spec->n_probes > 0 ? levels->bytes[node] * 3 / 2 / spec->n_probes + 96 : 512;
    }
    return true;
}

bool levels_can_do(uint32_t prim) {
    return level_op_of(prim) >= 0;
}

static void choose_ops(Levels *levels) {
    for (uint32_t node = 0; node < levels->plan.nodes; node++) {
        BatteryNode n = battery_node(levels->spec.battery, node);
        bool able = n.kind == OP_PRIM && n.needed && !n.once && n.nargs > 0 && n.nargs == prim_arity[n.prim];
        int op = able ? level_op_of(n.prim) : -1;
        levels->plan.op[node] = (int16_t)op;
    }
}

/* As many samples as the host's arenas and the devices' memory have room for. */
static void choose_chunk(Levels *levels, size_t host_bytes) {
    const double device_room = 512e6, host_room = 512e6;
    LevelRoom of_values = room_of(levels);
    double each = (double)(of_values.up + of_values.down + of_values.all) +
                  (sizeof(LevelValue) + 4.0) * levels->plan.n_slots + 4096;
    double room = device_room;
    for (unsigned k = 0; k < levels->n_devices; k++) {
        double most = (double)levels->devices[k].device->info->max_alloc;
        room = most < room ? most : room;
    }
    double n = room / each * levels->n_devices,
           arenas = (double)levels->spec.budget.bytes * 0.5 * levels->spec.pool->count;
    double host = arenas / (double)(host_bytes + 1);
    double arrays = host_room / (levels->plan.nodes * (sizeof(Val) + 8.0));
    n = host < n ? host : n;
    n = arrays < n ? arrays : n;
    levels->chunk = n < 1 ? 1 : n > 4096 ? 4096 : (uint32_t)n;
}

static bool open_all(Levels *levels, DeviceError *why) {
    const LevelsSpec *spec = &levels->spec;
    size_t host_bytes = 0;
    *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
    levels->plan.nodes = battery_nodes(spec->battery);
    levels->plan.op = mem_array(levels->plan.nodes, sizeof *levels->plan.op);
    levels->bytes = mem_zalloc(levels->plan.nodes, sizeof *levels->bytes);
    levels->lefts = mem_array(levels->plan.nodes, sizeof *levels->lefts);
    levels->calls = mem_array(levels->plan.nodes, sizeof *levels->calls);
    levels->ctxs = mem_zalloc(spec->pool->count, sizeof *levels->ctxs);
    if (levels->plan.op == NULL || levels->bytes == NULL || levels->lefts == NULL || levels->calls == NULL ||
        levels->ctxs == NULL || !reserve_chunk(levels, 1)) {
        return false;
    }
    for (; levels->n_ctxs < spec->pool->count; levels->n_ctxs++) {
        if (!prim_open(&levels->ctxs[levels->n_ctxs], battery_mode(spec->battery), false, &spec->budget)) {
            return false;
        }
    }
    choose_ops(levels);
    if (!probe(levels, &host_bytes) || !level_plan_make(&levels->plan, spec->battery, spec->nparams)) {
        return false;
    }
    if (levels->plan.n_list == 0) {
        *why = (DeviceError){.fault = DEVICE_FINE, .text = "no call of the battery has a form on devices"};
        return false;
    }
    for (unsigned k = 0; k < backend_queue_count(spec->backend); k++) {
        if (!open_device(levels, k, why)) {
            backend_note_fault(spec->backend, k, BACKEND_BATTERY, why);
            return false;
        }
    }
    choose_chunk(levels, host_bytes);
    return true;
}

Levels *levels_open(const LevelsSpec *spec, DeviceError *why) {
    Levels *levels = mem_zalloc(1, sizeof *levels);
    if (levels == NULL) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return NULL;
    }
    levels->spec = *spec;
    if (spec->budget.steps < LEVEL_MAX_STEPS) {
        snprintf(why->text, sizeof why->text, "with fewer than %d steps for a call, the CPU makes all",
                 LEVEL_MAX_STEPS);
        why->fault = DEVICE_FINE;
    } else if (open_all(levels, why)) {
        return levels;
    }
    levels_close(levels);
    return NULL;
}

uint32_t levels_chunk(const Levels *levels) {
    return levels->chunk;
}

static void close_device(Levels *levels, LevelDevice *d) {
    backend_note_device(levels->spec.backend, d->queue, d->calls, &d->device->counters);
    device_kernel_free(d->device, d->judge);
    device_kernel_free(d->device, d->call);
    device_program_free(d->device, d->program);
    device_buffer_free(d->device, d->memory);
    device_close(d->device);
    mem_free(d->down_values);
    mem_free(d->up_values);
    mem_free(d->kept);
    mem_free(d->ups);
    mem_free(d->verdicts);
    mem_free(d->status);
    pthread_mutex_destroy(&d->lock);
}

void levels_close(Levels *levels) {
    if (levels == NULL) {
        return;
    }
    for (unsigned k = 0; k < levels->n_devices; k++) {
        close_device(levels, &levels->devices[k]);
    }
    for (unsigned k = 0; k < levels->n_ctxs; k++) {
        for (uint32_t prim = 0; prim < PRIM_COUNT; prim++) {
            levels->spec.pool->workers[0].ctx.calls[prim] += levels->ctxs[k].calls[prim];
            levels->spec.pool->workers[0].ctx.fails[prim] += levels->ctxs[k].fails[prim];
        }
        prim_close(&levels->ctxs[k]);
    }
    level_plan_free(&levels->plan);
    mem_free(levels->ctxs);
    mem_free(levels->values);
    mem_free(levels->steps);
    mem_free(levels->closures);
    mem_free(levels->bytes);
    mem_free(levels->lefts);
    mem_free(levels->calls);
    mem_free(levels);
}
