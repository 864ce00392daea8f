/* Turns nodes of a battery into steps of batched grids; see batch.h. */
#include "backends/devices/batch.h"

#include "base/alloc.h"
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"

#include <string.h>

/* How a primitive's arguments after its grids become the numbers of a step. */
typedef enum Numbers { PLAIN, PAIRS } Numbers;

static const struct Match {
    uint16_t prim;
    uint8_t op, numbers;
} MATCHES[] = {
    {P_rot90, GRID_ROT90, PLAIN},
    {P_rot180, GRID_ROT180, PLAIN},
    {P_rot270, GRID_ROT270, PLAIN},
    {P_hmirror, GRID_HMIRROR, PLAIN},
    {P_hmirror_t, GRID_HMIRROR, PLAIN},
    {P_vmirror, GRID_VMIRROR, PLAIN},
    {P_vmirror_t, GRID_VMIRROR, PLAIN},
    {P_dmirror, GRID_DMIRROR, PLAIN},
    {P_dmirror_t, GRID_DMIRROR, PLAIN},
    {P_cmirror, GRID_CMIRROR, PLAIN},
    {P_cmirror_t, GRID_CMIRROR, PLAIN},
    {P_tophalf, GRID_TOPHALF, PLAIN},
    {P_bottomhalf, GRID_BOTTOMHALF, PLAIN},
    {P_lefthalf, GRID_LEFTHALF, PLAIN},
    {P_righthalf, GRID_RIGHTHALF, PLAIN},
    {P_trim, GRID_TRIM, PLAIN},
    {P_crop, GRID_CROP, PAIRS},
    {P_replace, GRID_REPLACE, PLAIN},
    {P_switch, GRID_SWITCH, PLAIN},
    {P_upscale, GRID_UPSCALE, PLAIN},
    {P_upscale_t, GRID_UPSCALE, PLAIN},
    {P_hupscale, GRID_HUPSCALE, PLAIN},
    {P_vupscale, GRID_VUPSCALE, PLAIN},
    {P_downscale, GRID_DOWNSCALE, PLAIN},
    {P_hconcat, GRID_HCONCAT, PLAIN},
    {P_vconcat, GRID_VCONCAT, PLAIN},
    {P_cellwise, GRID_CELLWISE, PLAIN},
};

struct Batch {
    GridStep *steps;
    uint32_t *node_of; /* by step */
    int32_t *step_of;  /* by node: -1 none */
    uint32_t count, nodes;
};

static const struct Match *match_of(uint32_t prim) {
    for (size_t k = 0; k < sizeof MATCHES / sizeof *MATCHES; k++) {
        if (MATCHES[k].prim == prim) {
            return &MATCHES[k];
        }
    }
    return NULL;
}

/* ---- which nodes ---- */

static bool read_int(Val v, int32_t *to) {
    *to = (int32_t)v.i;
    return val_is_int(v) && v.i == *to;
}

static bool read_numbers(const Battery *b, const BatteryNode *node, const struct Match *m, GridStep *step) {
    uint32_t grids = grid_ops[m->op].grids;
    Val constants[4] = {0};
    if (node->nargs > 4) {
        return false;
    }
    for (uint32_t k = grids; k < node->nargs; k++) {
        BatteryNode from = battery_node(b, node->args[k]);
        if (from.kind != BATTERY_CONST || val_failed(from.constant)) {
            return false;
        }
        constants[k - grids] = from.constant;
    }
    if (m->numbers == PAIRS) {
        int64_t n[4];
        bool good = tuple_two_ints(constants[0], &n[0], &n[1]) == FAIL_NONE &&
                    tuple_two_ints(constants[1], &n[2], &n[3]) == FAIL_NONE;
        for (int k = 0; k < 4 && good; k++) {
            step->n[k] = (int32_t)n[k];
            good = step->n[k] == n[k];
        }
        return good;
    }
    for (uint32_t k = 0; k < grid_ops[m->op].numbers; k++) {
        if (!read_int(constants[k], &step->n[k])) {
            return false;
        }
    }
    return true;
}

static bool read_step(const Batch *batch, const Battery *b, uint32_t input, uint32_t k, GridStep *step) {
    BatteryNode node = battery_node(b, k);
    const struct Match *m = node.kind == OP_PRIM && node.needed ? match_of(node.prim) : NULL;
    if (m == NULL || node.nargs != prim_arity[node.prim]) {
        return false;
    }
    int32_t from[2] = {GRID_INPUT, GRID_INPUT};
    for (uint32_t x = 0; x < grid_ops[m->op].grids; x++) {
        from[x] = node.args[x] == input ? GRID_INPUT : batch->step_of[node.args[x]];
        if (from[x] < 0 && node.args[x] != input) {
            return false;
        }
    }
    *step = (GridStep){.op = m->op, .keep = true, .a = from[0], .b = from[1]};
    return read_numbers(b, &node, m, step);
}

Batch *batch_open(const Battery *battery, uint32_t input) {
    Batch *batch = mem_zalloc(1, sizeof *batch);
    if (batch == NULL) {
        return NULL;
    }
    batch->nodes = battery_nodes(battery);
    batch->steps = mem_array(batch->nodes, sizeof *batch->steps);
    batch->node_of = mem_array(batch->nodes, sizeof *batch->node_of);
    batch->step_of = mem_array(batch->nodes, sizeof *batch->step_of);
    bool good = batch->steps != NULL && batch->node_of != NULL && batch->step_of != NULL;
    for (uint32_t k = 0; k < batch->nodes && good; k++) {
        bool is = read_step(batch, battery, input, k, &batch->steps[batch->count]);
        batch->step_of[k] = is ? (int32_t)batch->count : -1;
        batch->node_of[batch->count] = k;
        batch->count += is;
    }
    if (!good || batch->count == 0) {
        batch_free(batch);
        return NULL;
    }
    return batch;
}

void batch_free(Batch *batch) {
    if (batch != NULL) {
        mem_free(batch->steps);
        mem_free(batch->node_of);
        mem_free(batch->step_of);
        mem_free(batch);
    }
}

uint32_t batch_nodes(const Batch *batch) {
    return batch != NULL ? batch->count : 0;
}

/* ---- values ---- */

/* Whether the call would give a part of its argument's memory instead of new memory. */
static bool shares(const GridStep *s, uint32_t from_w, uint32_t w) {
    return s->op == GRID_TOPHALF || s->op == GRID_BOTTOMHALF ||
           ((s->op == GRID_CROP || s->op == GRID_TRIM) && from_w == w);
}

static bool cuts_columns(const GridStep *s) {
    return s->op == GRID_CROP || s->op == GRID_TRIM || s->op == GRID_LEFTHALF || s->op == GRID_RIGHTHALF;
}

/* The width of the grid that a step started from. */
static uint32_t source_width(const BatchRun *r, const GridStep *s) {
    uint32_t h, w;
    if (s->a == GRID_INPUT) {
        return (uint32_t)r->input.images[r->sample].w;
    }
    (void)grids_cells(&r->run, (uint32_t)s->a, r->sample, &h, &w);
    return w;
}

/* The value of a node, charged like its call; false: it has to be called. */
static bool take_value(void *user, Ctx *ctx, uint32_t node, Val *to) {
    const BatchRun *r = user;
    int32_t step = node < r->batch->nodes ? r->batch->step_of[node] : -1;
    const GridStep *s = step >= 0 ? &r->batch->steps[step] : NULL;
    uint32_t h, w;
    const int8_t *cells = s != NULL ? grids_cells(&r->run, (uint32_t)step, r->sample, &h, &w) : NULL;
    if (cells == NULL) {
        return false;
    }
    if (!ctx_charge(ctx, 1)) {
        *to = val_fail((Reason)ctx->exhausted);
        return true;
    }
    Reason why;
    if (!shares(s, source_width(r, s), w) &&
        (grid_buffer(ctx, h, w, &why) == NULL || (cuts_columns(s) && !ctx_charge(ctx, h / 32)))) {
        *to = val_fail_budget(ctx);
        return true;
    }
    *to = val_grid8(cells, h, w); /* in the run's memory, which outlives the pass */
    return true;
}

bool batch_run(BatchRun *r, const Batch *batch, Backend *backend, Ctx *ctx, const Image *inputs, uint32_t n,
               uint64_t *waited) {
    *r = (BatchRun){.batch = batch};
    r->ready = (BatteryReady){r, take_value};
    if (!grids_put(&r->input, inputs, n)) {
        return false;
    }
    if (!grids_plan(&r->run, batch->steps, batch->count, &r->input)) {
        grids_drop(backend, &r->input);
        return false;
    }
    return grids_run(backend, ctx, &r->run, waited);
}

const BatteryReady *batch_ready(BatchRun *r, uint32_t sample) {
    r->sample = sample;
    r->ready.user = r;
    return &r->ready;
}

void batch_run_free(BatchRun *r, Backend *backend) {
    grids_free(&r->run);
    grids_drop(backend, &r->input);
}
