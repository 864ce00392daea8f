/* Printing programs; see print.h. */
#include "lang/print.h"

#include <inttypes.h>
#include <string.h>

#include "lang/names.h"
#include "lang/signature.h"
#include "lang/text.h"

/* Ranges of constants in the order in which a name is looked for, and what the parameter's hint must be. */
static const struct {
    const char *hint; /* NULL: any */
    ConstantId first, last;
} preferred[] = {
    {"FL", CONSTANT_F0, CONSTANT_L10}, {"F_", CONSTANT_F0, CONSTANT_F9},
    {"L_", CONSTANT_L1, CONSTANT_L10}, {"C_", CONSTANT_BLACK, CONSTANT_BURGUNDY},
    {"R_", CONSTANT_R0, CONSTANT_R9},  {"R4", CONSTANT_R0, CONSTANT_R3},
    {"R8", CONSTANT_R0, CONSTANT_R7},  {"A4", CONSTANT_A0, CONSTANT_A3},
    {"A8", CONSTANT_A0, CONSTANT_A7},  {NULL, CONSTANT_NEG_TEN, CONSTANT_THREE_BY_THREE},
};

/* The k-th hint of "Grid, C_, Patch -> Grid" as a span; length 0 if there is none. */
static size_t hint_at(const char *hints, uint32_t k, const char **hint) {
    for (; k > 0 && *hints != '\0'; k--) {
        hints += strcspn(hints, ",");
        hints += strspn(hints, ", ");
    }
    *hint = hints;
    return strcspn(hints, ", ");
}

static bool param_is_bool(uint32_t prim, uint32_t k) {
    const char *at = prim_table[prim].signature;
    SignatureParam param;
    while (signature_next(&at, &param)) {
        if (k-- == 0) {
            return param.type_length == 4 && memcmp(param.type, "bool", 4) == 0;
        }
    }
    return false;
}

static const char *constant_name(const Program *p, const Op *op, uint32_t k, Val v) {
    const char *hint = NULL;
    size_t length = 0;
    if (v.kind != VAL_INT && v.kind != VAL_PAIR) {
        return NULL;
    }
    if (op != NULL && op->kind == OP_PRIM && v.kind == VAL_INT) {
        if ((v.i == 0 || v.i == 1) && param_is_bool(op->prim, k)) {
            return v.i ? "T" : "F";
        }
        if (p->mode == MODE_BATT) {
            length = hint_at(prim_table[op->prim].hints, k, &hint);
        }
    }
    for (size_t r = 0; r < sizeof preferred / sizeof *preferred; r++) {
        const char *wants = preferred[r].hint;
        if (wants != NULL && (length != strlen(wants) || memcmp(hint, wants, length) != 0)) {
            continue;
        }
        for (int id = (int)preferred[r].first; id <= (int)preferred[r].last; id++) {
            bool core = id >= CONSTANT_NEG_TWO && id != CONSTANT_HUNDRED && id != CONSTANT_THOUSAND;
            if (val_eq(lang_constants[id].value, v) && (core || p->mode == MODE_BATT)) {
                return lang_constants[id].name;
            }
        }
    }
    return NULL;
}

/* A literal that Python reads as well: its sets are frozenset({..}). */
static void write_literal(Out *out, Val v) {
    if (!val_is_container(v)) {
        text_value(out, v);
        return;
    }
    bool set = val_is_set(v);
    uint32_t n = val_len(v);
    out_str(out, set ? n ? "frozenset({" : "frozenset(" : "(");
    for (uint32_t k = 0; k < n; k++) {
        out_str(out, k ? ", " : "");
        write_literal(out, val_at(v, k));
    }
    out_str(out, set ? n ? "})" : ")" : n == 1 ? ",)" : ")");
}

/* Number of an op's variable: x1, x2, ... without a gap for O. */
static uint32_t variable(const Program *p, uint32_t op) {
    uint32_t first = prog_op_slot(p, 0);
    return op + 1 - (p->result >= first && p->result - first < op);
}

static void write_slot(Out *out, const Program *p, const Op *op, uint32_t k, uint32_t slot) {
    uint32_t first = prog_op_slot(p, 0);
    if (slot < p->nparams) {
        out_char(out, p->nparams == 1 ? 'I' : "SIC"[slot]);
    } else if (slot < first) {
        Val v = p->consts[slot - p->nparams];
        const char *name = constant_name(p, op, k, v);
        if (name != NULL) {
            out_str(out, name);
        } else {
            write_literal(out, v);
        }
    } else if (slot == p->result) {
        out_char(out, 'O');
    } else {
        out_fmt(out, "x%" PRIu32, variable(p, slot - first));
    }
}

void print_slot(Out *out, const Program *p, uint32_t slot) {
    write_slot(out, p, NULL, 0, slot);
}

void print_call(Out *out, const Program *p, uint32_t index) {
    const Op *op = &p->ops[index];
    const uint32_t *args = p->args + op->first;
    uint32_t k = 0;
    if (op->kind == OP_PRIM) {
        out_str(out, prim_table[op->prim].name);
    } else if (op->kind == OP_VALUE && op->nargs != 0) {
        write_slot(out, p, op, 0, args[0]);
        k = 1;
    }
    out_str(out, op->kind == OP_SET ? op->nargs ? "frozenset({" : "frozenset(" : "(");
    for (uint32_t first = k; k < op->nargs; k++) {
        out_str(out, k > first ? ", " : "");
        write_slot(out, p, op, k, args[k]);
    }
    out_str(out, op->kind == OP_SET                       ? op->nargs ? "})" : ")"
                 : op->kind == OP_TUPLE && op->nargs == 1 ? ",)"
                                                          : ")");
}

static void write_lines(Out *out, const Program *p, const char *indent, const char *end) {
    uint32_t first = prog_op_slot(p, 0);
    for (uint32_t k = 0; k < p->nops && !out->failed; k++) {
        out_str(out, indent);
        print_slot(out, p, first + k);
        out_str(out, " = ");
        print_call(out, p, k);
        if (k + 1 < p->nops || p->result < first) {
            out_str(out, end);
        }
    }
    if (p->result < first) {
        out_fmt(out, "%sO = ", indent);
        print_slot(out, p, p->result);
    }
}

void print_program(Out *out, const Program *p, const char *name) {
    if (p->nparams == 0) {
        write_lines(out, p, "", "\n");
        out_char(out, '\n');
        return;
    }
    out_fmt(out, "def %s(%s):\n",
            name         ? name
            : p->name[0] ? p->name
                         : "solve",
            p->nparams == 1 ? "I" : "S, I, C");
    write_lines(out, p, "    ", "\n");
    out_str(out, "\n    return O\n");
}

void print_oneline(Out *out, const Program *p) {
    write_lines(out, p, "", "; ");
}

void print_hash(char text[33], ProgHash hash) {
    snprintf(text, 33, "%016" PRIx64 "%016" PRIx64, hash.hi, hash.lo);
}
