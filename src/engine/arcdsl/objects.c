/* objects: the connected components of a grid.
 *
 * Cells are compared with their previous neighbours 64 at a time, which gives strings of bits: where a run of
 * linked cells starts and ends, and where a row has to be joined to the row above. A union-find over the
 * runs, always keeping the earlier one as the root, then numbers the components in reading order of their
 * first cells.
 *
 * Keys are written run by run in reading order, which is their order if a component has one color, or in batt
 * mode. In core mode the keys of a component ascend by color first, so cells of several colors are put in
 * that order beforehand. Either way components and keys come out ascending, and nothing has to be sorted. */
#include "engine/arcdsl/objects.h"

#include "engine/arcdsl/bits.h"
#include "engine/arcdsl/colors.h"
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"
#include "engine/value/bit_positions.h"

enum { ON_STACK = 1024 };   /* up to this many cells, the scratch space is on the stack */
enum { NO_COLOR = 0x7fff }; /* as background: there is no background */

typedef struct ObjectsWork {
    const int8_t *cells;
    uint32_t h, w, n;
    int32_t bg;
    bool core;
    /* one bit per cell: the first and the last cell of a run, and cells to be joined with their upper, upper
     * left and upper right neighbours */
    uint64_t *start, *end, *up, *up_left, *up_right;
    uint32_t *before;               /* number of runs that start before a word */
    uint32_t runs, *first, *length; /* number of runs, their first places and their lengths */
    /* per run: an earlier run of its component or itself; in the end the number of its component */
    uint32_t *component;
    uint32_t components, *next; /* number of components; where the next key of each one goes */
    uint32_t *order;            /* the components, ordered by color */
    uint64_t weight;            /* of all components together */
    int8_t *color;              /* of each component */
} ObjectsWork;

/* Bytes of scratch space for n cells in rows of w. */
#define SCRATCH(n, w)                                                                                \
    (((n) / 64 + 2) * (5 * sizeof(uint64_t) + sizeof(uint32_t)) + (n) * (5 * sizeof(uint32_t) + 2) + \
     (1 + BIT_POSITIONS_SPARE) * sizeof(uint32_t) + (w) + 65)

/* ---- runs ---- */

/* Classes of cells; equal ones link. They are the colors or, if a component may have several colors, 1 for
 * all of them and 0 for the background. `to` has room for w + 1 more cells before and 64 after. */
static void classes(const ObjectsWork *work, bool univalued, int8_t *to) {
    memset(to - work->w - 1, 0, work->w + 1);
    memset(to + work->n, 0, 64);
    if (univalued) {
        memcpy(to, work->cells, work->n);
    } else {
        for (uint32_t p = 0; p < work->n; p++) {
            to[p] = work->cells[p] != work->bg;
        }
    }
}

static inline void find_links(const ObjectsWork *work, const int8_t *class, int32_t bg, bool diagonal) {
    uint32_t w = work->w, next_first = 0; /* next place that is in the first column */
    uint32_t k = 0;
    for (uint32_t p = 0; p < work->n; p += 64, k++) {
        const int8_t *at = class + p;
        uint64_t cell = work->n - p >= 64 ? ~(uint64_t)0 : ~(~(uint64_t)0 << (work->n - p)), first = 0;
        for (; next_first < p + 64; next_first += w) {
            first |= (uint64_t)1 << (next_first - p);
        }
        uint64_t last = first >> 1 | (uint64_t)(next_first == p + 64) << 63;
        cell &= bg == NO_COLOR ? cell : ~bits_equal64(at, (int8_t)bg);
        /* not in the first row */
        uint64_t below = p >= w ? cell : w - p >= 64 ? 0 : cell & ~(uint64_t)0 << (w - p);
        uint64_t left = bits_same64(at, at - 1) & cell & ~first;
        uint64_t up = bits_same64(at, at - w) & below;
        uint64_t up_left = bits_same64(at, at - w - 1) & below & ~first;
        work->start[k] = cell & ~left;
        work->end[k] = cell & ~(left >> 1);
        if (k > 0) { /* a run that continues here did not end there */
            work->end[k - 1] &= ~(left << 63);
        }
        if (diagonal) {
            /* if the left neighbour is linked, it has that run at its upper right */
            work->up[k] = up & ~left;
            work->up_left[k] = up_left & ~up & ~left;
            work->up_right[k] = bits_same64(at, at - w + 1) & below & ~last & ~up;
        } else {
            work->up[k] = up & ~(left & up_left);
        }
    }
}

/* The places of all bits, in order. Some numbers after the last one are overwritten: arrays that follow must
 * not have been filled yet. */
static inline void list_bits(const ObjectsWork *work, const uint64_t *words, uint32_t *to, bool many) {
    for (uint32_t p = 0, k = 0; p < work->n; p += 64, k++) {
        if (many) {
            to = bit_positions_write(words[k], p, to);
            continue;
        }
        for (uint64_t bits = words[k]; bits != 0; bits &= bits - 1) {
            *to++ = p + (uint32_t)__builtin_ctzll(bits);
        }
    }
}

static void list_runs(ObjectsWork *work) {
    uint32_t n = 0;
    for (uint32_t p = 0, k = 0; p < work->n; p += 64, k++) {
        work->before[k] = n;
        n += (uint32_t)__builtin_popcountll(work->start[k]);
    }
    bool many = n > work->n / 4;
    uint32_t *restrict first = work->first, *restrict length = work->length,
                       *restrict component = work->component;
    list_bits(work, work->start, first, many);
    list_bits(work, work->end, length, many);
    for (uint32_t r = 0; r < n; r++) {
        length[r] -= first[r] - 1;
        component[r] = r;
    }
    work->runs = n;
}

/* The number of the run that a cell belongs to. */
static uint32_t run_of(const ObjectsWork *work, uint32_t p) {
    uint64_t bits = work->start[p / 64] & ~(uint64_t)0 >> (63 - p % 64);
    return work->before[p / 64] + (uint32_t)__builtin_popcountll(bits) - 1;
}

static uint32_t earliest(uint32_t *component, uint32_t run) {
    while (component[run] != run) {
        component[run] = component[component[run]];
        run = component[run];
    }
    return run;
}

static void join_runs(const ObjectsWork *work, const uint64_t *joins, uint32_t distance) {
    for (uint32_t p = 0, k = 0; p < work->n; p += 64, k++) {
        for (uint64_t bits = joins[k]; bits != 0; bits &= bits - 1) {
            uint32_t q = p + (uint32_t)__builtin_ctzll(bits);
            uint32_t a = earliest(work->component, run_of(work, q)),
                     b = earliest(work->component, run_of(work, q - distance));
            work->component[a > b ? a : b] = a < b ? a : b;
        }
    }
}

/* ---- components ---- */

/* Here and below, arrays are held in local variables so that they are not reloaded from `work` after every
 * store. */

/* Numbers the components in reading order, and notes their sizes in `next`. */
static inline void number_components(ObjectsWork *work) {
    uint32_t components = 0, runs = work->runs;
    const uint32_t *restrict first = work->first, *restrict length = work->length;
    const int8_t *cells = work->cells;
    uint32_t *restrict component = work->component, *restrict next = work->next;
    int8_t *restrict color = work->color;
    for (uint32_t r = 0; r < runs; r++) {
        uint32_t to = component[r];
        if (to == r) {
            color[components] = cells[first[r]];
            next[components] = length[r];
            component[r] = components++;
        } else {
            component[r] = component[to];
            next[component[r]] += length[r];
        }
    }
    work->components = components;
}

/* Lists the components by color, those of one color in reading order. `count` is the number of cells of each
 * color, low..high. Counters that give every component its rank would wait for their own stores. */
static inline void list_by_color(const ObjectsWork *work, const uint32_t *count, int low, int high) {
    uint32_t n = work->components, *to = work->order;
    for (int c = low; c <= high; c++) {
        if (count[c] == 0 || c == work->bg) {
            continue;
        }
        for (uint32_t k = 0; k < n; k += 64) {
            uint64_t there = n - k >= 64 ? ~(uint64_t)0 : ~(~(uint64_t)0 << (n - k));
            to = bit_positions_write(there & bits_equal64(work->color + k, (int8_t)c), k, to);
        }
    }
}

/* Numbers the components and makes their values, with keys in the memory at `keys` that are not written yet.
 * If `count` is given, they are ordered by color, see list_by_color; otherwise they stay in reading order. */
static __attribute__((noinline)) Val *make_parts(Ctx *ctx, ObjectsWork *work, const uint32_t *keys,
                                                 const uint32_t *count, int low, int high) {
    number_components(work);
    uint32_t components = work->components, at = 0, *restrict next = work->next;
    Val *restrict items = val_buffer(ctx, components);
    if (items == NULL) {
        return NULL;
    }
    uint64_t weight = components;
    for (uint32_t k = 0; k < components; k++) {
        uint32_t size = next[k];
        next[k] = at;
        at += size;
        weight += size / 16;
    }
    next[components] = at;
    work->weight = weight;
    if (count != NULL) {
        list_by_color(work, count, low, high);
    }
    const uint32_t *restrict order = work->order;
    Val item = {.kind = (uint16_t)(work->core ? VAL_OBJ_CORE : VAL_OBJ_BATT)};
    for (uint32_t k = 0; k < components; k++) {
        uint32_t which = count != NULL ? order[k] : k;
        item.n = next[which + 1] - next[which];
        item.k = keys + next[which];
        items[k] = item;
    }
    return items;
}

/* For finding rows without a division: p / w = p * factor >> 32, since p * w < 2^32. */
static inline uint64_t row_factor(const ObjectsWork *work) {
    return (((uint64_t)1 << 32) + work->w - 1) / work->w;
}

/* Writes the keys in reading order. */
INLINE void write_runs(const ObjectsWork *work, bool core, uint32_t *restrict keys) {
    uint32_t runs = work->runs, w = work->w;
    const uint32_t *restrict first = work->first, *restrict length = work->length,
                             *restrict component = work->component;
    const int8_t *cells = work->cells;
    uint32_t *restrict next = work->next;
    uint64_t by = row_factor(work);
    const uint32_t base = key_core(0, 0, 0), down = (1u << 12) - w; /* what keys grow by beside the place */
    for (uint32_t r = 0; r < runs; r++) {
        uint32_t p = first[r], n = length[r], *to = &next[component[r]], at = *to,
                 i = (uint32_t)(p * by >> 32);
        *to = at + n;
        /* a single color; most runs have at most three cells, and need no loop */
        if (core) {
            uint32_t key = base + p + i * down + ((uint32_t)cells[p] << 24), second = n > 1;
            keys[at] = key;
            keys[at + second] = key + second;
            keys[at + n - 1] = key + n - 1;
            for (uint32_t t = 2; t + 1 < n; t++) {
                keys[at + t] = key + t;
            }
        } else {
            uint32_t key = key_batt(-128, (int32_t)i, (int32_t)(p - i * w));
            for (uint32_t t = 0; t < n; t++) {
                keys[at + t] = key + (t << 8) + ((uint8_t)cells[p + t] ^ 0x80u);
            }
        }
    }
}

static __attribute__((noinline)) void write_core(const ObjectsWork *work, uint32_t *keys) {
    write_runs(work, true, keys);
}
static __attribute__((noinline)) void write_batt(const ObjectsWork *work, uint32_t *keys) {
    write_runs(work, false, keys);
}

/* For core mode with several colors: sorts all cells by color, then distributes them to their components.
 * Components are ordered by their first keys. `count` is the number of cells of each color. */
static Val *write_by_color(Ctx *ctx, const ObjectsWork *work, const Val *items, uint32_t *keys,
                           uint32_t *count, int low, int high) {
    typedef struct Cell {
        uint32_t key, component;
    } Cell;
    Val *sorted = val_buffer(ctx, work->components);
    CtxMark mark = ctx_mark(ctx);
    Cell *cells = ctx_alloc(ctx, work->n * sizeof *cells);
    if (sorted == NULL || cells == NULL) {
        return NULL;
    }
    uint32_t n = 0, components = 0;
    uint64_t by = row_factor(work);
    for (int c = low; c <= high; c++) {
        uint32_t of_color = c == work->bg ? 0 : count[c];
        count[c] = n;
        n += of_color;
    }
    for (uint32_t r = 0; r < work->runs; r++) {
        uint32_t p = work->first[r], i = (uint32_t)(p * by >> 32), place = i << 12 | (p - i * work->w);
        for (uint32_t end = p + work->length[r]; p < end; p++, place++) {
            int8_t c = work->cells[p];
            cells[count[c]++] = (Cell){key_core(c, 0, 0) + place, work->component[r]};
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        const Val *item = &items[cells[k].component];
        uint32_t at = work->next[cells[k].component]++;
        keys[at] = cells[k].key;
        if (item->k == keys + at) {
            sorted[components++] = *item;
        }
    }
    ctx_release(ctx, mark);
    return sorted;
}

/* Counts the colors low..high of a grid, with color c at count[c]. */
static void count_colors(Val grid, uint32_t *count, int *low, int *high) {
    size_t n = (size_t)grid.n * grid.w;
    if (UNLIKELY(!colors_count10(grid.b8, n, count))) {
        colors_count(grid.b8, n, count - 128);
        *low = -128;
        *high = 127;
    }
}

static void lay_out(ObjectsWork *work, char *scratch, int8_t **class) {
    size_t words = work->n / 64 + 2;
    work->start = (uint64_t *)(void *)scratch;
    work->end = work->start + words;
    work->up = work->end + words;
    work->up_left = work->up + words;
    work->up_right = work->up_left + words;
    work->before = (uint32_t *)(work->up_right + words);
    work->first = work->before + words;
    work->length = work->first + work->n;
    work->component = work->length + work->n;
    work->next = work->component + work->n;
    work->order = work->next + work->n + 1;
    work->color = (int8_t *)(work->order + work->n + BIT_POSITIONS_SPARE);
    *class = work->color + work->n + work->w + 1;
}

/* For grids of bytes whose places fit the keys of cells. */
static Val objects_packed(Ctx *ctx, Val grid, Links links) {
    ObjectsWork work = {.cells = grid.b8,
                        .h = grid.n,
                        .w = grid.w,
                        .n = grid.n * grid.w,
                        .bg = NO_COLOR,
                        .core = ctx->mode == MODE_CORE};
    _Alignas(16) char stack[SCRATCH((size_t)ON_STACK, (size_t)ON_STACK)];
    char *scratch = stack;
    if (UNLIKELY(work.n > ON_STACK)) {
        scratch = ctx_alloc(ctx, SCRATCH((size_t)work.n, (size_t)work.w));
        if (scratch == NULL || !ctx_charge(ctx, work.n / 8)) {
            return val_fail_budget(ctx);
        }
    }
    int8_t *class;
    lay_out(&work, scratch, &class);
    uint32_t counts[256], *count = counts + 128, cells = work.n;
    int low = 0, high = 9;
    if (work.core || links.without_bg) {
        count_colors(grid, count, &low, &high);
    }
    if (links.without_bg) {
        int bg = low;
        for (int c = low + 1; c <= high; c++) {
            bg = count[c] > count[bg] ? c : bg;
        }
        work.bg = bg;
        cells -= count[bg];
    }
    classes(&work, links.univalued, class);
    int32_t bg_class = work.bg == NO_COLOR || links.univalued ? work.bg : 0;
    if (links.diagonal) {
        find_links(&work, class, bg_class, true);
    } else {
        find_links(&work, class, bg_class, false);
    }
    list_runs(&work);
    join_runs(&work, work.up, work.w);
    if (links.diagonal) {
        join_runs(&work, work.up_left, work.w + 1);
        join_runs(&work, work.up_right, work.w - 1);
    }
    uint32_t *keys = key_buffer(ctx, cells);
    bool sort = work.core && links.univalued;
    Val *items = keys != NULL ? make_parts(ctx, &work, keys, sort ? count : NULL, low, high) : NULL;
    if (items != NULL && work.core && !sort) {
        items = write_by_color(ctx, &work, items, keys, count, low, high);
    } else if (items != NULL && work.core) {
        write_core(&work, keys);
    } else if (items != NULL) {
        write_batt(&work, keys);
    }
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    return val_weighed(VAL_SET, items, work.components, work.weight);
}

/* ---- the primitives ---- */

/* Whether there are no cells; in batt mode such a grid has no objects. */
static bool no_cells(Val grid) {
    uint32_t h, w;
    Reason why = rows_shape(grid, &h, &w);
    return why == FAIL_RANGE || (why == FAIL_NONE && w == 0);
}

static inline Val objects(Ctx *ctx, Val grid, Links links) {
    if (LIKELY(grid_has_keys(ctx, grid) && grid.w != 0)) {
        return objects_packed(ctx, grid, links);
    }
    return ctx->mode == MODE_BATT && no_cells(grid) ? VAL_EMPTY_SET : objects_plain(ctx, grid, links, false);
}

static Val walks(Ctx *ctx, Val grid, Links links) {
    enum { BYTE_ROWS = 128 }; /* up to this many, row numbers fit the cells of a packed tuple */
    if (LIKELY(grid_has_keys(ctx, grid) && ctx->mode == MODE_BATT && grid.w - 1u < BITS_WIDTH &&
               grid.n <= BYTE_ROWS)) {
        return objects_walked(ctx, grid, links);
    }
    if (no_cells(grid)) {
        return VAL_EMPTY_TUPLE;
    }
    return objects_plain(ctx, grid, links, true);
}

Val prim_objects(Ctx *ctx, const Val *a) {
    return objects(ctx, a[0], (Links){val_truth(a[1]), val_truth(a[2]), val_truth(a[3])});
}

Val prim_objects_t(Ctx *ctx, const Val *a) {
    return walks(ctx, a[0], (Links){val_truth(a[1]), val_truth(a[2]), val_truth(a[3])});
}

/* The dialect numbers the eight combinations of flags. */
static bool links_by_number(Val type, Links *links) {
    *links = (Links){type.i >> 2 & 1, type.i >> 1 & 1, type.i & 1};
    return val_int_within(type, 0, 8);
}

Val prim_o_g(Ctx *ctx, const Val *a) {
    Links links;
    return links_by_number(a[1], &links) ? objects(ctx, a[0], links) : val_atom(ATOM_NONE);
}

Val prim_o_g_t(Ctx *ctx, const Val *a) {
    Links links;
    return links_by_number(a[1], &links) ? walks(ctx, a[0], links) : val_atom(ATOM_NONE);
}
