/* Writing cards; see card.h. Picking and mutating is in card_pick.c, reading in card_read.c. */
#include "base/alloc.h"
#include "base/check.h"
#include "engine/eval/scope.h"
#include "engine/language/print.h"
#include "search/evolution/card_pick.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CARD_HEAD "# " OUT_MARK " card\n"
#define CARD_FIGURES(u32, u64) \
    "# batt-card: programs=%" u32 " mutated=%" u64 " differs=%" u32 " calls=%" u64 " merged=%" u64

enum { NONE = 0xffffffffu, TUPLE_MAX = 200 };

typedef struct CardMaker {
    const CardOptions *options;
    Ctx *ctx;
    Battery *batteries[CARD_FORMS];
    CardEntry *entries; /* programs, then differs */
    uint32_t count;
    Card *card;
} CardMaker;

static bool merge(CardMaker *m, CardEntry *entry, const Program *p) {
    Battery **battery = &m->batteries[entry->form];
    if (*battery == NULL) {
        *battery = battery_new((Mode)p->mode, false, p->nparams, true);
    }
    entry->handle = *battery != NULL ? battery_add(*battery, m->ctx, p) : -1;
    entry->next = NONE;
    return entry->handle >= 0;
}

/* Merges what was picked; entries that are no solvers (expressions, or in a mode that their parameters do not
 * imply) are left out. */
static bool fill(CardMaker *m, const CardEntry *picked, uint32_t count) {
    size_t differs = m->options->differs != NULL ? m->options->differs->count : 0;
    m->entries = mem_array(count + differs + 1, sizeof *m->entries);
    bool good = m->entries != NULL;
    Scope was = scope_enter(m->ctx, SCOPE_MERGE);
    for (uint32_t k = 0; k < count && good; k++) {
        if (stop_is_requested(m->options->stop)) {
            good = false;
        } else if (picked[k].form != CARD_FORMS) {
            CardEntry *entry = &m->entries[m->count++];
            *entry = picked[k];
            COUNT(&m->card->statistics, MUTATED, entry->mutation != NULL);
            good = merge(m, entry, entry->child != NULL ? entry->child : entry->origin);
        }
    }
    m->card->programs = m->count;
    for (size_t k = 0; k < differs && good; k++) {
        CardEntry *entry = &m->entries[m->count++];
        *entry = (CardEntry){.origin = m->options->differs->items[k], .form = CARD_DIFFERS};
        good = merge(m, entry, entry->origin);
        m->card->differs++;
    }
    scope_back(m->ctx, was);
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
        Ref args[BUILD_MAX_ARGS];
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

/* Puts the items into a tuple of their own. Groups that fill a tuple become its first element. */
static void put_group(Sheet *sheet, Ref *groups, uint32_t *n_groups, const Ref *items, uint32_t n) {
    if (*n_groups == TUPLE_MAX) {
        groups[0] = build_op(&sheet->builder, OP_TUPLE, 0, groups, TUPLE_MAX, 0, "", 0);
        *n_groups = 1;
    }
    groups[(*n_groups)++] = build_op(&sheet->builder, OP_TUPLE, 0, items, n, 0, "", 0);
}

/* A result that is not a call gets one, so that there is a line to mark. Returns the tuple of all results. */
static Ref put_outputs(CardMaker *m, Sheet *sheet, unsigned form) {
    Ref groups[TUPLE_MAX], items[TUPLE_MAX];
    uint32_t n_groups = 0, n = 0;
    for (uint32_t k = 0; k < m->count; k++) {
        CardEntry *entry = &m->entries[k];
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
        if (n == TUPLE_MAX) {
            put_group(sheet, groups, &n_groups, items, n);
            n = 0;
        }
    }
    if (n_groups == 0) {
        return build_op(&sheet->builder, OP_TUPLE, 0, items, n, 0, "", 0);
    }
    if (n > 0) {
        put_group(sheet, groups, &n_groups, items, n);
    }
    return build_op(&sheet->builder, OP_TUPLE, 0, groups, n_groups, 0, "", 0);
}

static void write_mark(Out *out, const CardMaker *m, uint32_t first) {
    const char *before = first != NONE && m->entries[first].form == CARD_DIFFERS ? "  " CARD_DIFFER_MARK
                                                                                 : "  " CARD_OUTPUT_MARK;
    for (uint32_t k = first; k != NONE; k = m->entries[k].next) {
        const CardEntry *entry = &m->entries[k];
        out_fmt(out, "%s%s", before, entry->origin->name[0] ? entry->origin->name : "program");
        if (entry->mutation != NULL) {
            out_fmt(out, ": %s", entry->mutation);
        }
        before = "; ";
    }
}

static bool write_form(Out *out, CardMaker *m, unsigned form, const char *name) {
    const Battery *b = m->batteries[form];
    uint32_t nodes = battery_nodes(b);
    unsigned nparams = form == CARD_OVER_GRIDS ? 1 : 3;
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
            p = build_finish(&sheet.builder, name, strlen(name),
                             form == CARD_OVER_GRIDS ? MODE_CORE : MODE_BATT, nparams, result);
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

static bool write_all(Out *out, CardMaker *m) {
    Card *card = m->card;
    for (unsigned form = 0; form < CARD_FORMS; form++) {
        if (m->batteries[form] != NULL) {
            BatteryStats stats = battery_stats(m->batteries[form]);
            card->calls_before += stats.calls_before;
            card->calls_after += stats.calls_after + stats.constants;
        }
    }
    ASSERT(card->calls_after <= card->calls_before, "%" PRIu64 " calls merged to %" PRIu64,
           card->calls_before, card->calls_after);
    out_fmt(out, CARD_HEAD CARD_FIGURES(PRIu32, PRIu64) "\n", card->programs,
            COUNTED(&card->statistics, MUTATED), card->differs, card->calls_before, card->calls_after);
    const char *names[CARD_FORMS] = {"batt", m->batteries[CARD_OVER_GRIDS] != NULL ? "batt_samples" : "batt",
                                     "batt_differs"};
    const char *before = "";
    bool good = true;
    for (unsigned form = 0; form < CARD_FORMS && good; form++) {
        if (m->batteries[form] != NULL) {
            out_str(out, before);
            good = write_form(out, m, form, names[form]);
            before = "\n\n";
        }
    }
    return good;
}

bool card_figures(const char *text, Card *card) {
    size_t head = strlen(CARD_HEAD);
    uint64_t mutated = 0;
    *card = (Card){0};
    bool good = strncmp(text, CARD_HEAD, head) == 0 &&
                sscanf(text + head, CARD_FIGURES(SCNu32, SCNu64), &card->programs, &mutated, &card->differs,
                       &card->calls_before, &card->calls_after) == 5;
    COUNT(&card->statistics, MUTATED, mutated);
    return good;
}

bool card_write(Out *out, const CardOptions *options, const Program *const *programs, size_t n_programs,
                Card *card) {
    uint32_t count =
        options->count == 0 || options->count > n_programs ? (uint32_t)n_programs : options->count;
    *card = (Card){0};
    CardEntry *picked = card_pick(options, programs, n_programs, count);
    CardMaker m = {.options = options, .ctx = &options->pool->workers[0].ctx, .card = card};
    bool good = picked != NULL && fill(&m, picked, count) && write_all(out, &m);
    for (unsigned form = 0; form < CARD_FORMS; form++) {
        battery_free(m.batteries[form]);
    }
    mem_free(m.entries);
    card_drop(picked, count);
    return good;
}
