/* Synthetic programs and grids for measuring; see mix.h. */
#include "tools/profiler/mix.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/out.h"
#include "base/rng.h"

#include <string.h>

typedef struct Phrase {
    char type;
    uint16_t weight[MIX_LOOPS]; /* loops have arguments like those of short programs */
    const char *text;
} Phrase;

typedef struct Loop {
    uint8_t shape;
    uint16_t weight;
    const char *text;
} Loop;

enum {
#define SHAPE(id, share, what) SHAPE_##id,
#define LOOP(id, weight, text)
#include "tools/profiler/loops.def"
#undef SHAPE
#undef LOOP
    SHAPES
};

static const Loop loops[] = {
#define SHAPE(id, share, what)
#define LOOP(id, weight, text) {SHAPE_##id, weight, text},
#include "tools/profiler/loops.def"
#undef SHAPE
#undef LOOP
};

const MixShape *mix_shapes(uint32_t *n) {
    static const MixShape shapes[] = {
#define SHAPE(id, share, what) {what, share / 1000.0},
#define LOOP(id, weight, text)
#include "tools/profiler/loops.def"
#undef SHAPE
#undef LOOP
    };
    *n = SHAPES;
    return shapes;
}

static const Phrase phrases[] = {
#define PHRASE(type, a, b, text) {#type[0], {a, b}, text},
#define REAL_CALLS(prim, a, b)
#include "tools/profiler/mix.def"
#undef PHRASE
#undef REAL_CALLS
};

const MixRealCalls *mix_real_calls(uint32_t *n) {
    static const MixRealCalls real[] = {
#define PHRASE(type, a, b, text)
#define REAL_CALLS(prim, a, b) {P_##prim, {a, b}},
#include "tools/profiler/mix.def"
#undef PHRASE
#undef REAL_CALLS
    };
    *n = sizeof real / sizeof *real;
    return real;
}

enum { MAX_SIDE = 30, MAX_CELLS = MAX_SIDE * MAX_SIDE, LINES_MAX = 60, DEEPEST = 6, SLOTS_MAX = 1024 };

/* ---- grids ---- */

/* Background with some rectangles and single cells in few colors, of the size and density of real tasks. */
static Val draw_grid(Rng *rng, MixKind kind, int8_t *cells) {
    uint32_t max = kind == MIX_LONG ? 24 : 19, h = 4 + rng_below(rng, max - 4),
             w = 4 + rng_below(rng, max - 4);
    memset(cells, 0, (size_t)h * w);
    for (uint32_t shapes = 2 + rng_below(rng, 6); shapes > 0; shapes--) {
        uint32_t i = rng_below(rng, h), j = rng_below(rng, w), color = 1 + rng_below(rng, 9);
        uint32_t bottom = i + 1 + rng_below(rng, 3), right = j + 1 + rng_below(rng, 4);
        for (uint32_t y = i; y < bottom && y < h; y++) {
            for (uint32_t x = j; x < right && x < w; x++) {
                cells[y * w + x] = (int8_t)color;
            }
        }
    }
    for (uint32_t dots = rng_below(rng, h * w / 12 + 1); dots > 0; dots--) {
        cells[rng_below(rng, h * w)] = (int8_t)(1 + rng_below(rng, 3));
    }
    return eval_grid((Image){.h = (int32_t)h, .w = (int32_t)w, .cells = cells});
}

/* ---- programs ---- */

typedef struct MixDraft {
    Rng *rng;
    MixKind kind;
    Out text;
    char types[LINES_MAX + 64]; /* of the lines so far */
    uint32_t lines;
} MixDraft;

static const Phrase *draw_phrase(const MixDraft *d, char type) {
    uint32_t total = 0;
    for (size_t k = 0; k < sizeof phrases / sizeof *phrases; k++) {
        total += phrases[k].type == type ? phrases[k].weight[d->kind == MIX_LONG] : 0;
    }
    uint32_t at = rng_below(d->rng, total);
    for (size_t k = 0;; k++) {
        uint32_t weight = phrases[k].type == type ? phrases[k].weight[d->kind == MIX_LONG] : 0;
        if (at < weight) {
            return &phrases[k];
        }
        at -= weight;
    }
}

/* A random earlier line of this type, numbered from 1; 0: none (the input is always there as a grid). */
static uint32_t draw_line(const MixDraft *d, char type) {
    uint32_t found = 0, seen = 0;
    for (uint32_t k = 0; k < d->lines; k++) {
        if (d->types[k] == type && rng_below(d->rng, ++seen) == 0) {
            found = k + 1;
        }
    }
    return found;
}

static void grow(MixDraft *d, char type, uint32_t depth);

/* The simplest expression of a type, for where no line has it and no more may be grown. */
static void simplest(Out *to, char type) {
    static const char *const texts[][2] = {{"G", "I"},           {"P", "asindices(I)"},
                                           {"O", "asobject(I)"}, {"S", "partition(I)"},
                                           {"V", "(1, 1)"},      {"N", "3"}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (texts[k][0][0] == type) {
            out_str(to, texts[k][1]);
        }
    }
}

/* Writes an argument of this type: mostly an earlier line, else a new one. */
static void need(MixDraft *d, Out *to, char type, uint32_t depth) {
    uint32_t line = draw_line(d, type);
    bool room = depth < DEEPEST && d->lines < LINES_MAX;
    if (room && rng_percent(d->rng, line != 0 ? 35 : type == 'G' ? 10 : 100)) {
        grow(d, type, depth + 1);
        line = d->lines;
    }
    if (line != 0) {
        out_fmt(to, "x%u", line);
    } else {
        simplest(to, type);
    }
}

static void hole(MixDraft *d, Out *to, char what, uint32_t depth) {
    static const char *const directions[] = {"(1, 0)", "(0, 1)",  "(-1, 0)", "(0, -1)",
                                             "(1, 1)", "(1, -1)", "(-1, 1)", "(-1, -1)"};
    if (what == 'c') {
        out_fmt(to, "%u", rng_below(d->rng, 10));
    } else if (what == 'n') {
        out_fmt(to, "%u", 1 + rng_below(d->rng, 8));
    } else if (what == 'd') {
        out_str(to, directions[rng_below(d->rng, 8)]);
    } else {
        need(d, to, what, depth);
    }
}

/* Appends a line of this type with this text, after those it needs. */
static void grow_from(MixDraft *d, char type, const char *text, uint32_t depth) {
    Out line;
    out_init(&line);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '%') {
            hole(d, &line, *++at, depth);
        } else {
            out_char(&line, *at);
        }
    }
    if (d->lines < sizeof d->types) {
        d->types[d->lines++] = type;
        out_fmt(&d->text, "x%u = %s; ", d->lines, line.data);
    }
    d->text.failed |= line.failed;
    out_free(&line);
}

static void grow(MixDraft *d, char type, uint32_t depth) {
    grow_from(d, type, draw_phrase(d, type)->text, depth);
}

/* The loop of program number `at`: spread evenly over all of them, so that few programs have the same shares
 * as many. */
static const Loop *loop_of(uint32_t at) {
    uint32_t total = 0;
    for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {
        total += loops[k].weight;
    }
    const uint32_t golden = 0x9e3779b1; /* multiples of it, as fractions of 2^32, leave no large gap */
    uint32_t left = (uint32_t)((uint64_t)(at * golden) * total >> 32);
    const Loop *loop = loops;
    for (; left >= loop->weight; loop++) {
        left -= loop->weight;
    }
    return loop;
}

/* Half of the programs are shorter than `median`, a tenth longer than about three times that. */
static uint32_t draw_length(Rng *rng, MixKind kind) {
    uint32_t median = kind == MIX_SHORT ? 9 : 18, lines = median;
    for (uint32_t k = rng_below(rng, 4); k > 0; k--) {
        lines = rng_percent(rng, 50) ? lines * 3 / 2 : lines * 2 / 3;
    }
    return lines < 2 ? 2 : lines > LINES_MAX ? LINES_MAX : lines;
}

/* The text of a program, in mem_ memory; NULL: no memory. */
static char *draft_program(Rng *rng, MixKind kind, uint32_t at) {
    MixDraft d = {.rng = rng, .kind = kind};
    out_init(&d.text);
    if (kind == MIX_LOOPS) {
        grow_from(&d, 'L', loop_of(at)->text, DEEPEST - 2);
    }
    for (uint32_t lines = draw_length(rng, kind); kind != MIX_LOOPS && d.lines < lines;) {
        grow(&d, 'G', 0);
    }
    out_fmt(&d.text, "O = identity(x%u)", d.lines);
    char *text = d.text.failed ? NULL : mem_alloc(d.text.len + 1);
    if (text != NULL) {
        memcpy(text, d.text.data, d.text.len + 1);
    }
    out_free(&d.text);
    return text;
}

/* ---- the mix ---- */

/* Whether every line of a program succeeds on all its grids, within more steps than 99 of 100 real programs
 * need. */
static bool runs(Mix *mix, const Program *program, const Val *grids) {
    enum { STEPS = 200000 };
    Val slots[SLOTS_MAX];
    for (uint32_t k = 0; k < MIX_SAMPLES && prog_slots(program) <= SLOTS_MAX; k++) {
        ctx_reset(&mix->ctx);
        eval_slots(&mix->ctx, program, &grids[k], slots);
        for (uint32_t s = 0; s < prog_slots(program); s++) {
            if (val_failed(slots[s])) {
                return false;
            }
        }
        if (ctx_steps_used(&mix->ctx) > STEPS) {
            return false;
        }
    }
    return prog_slots(program) <= SLOTS_MAX;
}

static bool add_program(Mix *mix, Rng *rng, MixKind kind, uint32_t at) {
    Val *grids = mix->grids + (size_t)at * MIX_SAMPLES;
    int8_t *cells = mix->cells + (size_t)at * MIX_SAMPLES * MAX_CELLS;
    const ParseOptions form = {PARSE_LINE, MODE_CORE, 1};
    for (;;) {
        char *text = draft_program(rng, kind, at);
        for (uint32_t k = 0; k < MIX_SAMPLES; k++) {
            grids[k] = draw_grid(rng, kind, cells + (size_t)k * MAX_CELLS);
        }
        Program *program =
            text != NULL ? lang_parse_line(mix->lang, "mix", text, &form, &mix->programs) : NULL;
        if (program == NULL) {
            mem_free(text);
            return false;
        }
        if (runs(mix, program, grids)) {
            mix->texts[at] = text;
            mix->lines += program->nops;
            return true;
        }
        mem_free(text);
        prog_free(mix->programs.items[--mix->programs.count]);
    }
}

bool mix_open(Mix *mix, MixKind kind, uint32_t programs, uint64_t seed) {
    Budget budget = BUDGET_DEFAULT;
    Rng rng = rng_stream(seed, (uint64_t)kind, 0);
    size_t samples = (size_t)programs * MIX_SAMPLES;
    *mix = (Mix){.lang = lang_open(),
                 .texts = mem_zalloc(programs, sizeof *mix->texts),
                 .grids = mem_array(samples, sizeof *mix->grids),
                 .cells = mem_array(samples, MAX_CELLS)};
    bool good = mix->lang != NULL && mix->texts != NULL && mix->grids != NULL && mix->cells != NULL &&
                prim_open(&mix->ctx, MODE_CORE, false, &budget);
    for (uint32_t k = 0; good && k < programs; k++) {
        good = add_program(mix, &rng, kind, k);
    }
    return good;
}

void mix_close(Mix *mix) {
    for (size_t k = 0; mix->texts != NULL && k < mix->programs.count; k++) {
        mem_free(mix->texts[k]);
    }
    if (mix->ctx.base != NULL) {
        prim_close(&mix->ctx);
    }
    progs_free(&mix->programs);
    lang_close(mix->lang);
    mem_free(mix->texts);
    mem_free(mix->grids);
    mem_free(mix->cells);
}

void mix_run(Mix *mix, size_t program, bool stepwise) {
    mix->ctx.stepwise = stepwise;
    for (uint32_t s = 0; s < MIX_SAMPLES; s++) {
        ctx_reset(&mix->ctx);
        eval_program(&mix->ctx, mix->programs.items[program], &mix->grids[program * MIX_SAMPLES + s]);
    }
    mix->ctx.stepwise = false;
}

void mix_pass(Mix *mix, bool stepwise) {
    for (size_t k = 0; k < mix->programs.count; k++) {
        mix_run(mix, k, stepwise);
    }
}

uint32_t mix_shape(size_t program) {
    return loop_of((uint32_t)program)->shape;
}

/* The calls of the last line but one, which is the loop; the last one is `O = identity(..)`. */
double mix_loop_ns(Mix *mix, size_t program) {
    const Program *p = mix->programs.items[program];
    Val slots[SLOTS_MAX];
    uint32_t last = p->nops - 2, first = last;
    while (first > 0 && p->names[first - 1][0] == '\0') {
        first--;
    }
    double total = 0;
    for (uint32_t s = 0; s < MIX_SAMPLES; s++) {
        ctx_reset(&mix->ctx);
        eval_slots(&mix->ctx, p, &mix->grids[program * MIX_SAMPLES + s], slots);
        enum { TIMES = 8 };
        uint64_t start = clock_work_ns();
        for (uint32_t k = 0; k < TIMES; k++) {
            for (uint32_t op = first; op <= last; op++) {
                slots[prog_op_slot(p, op)] = eval_op(&mix->ctx, p, &p->ops[op], slots);
            }
        }
        total += (double)(clock_work_ns() - start) / TIMES;
    }
    return total;
}
