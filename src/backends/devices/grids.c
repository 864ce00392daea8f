/* Plans steps of batched grids: sizes, offsets, orders; see grids.h. */
#include "backends/devices/grids.h"

#include "backends/devices/grids_internal.h"
#include "base/alloc.h"
#include "base/check.h"

#include <string.h>

const GridOpRow grid_ops[GRID_OPS] = {
#define GRID_OP(id, grids, numbers, text) {text, grids, numbers},
#include "backends/devices/grid_ops.def"
#undef GRID_OP
};

/* ---- the input ---- */

bool grids_put(GridsInput *in, const Image *images, uint32_t count) {
    size_t bytes = 0;
    *in = (GridsInput){.count = count};
    for (uint32_t k = 0; k < count; k++) {
        bytes += (size_t)images[k].h * (size_t)images[k].w;
    }
    in->cells = mem_alloc(bytes);
    in->images = mem_array(count, sizeof *in->images);
    in->fits = mem_zalloc(count, sizeof *in->fits);
    if (in->cells == NULL || in->images == NULL || in->fits == NULL) {
        grids_drop(NULL, in);
        return false;
    }
    int8_t *to = in->cells;
    for (uint32_t k = 0; k < count; k++) {
        size_t n = (size_t)images[k].h * (size_t)images[k].w;
        bool fits = n > 0 && n <= GRIDS_MAX_CELLS;
        if (n > 0) {
            memcpy(to, images[k].cells, n);
        }
        for (size_t c = 0; c < n; c++) {
            fits &= (uint8_t)to[c] < 10;
        }
        in->images[k] = (Image){images[k].h, images[k].w, to};
        in->fits[k] = fits;
        to += n;
    }
    in->block = (BackendBlock){.bytes = in->cells, .size = bytes > 0 ? bytes : 1};
    return true;
}

void grids_drop(Backend *backend, GridsInput *in) {
    backend_drop_block(backend, &in->block);
    mem_free(in->cells);
    mem_free(in->images);
    mem_free(in->fits);
    *in = (GridsInput){0};
}

/* ---- one order ---- */

typedef struct Operand {
    uint64_t at;
    int32_t h, w;
} Operand;

static bool is_color(int32_t n) {
    return n >= 0 && n < 10;
}

/* A rectangle, or all of it, walked from a corner. */
static bool set_walk(GridOrder *o, int32_t h, int32_t w, int32_t base, int32_t down, int32_t along) {
    o->what = DO_WALK;
    o->base = base;
    o->down = down;
    o->along = along;
    o->h = (uint32_t)h;
    o->w = (uint32_t)w;
    return h > 0 && w > 0;
}

static bool set_crop(GridOrder *o, const Operand *a, int32_t i, int32_t j, int32_t h, int32_t w) {
    return i >= 0 && j >= 0 && i <= a->h && j <= a->w && h <= a->h - i && w <= a->w - j &&
           set_walk(o, h, w, i * a->w + j, a->w, 1);
}

static bool set_blocks(GridOrder *o, const Operand *a, int32_t down, int32_t right) {
    o->what = DO_BLOCKS;
    o->n[0] = down;
    o->n[1] = right;
    if (down < 1 || right < 1 || down > GRIDS_MAX_CELLS || right > GRIDS_MAX_CELLS) {
        return false;
    }
    o->h = (uint32_t)(a->h * down);
    o->w = (uint32_t)(a->w * right);
    return true;
}

static bool set_two(GridOrder *o, GridDo what, int32_t h, int32_t w, int32_t n0, int32_t n1) {
    o->what = what;
    o->h = (uint32_t)h;
    o->w = (uint32_t)w;
    o->n[0] = n0;
    o->n[1] = n1;
    return h > 0 && w > 0;
}

static bool set_colored(GridOrder *o, const GridStep *s, const Operand *a, GridDo what) {
    return is_color(s->n[0]) && is_color(s->n[1]) && set_two(o, what, a->h, a->w, s->n[0], s->n[1]);
}

/* Says what to do for a step; false: that is left to the caller. */
static bool set_order(GridOrder *o, const GridStep *s, const Operand *a, const Operand *b) {
    int32_t h = a->h, w = a->w, cells = h * w;
    switch ((GridOp)s->op) {
    case GRID_ROT90:
        return set_walk(o, w, h, (h - 1) * w, 1, -w);
    case GRID_ROT180:
        return set_walk(o, h, w, cells - 1, -w, -1);
    case GRID_ROT270:
        return set_walk(o, w, h, w - 1, -1, w);
    case GRID_HMIRROR:
        return set_walk(o, h, w, (h - 1) * w, -w, 1);
    case GRID_VMIRROR:
        return set_walk(o, h, w, w - 1, w, -1);
    case GRID_DMIRROR:
        return set_walk(o, w, h, 0, 1, w);
    case GRID_CMIRROR:
        return set_walk(o, w, h, cells - 1, -1, -w);
    case GRID_TOPHALF:
        return set_crop(o, a, 0, 0, h / 2, w);
    case GRID_BOTTOMHALF:
        return set_crop(o, a, h / 2 + h % 2, 0, h / 2, w);
    case GRID_LEFTHALF:
        return set_crop(o, a, 0, 0, h, w / 2);
    case GRID_RIGHTHALF:
        return set_crop(o, a, 0, w / 2 + w % 2, h, w / 2);
    case GRID_TRIM:
        return set_crop(o, a, 1, 1, h - 2, w - 2);
    case GRID_CROP:
        return set_crop(o, a, s->n[0], s->n[1], s->n[2], s->n[3]);
    case GRID_REPLACE:
        return set_colored(o, s, a, DO_REPLACE);
    case GRID_SWITCH:
        return set_colored(o, s, a, DO_SWITCH);
    case GRID_UPSCALE:
        return set_blocks(o, a, s->n[0], s->n[0]);
    case GRID_HUPSCALE:
        return set_blocks(o, a, 1, s->n[0]);
    case GRID_VUPSCALE:
        return set_blocks(o, a, s->n[0], 1);
    case GRID_DOWNSCALE: {
        int32_t f = s->n[0] > 0 && s->n[0] <= GRIDS_MAX_CELLS ? s->n[0] : 0;
        return f > 0 && set_walk(o, (h + f - 1) / f, (w + f - 1) / f, 0, f * w, f);
    }
    case GRID_HCONCAT:
        return set_two(o, DO_HJOIN, h < b->h ? h : b->h, w + b->w, 0, 0);
    case GRID_VCONCAT:
        return w == b->w && set_two(o, DO_VJOIN, h + b->h, w, 0, 0);
    case GRID_CELLWISE:
        return h <= b->h && w <= b->w && is_color(s->n[0]) && set_two(o, DO_CELLWISE, h, w, s->n[0], 0);
    default:
        return false;
    }
}

/* ---- all of them ---- */

typedef struct Planner {
    GridsRun *run;
    uint8_t *level; /* by step: 1 and up */
    GridOrder *orders;
    uint32_t count;
} Planner;

static Operand operand_of(const GridsRun *run, int32_t step, uint32_t grid) {
    if (step == GRID_INPUT) {
        const Image *image = &run->input->images[grid];
        uint64_t at = (uint64_t)(image->cells - run->input->cells);
        return (Operand){run->input->fits[grid] ? PLACE(SPACE_INPUT, at) : GRIDS_LEFT, image->h, image->w};
    }
    const GridsPlace *place = &run->places[(size_t)step * run->input->count + grid];
    return (Operand){place->at, place->h, place->w};
}

static uint64_t take(size_t *used, size_t bytes, unsigned space) {
    uint64_t at = *used;
    *used += (bytes + 7) / 8 * 8;
    return PLACE(space, at);
}

/* The order for a step and a grid, and the place of its result. */
static void plan_one(Planner *p, uint32_t step, uint32_t grid) {
    GridsRun *run = p->run;
    const GridStep *s = &run->steps[step];
    GridsPlace *place = &run->places[(size_t)step * run->input->count + grid];
    bool two = grid_ops[s->op].grids == 2;
    Operand a = operand_of(run, s->a, grid), b = two ? operand_of(run, s->b, grid) : a;
    GridOrder *o = &p->orders[p->count];
    *o = (GridOrder){.a = a.at,
                     .b = b.at,
                     .a_h = (uint32_t)a.h,
                     .a_w = (uint32_t)a.w,
                     .b_h = (uint32_t)b.h,
                     .b_w = (uint32_t)b.w};
    *place = (GridsPlace){.at = GRIDS_LEFT};
    if (a.at == GRIDS_LEFT || b.at == GRIDS_LEFT || p->level[step] == 0 || !set_order(o, s, &a, &b) ||
        (uint64_t)o->h * o->w > GRIDS_MAX_CELLS) {
        return;
    }
    size_t cells = (size_t)o->h * o->w;
    place->h = (uint16_t)o->h;
    place->w = (uint16_t)o->w;
    place->at =
        s->keep ? take(&run->result_bytes, cells, SPACE_RESULT) : take(&run->room_bytes, cells, SPACE_ROOM);
    o->out = place->at;
    run->work += cells;
    p->count++;
}

/* Orders stand level by level; steps come after those they need, but not in the order of levels. */
static void set_levels(Planner *p) {
    for (uint32_t k = 0; k < p->run->n_steps; k++) {
        const GridStep *s = &p->run->steps[k];
        unsigned a = s->a == GRID_INPUT ? 0 : p->level[s->a];
        unsigned b = grid_ops[s->op].grids < 2 || s->b == GRID_INPUT ? 0 : p->level[s->b];
        bool known =
            (s->a == GRID_INPUT || a > 0) && (grid_ops[s->op].grids < 2 || s->b == GRID_INPUT || b > 0);
        unsigned level = (a > b ? a : b) + 1;
        ASSERT(s->op < GRID_OPS && s->a < (int32_t)k && s->b < (int32_t)k, "step %u of %u, %u", k, s->a,
               s->b);
        p->level[k] = known && level <= GRIDS_MAX_LEVELS ? (uint8_t)level : 0;
    }
}

static void plan_level(Planner *p, unsigned level) {
    for (uint32_t step = 0; step < p->run->n_steps; step++) {
        for (uint32_t grid = 0; p->level[step] == level && grid < p->run->input->count; grid++) {
            plan_one(p, step, grid);
        }
    }
}

bool grids_plan(GridsRun *run, const GridStep *steps, uint32_t count, GridsInput *input) {
    size_t max = (size_t)count * input->count;
    *run = (GridsRun){.steps = steps, .n_steps = count, .input = input};
    Planner p = {.run = run};
    run->places = mem_array(max, sizeof *run->places);
    run->args = mem_zalloc(1, sizeof(GridsHead) + max * sizeof(GridOrder));
    p.level = mem_zalloc(count, 1);
    bool good = run->places != NULL && run->args != NULL && p.level != NULL;
    if (good) {
        GridsHead *head = (GridsHead *)(void *)run->args;
        p.orders = (GridOrder *)(void *)(run->args + sizeof *head);
        set_levels(&p);
        plan_level(&p, 0); /* steps that are too deep are left */
        for (unsigned stage = 0; stage < GRIDS_MAX_LEVELS; stage++) {
            plan_level(&p, stage + 1);
            head->starts[stage + 1] = p.count;
            run->stages = head->starts[stage] < p.count ? stage + 1 : run->stages;
        }
        run->orders = p.count;
        run->arg_bytes = sizeof *head + p.count * sizeof(GridOrder);
        run->result = mem_alloc(run->result_bytes);
        run->room = mem_alloc(run->room_bytes);
        good = run->result != NULL && run->room != NULL;
    }
    mem_free(p.level);
    if (!good) {
        grids_free(run);
    }
    return good;
}

void grids_free(GridsRun *run) {
    mem_free(run->places);
    mem_free(run->args);
    mem_free(run->result);
    mem_free(run->room);
    *run = (GridsRun){0};
}

/* ---- as an operation ---- */

static unsigned stages(const BackendJob *job) {
    return job->numbers[GRIDS_STAGES];
}

static uint32_t groups(const BackendJob *job, unsigned stage) {
    const GridsHead *head = job->args;
    return head->starts[stage + 1] - head->starts[stage];
}

static const BackendOp grids_op = {.id = BACKEND_GRIDS,
                                   .source = KERNEL_GRIDS,
                                   .kernels = {"grids_cells"},
                                   .n_kernels = 1,
                                   .lanes = 64,
                                   .cpu = grids_cpu,
                                   .stages = stages,
                                   .groups = groups};

void grids_job(const GridsRun *run, BackendJob *job) {
    *job = (BackendJob){.op = &grids_op,
                        .blocks = {&run->input->block},
                        .args = run->args,
                        .arg_bytes = run->arg_bytes,
                        .result = run->result,
                        .result_bytes = run->result_bytes,
                        .scratch_bytes = run->room_bytes,
                        .room = run->room,
                        .numbers = {run->stages, run->orders},
                        .work = run->work,
                        .items = run->orders};
}

bool grids_run(Backend *backend, Ctx *ctx, GridsRun *run, uint64_t *waited) {
    BackendJob job;
    grids_job(run, &job);
    bool good = run->orders == 0 || backend_run(backend, ctx, &job);
    backend_add_waited(&job, waited);
    return good;
}

const int8_t *grids_cells(const GridsRun *run, uint32_t step, uint32_t grid, uint32_t *h, uint32_t *w) {
    const GridsPlace *place = &run->places[(size_t)step * run->input->count + grid];
    bool there = place->at != GRIDS_LEFT && run->steps[step].keep;
    *h = place->h;
    *w = place->w;
    return there ? (const int8_t *)run->result + PLACE_AT(place->at) : NULL;
}
