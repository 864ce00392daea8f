/* Batched grids: a work-group carries out one order; src/backends/devices/grids_internal.h says what they mean. After parts.cl.
 *
 * block 0: the grids. args: where the orders of each level start, then the orders. */
enum { WALK, BLOCKS, REPLACE, SWITCH, HJOIN, VJOIN, CELLWISE, FILL, NEIGHBORS, CONNECT, PARTS, PARTITION };
enum { STARTS = 98 };

typedef struct Order {
    ulong a, b, out;
    uint what, h, w, a_h, a_w, b_h, b_w;
    int base, down, along, n[3];
    uint pad;
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

static int has(GLOBAL const Order *o, GLOBAL const CELL *b, int i, int j) {
    return (uint)i < o->b_h && (uint)j < o->b_w && b[(uint)i * o->b_w + (uint)j] == o->n[1];
}

static int sees(GLOBAL const Order *o, GLOBAL const CELL *b, int i, int j, int di, int dj) {
    for (i += di, j += dj; (uint)i < o->b_h && (uint)j < o->b_w; i += di, j += dj) {
        if (b[(uint)i * o->b_w + (uint)j] == o->n[1]) {
            return 1;
        }
    }
    return 0;
}

static int between(GLOBAL const Order *o, GLOBAL const CELL *b, int i, int j) {
    if ((uint)i >= o->b_h || (uint)j >= o->b_w) {
        return 0;
    }
    return has(o, b, i, j) || (sees(o, b, i, j, 0, 1) && sees(o, b, i, j, 0, -1)) ||
           (sees(o, b, i, j, 1, 0) && sees(o, b, i, j, -1, 0)) || (sees(o, b, i, j, 1, 1) && sees(o, b, i, j, -1, -1)) ||
           (sees(o, b, i, j, 1, -1) && sees(o, b, i, j, -1, 1));
}

static int beside(GLOBAL const Order *o, GLOBAL const CELL *b, int i, int j) {
    int direct = has(o, b, i - 1, j) || has(o, b, i + 1, j) || has(o, b, i, j - 1) || has(o, b, i, j + 1);
    int diagonal = has(o, b, i - 1, j - 1) || has(o, b, i - 1, j + 1) || has(o, b, i + 1, j - 1) || has(o, b, i + 1, j + 1);
    return (direct && o->n[2] & 1) || (diagonal && o->n[2] & 2);
}

/* What needs no meeting of lanes. */
static void make_cells(GLOBAL const Order *o, GLOBAL const CELL *a, GLOBAL const CELL *b, int background, GLOBAL CELL *out) {
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
    case CELLWISE: {
        uint b_w = o->b_w;
        CELLS(h, w)
            out[k] = a[k] == b[i * b_w + j] ? a[k] : n0;
        CELLS_END
        break;
    }
    case FILL: {
        uint b_h = o->b_h, b_w = o->b_w;
        CELLS(h, w)
            int inside = i < b_h && j < b_w && (background < 0 || a[k] == background);
            out[k] = inside && b[i * b_w + j] == n1 ? n0 : a[k];
        CELLS_END
        break;
    }
    case NEIGHBORS:
        CELLS(h, w)
            out[k] = beside(o, b, (int)i, (int)j) ? n0 : a[k];
        CELLS_END
        break;
    default: /* CONNECT */
        CELLS(h, w)
            out[k] = between(o, b, (int)i, (int)j) ? n0 : a[k];
        CELLS_END
        break;
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

/* Results are compared whole: what lies between them is 0. */
static void end_result(GLOBAL uchar *out, uint bytes) {
    for (uint k = bytes + LANE; k < (bytes + 7) / 8 * 8; k += LANES) {
        out[k] = 0;
    }
}

KERNEL void grids_cells(GLOBAL uchar *mem, ulong table, uint jobs, uint stage) {
    GLOBAL const Job *job = job_of(mem, table, jobs, GROUP);
    GLOBAL const Order *o = order_of(mem, job, stage);
    GLOBAL const CELL *a = (GLOBAL const CELL *)(mem + place_of(job, o->a));
    GLOBAL const CELL *b = (GLOBAL const CELL *)(mem + place_of(job, o->b));
    GLOBAL uchar *out = mem + place_of(job, o->out);
    int background = o->what == FILL && o->n[2] ? most_frequent(a, o->h * o->w) : -1;
    make_cells(o, a, b, background, (GLOBAL CELL *)out);
    end_result(out, o->h * o->w);
}

KERNEL void grids_parts(GLOBAL uchar *mem, ulong table, uint jobs, uint stage) {
    SHARED uint first[10], sums[LANES];
    GLOBAL const Job *job = job_of(mem, table, jobs, GROUP);
    GLOBAL const Order *o = order_of(mem, job, stage);
    GLOBAL const CELL *a = (GLOBAL const CELL *)(mem + place_of(job, o->a));
    GLOBAL uchar *out = mem + place_of(job, o->out);
    find_parts(a, o->h, o->w, (uint)o->n[0], o->what == PARTITION, (GLOBAL uint *)(mem + place_of(job, o->b)),
               (GLOBAL ushort *)out, first, sums);
    end_result(out, 2 + 14 * o->h * o->w);
}
