/* Programs as function values; see lambda.h. */
#include "engine/language/lambda.h"

#include "engine/primitives/prim.h"

enum { MAX_SLOTS = 256 };

typedef struct Lambda {
    Builder *b;
    const Program *p;
    bool depends[MAX_SLOTS]; /* on the parameter */
    Ref refs[MAX_SLOTS];     /* the function of a slot that depends, otherwise its value */
} Lambda;

static Ref prim_ref(Lambda *l, uint32_t prim) {
    return build_const(l->b, val_prim(prim));
}

static Ref call_of(Lambda *l, uint32_t prim, Ref x, Ref y) {
    Ref args[2] = {x, y};
    return build_op(l->b, OP_PRIM, prim, args, 2, 0, "", 0);
}

static Ref op_value(Lambda *l, const Op *op) {
    Ref args[BUILD_MAX_ARGS];
    for (uint32_t k = 0; k < op->nargs; k++) {
        args[k] = l->refs[l->p->args[op->first + k]];
    }
    return build_op(l->b, (OpKind)op->kind, op->prim, args, op->nargs, 0, "", 0);
}

static Ref op_function(Lambda *l, const Op *op) {
    const uint32_t *args = l->p->args + op->first;
    uint32_t first = op->nargs, last = 0, count = 0;
    for (uint32_t k = 0; k < op->nargs; k++) {
        if (l->depends[args[k]]) {
            first = count++ == 0 ? k : first;
            last = k;
        }
    }
    bool pair = op->kind == OP_TUPLE && op->nargs == 2;
    if ((op->kind != OP_PRIM && !pair) || count > 2 || last - first != count - 1) {
        return LAMBDA_NONE;
    }
    Ref f = prim_ref(l, pair ? P_astuple : op->prim);
    for (uint32_t k = 0; k < first; k++) {
        f = call_of(l, P_lbind, f, l->refs[args[k]]);
    }
    for (uint32_t k = op->nargs; --k > last;) {
        f = call_of(l, P_rbind, f, l->refs[args[k]]);
    }
    if (count == 2) {
        Ref both[3] = {f, l->refs[args[first]], l->refs[args[last]]};
        return build_op(l->b, OP_PRIM, P_fork, both, 3, 0, "", 0);
    }
    return args[first] == 0 ? f : call_of(l, P_compose, f, l->refs[args[first]]);
}

Ref lambda_of(Builder *b, const Program *p) {
    Lambda l = {.b = b, .p = p};
    uint32_t first = p->nparams + p->nconsts;
    if (p->nparams != 1 || prog_slots(p) > MAX_SLOTS) {
        return LAMBDA_NONE;
    }
    l.depends[0] = true;
    l.refs[0] = prim_ref(&l, P_identity);
    for (uint32_t k = 0; k < p->nconsts; k++) {
        l.refs[1 + k] = build_const(b, p->consts[k]);
    }
    for (uint32_t k = 0; k < p->nops; k++) {
        const Op *op = &p->ops[k];
        for (uint32_t a = 0; a < op->nargs; a++) {
            l.depends[first + k] |= l.depends[p->args[op->first + a]];
        }
        l.refs[first + k] = l.depends[first + k] ? op_function(&l, op) : op_value(&l, op);
        if (l.refs[first + k] == (Ref)LAMBDA_NONE) {
            return LAMBDA_NONE;
        }
    }
    return l.depends[p->result] ? l.refs[p->result] : LAMBDA_NONE;
}
