/* Printing programs; see print.h. */
#include "engine/language/print.h"

#include "engine/language/hints.h"
#include "engine/language/signature.h"
#include "engine/language/symbols.h"
#include "engine/language/value_text.h"

#include <inttypes.h>
#include <string.h>

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

static const char *name_in(ConstantId first, ConstantId last, Val v) {
    for (int id = (int)first; id <= (int)last; id++) {
        if (val_eq(lang_constants[id].value, v)) {
            return lang_constants[id].name;
        }
    }
    return NULL;
}

/* In batt mode the parameter's hint says which of several synonyms is meant; arc-dsl knows only a few plain
 * names. */
static const char *constant_name(const Program *p, const Op *op, uint32_t k, Val v) {
    if (v.kind == VAL_PAIR) {
        return name_in(CONSTANT_DOWN, CONSTANT_THREE_BY_THREE, v);
    }
    if (v.kind != VAL_INT) {
        return NULL;
    }
    ConstantId first, last;
    if (op != NULL && op->kind == OP_PRIM) {
        if ((v.i == 0 || v.i == 1) && param_is_bool(op->prim, k)) {
            return v.i ? "T" : "F";
        }
        if (p->mode == MODE_BATT && hint_range(hint_param(op->prim, k), &first, &last) &&
            first != CONSTANT_F) {
            const char *name = name_in(first, last, v);
            if (name != NULL) {
                return name;
            }
        }
    }
    return p->mode == MODE_BATT ? name_in(CONSTANT_NEG_TEN, CONSTANT_THOUSAND, v)
                                : name_in(CONSTANT_NEG_TWO, CONSTANT_TEN, v);
}

/* A literal that Python can read too: sets are frozenset({..}). */
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

/* The number of an op's variable: x1, x2, ... without a gap for O. */
static uint32_t variable(const Program *p, uint32_t op) {
    uint32_t first = prog_op_slot(p, 0);
    return op + 1 - (p->result >= first && p->result - first < op);
}

static void write_variable(Out *out, uint32_t number) { /* most of a program's text, so no printf */
    char text[12], *at = text + sizeof text;
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    *--at = 'x';
    out_bytes(out, at, (size_t)(text + sizeof text - at));
}

static void write_slot(Out *out, const Program *p, const Op *op, uint32_t k, uint32_t slot) {
    uint32_t first = prog_op_slot(p, 0);
    if (p->own_names && slot >= first && p->names[slot - first][0] != '\0') {
        out_str(out, p->names[slot - first]);
        return;
    }
    if (slot < p->nparams) {
        out_char(out, p->nparams == 1 ? 'I' : "SIC"[slot]);
    } else if (slot < first) {
        Val v = p->consts[slot - p->nparams];
        bool is_arg = op != NULL && op->kind == OP_PRIM;
        if (is_arg && symbols_write(out, symbols_of(op->prim, k), v, write_literal)) {
            return;
        }
        const char *name = constant_name(p, op, k, v);
        if (name != NULL) {
            out_str(out, name);
        } else {
            write_literal(out, v);
        }
    } else if (slot == p->result) {
        out_char(out, 'O');
    } else {
        write_variable(out, variable(p, slot - first));
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
