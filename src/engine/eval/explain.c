/* Failures in words; see explain.h. */
#include "engine/eval/explain.h"

#include "base/alloc.h"
#include "engine/eval/eval.h"
#include "engine/language/signature.h"
#include "engine/language/value_text.h"

enum { SHORT_VALUE = 40 }; /* bytes of an argument in a message */

const char *explain_reason(Reason reason) {
    static const char *const words[FAIL_REASONS] = {
        [FAIL_NONE] = "",
        [FAIL_TYPE] = "a value of the wrong kind",
        [FAIL_RANGE] = "a number or position out of range",
        [FAIL_EMPTY] = "an empty container where an element is needed",
        [FAIL_ZERO] = "division by zero",
        [FAIL_ORDER] = "values that cannot be compared",
        [FAIL_ARITY] = "the wrong number of arguments",
        [FAIL_NAME] = "not known in this mode",
        [FAIL_OVERFLOW] = "a number too large",
        [FAIL_LIMIT] = "a container or grid too large",
        [FAIL_STEPS] = "the budget of steps is used up (--max-steps)",
        [FAIL_MEMORY] = "the budget of memory is used up (--max-memory)",
        [FAIL_TIME] = "the budget of time is used up (--timeout)",
        [FAIL_DEPTH] = "functions nested too deeply"};
    return words[reason] != NULL ? words[reason] : "";
}

static void write_short(Out *out, Val v) {
    Out text;
    if (val_is_container(v) && val_len(v) > SHORT_VALUE) {
        out_fmt(out, "%u elements", val_len(v));
        return;
    }
    out_init(&text);
    text_value(&text, v);
    text_elided(out, text.data, text.len, SHORT_VALUE);
    out_free(&text);
}

/* The parameters' names, "grid, value, patch". */
static void write_params(Out *out, const char *signature) {
    SignatureParam param;
    for (const char *at = signature, *comma = ""; signature_next(&at, &param); comma = ", ") {
        out_fmt(out, "%s%.*s", comma, (int)param.name_length, param.name);
    }
}

static unsigned kinds_of(Types *types, Mode mode, Val v) {
    return types_at(types, types_of_value(types, mode, v))->kinds;
}

/* The first argument that does not fit its parameter, by its kind or else by its type; -1: none. */
static int wrong_argument(Types *types, Mode mode, uint32_t prim, const Val *args, uint32_t n) {
    const PrimType *declared = types_of_prim(types, prim);
    for (uint32_t k = 0; k < n && k < 4; k++) {
        if ((kinds_of(types, mode, args[k]) & types_accepted(types, mode, prim, k)) == 0) {
            return (int)k;
        }
    }
    for (uint32_t k = 0; declared != NULL && k < n && k < 4; k++) {
        if (!types_fit(types, mode, types_of_value(types, mode, args[k]), declared->param[k])) {
            return (int)k;
        }
    }
    return -1;
}

static void explain_type(Out *out, Types *types, Mode mode, uint32_t prim, const Val *args, uint32_t n) {
    int wrong = wrong_argument(types, mode, prim, args, n);
    SignatureParam param;
    const char *at = prim_table[prim].signature;
    for (int k = 0; k <= wrong; k++) {
        if (!signature_next(&at, &param)) {
            return;
        }
    }
    if (wrong < 0) {
        return;
    }
    out_fmt(out, ": argument %d '%.*s' is ", wrong + 1, (int)param.name_length, param.name);
    write_short(out, args[wrong]);
    out_str(out, " (");
    types_text(out, types, types_of_value(types, mode, args[wrong]));
    out_fmt(out, "), expected %.*s", (int)param.type_length, param.type);
}

/* called: the primitive of the call itself, which may have failed in another one inside; -1: a variable. */
static void explain(Out *out, Types *types, Mode mode, int64_t called, const Val *args, uint32_t n,
                    Val failed) {
    if (failed.n == 0 || failed.n > PRIM_COUNT) { /* in a variable, or in a primitive of one's own */
        return;
    }
    uint32_t prim = failed.n - 1;
    bool inner = called != (int64_t)prim;
    if (failed.w == FAIL_ARITY) {
        out_fmt(out, ": it wants %u argument%s (", prim_arity[prim], prim_arity[prim] == 1 ? "" : "s");
        write_params(out, prim_table[prim].signature);
        out_str(out, ")");
        if (!inner) {
            out_fmt(out, " and is given %u", n);
        }
    } else if (failed.w == FAIL_TYPE && !inner) {
        explain_type(out, types, mode, prim, args, n < 4 ? n : 4);
    } else if (failed.w < FAIL_STEPS && failed.w != FAIL_TYPE) {
        out_fmt(out, ": %s", explain_reason((Reason)failed.w));
    }
    if (inner && called >= 0) {
        out_fmt(out, "; %s called it", prim_table[called].name);
    }
}

void explain_call(Out *out, Types *types, Mode mode, uint32_t prim, const Val *args, uint32_t n, Val failed) {
    explain(out, types, mode, prim, args, n, failed);
}

void explain_op(Out *out, Types *types, const Program *p, const Op *op, const Val *slots, Val failed) {
    Val args[4];
    for (uint32_t k = 0; k < op->nargs && k < 4; k++) {
        args[k] = slots[p->args[op->first + k]];
    }
    explain(out, types, (Mode)p->mode, op->kind == OP_PRIM ? (int64_t)op->prim : -1, args, op->nargs, failed);
}

static bool has_failed_argument(const Program *p, const Op *op, const Val *slots) {
    for (uint32_t k = 0; k < op->nargs; k++) {
        if (val_failed(slots[p->args[op->first + k]])) {
            return true;
        }
    }
    return false;
}

void explain_program(Out *out, Types *types, Ctx *ctx, const Program *p, const Val *params, Val failed) {
    Val *slots = mem_array(prog_slots(p), sizeof *slots);
    if (slots == NULL) {
        return;
    }
    uint64_t deadline_ns = ctx->deadline_ns; /* what is left of the time, not as much again */
    ctx_rebudget(ctx);
    ctx->deadline_ns = deadline_ns;
    eval_slots(ctx, p, params, slots);
    for (uint32_t k = 0; k < p->nops; k++) {
        Val v = slots[prog_op_slot(p, k)];
        if (val_failed(v) && v.n == failed.n && v.w == failed.w && v.i == failed.i &&
            !has_failed_argument(p, &p->ops[k], slots)) {
            explain_op(out, types, p, &p->ops[k], slots, v);
            break;
        }
    }
    mem_free(slots);
}
