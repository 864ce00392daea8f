/* Making pieces from the entries that have grown, each once, with what they say about every cell. */
#define XXH_INLINE_ALL
#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "engine/stamps/stamp.h"
#include "search/strategies/stack.h"

#include <string.h>
#include <xxhash.h>

bool stack_prepare(Stack *s) {
    const SearchTask *t = s->grow.task;
    s->cells = s->test_cells = s->other_cells = 0;
    for (uint32_t k = 0; k < t->n; k++) {
        Val dims = s->grow.dims_out[k];
        uint32_t cells = (uint32_t)(dims.a * dims.b);
        if (k >= t->n_train) {
            s->test_cells += cells;
            continue;
        }
        s->start[k] = s->cells;
        s->sized[k] = (uint32_t)dims.a == t->out[k].n && dims.b == t->out[k].w;
        *(s->sized[k] ? &s->cells : &s->other_cells) += cells;
        s->start[k + 1] = s->cells;
    }
    s->words = s->cells / 64 + 1;
    s->test_words = s->test_cells / 64 + 1;
    s->target = mem_zalloc((size_t)s->words * 64, 1);
    s->scratch = mem_zalloc((size_t)s->cells + s->test_cells + s->other_cells + 64, 1);
    if (s->target == NULL || s->scratch == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < t->n_train; k++) {
        if (s->sized[k]) {
            memcpy(s->target + s->start[k], t->out[k].b8, (size_t)t->out[k].n * t->out[k].w);
        }
    }
    return true;
}

/* What a device has of the pieces is out of date, or will be. */
static void drop_blocks(Stack *s) {
    backend_drop_block(s->grow.search->backend, &s->zero_block);
    backend_drop_block(s->grow.search->backend, &s->wrong_block);
    s->zero_block = s->wrong_block = (BackendBlock){0};
}

void stack_settle(Stack *s) {
    size_t bytes = (size_t)s->count * s->words * sizeof *s->zero;
    drop_blocks(s);
    s->zero_block = (BackendBlock){.bytes = s->zero, .size = bytes};
    s->wrong_block = (BackendBlock){.bytes = s->wrong, .size = bytes};
}

void stack_forget(Stack *s) {
    Quota *quota = &s->grow.search->quota;
    drop_blocks(s);
    quota_free(quota, s->pieces);
    quota_free(quota, s->hashes);
    quota_free(quota, s->zero);
    quota_free(quota, s->wrong);
    quota_free(quota, s->test_zero);
    quota_map_free(quota, &s->seen);
    mem_free(s->target);
    mem_free(s->scratch);
    s->pieces = NULL;
    s->hashes = NULL;
    s->zero = s->wrong = s->test_zero = NULL;
    s->target = s->scratch = NULL;
    s->count = s->room = 0;
    memset(s->of_moves, 0, sizeof s->of_moves);
    s->full = false;
}

/* Makes room for one more piece; false: no memory. Arrays that grew already are then just larger than
 * needed. */
static bool reserve(Stack *s) {
    Quota *quota = &s->grow.search->quota;
    if (s->count < s->room) {
        return quota_map_reserve(quota, &s->seen);
    }
    uint32_t room = s->room ? s->room * 2 : 1024;
    Piece *pieces = quota_grow(quota, s->pieces, room, sizeof *pieces);
    s->pieces = pieces ? pieces : s->pieces;
    uint64_t *hashes = quota_grow(quota, s->hashes, room, sizeof *hashes);
    s->hashes = hashes ? hashes : s->hashes;
    uint64_t *zero = quota_grow(quota, s->zero, (size_t)room * s->words, sizeof *zero);
    s->zero = zero ? zero : s->zero;
    uint64_t *wrong = quota_grow(quota, s->wrong, (size_t)room * s->words, sizeof *wrong);
    s->wrong = wrong ? wrong : s->wrong;
    uint64_t *test_zero = quota_grow(quota, s->test_zero, (size_t)room * s->test_words, sizeof *test_zero);
    s->test_zero = test_zero ? test_zero : s->test_zero;
    if (!pieces || !hashes || !zero || !wrong || !test_zero) {
        return false;
    }
    s->room = room;
    return quota_map_reserve(quota, &s->seen);
}

/* ---- what a piece looks like ---- */

static void copy_cells(int8_t *to, const int8_t *from, int32_t n, int8_t color) {
    if (color == 0) {
        memcpy(to, from, (size_t)n);
        return;
    }
    for (int32_t k = 0; k < n; k++) {
        to[k] = from[k] != 0 ? color : 0;
    }
}

/* Draws a piece on one sample, as stamp_paint and stamp_paste would. */
static bool render_one(const Stack *s, const Piece *p, uint32_t sample, int8_t *to) {
    ASSERT(sample < SEARCH_MAX_SAMPLES, "sample %u", sample);
    Val dims = s->grow.dims_out[sample];
    int32_t h = dims.a, w = dims.b;
    Stamp stamp;
    if (!stamp_read(s->grow.entries[p->entry].vals[sample], &stamp)) {
        return false;
    }
    if (p->home) {
        stamp.i = stamp.j = 0;
    }
    if (stamp.i == 0 && stamp.j == 0 && stamp.h == h && stamp.w == w) {
        copy_cells(to, stamp.c, h * w, (int8_t)p->color);
        return true;
    }
    if (h > STAMP_MAX_SIDE || w > STAMP_MAX_SIDE || h * w > STAMP_MAX_CELLS) {
        return false;
    }
    int32_t i0 = stamp.i > 0 ? stamp.i : 0, i1 = stamp.i + stamp.h < h ? stamp.i + stamp.h : h;
    int32_t j0 = stamp.j > 0 ? stamp.j : 0, j1 = stamp.j + stamp.w < w ? stamp.j + stamp.w : w;
    memset(to, 0, (size_t)(h * w));
    for (int32_t i = i0; i < i1 && j0 < j1; i++) {
        copy_cells(to + i * w + j0, stamp.c + (i - stamp.i) * stamp.w + (j0 - stamp.j), j1 - j0,
                   (int8_t)p->color);
    }
    return true;
}

bool stack_render(const Stack *s, const Piece *p, int8_t *to) {
    const SearchTask *t = s->grow.task;
    int8_t *test = to + s->cells, *other = test + s->test_cells;
    for (uint32_t k = 0; k < t->n; k++) {
        int8_t **at = k >= t->n_train ? &test : s->sized[k] ? &to : &other;
        if (!render_one(s, p, k, *at)) {
            return false;
        }
        *at += s->grow.dims_out[k].a * s->grow.dims_out[k].b;
    }
    return true;
}

/* Sets the bits of the cells, of n, where a differs from b (NULL: from 0). Eight at a time; bits beyond n are
 * never set. */
static void differing(const int8_t *a, const int8_t *b, uint32_t n, uint64_t *bits) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    for (uint32_t at = 0; at < n; at += 64) {
        uint64_t word = 0;
        for (uint32_t k = 0; k < 64 && at + k < n; k += 8) {
            uint64_t x = 0, y = 0;
            uint32_t some = n - at - k < 8 ? n - at - k : 8;
            if (some == 8) { /* a length that the compiler knows */
                memcpy(&x, a + at + k, 8);
                memcpy(&y, b != NULL ? b + at + k : (const int8_t *)&y, 8);
            } else {
                memcpy(&x, a + at + k, some);
                memcpy(&y, b != NULL ? b + at + k : (const int8_t *)&y, some);
            }
            x ^= y;
            x = ((((x & low) + low) | x) & ~low) >> 7; /* one bit per byte, then side by side */
            word |= (x * 0x0102040810204080u) >> 56 << k;
        }
        bits[at / 64] = word;
    }
}

static void note_cells(Stack *s) {
    uint64_t *zero = s->zero + (size_t)s->count * s->words, *wrong = s->wrong + (size_t)s->count * s->words;
    uint64_t *test_zero = s->test_zero + (size_t)s->count * s->test_words;
    zero[s->words - 1] = wrong[s->words - 1] = test_zero[s->test_words - 1] = 0;
    differing(s->scratch, s->target, s->cells, wrong);
    differing(s->scratch, NULL, s->cells, zero);
    differing(s->scratch + s->cells, NULL, s->test_cells, test_zero);
    for (uint32_t w = 0; w < s->words; w++) {
        zero[w] = ~zero[w];
    }
    for (uint32_t w = 0; w < s->test_words; w++) {
        test_zero[w] = ~test_zero[w];
    }
}

/* ---- collecting ---- */

/* Charges the budget whether or not the piece is new: trying counts. */
static bool add_piece(Stack *s, Piece piece) {
    Search *search = s->grow.search;
    const SearchTask *t = s->grow.task;
    if (!reserve(s)) {
        s->full = true;
        return false;
    }
    if (!stack_render(s, &piece, s->scratch)) {
        return search->ctx->exhausted == FAIL_NONE;
    }
    COUNT(search->statistics, VALUES, t->n);
    uint64_t hash = XXH3_64bits(s->scratch, (size_t)s->cells + s->test_cells + s->other_cells);
    uint32_t at = map_start(&s->seen, hash);
    for (uint32_t other; (other = map_next(&s->seen, hash, &at)) != MAP_NONE;) {
        if (s->hashes[other] == hash) {
            return search_spend(search, t->n);
        }
    }
    note_cells(s);
    map_put(&s->seen, hash, at, s->count);
    s->hashes[s->count] = hash;
    ASSERT(piece.moves < STACK_MAX_MOVES, "%u moves", piece.moves);
    s->of_moves[piece.moves]++;
    s->pieces[s->count++] = piece;
    return search_spend(search, t->n);
}

/* Whether moving to the origin changes nothing: then the piece was met a move earlier. */
static bool is_home(const Stack *s, uint32_t entry) {
    const Val *vals = s->grow.entries[entry].vals;
    uint32_t k = 0;
    while (k < s->grow.task->n && vals[k].kind == VAL_GRID8) {
        k++;
    }
    return k == s->grow.task->n;
}

/* Collects the pieces of one number of moves: entries as they are, moved to the origin, or painted in a color
 * that all outputs have. */
static bool collect_cost(Stack *s, unsigned moves) {
    const Tunables *tune = s->grow.search->tune;
    const SearchTask *t = s->grow.task;
    for (uint32_t e = s->collected; e < s->grow.count; e++) {
        unsigned depth = s->grow.entries[e].depth;
        if (s->grow.entries[e].list || depth > moves || depth + 2 < moves) {
            continue;
        }
        for (unsigned home = 0; home < 2; home++) {
            for (unsigned color = 0; color < 10; color++) {
                bool wanted = (color == 0 || t->out_all >> color & 1) && depth + home + (color > 0) == moves;
                Piece piece = {e, (uint8_t)home, (uint8_t)color, (uint8_t)moves,
                               (uint16_t)(moves * tune->stamps_step_cost)};
                bool known = wanted && home && is_home(s, e);
                if (known ? !search_spend(s->grow.search, t->n) : wanted && !add_piece(s, piece)) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool stack_collect(Stack *s, unsigned deepest) {
    uint64_t begin = clock_work_ns();
    unsigned moves = 0;
    while (moves <= deepest + 2 && collect_cost(s, moves)) {
        moves++;
    }
    s->collected = moves > deepest + 2 ? s->grow.count : s->collected;
    search_built(s->grow.search, begin);
    return moves > deepest + 2 || (s->full && !s->grow.search->slice_over); /* when full, these must do */
}
