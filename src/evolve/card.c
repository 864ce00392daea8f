/* Writing cards; see card.h. Reading them is in card_read.c. */
#include "evolve/card.h"

#include "core/alloc.h"
#include "core/check.h"
#include "evolve/evolve_scopes.h"
#include "lang/print.h"

#include <inttypes.h>
#include <string.h>

enum { FORMS = 2, NONE = 0xffffffffu, TUPLE_MOST = 200, MUTATED_PERCENT = 50, TRIES = 8 };

typedef struct Entry { /* a picked program */
    const Program *origin;
    const char *mutation; /* NULL: not mutated */
    int handle;
    unsigned form;
    uint32_t next; /* next entry with the same output */
} Entry;

typedef struct Maker {
    const CardOptions *options;
    Ctx *ctx;
    Battery *batteries[FORMS];
    Entry *entries;
    uint32_t count;
    Mutator *mutator;
    Draft draft;
    Typed *picked, *mate, *child; /* one block */
    DraftView view;
    Card *card;
} Maker;

static unsigned form_of(const Program *p) {
    return p->mode == MODE_BATT && p->nparams == 3 ? 1 : p->mode == MODE_CORE && p->nparams == 1 ? 0 : FORMS;
}

static bool typed_of(Maker *m, const Program *p, Typed *typed) {
    return draft_from(&m->draft, p) && draft_simplify(&m->draft, &typed->draft) &&
           mutate_types(m->mutator, typed);
}

/* The entry's program: mutated with some probability, if a mutation succeeds; else as it is. */
static const Program *maybe_mutate(Maker *m, Entry *entry, const Program *const *programs, size_t n) {
    Rng *rng = &m->mutator->rng;
    if (m->options->freeze || !rng_percent(rng, MUTATED_PERCENT) || !typed_of(m, entry->origin, m->picked)) {
        return entry->origin;
    }
    for (int tries = 0; tries < TRIES; tries++) {
        MutationKind kind = mutate_draw(m->mutator);
        const Typed *mate =
            kind == MUTATION_CROSS && typed_of(m, programs[rng_below(rng, (uint32_t)n)], m->mate) ? m->mate
                                                                                                  : NULL;
        if (mutate(m->mutator, kind, m->picked, mate, m->child)) {
            entry->mutation = mutation_names[kind];
            COUNT(&m->card->statistics, MUTATED, 1);
            draft_view(&m->child->draft, &m->view);
            return &m->view.program;
        }
    }
    return entry->origin;
}

/* `count` random programs, in the order of the sources. */
static uint32_t *pick(Maker *m, size_t n, uint32_t count) {
    uint32_t *order = mem_array(n, sizeof *order);
    uint8_t *chosen = mem_zalloc(n, 1);
    if (order != NULL && chosen != NULL) {
        for (uint32_t k = 0; k < n; k++) {
            order[k] = k;
        }
        for (uint32_t k = 0; k < count; k++) {
            uint32_t other = k + rng_below(&m->mutator->rng, (uint32_t)n - k), swapped = order[k];
            order[k] = order[other];
            order[other] = swapped;
            chosen[order[k]] = 1;
        }
        for (uint32_t k = 0, at = 0; k < n; k++) {
            if (chosen[k]) {
                order[at++] = k;
            }
        }
    } else {
        mem_free(order);
        order = NULL;
    }
    mem_free(chosen);
    return order;
}

static bool fill(Maker *m, const Program *const *programs, size_t n) {
    static const Palettes all = {.in = 0x3ff, .out = 0x3ff};
    uint32_t count = m->options->count == 0 || m->options->count > n ? (uint32_t)n : m->options->count;
    mutator_begin(m->mutator, rng_stream(m->options->seed, n, 0), &all);
    m->entries = mem_zalloc(count > 0 ? count : 1, sizeof *m->entries);
    uint32_t *order = m->entries != NULL ? pick(m, n, count) : NULL;
    bool good = order != NULL;
    for (uint32_t k = 0; k < count && good; k++) {
        Entry *entry = &m->entries[m->count];
        *entry = (Entry){.origin = programs[order[k]], .form = form_of(programs[order[k]]), .next = NONE};
        if (entry->form == FORMS) {
            continue; /* an expression, or a mode that its parameters do not imply */
        }
        Scope was = scope_enter(m->ctx, SCOPE_BREED);
        const Program *p = maybe_mutate(m, entry, programs, n);
        scope_enter(m->ctx, SCOPE_MERGE);
        Battery **battery = &m->batteries[entry->form];
        if (*battery == NULL) {
            *battery = battery_new((Mode)p->mode, false, p->nparams, true);
        }
        entry->handle = *battery != NULL ? battery_add(*battery, m->ctx, p) : -1;
        scope_back(m->ctx, was);
        good = entry->handle >= 0;
        m->count += good;
    }
    mem_free(order);
    return good;
}

/* ---- text ---- */

/* The battery as a program whose result is the tuple of all outputs. */
typedef struct Sheet {
    Builder builder;
    Ref *refs;         /* by node */
    uint32_t *answers; /* by op: first entry whose output it is, or NONE */
    uint32_t room;
} Sheet;

static bool put_nodes(Sheet *sheet, const Battery *b, unsigned nparams) {
    for (uint32_t k = 0; k < battery_nodes(b); k++) {
        BatteryNode node = battery_node(b, k);
        Ref args[BUILD_MOST_ARGS];
        if (node.kind == BATTERY_PARAM) {
            sheet->refs[k] = REF_PARAM | (nparams == 1 ? PARAM_I : k);
        } else if (!node.needed) {
            continue;
        } else if (node.kind == BATTERY_CONST) {
            sheet->refs[k] = build_const(&sheet->builder, node.constant);
        } else {
            for (uint32_t a = 0; a < node.nargs; a++) {
                args[a] = sheet->refs[node.args[a]];
            }
            sheet->refs[k] = build_op(&sheet->builder, node.kind, node.prim, args, node.nargs, 0, "", 0);
        }
    }
    return !sheet->builder.failed;
}

/* A result that is not a call gets one, so that there is a line to mark. Returns the tuple of all results. */
static Ref put_outputs(Maker *m, Sheet *sheet, unsigned form) {
    Ref groups[TUPLE_MOST], items[TUPLE_MOST];
    uint32_t n_groups = 0, n = 0;
    for (uint32_t k = 0; k < m->count; k++) {
        Entry *entry = &m->entries[k];
        if (entry->form != form) {
            continue;
        }
        uint32_t node = battery_result(m->batteries[form], entry->handle);
        if (REF_KIND(sheet->refs[node]) != REF_OP) {
            sheet->refs[node] =
                build_op(&sheet->builder, OP_PRIM, P_identity, &sheet->refs[node], 1, 0, "", 0);
        }
        uint32_t op = REF_INDEX(sheet->refs[node]);
        if (op < sheet->room) {
            entry->next = sheet->answers[op];
            sheet->answers[op] = k;
        }
        items[n++] = sheet->refs[node];
        if (n == TUPLE_MOST && n_groups < TUPLE_MOST) {
            groups[n_groups++] = build_op(&sheet->builder, OP_TUPLE, 0, items, n, 0, "", 0);
            n = 0;
        }
    }
    if (n_groups == 0) {
        return build_op(&sheet->builder, OP_TUPLE, 0, items, n, 0, "", 0);
    }
    if (n > 0 && n_groups < TUPLE_MOST) {
        groups[n_groups++] = build_op(&sheet->builder, OP_TUPLE, 0, items, n, 0, "", 0);
    }
    return build_op(&sheet->builder, OP_TUPLE, 0, groups, n_groups, 0, "", 0);
}

static void write_mark(Out *out, const Maker *m, uint32_t first) {
    const char *before = "  # output ";
    for (uint32_t k = first; k != NONE; k = m->entries[k].next) {
        const Entry *entry = &m->entries[k];
        out_fmt(out, "%s%s", before, entry->origin->name[0] ? entry->origin->name : "program");
        if (entry->mutation != NULL) {
            out_fmt(out, ": %s", entry->mutation);
        }
        before = "; ";
    }
}

static bool write_form(Out *out, Maker *m, unsigned form, const char *name) {
    const Battery *b = m->batteries[form];
    uint32_t nodes = battery_nodes(b);
    unsigned nparams = form == 0 ? 1 : 3;
    Sheet sheet = {.room = 2 * nodes};
    build_init(&sheet.builder);
    build_start(&sheet.builder);
    sheet.refs = mem_array(nodes, sizeof *sheet.refs);
    sheet.answers = mem_array(sheet.room, sizeof *sheet.answers);
    Program *p = NULL;
    if (sheet.refs != NULL && sheet.answers != NULL) {
        memset(sheet.answers, 0xff, sheet.room * sizeof *sheet.answers);
        if (put_nodes(&sheet, b, nparams)) {
            Ref result = put_outputs(m, &sheet, form);
            p = build_finish(&sheet.builder, name, strlen(name), form == 0 ? MODE_CORE : MODE_BATT, nparams,
                             result);
        }
    }
    if (p != NULL) {
        out_fmt(out, "def %s(%s):\n", name, nparams == 1 ? "I" : "S, I, C");
        for (uint32_t k = 0; k < p->nops; k++) {
            out_str(out, "    ");
            print_slot(out, p, prog_op_slot(p, k));
            out_str(out, " = ");
            print_call(out, p, k);
            write_mark(out, m, k < sheet.room ? sheet.answers[k] : NONE);
            out_char(out, '\n');
        }
        out_str(out, "    return O\n");
    }
    mem_free(sheet.refs);
    mem_free(sheet.answers);
    build_free(&sheet.builder);
    bool good = p != NULL && !out->failed;
    prog_free(p);
    return good;
}

static bool write_all(Out *out, Maker *m) {
    Card *card = m->card;
    for (unsigned form = 0; form < FORMS; form++) {
        if (m->batteries[form] != NULL) {
            BatteryStats stats = battery_stats(m->batteries[form]);
            card->calls_before += stats.calls_before;
            card->calls_after += stats.calls_after + stats.constants;
        }
    }
    ASSERT(card->calls_after <= card->calls_before, "%" PRIu64 " calls merged to %" PRIu64,
           card->calls_before, card->calls_after);
    card->programs = m->count;
    out_fmt(out,
            "# " OUT_MARK " card: %" PRIu32 " programs, %" PRIu64 " of them mutated; %" PRIu64
            " calls, %" PRIu64 " after merging\n",
            card->programs, COUNTED(&card->statistics, MUTATED), card->calls_before, card->calls_after);
    bool good = true, both = m->batteries[0] != NULL && m->batteries[1] != NULL;
    for (unsigned form = 0; form < FORMS && good; form++) {
        if (m->batteries[form] != NULL) {
            out_str(out, form == 1 && both ? "\n\n" : "");
            good = write_form(out, m, form, form == 1 && both ? "batt_samples" : "batt");
        }
    }
    return good;
}

bool card_write(Out *out, const CardOptions *options, const Program *const *programs, size_t n_programs,
                Ctx *ctx, Card *card) {
    Maker *m = mem_zalloc(1, sizeof *m);
    *card = (Card){0};
    if (m == NULL) {
        return false;
    }
    *m = (Maker){.options = options, .ctx = ctx, .card = card, .mutator = mem_zalloc(1, sizeof(Mutator))};
    m->picked = mem_array(3, sizeof *m->picked);
    m->mate = m->picked + 1;
    m->child = m->picked + 2;
    bool good = m->mutator != NULL && m->picked != NULL && mutator_open(m->mutator) &&
                fill(m, programs, n_programs) && write_all(out, m);
    if (m->mutator != NULL) {
        mutator_close(m->mutator);
    }
    battery_free(m->batteries[0]);
    battery_free(m->batteries[1]);
    mem_free(m->entries);
    mem_free(m->picked);
    mem_free(m->mutator);
    mem_free(m);
    return good;
}
