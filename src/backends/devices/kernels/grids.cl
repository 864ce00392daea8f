/* Batched grids: a work-group carries out one order; src/backends/devices/grids_internal.h says what they mean.
 *
 * block 0: the grids. args: where the orders of each level start, then the orders. */
enum { WALK, BLOCKS, REPLACE, SWITCH, HJOIN, VJOIN, CELLWISE };
enum { STARTS = 50 };

typedef struct Order {
    ulong a, b, out;
    uint what, h, w, a_h, a_w, b_h, b_w;
    int base, down, along, n[2];
} Order;

/* Goes over all cells (i, j) of h x w, k being their number. */
#if LANES > 1
#define CELLS(h, w)                                  \
    for (uint k = LANE; k < (h) * (w); k += LANES) { \
        uint i = k / (w), j = k % (w);
#define CELLS_END }
#else
#define CELLS(h, w)                               \
    for (uint i = 0, k = 0; i < (h); i++) {       \
        for (uint j = 0; j < (w); j++, k++) {
#define CELLS_END \
    }             \
    }
#endif

/* What needs no meeting of lanes. */
static void make_cells(GLOBAL const Order *o, GLOBAL const CELL *a, GLOBAL const CELL *b, GLOBAL CELL *out) {
    uint h = o->h, w = o->w;
    CELL n0 = (CELL)o->n[0], n1 = (CELL)o->n[1];
    switch (o->what) {
    case WALK: {
        int base = o->base, down = o->down, along = o->along;
#if LANES == 1
        if (along == 1) { /* rows, which compilers know how to copy */
            for (uint i = 0; i < h; i++) {
                for (uint j = 0; j < w; j++) {
                    out[i * w + j] = a[base + (int)i * down + (int)j];
                }
            }
            break;
        }
#endif
        CELLS(h, w)
            out[k] = a[base + (int)i * down + (int)j * along];
        CELLS_END
        break;
    }
    case BLOCKS: {
        uint down = (uint)o->n[0], right = (uint)o->n[1], a_w = o->a_w;
#if LANES == 1
        for (uint i = 0; i < o->a_h; i++) {
            for (uint d = 0; d < down; d++) {
                for (uint j = 0; j < a_w; j++) {
                    CELL c = a[i * a_w + j];
                    for (uint r = 0; r < right; r++) {
                        *out++ = c;
                    }
                }
            }
        }
#else
        CELLS(h, w)
            out[k] = a[i / down * a_w + j / right];
        CELLS_END
#endif
        break;
    }
    case REPLACE:
        for (uint k = LANE; k < h * w; k += LANES) {
            out[k] = a[k] == n0 ? n1 : a[k];
        }
        break;
    case SWITCH:
        for (uint k = LANE; k < h * w; k += LANES) {
            out[k] = a[k] == n0 ? n1 : a[k] == n1 ? n0 : a[k];
        }
        break;
    case HJOIN: {
        uint a_w = o->a_w, b_w = o->b_w;
#if LANES == 1
        for (uint i = 0; i < h; i++, out += w) {
            for (uint j = 0; j < a_w; j++) {
                out[j] = a[i * a_w + j];
            }
            for (uint j = 0; j < b_w; j++) {
                out[a_w + j] = b[i * b_w + j];
            }
        }
#else
        CELLS(h, w)
            out[k] = j < a_w ? a[i * a_w + j] : b[i * b_w + j - a_w];
        CELLS_END
#endif
        break;
    }
    case VJOIN: {
        uint above = o->a_h * o->a_w;
        for (uint k = LANE; k < above; k += LANES) {
            out[k] = a[k];
        }
        for (uint k = LANE; k < h * w - above; k += LANES) {
            out[above + k] = b[k];
        }
        break;
    }
    default: { /* CELLWISE */
        uint b_w = o->b_w;
        CELLS(h, w)
            out[k] = a[k] == b[i * b_w + j] ? a[k] : n0;
        CELLS_END
        break;
    }
    }
}

static GLOBAL const Order *order_of(GLOBAL const uchar *mem, GLOBAL const Job *job, uint stage) {
    GLOBAL const uint *starts = (GLOBAL const uint *)(mem + job->args);
    return (GLOBAL const Order *)(starts + STARTS) + starts[stage] + (GROUP - job->first);
}

static ulong place_of(GLOBAL const Job *job, ulong place) {
    ulong at = place & (((ulong)1 << 60) - 1), space = place >> 60;
    return at + (space == 0 ? job->block[0] : space == 1 ? job->scratch : job->result);
}

KERNEL void grids_cells(GLOBAL uchar *mem, ulong table, uint jobs, uint stage) {
    GLOBAL const Job *job = job_of(mem, table, jobs, GROUP);
    GLOBAL const Order *o = order_of(mem, job, stage);
    GLOBAL const CELL *a = (GLOBAL const CELL *)(mem + place_of(job, o->a));
    GLOBAL const CELL *b = (GLOBAL const CELL *)(mem + place_of(job, o->b));
    GLOBAL uchar *out = mem + place_of(job, o->out);
    make_cells(o, a, b, (GLOBAL CELL *)out);
    for (uint k = o->h * o->w + LANE; k < (o->h * o->w + 7) / 8 * 8; k += LANES) { /* results are compared whole */
        out[k] = 0;
    }
}
