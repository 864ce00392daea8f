/* Random grids, and programs of everything that has a form on devices; see programs.h. */
#include "tools/devices/programs.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "engine/primitives/prim.h"

#include <string.h>

/* Types of arguments and results: g grid, s stamp, p indices, o object, d pair, n number, c color, h small
 * number, t table of colors, q objects, b truth, m what measures an object, f what makes indices of one, k of
 * a place. */
static const struct Shape {
    const char *name, *args;
    char result;
} SHAPES[] = {
    {"rot90", "g", 'g'},          {"rot180", "g", 'g'},       {"rot270", "g", 'g'},
    {"hmirror", "g", 'g'},        {"vmirror", "g", 'g'},      {"dmirror", "g", 'g'},
    {"cmirror", "g", 'g'},        {"tophalf", "g", 'g'},      {"bottomhalf", "g", 'g'},
    {"lefthalf", "g", 'g'},       {"righthalf", "g", 'g'},    {"trim", "g", 'g'},
    {"crop", "gdd", 'g'},         {"subgrid", "pg", 'g'},     {"subgrid", "og", 'g'},
    {"replace", "gcc", 'g'},      {"switch", "gcc", 'g'},     {"cellwise", "ggc", 'g'},
    {"upscale", "gh", 'g'},       {"hupscale", "gh", 'g'},    {"vupscale", "gh", 'g'},
    {"downscale", "gh", 'g'},     {"hconcat", "gg", 'g'},     {"vconcat", "gg", 'g'},
    {"canvas", "cd", 'g'},        {"shape", "g", 'd'},        {"shape", "p", 'd'},
    {"height", "g", 'n'},         {"width", "o", 'n'},        {"portrait", "g", 'n'},
    {"ofcolor", "gc", 'p'},       {"ofcolor", "gc", 'p'},     {"asindices", "g", 'p'},
    {"asobject", "g", 'o'},       {"fill", "gcp", 'g'},       {"fill", "gco", 'g'},
    {"underfill", "gcp", 'g'},    {"cover", "gp", 'g'},       {"paint", "go", 'g'},
    {"underpaint", "go", 'g'},    {"recolor", "cp", 'o'},     {"shift", "pd", 'p'},
    {"shift", "od", 'o'},         {"combine", "pp", 'p'},     {"intersection", "pp", 'p'},
    {"difference", "pp", 'p'},    {"box", "p", 'p'},          {"inbox", "p", 'p'},
    {"outbox", "o", 'p'},         {"backdrop", "p", 'p'},     {"delta", "p", 'p'},
    {"ulcorner", "p", 'd'},       {"urcorner", "o", 'd'},     {"llcorner", "p", 'd'},
    {"lrcorner", "p", 'd'},       {"center", "p", 'd'},       {"uppermost", "p", 'n'},
    {"lowermost", "o", 'n'},      {"leftmost", "p", 'n'},     {"rightmost", "p", 'n'},
    {"size", "p", 'n'},           {"mostcolor", "g", 'c'},    {"leastcolor", "g", 'c'},
    {"colorcount", "gc", 'n'},    {"add", "dd", 'd'},         {"subtract", "dn", 'd'},
    {"multiply", "dn", 'd'},      {"double", "d", 'd'},       {"halve", "d", 'd'},
    {"increment", "d", 'd'},      {"decrement", "n", 'n'},    {"invert", "d", 'd'},
    {"first", "d", 'n'},          {"last", "d", 'n'},         {"astuple", "nn", 'd'},
    {"stamp_keep", "sc", 's'},    {"stamp_erase", "sc", 's'}, {"stamp_paint", "sc", 's'},
    {"stamp_trim", "sh", 's'},    {"stamp_trim", "sh", 's'},  {"stamp_box", "sh", 's'},
    {"stamp_home", "s", 's'},     {"stamp_main", "s", 's'},   {"stamp_fill", "sh", 's'},
    {"stamp_turn", "sc", 's'},    {"stamp_rays", "sc", 's'},  {"stamp_frame", "sh", 's'},
    {"stamp_join", "sh", 's'},    {"stamp_half", "sh", 's'},  {"stamp_paste", "sd", 'g'},
    {"stamp_corner", "sdh", 'g'}, {"stamp_scale", "sd", 'g'}, {"stamp_tile", "sdh", 'g'},
    {"stamp_lay", "gsh", 'g'},    {"stamp_lay", "ssh", 's'},  {"toindices", "o", 'p'},
    {"stamp_spread", "sh", 's'},  {"ulcorner", "o", 'd'},     {"compress", "g", 'g'},
    {"stamp_table", "ggt", 'g'},  {"objects", "gbbb", 'q'},   {"objects", "gbbb", 'q'},
    {"delta", "o", 'p'},          {"o_g", "gh", 'q'},         {"o_g", "gc", 'q'},
    {"partition", "g", 'q'},      {"fgpartition", "g", 'q'},  {"colorfilter", "qc", 'q'},
    {"sizefilter", "qh", 'q'},    {"argmax", "qm", 'o'},      {"argmin", "qm", 'o'},
    {"valmax", "qm", 'n'},        {"valmin", "qm", 'n'},      {"first", "q", 'o'},
    {"last", "q", 'o'},           {"size", "q", 'n'},         {"merge", "q", 'o'},
    {"mapply", "fq", 'p'},        {"mapply", "fq", 'p'},      {"color", "o", 'c'},
    {"mapply", "kp", 'p'},        {"neighbors", "d", 'p'},    {"first", "p", 'd'},
    {"ineighbors", "d", 'p'},     {"dneighbors", "d", 'p'},   {"last", "p", 'd'},
    {"normalize", "o", 'o'},      {"normalize", "p", 'p'},    {"remove", "oq", 'q'},
};
enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES, CALLS = 7 };

static bool fits(char wanted, char is) {
    return wanted == is || (wanted == 's' && is == 'g') || (wanted == 'n' && is == 'c') ||
           (wanted == 'c' && is == 'n') || (wanted == 'g' && is == 's');
}

/* What a call before has given, or the input; else a literal. */
static void write_argument(Rng *rng, Out *out, char type, const char *types, unsigned n) {
    unsigned at = rng_below(rng, n + 1);
    for (unsigned k = 0; k <= n && rng_below(rng, 12) != 0; k++, at = (at + 1) % (n + 1)) {
        if (fits(type, at == 0 ? 'g' : types[at - 1])) {
            if (at == 0) {
                out_str(out, "I");
            } else {
                out_fmt(out, "x%u", at);
            }
            return;
        }
    }
    static const char *const measures[] = {"size",      "height",   "width",    "uppermost",
                                           "lowermost", "leftmost", "rightmost"};
    static const char *const shapes[] = {"box", "inbox", "outbox", "backdrop", "delta"};
    static const char *const around[] = {"neighbors", "dneighbors", "ineighbors"};
    switch (type) {
    case 'k':
        out_str(out, around[rng_below(rng, 3)]);
        break;
    case 'b':
        out_str(out, rng_below(rng, 2) ? "T" : "F");
        break;
    case 'm':
        out_str(out, measures[rng_below(rng, 7)]);
        break;
    case 'f':
        out_str(out, shapes[rng_below(rng, 5)]);
        break;
    case 'q':
        out_fmt(out, "objects(I, %c, %c, %c)", "TF"[rng_below(rng, 2)], "TF"[rng_below(rng, 2)],
                "TF"[rng_below(rng, 2)]);
        break;
    case 'd':
        out_fmt(out, "(%d, %d)", (int)rng_below(rng, 14) - 2, (int)rng_below(rng, 14) - 2);
        break;
    case 'c':
        out_fmt(out, "%u", rng_below(rng, 10));
        break;
    case 'n':
    case 'h':
        out_fmt(out, "%d", (int)rng_below(rng, 6) - (rng_below(rng, 9) == 0));
        break;
    case 't':
        out_str(out, "((0, 0, 5), (1, 1, 2), (0, 1, 3), (1, 0, 4), (2, 2, 0), (3, 3, 1))");
        break;
    case 'p':
        out_fmt(out, "ofcolor(I, %u)", rng_below(rng, 10));
        break;
    case 'o':
        out_str(out, "asobject(I)");
        break;
    default:
        out_str(out, "I");
    }
}

static const struct Shape *random_shape(Rng *rng, unsigned nparams, unsigned first) {
    unsigned wrong = nparams == 3 ? PRIM_CORE_ONLY : PRIM_DIALECT;
    for (unsigned at = first;; at = rng_below(rng, N_SHAPES)) {
        const struct Shape *shape = &SHAPES[at];
        int id = prim_find(shape->name, strlen(shape->name));
        if (id >= 0 && (prim_table[id].flags & wrong) == 0) {
            return shape;
        }
    }
}

static void write_program(Rng *rng, Out *out, unsigned number, unsigned nparams) {
    char types[CALLS];
    out_fmt(out, "def f%u(%s):\n", number, nparams == 3 ? "S, I, C" : "I");
    for (unsigned k = 0; k < CALLS; k++) {
        bool last = k + 1 == CALLS;
        const struct Shape *shape =
            random_shape(rng, nparams, last ? number % N_SHAPES : rng_below(rng, N_SHAPES));
        if (last) {
            out_fmt(out, "    O = %s(", shape->name);
        } else {
            out_fmt(out, "    x%u = %s(", k + 1, shape->name);
        }
        for (const char *a = shape->args; *a != '\0'; a++) {
            out_str(out, a > shape->args ? ", " : "");
            write_argument(rng, out, *a, types, k);
        }
        out_str(out, ")\n");
        types[k] = shape->result;
    }
    out_str(out, "    return O\n");
}

static bool make_battery(TestBattery *t, Ctx *ctx, const Out *text) {
    Diags diags;
    Lang *lang = lang_open();
    diags_init(&diags);
    Source source = source_of("programs", text->data, text->len);
    t->battery = battery_new(t->nparams == 3 ? MODE_BATT : MODE_CORE, false, t->nparams, true);
    bool good = lang != NULL && t->battery != NULL && !text->failed &&
                lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &t->programs, &diags) && diags.errors == 0;
    for (size_t k = 0; good && k < t->programs.count; k++) {
        good = battery_add(t->battery, ctx, t->programs.items[k]) == (int)k;
    }
    diags_free(&diags);
    lang_close(lang);
    return good;
}

/* Of any size, or square. */
static Image random_image(Rng *rng, int8_t *cells, uint32_t side) {
    uint32_t max = rng_below(rng, 8) == 0 ? TEST_MAX_SIDE : 12;
    uint32_t colors = 1 + rng_below(rng, rng_below(rng, 2) ? 3 : 10);
    int32_t h = side > 0 ? (int32_t)side : 1 + (int32_t)rng_below(rng, max);
    int32_t w = side > 0 ? (int32_t)side : 1 + (int32_t)rng_below(rng, max);
    uint32_t style = rng_below(rng, 3), first = rng_below(rng, 11 - colors);
    for (int32_t c = 0; c < h * w; c++) {
        bool row = style == 0, sparse = style == 1 && rng_below(rng, 4) != 0;
        cells[c] = (int8_t)(sparse ? 0 : first + (row ? (uint32_t)(c / w) % colors : rng_below(rng, colors)));
    }
    return (Image){h, w, cells};
}

/* Expected outputs: none, another grid, or the input. */
static bool make_samples(TestBattery *t, Rng *rng, uint32_t n, uint32_t side) {
    const size_t room = (size_t)TEST_MAX_SIDE * TEST_MAX_SIDE;
    t->samples = mem_zalloc(n, sizeof *t->samples);
    t->images = mem_zalloc(n, sizeof *t->images);
    t->cells = mem_array(2 * (size_t)n, room);
    if (t->samples == NULL || t->images == NULL || t->cells == NULL) {
        return false;
    }
    t->n_samples = n;
    for (uint32_t k = 0; k < n; k++) {
        int8_t *at = t->cells + 2 * k * room;
        t->images[k] = random_image(rng, at, side);
        Image other = random_image(rng, at + room, side);
        t->samples[k] = (LevelsSample){.input = t->images[k], .user = &t->images[k]};
        if (k % 5 != 0) { /* unknown for every fifth */
            t->samples[k].expected = k % 2 ? other : t->images[k];
        }
    }
    return true;
}

bool test_battery_make(TestBattery *t, Ctx *ctx, uint64_t seed, uint32_t programs, uint32_t samples) {
    Rng rng = {seed};
    Out out;
    *t = (TestBattery){.nparams = seed % 3 == 0 ? TEST_MAX_PARAMS : 1};
    out_init(&out);
    uint32_t first = rng_below(&rng, N_SHAPES); /* which primitives programs end with */
    for (uint32_t k = 0; k < programs; k++) {
        write_program(&rng, &out, first + k, t->nparams);
    }
    bool good = make_battery(t, ctx, &out) && make_samples(t, &rng, samples, 0);
    out_free(&out);
    return good;
}

static const struct Shape *shape_of(const char *primitive) {
    int id = prim_find(primitive, strlen(primitive));
    for (unsigned k = 0; k < N_SHAPES && id >= 0 && levels_can_do((uint32_t)id); k++) {
        if (strcmp(SHAPES[k].name, primitive) == 0) {
            return &SHAPES[k];
        }
    }
    return NULL;
}

bool test_battery_knows(const char *primitive) {
    return shape_of(primitive) != NULL;
}

static const char *usual_argument(char type) {
    switch (type) {
    case 'p':
        return "ofcolor(I, 1)";
    case 'o':
        return "asobject(I)";
    case 'q':
        return "objects(I, T, F, T)";
    case 'b':
        return "T";
    case 'm':
        return "size";
    case 'f':
        return "delta";
    case 'k':
        return "neighbors";
    case 'd':
        return "(1, 1)";
    case 'c':
    case 'n':
    case 'h':
        return "2";
    case 't':
        return "((0, 0, 5), (1, 1, 2), (0, 1, 3))";
    default:
        return "I";
    }
}

bool test_battery_make_call(TestBattery *t, Ctx *ctx, const char *primitive, uint32_t cells,
                            uint32_t samples) {
    const struct Shape *shape = shape_of(primitive);
    Rng rng = {1};
    Out out;
    uint32_t side = 1;
    while (side < TEST_MAX_SIDE && (side + 1) * (side + 1) <= cells) {
        side++;
    }
    *t = (TestBattery){.nparams = 1};
    if (shape == NULL || prim_table[prim_find(primitive, strlen(primitive))].flags & PRIM_DIALECT) {
        return false;
    }
    out_init(&out);
    out_fmt(&out, "def f0(I):\n    O = %s(", shape->name);
    for (const char *a = shape->args; *a != '\0'; a++) {
        out_fmt(&out, "%s%s", a > shape->args ? ", " : "", usual_argument(*a));
    }
    out_str(&out, ")\n    return O\n");
    bool good = make_battery(t, ctx, &out) && make_samples(t, &rng, samples, side);
    out_free(&out);
    return good;
}

void test_battery_free(TestBattery *t) {
    battery_free(t->battery);
    progs_free(&t->programs);
    mem_free(t->samples);
    mem_free(t->images);
    mem_free(t->cells);
}

void test_battery_input(Ctx *ctx, const void *user, unsigned nparams, Val *params) {
    const Image *image = user;
    (void)ctx;
    params[0] = VAL_EMPTY_TUPLE; /* the samples */
    for (unsigned k = nparams == 1 ? 0 : 1; k < nparams; k++) {
        params[k] = val_grid8(image->cells, (uint32_t)image->h, (uint32_t)image->w);
    }
}
