/* batt prims: lists the primitives, from the same table that runs them. */
#include "base/json.h"
#include "base/out.h"
#include "engine/language/names.h"
#include "engine/language/signature.h"
#include "engine/language/symbols.h"
#include "engine/scenes/scene_acts.h"
#include "engine/stamps/stamp.h"
#include "tools/cli/cli.h"

#include <stdio.h>
#include <string.h>

typedef struct Options {
    bool json;
} Options;

static const CliOption options[] = {CLI_FLAG(Options, json, 0, "json", "write JSON"), CLI_END};

static const CliExample examples[] = {{"batt prims", "all of them, by family", false},
                                      {"batt prims fill", "one of them, with an example", false},
                                      {0}};

static const char *origin(const PrimInfo *info) {
    return info->flags & PRIM_OURS        ? "batt"
           : info->flags & PRIM_DIALECT   ? "dialect"
           : info->flags & PRIM_CORE_ONLY ? "arc-dsl"
                                          : "arc-dsl and dialect";
}

static bool are_aliases(uint32_t a, uint32_t b) {
    return a != b && prim_fn(MODE_CORE, a) == prim_fn(MODE_CORE, b) &&
           prim_fn(MODE_BATT, a) == prim_fn(MODE_BATT, b);
}

/* Wraps words at the width of the terminal with a hanging indent; `first` fills that of the first line. */
static void write_hanging(Out *out, const TermStyle *style, const char *first, const char *indent,
                          const char *text) {
    size_t width = style->width ? style->width : 100, column = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        if (column == 0 || column + 1 + length > width) {
            out_str(out, column ? "\n" : "");
            out_str(out, column ? indent : first);
            column = strlen(indent);
        } else {
            out_char(out, ' ');
            column++;
        }
        out_bytes(out, text, length);
        column += length;
        text += length + strspn(text + length, " ");
    }
    out_char(out, '\n');
}

static void write_wrapped(Out *out, const TermStyle *style, const char *indent, const char *text) {
    write_hanging(out, style, indent, indent, text);
}

static void write_list(Out *out, const TermStyle *style) {
    for (uint32_t family = 0; family < FAMILY_COUNT; family++) {
        Out names;
        uint32_t count = 0;
        out_init(&names);
        for (uint32_t id = 0; id < PRIM_COUNT; id++) {
            if (prim_table[id].family == family) {
                out_fmt(&names, "%s%s", count++ ? " " : "", prim_table[id].name);
            }
        }
        out_fmt(out, "%s%s (%u)%s\n", term_attr(style, ATTR_BOLD), family_titles[family], count,
                term_attr(style, ATTR_RESET));
        write_wrapped(out, style, "  ", names.data);
        out_free(&names);
    }
    out_fmt(out, "%d primitives; 'batt prims NAME' explains one\n", PRIM_COUNT);
}

/* One of the numbers that rules over objects are made of, with its meaning. */
static void write_number(Out *out, const TermStyle *style, unsigned number, const char *text) {
    char first[24];
    snprintf(first, sizeof first, "%7u ", number);
    write_hanging(out, style, first, "        ", text);
}

static void write_scene_hows(Out *out, const TermStyle *style, const char *title, const SceneHow *hows,
                             unsigned n, unsigned from) {
    static const char *const by[] = {[BY_NOTHING] = "",
                                     [BY_DIRECTION] = " (by: a direction)",
                                     [BY_WAYS] = " (by: directions)",
                                     [BY_PARTNER] = " (by: a partner)",
                                     [BY_PAIR] = " (by: a pair)"};
    out_fmt(out, "\n  %s\n", title);
    for (unsigned k = 0; k < n; k++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", hows[k].text, by[hows[k].by]);
        write_number(out, style, from + k, text);
    }
}

static void write_scene(Out *out, const TermStyle *style) {
    out_fmt(out, "\n  partners\n");
    for (unsigned k = 0; k < PARTNER_COUNT; k++) {
        write_number(out, style, k, scene_partners[k].text);
    }
    write_scene_hows(out, style, "regions (of act 2)", scene_regions, REGION_COUNT, 0);
    write_scene_hows(out, style, "vectors (of acts 3 to 5)", scene_vectors, VECTOR_COUNT, 0);
    write_scene_hows(out, style, "slides (of act 7)", scene_slides, SLIDE_COUNT, 0);
    write_scene_hows(out, style, "mirrors (of acts 10 and 11)", scene_mirrors, MIRROR_COUNT, 0);
    write_scene_hows(out, style, "sources of colors", scene_sources, SOURCE_END - SOURCE_FIRST - 1,
                     SOURCE_FIRST + 1);
    out_fmt(out, "\n  directions\n");
    write_wrapped(out, style, "        ",
                  "0 up, 1 right, 2 down, 3 left, 4 up and right, 5 down and right, 6 down and left, 7 up "
                  "and left; where several directions are allowed, also 8 up and down, 9 left and right, 10 "
                  "the first four, 11 the last four, 12 all. The directions that an object itself gives "
                  "follow; the last two stand for two directions each");
    write_scene_hows(out, style, "directions by the object", scene_bearings, BEARING_END - BEARING_FIRST,
                     BEARING_FIRST);
}

typedef struct Listing {
    Out *out;
    const TermStyle *style;
} Listing;

static bool write_symbol(void *user, const char *symbol, int64_t number, const char *text) {
    const Listing *to = user;
    char first[48];
    snprintf(first, sizeof first, "  %-19s %3d ", symbol, (int)number);
    write_hanging(to->out, to->style, first, "                          ", text);
    return true;
}

/* The words for numbers in its arguments. */
static void write_symbols(Out *out, const TermStyle *style, uint32_t id) {
    Listing to = {out, style};
    const char *at = prim_table[id].signature;
    SignatureParam param;
    for (uint32_t k = 0; signature_next(&at, &param); k++) {
        SymbolShape shape = symbols_of(id, k);
        if (shape != SYMBOLS_NONE) {
            out_fmt(out, "\n  %.*s\n", (int)strcspn(param.name, "|:"), param.name);
            symbols_each(shape, write_symbol, &to);
        }
    }
}

static void write_one(Out *out, const TermStyle *style, uint32_t id) {
    const PrimInfo *info = &prim_table[id];
    uint32_t aliases = 0;
    out_fmt(out, "%s%s%s", term_attr(style, ATTR_BOLD), info->name, term_attr(style, ATTR_RESET));
    const char *arrow = strstr(info->signature, " -> ");
    while (arrow != NULL && strstr(arrow + 1, " -> ") != NULL) {
        arrow = strstr(arrow + 1, " -> ");
    }
    out_fmt(out, "(%.*s)%s\n\n", (int)(arrow ? arrow - info->signature : 0), info->signature,
            arrow ? arrow : "");
    write_wrapped(out, style, "  ", info->doc);
    write_symbols(out, style, id);
    if (id == P_object_rule) {
        write_scene(out, style);
    }
    if (info->family == FAMILY_STAMPS) {
        out_char(out, '\n');
        write_wrapped(out, style, "  ", STAMP_NOTE);
    }
    bool batt = strncmp(info->example, "batt: ", 6) == 0;
    out_fmt(out, "\n  example   %s%s\n", info->example + (batt ? 6 : 0), batt ? "   (batt mode)" : "");
    out_fmt(out, "  family    %s\n  from      %s\n", family_titles[info->family], origin(info));
    if (info->hints[0] != '\0') {
        out_fmt(out, "  hints     %s\n", info->hints);
    }
    for (uint32_t other = 0; other < PRIM_COUNT; other++) {
        if (are_aliases(id, other)) {
            out_fmt(out, "%s%s", aliases++ ? ", " : "  same as   ", prim_table[other].name);
        }
    }
    out_str(out, aliases ? "\n" : "");
    if (info->flags & PRIM_ORDER) {
        out_str(out, "  order     the result may depend on the order of a set\n");
    }
}

typedef struct JsonListing {
    Json *json;
    uint32_t argument;
} JsonListing;

static bool json_symbol(void *user, const char *symbol, int64_t number, const char *text) {
    const JsonListing *to = user;
    Json *json = to->json;
    json_begin_object(json);
    json_kv_int(json, "argument", to->argument);
    json_kv_string(json, "symbol", symbol);
    json_kv_int(json, "number", number);
    json_kv_string(json, "text", text);
    json_end_object(json);
    return true;
}

/* The symbols that may stand for numbers in its arguments. */
static void json_symbols(Json *json, uint32_t id) {
    json_key(json, "symbols");
    json_begin_array(json);
    for (uint32_t k = 0; k < prim_table[id].arity; k++) {
        JsonListing to = {json, k};
        symbols_each(symbols_of(id, k), json_symbol, &to);
    }
    json_end_array(json);
}

static void write_json(Json *json, uint32_t id) {
    static const char *const defaults[] = {"()", "{}", "0", "F", "function"};
    const PrimInfo *info = &prim_table[id];
    json_begin_object(json);
    json_kv_string(json, "name", info->name);
    json_kv_string(json, "family", family_titles[info->family]);
    json_kv_int(json, "arity", info->arity);
    json_kv_string(json, "signature", info->signature);
    json_kv_string(json, "hints", info->hints[0] ? info->hints : NULL);
    json_kv_string(json, "from", origin(info));
    json_kv_string(json, "default", defaults[info->safe_default]);
    json_kv_bool(json, "depends_on_order", (info->flags & PRIM_ORDER) != 0);
    json_key(json, "aliases");
    json_begin_row(json);
    for (uint32_t other = 0; other < PRIM_COUNT; other++) {
        if (are_aliases(id, other)) {
            json_text(json, prim_table[other].name);
        }
    }
    json_end_array(json);
    json_symbols(json, id);
    json_kv_string(json, "doc", info->doc);
    json_kv_string(json, "example", info->example);
    json_end_object(json);
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    Out out;
    out_init(&out);
    Json json = json_on(&out, 2);
    int status = EXIT_DONE;
    if (opt->json) {
        json_begin_report(&json, "batt.prims/1");
        json_key(&json, "primitives");
        json_begin_array(&json);
    }
    if (argc == 0 && !opt->json) {
        write_list(&out, &cli->style);
    }
    for (uint32_t id = 0; argc == 0 && opt->json && id < PRIM_COUNT; id++) {
        write_json(&json, id);
    }
    for (int k = 0; k < argc; k++) {
        size_t length = strlen(argv[k]);
        int id = prim_find(argv[k], length);
        if (id < 0) {
            const char *nearest = names_nearest(argv[k], length, true);
            status =
                cli_error(cli, "unknown primitive '%s'%s%s%s", argv[k], nearest ? "; did you mean '" : "",
                          nearest ? nearest : "", nearest ? "'?" : "; batt prims lists them");
        } else if (opt->json) {
            write_json(&json, (uint32_t)id);
        } else {
            out_str(&out, k ? "\n" : "");
            write_one(&out, &cli->style, (uint32_t)id);
        }
    }
    if (opt->json) {
        json_end_array(&json);
        json_end_object(&json);
        out_char(&out, '\n');
    }
    bool good = cli_print(cli, &out);
    out_free(&out);
    return status == EXIT_DONE && !good ? EXIT_SHORT : status;
}

const CliCommand cmd_prims = {.arguments = "[NAME...]",
                              .completes = "primitives",
                              .max_args = -1,
                              .options = options,
                              .size = sizeof(Options),
                              .examples = examples,
                              .run = run};
