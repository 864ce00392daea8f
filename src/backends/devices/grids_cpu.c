/* Executes orders on the CPU; see grids_internal.h. */
#include "backends/devices/grids_internal.h"

#include <string.h>

/* ---- cells ---- */

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

static int8_t most_frequent(const int8_t *cells, uint32_t n) { /* of equals the smallest */
    uint32_t count[10] = {0};
    int8_t best = 0;
    for (uint32_t k = 0; k < n; k++) {
        count[cells[k]]++;
    }
    for (int8_t c = 1; c < 10; c++) {
        best = count[c] > count[best] ? c : best;
    }
    return best;
}

static void fill(const GridOrder *o, const int8_t *a, const int8_t *b, int8_t *out) {
    uint32_t h = o->h < o->b_h ? o->h : o->b_h, w = o->w < o->b_w ? o->w : o->b_w;
    int8_t color = (int8_t)o->n[1], value = (int8_t)o->n[0];
    int8_t background = o->n[2] ? most_frequent(a, o->h * o->w) : -1;
    memcpy(out, a, (size_t)o->h * o->w);
    for (uint32_t i = 0; i < h; i++) {
        for (uint32_t j = 0; j < w; j++) {
            int8_t *to = &out[i * o->w + j];
            *to = b[i * o->b_w + j] == color && (background < 0 || *to == background) ? value : *to;
        }
    }
}

static bool has(const GridOrder *o, const int8_t *b, int32_t i, int32_t j) {
    return (uint32_t)i < o->b_h && (uint32_t)j < o->b_w && b[(uint32_t)i * o->b_w + (uint32_t)j] == o->n[1];
}

static void neighbors(const GridOrder *o, const int8_t *a, const int8_t *b, int8_t *out) {
    for (int32_t i = 0; i < (int32_t)o->h; i++) {
        for (int32_t j = 0; j < (int32_t)o->w; j++, a++, out++) {
            bool direct =
                has(o, b, i - 1, j) || has(o, b, i + 1, j) || has(o, b, i, j - 1) || has(o, b, i, j + 1);
            bool diagonal = has(o, b, i - 1, j - 1) || has(o, b, i - 1, j + 1) || has(o, b, i + 1, j - 1) ||
                            has(o, b, i + 1, j + 1);
            *out = (direct && o->n[2] & 1) || (diagonal && o->n[2] & 2) ? (int8_t)o->n[0] : *a;
        }
    }
}

/* Whether there is a cell of the color in a direction, the cell itself not counted. */
static bool sees(const GridOrder *o, const int8_t *b, int32_t i, int32_t j, int32_t di, int32_t dj) {
    for (i += di, j += dj; (uint32_t)i < o->b_h && (uint32_t)j < o->b_w; i += di, j += dj) {
        if (b[(uint32_t)i * o->b_w + (uint32_t)j] == o->n[1]) {
            return true;
        }
    }
    return false;
}

static void connect(const GridOrder *o, const int8_t *a, const int8_t *b, int8_t *out) {
    static const int8_t ways[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (int32_t i = 0; i < (int32_t)o->h; i++) {
        for (int32_t j = 0; j < (int32_t)o->w; j++, a++, out++) {
            bool between = has(o, b, i, j);
            for (int k = 0; k < 4 && !between && (uint32_t)i < o->b_h && (uint32_t)j < o->b_w; k++) {
                between =
                    sees(o, b, i, j, ways[k][0], ways[k][1]) && sees(o, b, i, j, -ways[k][0], -ways[k][1]);
            }
            *out = between ? (int8_t)o->n[0] : *a;
        }
    }
}

/* ---- parts ---- */

enum { NOWHERE = 0xffffffffu };

static uint32_t root_of(uint32_t *parent, uint32_t k) {
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

/* The earlier root stays one, so that a part is known by its first cell. */
static void tie(uint32_t *parent, uint32_t a, uint32_t b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}

static void tie_neighbors(const GridOrder *o, const int8_t *a, bool univalued, bool diagonal,
                          uint32_t *parent) {
    uint32_t w = o->w, k = 0;
    for (uint32_t i = 0; i < o->h; i++) {
        for (uint32_t j = 0; j < w; j++, k++) {
            if (parent[k] == NOWHERE) {
                continue;
            }
#define TIE(n)                                                              \
    if (parent[k - (n)] != NOWHERE && (!univalued || a[k] == a[k - (n)])) { \
        tie(parent, k, k - (n));                                            \
    }
            if (j > 0) {
                TIE(1)
            }
            if (i > 0) {
                TIE(w)
            }
            if (i > 0 && diagonal && j > 0) {
                TIE(w + 1)
            }
            if (i > 0 && diagonal && j + 1 < w) {
                TIE(w - 1)
            }
#undef TIE
        }
    }
}

static void parts(const GridOrder *o, const int8_t *a, uint32_t *parent, uint16_t *out) {
    uint32_t n = o->h * o->w, count = 0, first[10];
    int8_t background = o->n[0] & 4 ? most_frequent(a, n) : -1;
    uint16_t *labels = out + 1;
    GridPart *part = (GridPart *)(void *)(labels + n);
    for (uint32_t k = 0; k < n; k++) {
        parent[k] = a[k] == background ? NOWHERE : k;
    }
    if (o->what == DO_PARTS) {
        tie_neighbors(o, a, o->n[0] & 1, o->n[0] & 2, parent);
    } else {
        memset(first, 0xff, sizeof first);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t *at = &first[a[k]];
            *at = *at == NOWHERE ? k : *at;
            parent[k] = parent[k] == NOWHERE ? NOWHERE : *at;
        }
    }
    memset(part, 0, n * sizeof *part);
    for (uint32_t i = 0, k = 0; i < o->h; i++) {
        for (uint32_t j = 0; j < o->w; j++, k++) {
            labels[k] = 0;
            if (parent[k] == NOWHERE) {
                continue;
            }
            uint32_t root = root_of(parent, k); /* an earlier cell, which has its label */
            if (root == k) {
                part[count] = (GridPart){.top = (uint16_t)i, .left = (uint16_t)j, .right = (uint16_t)j};
                labels[k] = (uint16_t)++count;
            }
            labels[k] = labels[root];
            GridPart *p = &part[labels[k] - 1];
            p->size++;
            p->colors |= (uint16_t)(1u << a[k]);
            p->left = j < p->left ? (uint16_t)j : p->left;
            p->right = j > p->right ? (uint16_t)j : p->right;
            p->bottom = (uint16_t)i;
        }
    }
    out[0] = (uint16_t)count;
}

/* ---- orders ---- */

static void carry_out(const GridOrder *o, unsigned char *const spaces[]) {
    const int8_t *a = (const int8_t *)spaces[o->a >> 60] + PLACE_AT(o->a);
    const int8_t *b = (const int8_t *)spaces[o->b >> 60] + PLACE_AT(o->b);
    unsigned char *to = spaces[o->out >> 60] + PLACE_AT(o->out);
    int8_t *out = (int8_t *)to;
    size_t cells = (size_t)o->h * o->w, bytes = o->what >= DO_PARTS ? parts_bytes(cells) : cells;
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
    case DO_FILL:
        fill(o, a, b, out);
        break;
    case DO_NEIGHBORS:
        neighbors(o, a, b, out);
        break;
    case DO_CONNECT:
        connect(o, a, b, out);
        break;
    case DO_PARTS:
    case DO_PARTITION:
        parts(o, a, (uint32_t *)(void *)(uintptr_t)b, (uint16_t *)(void *)to);
        break;
    }
    for (size_t k = bytes; k % 8 != 0; k++) { /* results are compared whole */
        to[k] = 0;
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
