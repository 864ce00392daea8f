/* Making a synthetic task: draw inputs, compute the outputs with the program, reject dull pairs; see
 * synth.h. */
#include "data/synth/synth.h"

#include "base/alloc.h"
#include "data/synth/synth_family.h"
#include "engine/eval/eval.h"
#include "engine/language/parse.h"

#include <string.h>

/* A canvas is cheap to draw: a scene that does not satisfy its rule in this many attempts is a mistake in the
 * table. */
enum { PAIR_ATTEMPTS = 2000, TASK_ATTEMPTS = 50, GRID_ROOM = ARC_SIDE * ARC_SIDE };

struct Synth {
    Ctx ctx;
    bool has_ctx;
    Lang *lang;
    ProgList programs; /* only the rule of the current task */
    Diags diags;
    Out text;
    TaskPair *pairs;
    int8_t *cells; /* of pairs: input and output, GRID_ROOM each */
    size_t room;   /* pairs there is memory for */
    Task task;
    char id[SYNTH_ID_BYTES];
};

static void forget_program(Synth *synth) {
    progs_free(&synth->programs);
    diags_clear(&synth->diags);
    out_clear(&synth->text);
}

Synth *synth_open(void) {
    static const Budget budget = {.steps = 10000000, .bytes = (uint64_t)64 << 20, .depth = 100};
    Synth *synth = mem_zalloc(1, sizeof *synth);
    if (synth == NULL) {
        return NULL;
    }
    out_init(&synth->text);
    diags_init(&synth->diags);
    synth->lang = lang_open();
    synth->has_ctx = prim_open(&synth->ctx, MODE_CORE, false, &budget);
    if (synth->lang == NULL || !synth->has_ctx) {
        synth_close(synth);
        return NULL;
    }
    return synth;
}

void synth_close(Synth *synth) {
    if (synth == NULL) {
        return;
    }
    if (synth->has_ctx) {
        prim_close(&synth->ctx);
    }
    if (synth->lang != NULL) {
        lang_close(synth->lang);
    }
    progs_free(&synth->programs);
    diags_free(&synth->diags);
    out_free(&synth->text);
    mem_free(synth->pairs);
    mem_free(synth->cells);
    mem_free(synth);
}

static bool make_room(Synth *synth, size_t n_pairs) {
    if (n_pairs <= synth->room) {
        return true;
    }
    TaskPair *pairs = mem_grow(synth->pairs, n_pairs, sizeof *pairs);
    if (pairs == NULL) {
        return false;
    }
    synth->pairs = pairs;
    int8_t *cells = mem_grow(synth->cells, n_pairs * 2, GRID_ROOM);
    if (cells == NULL) {
        return false;
    }
    synth->cells = cells;
    synth->room = n_pairs;
    return true;
}

static const Program *parse_rule(Synth *synth, const SynthFamily *family, const SynthTheme *theme) {
    forget_program(synth);
    synth_fill_in(&synth->text, family, theme, "solve");
    Source source = source_of(family->name, synth->text.data, synth->text.len);
    ParseOptions options = PARSE_OPTIONS_FILE;
    if (synth->text.failed || !lang_parse(synth->lang, &source, &options, &synth->programs, &synth->diags) ||
        synth->diags.errors > 0 || synth->programs.count != 1) {
        return NULL;
    }
    return synth->programs.items[0];
}

/* The rule's output for an input, copied to cells; an invalid image if a task cannot hold it. */
static Image apply_rule(Synth *synth, const Program *program, Image in, int8_t *cells) {
    ctx_reset(&synth->ctx);
    Val input = eval_grid(in), output = eval_program(&synth->ctx, program, &input);
    Image image = {.h = (int32_t)output.n, .w = (int32_t)output.w, .cells = output.b8};
    if (output.kind != VAL_GRID8 || !task_image_valid(image, ARC_SIDE) || task_image_equal(image, in)) {
        return (Image){0};
    }
    memcpy(cells, image.cells, (size_t)(image.h * image.w));
    image.cells = cells;
    return image;
}

static bool is_new(const Synth *synth, size_t k, Image in) {
    for (size_t i = 0; i < k; i++) {
        if (task_image_equal(synth->pairs[i].in, in)) {
            return false;
        }
    }
    return true;
}

static bool make_pair(Synth *synth, const SynthFamily *family, const SynthTheme *theme,
                      const Program *program, SynthRng *rng, size_t k) {
    int8_t *in_cells = synth->cells + 2 * k * GRID_ROOM;
    for (int attempt = 0; attempt < PAIR_ATTEMPTS; attempt++) {
        Canvas canvas;
        if (!family->scene(&canvas, theme, rng)) {
            continue;
        }
        Image in = {.h = canvas.h, .w = canvas.w, .cells = in_cells};
        memcpy(in_cells, canvas.at, (size_t)(canvas.h * canvas.w));
        if (!is_new(synth, k, in)) {
            continue;
        }
        Image out = apply_rule(synth, program, in, in_cells + GRID_ROOM);
        if (out.h > 0) {
            synth->pairs[k] = (TaskPair){.in = in, .out = out, .has_output = true};
            return true;
        }
    }
    return false;
}

static bool outputs_differ(const Synth *synth, size_t n_pairs) {
    for (size_t i = 1; i < n_pairs; i++) {
        if (!task_image_equal(synth->pairs[0].out, synth->pairs[i].out)) {
            return true;
        }
    }
    return n_pairs < 2;
}

static bool make_pairs(Synth *synth, const SynthFamily *family, const SynthTheme *theme,
                       const Program *program, SynthRng *rng, size_t n_pairs) {
    for (int attempt = 0; attempt < TASK_ATTEMPTS; attempt++) {
        size_t k = 0;
        while (k < n_pairs && make_pair(synth, family, theme, program, rng, k)) {
            k++;
        }
        if (k == n_pairs && outputs_differ(synth, n_pairs)) {
            return true;
        }
    }
    return false;
}

const Task *synth_make(Synth *synth, const SynthFamily *family, uint64_t seed, int n_train, int n_test,
                       const char **why) {
    size_t n_pairs = (size_t)n_train + (size_t)n_test;
    SynthRng rng;
    SynthTheme theme = synth_theme(family, seed, &rng);
    *why = MEM_NONE;
    if (!make_room(synth, n_pairs)) {
        return NULL;
    }
    const Program *program = parse_rule(synth, family, &theme);
    if (program == NULL) {
        *why = synth->diags.count > 0 ? diags_message(&synth->diags, &synth->diags.items[0]) : *why;
        return NULL;
    }
    if (!make_pairs(synth, family, &theme, program, &rng, n_pairs)) {
        *why = "the family does not yield that many different pairs";
        return NULL;
    }
    synth_id(synth->id, family, seed);
    synth->task = (Task){.id = synth->id,
                         .train = synth->pairs,
                         .test = synth->pairs + n_train,
                         .n_train = n_train,
                         .n_test = n_test,
                         .source = family->name,
                         .line = 1,
                         .column = 1};
    synth->task.hash = task_content_hash(&synth->task);
    return &synth->task;
}
