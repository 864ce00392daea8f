/* The stamps part: grow stamps out of the inputs, then stack them until the outputs are covered.
 *
 * A piece is a stamp pasted on a canvas of the output's size. Greedily, pieces that are right wherever they
 * speak (with their opaque cells, their transparent ones, or all) are laid over each other until a training
 * output is covered; what this does to the test input is the answer. Every choice of training pairs that must
 * be right is tried, because a rule that misses a pair may still be the rule. The training outputs do not
 * steer the growth, only the stacking. */
#include "search/grow.h"

#include "core/alloc.h"
#include "dsl/stamp.h"

#include <string.h>

enum { MOST_LAYERS = 10, MOST_SUBSET = 5, MOST_DEPTH = 4 };

typedef struct Piece {
    uint32_t entry;
    uint8_t home, color; /* moved to the origin; painted in a color, 0: not */
    uint16_t cost;       /* steps times ten */
} Piece;

typedef struct Layer {
    uint32_t piece;
    uint8_t how; /* as in stamp_lay */
} Layer;

typedef struct Stack {
    Grow grow;
    Piece *pieces;
    uint64_t *hashes;
    uint32_t count, room;
    uint32_t *table;
    uint32_t table_size;
    uint32_t cells, words;                   /* of all training outputs; in 64-bit words */
    uint32_t start[SEARCH_MOST_SAMPLES + 1]; /* first cell of each training output */
    bool sized[SEARCH_MOST_SAMPLES];         /* the size law is right for it */
    int8_t *target;
    uint64_t *zero, *wrong; /* by piece: words each */
    uint32_t test_cells;
    uint64_t *test_zero; /* by piece: transparent cells on the tests */
    uint32_t test_words;
    uint64_t offered[4096]; /* hashes of stacks offered already */
} Stack;

/* ---- pieces ---- */

static bool reserve(Stack *s) {
    if (s->count < s->room) {
        return true;
    }
    uint32_t room = s->room ? s->room * 2 : 4096;
    Piece *pieces = mem_grow(s->pieces, room, sizeof *pieces);
    s->pieces = pieces ? pieces : s->pieces;
    uint64_t *hashes = mem_grow(s->hashes, room, sizeof *hashes);
    s->hashes = hashes ? hashes : s->hashes;
    uint64_t *zero = mem_grow(s->zero, (size_t)room * s->words, sizeof *zero);
    s->zero = zero ? zero : s->zero;
    uint64_t *wrong = mem_grow(s->wrong, (size_t)room * s->words, sizeof *wrong);
    s->wrong = wrong ? wrong : s->wrong;
    uint64_t *test_zero = mem_grow(s->test_zero, (size_t)room * s->test_words, sizeof *test_zero);
    s->test_zero = test_zero ? test_zero : s->test_zero;
    uint32_t *table = mem_zalloc(room * 2u, sizeof *table);
    if (!pieces || !hashes || !zero || !wrong || !test_zero || !table) {
        mem_free(table);
        return false;
    }
    for (uint32_t k = 0; k < s->count; k++) {
        uint32_t at = (uint32_t)s->hashes[k] & (room * 2 - 1);
        while (table[at] != 0) {
            at = (at + 1) & (room * 2 - 1);
        }
        table[at] = k + 1;
    }
    mem_free(s->table);
    s->table = table;
    s->table_size = room * 2;
    s->room = room;
    return true;
}

/* The piece's cells on a sample, as a stamp of the output's size. */
static Stamp render(Stack *s, const Piece *p, uint32_t sample) {
    Ctx *ctx = s->grow.search->ctx;
    Stamp stamp;
    if (!stamp_read(s->grow.entries[p->entry].vals[sample], &stamp)) {
        return STAMP_NONE;
    }
    if (p->home) {
        stamp.i = stamp.j = 0;
    }
    if (p->color) {
        stamp = stamp_paint(ctx, &stamp, p->color);
    }
    Val dims = s->grow.dims_out[sample];
    bool fits = stamp.i == 0 && stamp.j == 0 && stamp.h == dims.a && stamp.w == dims.b;
    return fits ? stamp : stamp_paste(ctx, &stamp, dims.a, dims.b);
}

static bool add_piece(Stack *s, Piece piece) {
    Search *search = s->grow.search;
    const SearchTask *t = &s->grow.task;
    if (!reserve(s)) {
        return false;
    }
    CtxMark mark = ctx_mark(search->ctx);
    uint64_t *zero = s->zero + (size_t)s->count * s->words, *wrong = s->wrong + (size_t)s->count * s->words;
    uint64_t *test_zero = s->test_zero + (size_t)s->count * s->test_words, hash = 0;
    memset(zero, 0, s->words * sizeof *zero);
    memset(wrong, 0, s->words * sizeof *wrong);
    memset(test_zero, 0, s->test_words * sizeof *test_zero);
    uint32_t test_at = 0;
    for (uint32_t k = 0; k < t->n; k++) {
        Stamp stamp = render(s, &piece, k);
        if (stamp.h == 0) {
            ctx_release(search->ctx, mark);
            return search->ctx->exhausted == FAIL_NONE;
        }
        hash = val_hash(val_grid8(stamp.c, (uint32_t)stamp.h, (uint32_t)stamp.w), hash);
        uint32_t n = (uint32_t)stamp_cells(&stamp);
        if (k >= t->n_train) {
            for (uint32_t x = 0; x < n; x++, test_at++) {
                test_zero[test_at / 64] |= (uint64_t)(stamp.c[x] == 0) << test_at % 64;
            }
        } else if (s->sized[k]) {
            for (uint32_t x = 0, at = s->start[k]; x < n; x++, at++) {
                zero[at / 64] |= (uint64_t)(stamp.c[x] == 0) << at % 64;
                wrong[at / 64] |= (uint64_t)(stamp.c[x] != s->target[at]) << at % 64;
            }
        }
    }
    ctx_release(search->ctx, mark);
    search->values += t->n;
    uint32_t at = (uint32_t)hash & (s->table_size - 1);
    for (; s->table[at] != 0; at = (at + 1) & (s->table_size - 1)) {
        if (s->hashes[s->table[at] - 1] == hash) {
            return search_spend(search, t->n);
        }
    }
    s->table[at] = s->count + 1;
    s->hashes[s->count] = hash;
    s->pieces[s->count++] = piece;
    return search_spend(search, t->n);
}

/* Pieces of one cost: entries as they are, moved to the origin, painted in a color that all outputs have. */
static bool collect_cost(Stack *s, unsigned steps) {
    const SearchTask *t = &s->grow.task;
    for (uint32_t e = 0; e < s->grow.count; e++) {
        unsigned depth = s->grow.entries[e].depth;
        if (s->grow.entries[e].list || depth > steps || depth + 2 < steps) {
            continue;
        }
        for (unsigned home = 0; home < 2; home++) {
            for (unsigned color = 0; color < 10; color++) {
                bool wanted = color == 0 || t->out_all >> color & 1;
                if (wanted && depth + home + (color > 0) == steps &&
                    !add_piece(s, (Piece){e, (uint8_t)home, (uint8_t)color, (uint16_t)(steps * 10)})) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* All pieces, the cheapest first. */
static bool collect(Stack *s, unsigned deepest) {
    for (unsigned steps = 0; steps <= deepest + 2; steps++) {
        if (!collect_cost(s, steps)) {
            return false;
        }
    }
    return true;
}

/* ---- from layers to a program ---- */

/* A piece on a canvas of the output's size. */
static Ref piece_ref(Stack *s, uint32_t piece, Ref dims, Ref *refs) {
    Builder *b = &s->grow.search->builder;
    const Piece *p = &s->pieces[piece];
    Ref at = grow_ref(&s->grow, p->entry, refs);
    if (p->home) {
        at = build_op(b, OP_PRIM, P_stamp_home, &at, 1, 0, "", 0);
    }
    if (p->color) {
        Ref args[2] = {at, build_const(b, val_int(p->color))};
        at = build_op(b, OP_PRIM, P_stamp_paint, args, 2, 0, "", 0);
    }
    Ref paste[2] = {at, dims};
    return build_op(b, OP_PRIM, P_stamp_paste, paste, 2, 0, "", 0);
}

static Program *finish(Stack *s, Ref result) {
    char name[TASK_MAX_ID + 8] = "solve_";
    strncat(name, s->grow.search->task->id, TASK_MAX_ID);
    return build_finish(&s->grow.search->builder, name, strlen(name), MODE_CORE, 1,
                        grow_unview_ref(&s->grow, result));
}

static Program *program_of(Stack *s, const Layer *layers, unsigned n) {
    Builder *b = &s->grow.search->builder;
    Ref *refs = mem_array(s->grow.count, sizeof *refs);
    if (refs == NULL) {
        return NULL;
    }
    memset(refs, 0xff, s->grow.count * sizeof *refs);
    build_start(b);
    Ref dims = grow_size_ref(&s->grow, refs);
    Ref canvas[2] = {build_const(b, val_int(-1)), dims};
    Ref at = build_op(b, OP_PRIM, P_canvas, canvas, 2, 0, "", 0);
    for (unsigned k = 0; k < n; k++) {
        Ref lay[3] = {at, piece_ref(s, layers[k].piece, dims, refs), build_const(b, val_int(layers[k].how))};
        at = build_op(b, OP_PRIM, P_stamp_lay, lay, 3, 0, "", 0);
    }
    mem_free(refs);
    return finish(s, at);
}

static bool offered_before(Stack *s, const Layer *layers, unsigned n) {
    uint64_t hash = n;
    for (unsigned k = 0; k < n; k++) {
        hash = (hash ^ layers[k].piece * 4u ^ layers[k].how) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    uint64_t *slot = &s->offered[hash % (sizeof s->offered / sizeof *s->offered)];
    bool seen = *slot == hash;
    *slot = hash;
    return seen;
}

static void offer(Stack *s, const Layer *layers, unsigned n) {
    if (offered_before(s, layers, n)) {
        return;
    }
    unsigned deepest = 0;
    for (unsigned k = 0; k < n; k++) {
        unsigned cost = s->pieces[layers[k].piece].cost;
        deepest = cost > deepest ? cost : deepest;
    }
    search_offer(s->grow.search, program_of(s, layers, n), deepest + 2.0 * n);
}

/* ---- tables: two pieces decide every cell together ---- */

enum { MOST_TABLED = 1500, MOST_ROWS = 16, MOST_TABLES = 40 };

typedef struct ColorTable {
    int8_t map[10][10]; /* -1: not met */
    unsigned rows;
} ColorTable;

/* Does the pair of pieces decide the outputs? cells: by piece, those of the training pairs, then those of the
 * tests. */
static bool decides(const Stack *s, const int8_t *x, const int8_t *y, ColorTable *table) {
    memset(table->map, -1, sizeof table->map);
    table->rows = 0;
    for (uint32_t k = 0; k < s->cells; k++) {
        int8_t *z = &table->map[x[k]][y[k]];
        if (*z != s->target[k]) {
            if (*z >= 0 || ++table->rows > MOST_ROWS) {
                return false;
            }
            *z = s->target[k];
        }
    }
    for (uint32_t k = s->cells; k < s->cells + s->test_cells; k++) {
        if (table->map[x[k]][y[k]] < 0) {
            return false;
        }
    }
    return true;
}

static Program *table_program(Stack *s, uint32_t x, uint32_t y, const ColorTable *table) {
    Builder *b = &s->grow.search->builder;
    Ref *refs = mem_array(s->grow.count, sizeof *refs);
    int8_t rows[MOST_ROWS * 3 + 3];
    uint32_t n = 0;
    if (refs == NULL) {
        return NULL;
    }
    for (int8_t a = 0; a < 10; a++) {
        for (int8_t c = 0; c < 10; c++) {
            if (table->map[a][c] >= 0) {
                rows[3 * n] = a;
                rows[3 * n + 1] = c;
                rows[3 * n++ + 2] = table->map[a][c];
            }
        }
    }
    memset(refs, 0xff, s->grow.count * sizeof *refs);
    build_start(b);
    Ref dims = grow_size_ref(&s->grow, refs);
    Ref args[3] = {piece_ref(s, x, dims, refs), piece_ref(s, y, dims, refs),
                   build_const(b, val_grid8(rows, n, 3))};
    Ref result = build_op(b, OP_PRIM, P_stamp_table, args, 3, 0, "", 0);
    mem_free(refs);
    return finish(s, result);
}

/* The cells of the cheapest pieces on all samples; NULL: no memory. */
static int8_t *render_all(Stack *s, uint32_t pieces) {
    const SearchTask *t = &s->grow.task;
    Ctx *ctx = s->grow.search->ctx;
    size_t stride = s->cells + s->test_cells;
    int8_t *all = mem_array(pieces, stride);
    for (uint32_t p = 0; all != NULL && p < pieces; p++) {
        int8_t *at = all + p * stride;
        CtxMark mark = ctx_mark(ctx);
        for (uint32_t k = 0; k < t->n; k++) {
            if (k < t->n_train && !s->sized[k]) {
                continue;
            }
            Stamp stamp = render(s, &s->pieces[p], k);
            size_t n = (size_t)(s->grow.dims_out[k].a * s->grow.dims_out[k].b);
            if (stamp.h != 0) {
                memcpy(at, stamp.c, n);
            } else {
                memset(at, 0, n);
            }
            at += n;
        }
        ctx_release(ctx, mark);
    }
    return all;
}

static bool try_tables(Stack *s, uint32_t most) {
    Search *search = s->grow.search;
    uint32_t pieces = s->count < most ? s->count : most, found = 0;
    size_t stride = s->cells + s->test_cells;
    for (uint32_t k = 0; k < s->grow.task.n_train; k++) {
        if (!s->sized[k]) {
            return true; /* only where every output is explained */
        }
    }
    int8_t *all = render_all(s, pieces);
    bool go_on = all != NULL;
    for (uint32_t y = 0; y < pieces && go_on && found < MOST_TABLES; y++) {
        for (uint32_t x = 0; x <= y && found < MOST_TABLES; x++) {
            ColorTable table;
            if (decides(s, all + x * stride, all + y * stride, &table)) {
                unsigned cost = s->pieces[x].cost > s->pieces[y].cost ? s->pieces[x].cost : s->pieces[y].cost;
                search_offer(search, table_program(s, x, y, &table),
                             cost + 2.0 * table.rows + (x != y ? 4 : 0));
                found++;
            }
        }
        go_on = search_spend(search, y / 4 + 1);
    }
    mem_free(all);
    return go_on;
}

/* ---- stacking ---- */

static uint64_t covers(uint64_t zero, unsigned how) {
    return how == 0 ? ~zero : how == 1 ? zero : ~(uint64_t)0;
}

/* The layer that is wrong on no open cell of the chosen pairs and covers most open cells of the goal. */
static unsigned best_layer(const Stack *s, uint32_t limit, const uint64_t *open, const uint64_t *goal,
                           Layer *best) {
    unsigned most = 0;
    for (uint32_t p = 0; p < limit; p++) {
        const uint64_t *zero = s->zero + (size_t)p * s->words, *wrong = s->wrong + (size_t)p * s->words;
        for (unsigned how = 0; how < 3; how++) {
            uint64_t bad = 0;
            for (uint32_t w = 0; w < s->words && bad == 0; w++) {
                bad = wrong[w] & open[w] & covers(zero[w], how);
            }
            if (bad != 0) {
                continue;
            }
            unsigned gain = 0;
            for (uint32_t w = 0; w < s->words; w++) {
                gain += (unsigned)__builtin_popcountll(open[w] & goal[w] & covers(zero[w], how));
            }
            if (gain > most) {
                most = gain;
                *best = (Layer){p, (uint8_t)how};
            }
        }
    }
    return most;
}

static bool is_empty(const uint64_t *bits, const uint64_t *mask, uint32_t words) {
    for (uint32_t w = 0; w < words; w++) {
        if (bits[w] & mask[w]) {
            return false;
        }
    }
    return true;
}

static void set_range(uint64_t *bits, uint32_t from, uint32_t to) {
    for (uint32_t k = from; k < to; k++) {
        bits[k / 64] |= (uint64_t)1 << k % 64;
    }
}

/* One run: the pairs in `subset` must be right, `pair` is to be covered, with pieces up to `limit`. */
static bool run_greedy(Stack *s, uint32_t subset, uint32_t pair, uint32_t limit, uint64_t *scratch) {
    uint64_t *open = scratch, *goal = scratch + s->words, *test_open = goal + s->words;
    memset(scratch, 0, (2 * s->words + s->test_words) * sizeof *scratch);
    for (uint32_t k = 0; k < s->grow.task.n_train; k++) {
        if (subset >> k & 1) {
            set_range(open, s->start[k], s->start[k + 1]);
        }
    }
    set_range(goal, s->start[pair], s->start[pair + 1]);
    set_range(test_open, 0, s->test_cells);
    Layer layers[MOST_LAYERS];
    for (unsigned n = 0; n < MOST_LAYERS;) {
        if (best_layer(s, limit, open, goal, &layers[n]) == 0) {
            return true;
        }
        if (!search_spend(s->grow.search, (uint64_t)limit * s->words / 16 + 1)) {
            return false;
        }
        const Layer *l = &layers[n++];
        const uint64_t *zero = s->zero + (size_t)l->piece * s->words;
        const uint64_t *test_zero = s->test_zero + (size_t)l->piece * s->test_words;
        for (uint32_t w = 0; w < s->words; w++) {
            open[w] &= ~covers(zero[w], l->how);
        }
        for (uint32_t w = 0; w < s->test_words; w++) {
            test_open[w] &= ~covers(test_zero[w], l->how);
        }
        if (is_empty(open, goal, s->words)) {
            if (is_empty(test_open, test_open, s->test_words)) {
                offer(s, layers, n);
            }
            return true;
        }
    }
    return true;
}

static bool stack_all(Stack *s) {
    const SearchTask *t = &s->grow.task;
    uint32_t pairs = t->n_train < MOST_SUBSET ? t->n_train : MOST_SUBSET;
    uint64_t *scratch = mem_array(2 * s->words + s->test_words, sizeof *scratch);
    bool go_on = scratch != NULL;
    for (uint32_t limit = 0; limit < s->count && go_on;) { /* pieces by cost: each cost is one limit */
        uint16_t cost = s->pieces[limit].cost;
        while (limit < s->count && s->pieces[limit].cost <= cost) {
            limit++;
        }
        for (uint32_t subset = (1u << pairs) - 1; subset > 0 && go_on; subset--) {
            for (uint32_t pair = 0; pair < pairs && go_on; pair++) {
                if (subset >> pair & 1 && s->sized[pair]) {
                    go_on = run_greedy(s, subset, pair, limit, scratch);
                }
            }
        }
    }
    mem_free(scratch);
    return go_on;
}

static bool prepare(Stack *s) {
    const SearchTask *t = &s->grow.task;
    s->cells = s->test_cells = 0;
    for (uint32_t k = 0; k < t->n; k++) {
        Val dims = s->grow.dims_out[k];
        if (k >= t->n_train) {
            s->test_cells += (uint32_t)(dims.a * dims.b);
            continue;
        }
        s->start[k] = s->cells;
        s->sized[k] = (uint32_t)dims.a == t->out[k].n && dims.b == t->out[k].w;
        s->cells += s->sized[k] ? t->out[k].n * t->out[k].w : 0;
        s->start[k + 1] = s->cells;
    }
    s->words = s->cells / 64 + 1;
    s->test_words = s->test_cells / 64 + 1;
    s->target = mem_alloc(s->cells + 1);
    if (s->target == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < t->n_train; k++) {
        if (s->sized[k]) {
            memcpy(s->target + s->start[k], t->out[k].b8, (size_t)t->out[k].n * t->out[k].w);
        }
    }
    return true;
}

static void forget_pieces(Stack *s) {
    mem_free(s->pieces);
    mem_free(s->hashes);
    mem_free(s->table);
    mem_free(s->zero);
    mem_free(s->wrong);
    mem_free(s->test_zero);
    mem_free(s->target);
    s->pieces = NULL;
    s->hashes = NULL;
    s->table = NULL;
    s->zero = s->wrong = s->test_zero = NULL;
    s->target = NULL;
    s->count = s->room = s->table_size = 0;
}

/* Grow to a depth, stack; then deeper, until a program fits or the budget ends. */
static void search_view(Search *search, GrowView view, unsigned most_depth) {
    Stack *s = mem_zalloc(1, sizeof *s);
    CtxMark mark = ctx_mark(search->ctx);
    if (s == NULL || !grow_open(&s->grow, search, view)) {
        mem_free(s);
        return;
    }
    bool go_on = grow_to_depth(&s->grow, 1);
    bool sized = grow_guess_size(&s->grow);
    if (go_on && !(sized && grow_size_is_clear(&s->grow))) { /* look deeper for a better law */
        go_on = grow_to_depth(&s->grow, 2);
        sized = grow_guess_size(&s->grow);
    }
    if (sized) {
        grow_use_size(&s->grow);
    }
    go_on &= sized;
    for (unsigned depth = 2; go_on && depth <= most_depth; depth++) {
        go_on = grow_to_depth(&s->grow, depth) && grow_overlay_lists(&s->grow);
        go_on = (go_on || depth > 2) && prepare(s) && collect(s, depth) && stack_all(s) &&
                try_tables(s, depth == 2 ? MOST_TABLED : 2 * MOST_TABLED);
        forget_pieces(s);
        if (search->fitting > 0) {
            break;
        }
    }
    grow_close(&s->grow);
    mem_free(s);
    ctx_release(search->ctx, mark);
}

/* Colors that play a part of their own: in all outputs but in no input, or in all inputs but in no output. */
static uint16_t fixed_colors(const SearchTask *t) {
    return (uint16_t)((t->out_all & ~t->in_colors) | (t->in_all & ~t->out_colors));
}

void part_stamps(Search *search) {
    uint16_t fixed = fixed_colors(search->task);
    if (search->effort > 1) {
        search_view(search, (GrowView){0}, MOST_DEPTH);
        return;
    }
    search_view(search, (GrowView){0}, 2);
    for (int8_t by = 0; by < 2 && search->fitting == 0 && !search->stage_over; by++) {
        search_view(search, (GrowView){true, by, fixed}, 2);
    }
}
