/* The heads: from the stream to logits and scores, and back (template: see engine.h). */
#ifndef BATT_SEARCH_NET_HEADS_H
#define BATT_SEARCH_NET_HEADS_H

#include "search/net/loss.h"
#include "search/net/meter.h"
#include "search/net/norm.h"

#define HEAD_BIAS R(100) /* a bias counts this often, and so learns faster */

static NetHeads heads_of(const NetRun *run, size_t e, bool gradient) {
    const NetShape *shape = &run->mem->shape;
    const NetOutput *o = &run->out;
    return (NetHeads){(gradient ? o->g_logits : o->logits) + e * run->mem->outputs,
                      (gradient ? o->g_rows : o->rows) + e * 2 * shape->rows,
                      (gradient ? o->g_columns : o->columns) + e * 2 * shape->columns};
}

/* Two outputs of a cell: x w, w being [16, 2]. */
KERNEL void head_dot(const Real *x, const Real *w, Real *to) {
    to[0] = to[1] = 0;
    for (size_t k = 0; k < 16; k++) {
        to[0] += x[k] * w[2 * k];
        to[1] += x[k] * w[2 * k + 1];
    }
}

static void scores_fill(const NetRun *run, NetTensorId t, size_t e, double *to, size_t frame, size_t inside,
                        Scratch *s) {
    const NetMemory *mem = run->mem;
    const Real *x = buffer(run, BUFFER_X, t, NET_BLOCKS, e), *w = weight(run, mem->mask_w);
    const Real *b = weight(run, mem->mask_b);
    for (size_t k = 0; k < frame; k++) {
        Real out[2];
        norm_apply(KIND_CELLS, 16, &run->norms[NET_BLOCKS - 1][NORM_END][t], x + k * 16, s->x, 1);
        head_dot(s->x, w, out);
        for (size_t o = 0; o < 2; o++) {
            to[o * frame + k] = (double)(out[o] + b[o]) - (k < inside ? 0 : 1000);
        }
    }
}

static void heads_fill(const NetRun *run, size_t e, Scratch *s) {
    const NetMemory *mem = run->mem;
    const NetShape *shape = &mem->shape;
    NetHeads heads = heads_of(run, e, false);
    size_t plane = (size_t)shape->rows * shape->columns, grid = (shape->colors + (size_t)1) * plane;
    const Real *x = buffer(run, BUFFER_X, NET_ECXY, NET_BLOCKS, e), *w = weight(run, mem->head_w);
    const Real *b = weight(run, mem->head_b);
    memset(heads.logits, 0, plane * sizeof *heads.logits); /* black */
    memset(heads.logits + grid, 0, plane * sizeof *heads.logits);
    for (size_t k = 0; k < shape->colors * plane; k++) {
        Real out[2];
        norm_apply(KIND_CELLS, 16, &run->norms[NET_BLOCKS - 1][NORM_END][NET_ECXY], x + k * 16, s->x, 1);
        head_dot(s->x, w, out);
        for (size_t o = 0; o < 2; o++) {
            heads.logits[o * grid + plane + k] = (double)(out[o] + HEAD_BIAS * b[o]);
        }
    }
    const NetSize *size = shape->examples[e].size;
    scores_fill(run, NET_EX, e, heads.rows, shape->rows, size[0].h > size[1].h ? size[0].h : size[1].h, s);
    scores_fill(run, NET_EY, e, heads.columns, shape->columns, size[0].w > size[1].w ? size[0].w : size[1].w,
                s);
}

/* From gradients of the two outputs of all cells, apart by `grid`, to that of the stream; sums for its norm;
 * and the gradients of w and b. */
static void head_back(const NetRun *run, NetTensorId t, size_t e, const double *from, size_t grid,
                      size_t at_w, size_t at_b, Real bias, Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    const Real *x = buffer(run, BUFFER_X, t, NET_BLOCKS, e), *w = weight(run, at_w);
    Real *g = buffer(run, BUFFER_G, t, 0, e);
    Real *of_w = weight_gradient(run, e, at_w), *of_b = weight_gradient(run, e, at_b);
    double sum_w[16][2] = {{0}}, sum_b[2] = {0};
    Adding adding;
    adding_begin(KIND_CELLS, 16, &adding);
    for (size_t i = 0; i < p->cells; i++) {
        norm_apply(KIND_CELLS, 16, &run->norms[NET_BLOCKS - 1][NORM_END][t], x + i * 16, s->x, 1);
        Real a = (Real)from[i], b = (Real)from[grid + i];
        for (size_t k = 0; k < 16; k++) {
            g[i * 16 + k] = a * w[2 * k] + b * w[2 * k + 1];
            sum_w[k][0] += from[i] * (double)s->x[k];
            sum_w[k][1] += from[grid + i] * (double)s->x[k];
        }
        sum_b[0] += from[i];
        sum_b[1] += from[grid + i];
        adding_products(KIND_CELLS, 16, &adding, g + i * 16, s->x, 1);
    }
    adding_end(KIND_CELLS, 16, &adding, sums_of(run, t, e));
    for (size_t o = 0; o < 2; o++) {
        for (size_t k = 0; k < 16; k++) {
            of_w[2 * k + o] += (Real)sum_w[k][o];
        }
        of_b[o] += bias * (Real)sum_b[o];
    }
}

static void phase_heads(NetRun *run, size_t e, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    const NetMemory *mem = run->mem;
    const NetShape *shape = &mem->shape;
    meter_move(run, thread, NET_LAYER_LOSS);
    heads_fill(run, e, s);
    NetHeads heads = heads_of(run, e, false), gradients = heads_of(run, e, true);
    run->item_rec[e] = net_loss(shape, run->step, e, &heads, &gradients, s->loss);
    meter_move(run, thread, NET_LAYER_WAIT);
}

static void phase_heads_back(NetRun *run, size_t e, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    const NetMemory *mem = run->mem;
    const NetShape *shape = &mem->shape;
    meter_move(run, thread, NET_LAYER_LOSS);
    NetHeads g = heads_of(run, e, true);
    size_t plane = (size_t)shape->rows * shape->columns;
    head_back(run, NET_ECXY, e, g.logits + plane, (shape->colors + (size_t)1) * plane, mem->head_w,
              mem->head_b, HEAD_BIAS, s);
    head_back(run, NET_EX, e, g.rows, shape->rows, mem->mask_w, mem->mask_b, 1, s);
    head_back(run, NET_EY, e, g.columns, shape->columns, mem->mask_w, mem->mask_b, 1, s);
    meter_move(run, thread, NET_LAYER_WAIT);
}

#endif
