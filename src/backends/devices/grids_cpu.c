/* Executes orders on the CPU; see grids_internal.h. */
#include "backends/devices/grids_internal.h"

#include <string.h>

static void walk(const GridOrder *o, const int8_t *a, int8_t *out) {
    const int8_t *from = a + o->base;
    for (uint32_t i = 0; i < o->h; i++, from += o->down, out += o->w) {
        if (o->along == 1) {
            memcpy(out, from, o->w);
        } else if (o->along == -1) {
            for (uint32_t j = 0; j < o->w; j++) {
                out[j] = from[-(int32_t)j];
            }
        } else {
            const int8_t *at = from;
            for (uint32_t j = 0; j < o->w; j++, at += o->along) {
                out[j] = *at;
            }
        }
    }
}

static void blocks(const GridOrder *o, const int8_t *a, int8_t *out) {
    uint32_t down = (uint32_t)o->n[0], right = (uint32_t)o->n[1];
    for (uint32_t i = 0; i < o->a_h; i++, a += o->a_w) {
        int8_t *row = out;
        for (uint32_t j = 0; j < o->a_w; j++) {
            memset(row + (size_t)j * right, a[j], right);
        }
        out += o->w;
        for (uint32_t k = 1; k < down; k++, out += o->w) {
            memcpy(out, row, o->w);
        }
    }
}

static void recolor(const GridOrder *o, const int8_t *a, int8_t *out) {
    int8_t from = (int8_t)o->n[0], to = (int8_t)o->n[1];
    bool both = o->what == DO_SWITCH;
    for (uint32_t k = 0, n = o->h * o->w; k < n; k++) {
        int8_t c = a[k];
        out[k] = c == from ? to : both && c == to ? from : c;
    }
}

static void join(const GridOrder *o, const int8_t *a, const int8_t *b, int8_t *out) {
    if (o->what == DO_VJOIN) {
        memcpy(out, a, (size_t)o->a_h * o->a_w);
        memcpy(out + (size_t)o->a_h * o->a_w, b, (size_t)o->b_h * o->b_w);
        return;
    }
    for (uint32_t i = 0; i < o->h; i++, out += o->w, a += o->a_w, b += o->b_w) {
        memcpy(out, a, o->a_w);
        memcpy(out + o->a_w, b, o->b_w);
    }
}

static void cellwise(const GridOrder *o, const int8_t *a, const int8_t *b, int8_t *out) {
    for (uint32_t i = 0; i < o->h; i++, out += o->w, a += o->w, b += o->b_w) {
        for (uint32_t j = 0; j < o->w; j++) {
            out[j] = a[j] == b[j] ? a[j] : (int8_t)o->n[0];
        }
    }
}

static void carry_out(const GridOrder *o, unsigned char *const spaces[]) {
    const int8_t *a = (const int8_t *)spaces[o->a >> 60] + PLACE_AT(o->a);
    const int8_t *b = (const int8_t *)spaces[o->b >> 60] + PLACE_AT(o->b);
    int8_t *out = (int8_t *)spaces[o->out >> 60] + PLACE_AT(o->out);
    switch ((GridDo)o->what) {
    case DO_WALK:
        walk(o, a, out);
        break;
    case DO_BLOCKS:
        blocks(o, a, out);
        break;
    case DO_REPLACE:
    case DO_SWITCH:
        recolor(o, a, out);
        break;
    case DO_HJOIN:
    case DO_VJOIN:
        join(o, a, b, out);
        break;
    case DO_CELLWISE:
        cellwise(o, a, b, out);
        break;
    }
    for (size_t k = (size_t)o->h * o->w; k % 8 != 0; k++) { /* results are compared whole */
        out[k] = 0;
    }
}

void grids_cpu(const BackendJob *job) {
    unsigned char *const spaces[] = {(unsigned char *)(uintptr_t)job->blocks[0]->bytes, job->room,
                                     job->result};
    const GridOrder *orders = (const GridOrder *)(const void *)((const char *)job->args + sizeof(GridsHead));
    for (uint32_t k = 0; k < job->numbers[GRIDS_ORDERS]; k++) {
        carry_out(&orders[k], spaces);
    }
}
