/* Drafts: editing and canonical form; see draft.h. */
#include "search/evolution/draft.h"

#include "base/check.h"
#include "base/mix.h"
#include "engine/primitives/prim.h"

#include <string.h>

void draft_start(Draft *d, Mode mode, unsigned nparams) {
    ASSERT(nparams == 1 || nparams == 3, "%u parameters", nparams);
    d->mode = (uint8_t)mode;
    d->nparams = (uint8_t)nparams;
    d->nops = d->nconsts = 0;
    d->result = REF_PARAM | PARAM_I;
    d->hash = 0;
}

static Ref ref_of_slot(const Program *p, uint32_t slot) {
    if (slot < p->nparams) {
        return REF_PARAM | (p->nparams == 1 ? PARAM_I : slot);
    }
    slot -= p->nparams;
    ASSERT(slot < p->nconsts + p->nops, "slot %u of %u", slot, p->nconsts + p->nops);
    return slot < p->nconsts ? REF_CONST | slot : REF_OP | (slot - p->nconsts);
}

bool draft_from(Draft *d, const Program *p) {
    if (p->nops > DRAFT_OPS || p->nconsts > DRAFT_CONSTS || p->nparams == 0) {
        return false;
    }
    draft_start(d, (Mode)p->mode, p->nparams);
    d->nops = p->nops;
    d->nconsts = p->nconsts;
    d->result = ref_of_slot(p, p->result);
    memcpy(d->consts, p->consts, p->nconsts * sizeof *p->consts);
    for (uint32_t k = 0; k < p->nops; k++) {
        const Op *op = &p->ops[k];
        if (op->nargs > DRAFT_ARGS) {
            return false;
        }
        d->ops[k] = (DraftOp){.kind = op->kind, .nargs = op->nargs, .prim = op->prim};
        for (uint32_t a = 0; a < op->nargs; a++) {
            d->ops[k].args[a] = ref_of_slot(p, p->args[op->first + a]);
        }
    }
    return true;
}

void draft_copy(Draft *to, const Draft *from) {
    ASSERT(to != from && from->nops <= DRAFT_OPS && from->nconsts <= DRAFT_CONSTS, "%u ops, %u constants",
           from->nops, from->nconsts);
    memcpy(to, from, offsetof(Draft, consts));
    memcpy(to->consts, from->consts, from->nconsts * sizeof *from->consts);
    memcpy(to->ops, from->ops, from->nops * sizeof *from->ops);
}

static bool same_constant(Val a, Val b) {
    return a.kind == b.kind && (a.kind == VAL_INT ? a.i == b.i : val_eq(a, b));
}

Ref draft_const(Draft *d, Val value) {
    for (uint32_t k = 0; k < d->nconsts; k++) {
        if (same_constant(d->consts[k], value)) {
            return REF_CONST | k;
        }
    }
    if (d->nconsts == DRAFT_CONSTS) {
        return REF_NONE;
    }
    d->consts[d->nconsts] = value;
    return REF_CONST | d->nconsts++;
}

Ref draft_op(Draft *d, OpKind kind, uint32_t prim, const Ref *args, uint32_t n) {
    if (d->nops == DRAFT_OPS || n > DRAFT_ARGS) {
        return REF_NONE;
    }
    DraftOp *op = &d->ops[d->nops];
    *op = (DraftOp){.kind = (uint8_t)kind, .nargs = (uint8_t)n, .prim = (uint16_t)prim};
    memcpy(op->args, args, n * sizeof *args);
    return REF_OP | d->nops++;
}

/* ---- canonical form ---- */

typedef struct DraftWalk {
    const Draft *from;
    Draft *to;
    uint8_t state[DRAFT_OPS];                       /* 0: not visited, 1: being visited, 2: done */
    Ref op_ref[DRAFT_OPS], const_ref[DRAFT_CONSTS]; /* in `to`; const_ref REF_NONE: not visited */
    uint64_t op_hash[DRAFT_OPS], const_hash[DRAFT_CONSTS], to_hash[DRAFT_OPS];
    uint8_t *origin; /* by op of `to`: the op of `from` it came from */
    bool bad;
} DraftWalk;

/* Not mix64: the values order the arguments of commutative calls, so that another mix would print other
 * programs. */
static inline uint64_t mix(uint64_t hash, uint64_t more) {
    hash = (hash ^ more) * MIX_FACTOR;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 29;
}

static uint64_t const_hash(Val v) {
    return v.kind == VAL_INT ? mix(VAL_INT + 1, (uint64_t)v.i) : val_hash(v, v.kind);
}

static void meet_const(DraftWalk *w, uint32_t at) {
    w->const_hash[at] = const_hash(w->from->consts[at]);
    w->const_ref[at] = draft_const(w->to, w->from->consts[at]);
    w->bad |= w->const_ref[at] == REF_NONE;
}

static void meet_op(DraftWalk *w, uint32_t at);

/* The Ref in the new draft; *hash becomes the hash of what it computes. */
static inline Ref visit(DraftWalk *w, Ref ref, uint64_t *hash) {
    uint32_t at = REF_INDEX(ref);
    if (REF_KIND(ref) == REF_PARAM) {
        *hash = 0x5bd1e995u + at;
        return ref;
    }
    if (REF_KIND(ref) == REF_CONST) {
        if (w->const_ref[at] == REF_NONE) {
            meet_const(w, at);
        }
        *hash = w->const_hash[at];
        return w->const_ref[at];
    }
    if (w->state[at] != 2) {
        meet_op(w, at);
    }
    *hash = w->op_hash[at];
    return w->op_ref[at];
}

/* The op with this hash in the new draft; if there is none, it is made from op `at` of the old one. */
static Ref to_op(DraftWalk *w, uint32_t at, const Ref *args, uint64_t hash) {
    const DraftOp *op = &w->from->ops[at];
    uint32_t n = w->to->nops;
    for (uint32_t k = 0; k < n; k++) {
        if (w->to_hash[k] == hash) {
            return REF_OP | k;
        }
    }
    if (n == DRAFT_OPS) {
        w->bad = true;
        return REF_NONE;
    }
    DraftOp *made = &w->to->ops[n];
    made->kind = op->kind;
    made->nargs = op->nargs;
    made->prim = op->prim;
    for (uint32_t k = 0; k < DRAFT_ARGS; k++) {
        made->args[k] = args[k];
    }
    w->to_hash[n] = hash;
    w->origin[n] = (uint8_t)at;
    w->to->nops++;
    return REF_OP | n;
}

static void meet_op(DraftWalk *w, uint32_t at) {
    ASSERT(at < w->from->nops, "op %u of %u", at, w->from->nops);
    const DraftOp *op = &w->from->ops[at];
    Ref args[DRAFT_ARGS] = {0};
    uint64_t hashes[DRAFT_ARGS];
    w->bad |= w->state[at] == 1; /* a cycle */
    w->state[at] = 1;
    w->op_hash[at] = 0;
    w->op_ref[at] = REF_NONE;
    for (uint32_t k = 0; k < op->nargs && !w->bad; k++) {
        args[k] = visit(w, op->args[k], &hashes[k]);
    }
    if (w->bad) {
        return;
    }
    bool call = op->kind == OP_PRIM;
    if (call && op->nargs == 2 && hashes[0] > hashes[1] && (prim_table[op->prim].flags & PRIM_COMMUTES)) {
        Ref ref0 = args[0];
        uint64_t hash0 = hashes[0];
        args[0] = args[1];
        args[1] = ref0;
        hashes[0] = hashes[1];
        hashes[1] = hash0;
    }
    w->state[at] = 2;
    if (call && op->prim == P_identity && op->nargs == 1) {
        w->op_ref[at] = args[0];
        w->op_hash[at] = hashes[0];
        return;
    }
    uint64_t hash = mix((uint64_t)op->nargs << 40, (uint64_t)op->kind << 32 | (call ? op->prim : 0u));
    for (uint32_t k = 0; k < op->nargs; k++) {
        hash = mix(hash, hashes[k]);
    }
    w->op_hash[at] = hash;
    w->op_ref[at] = to_op(w, at, args, hash);
}

bool draft_simplify(const Draft *d, Draft *simple) {
    uint8_t from[DRAFT_OPS];
    return draft_simplify_from(d, simple, from);
}

bool draft_simplify_from(const Draft *d, Draft *simple, uint8_t from[DRAFT_OPS]) {
    DraftWalk w;
    w.origin = from;
    w.from = d;
    w.to = simple;
    w.bad = false;
    memset(w.state, 0, d->nops);
    memset(w.const_ref, 0xff, d->nconsts * sizeof *w.const_ref);
    draft_start(simple, (Mode)d->mode, d->nparams);
    simple->result = visit(&w, d->result, &simple->hash);
    simple->hash ^= d->mode == MODE_BATT ? MIX_FACTOR : 0;
    ASSERT(w.bad || (simple->nops <= d->nops && simple->nconsts <= d->nconsts),
           "simplified from %u to %u ops", d->nops, simple->nops);
    return !w.bad;
}

/* ---- as a program ---- */

static uint32_t slot_of(const Draft *d, Ref ref) {
    ASSERT(ref != REF_NONE, "a reference to nothing in a draft of %u ops", d->nops);
    switch (REF_KIND(ref)) {
    case REF_PARAM:
        return d->nparams == 1 ? 0 : REF_INDEX(ref);
    case REF_CONST:
        return d->nparams + REF_INDEX(ref);
    default:
        return d->nparams + d->nconsts + REF_INDEX(ref);
    }
}

static Program fill_program(const Draft *d, const Val *consts, Op *ops, uint32_t *args) {
    uint32_t nargs = 0;
    for (uint32_t k = 0; k < d->nops; k++) {
        const DraftOp *op = &d->ops[k];
        ops[k] = (Op){.kind = op->kind, .nargs = op->nargs, .prim = op->prim, .first = nargs};
        for (uint32_t a = 0; a < op->nargs; a++) {
            args[nargs++] = slot_of(d, op->args[a]);
        }
    }
    return (Program){.name = "",
                     .mode = d->mode,
                     .nparams = d->nparams,
                     .nconsts = d->nconsts,
                     .nops = d->nops,
                     .nargs = nargs,
                     .result = slot_of(d, d->result),
                     .consts = consts,
                     .ops = ops,
                     .args = args};
}

void draft_view(const Draft *d, DraftView *view) {
    view->program = fill_program(d, d->consts, view->ops, view->args);
}

const Program *draft_write(const Draft *d, void *memory, void **end) {
    Program *p = memory;
    Val *consts = (Val *)(p + 1); /* each array is aligned because the one before it is */
    Op *ops = (Op *)(consts + d->nconsts);
    uint32_t *args = (uint32_t *)(ops + d->nops);
    memcpy(consts, d->consts, d->nconsts * sizeof *consts);
    *p = fill_program(d, consts, ops, args);
    *end = (char *)memory + (((size_t)((char *)(args + p->nargs) - (char *)memory) + 15) & ~(size_t)15);
    return p;
}

Program *draft_finish(const Draft *d, Builder *b, const char *name) {
    ASSERT(d->result != REF_NONE, "%s has no result", name);
    Ref consts[DRAFT_CONSTS], args[DRAFT_ARGS], result = d->result;
    build_start(b);
    for (uint32_t k = 0; k < d->nconsts; k++) {
        consts[k] = build_const(b, d->consts[k]);
    }
    for (uint32_t k = 0; k < d->nops; k++) {
        const DraftOp *op = &d->ops[k];
        for (uint32_t a = 0; a < op->nargs; a++) {
            args[a] = REF_KIND(op->args[a]) == REF_CONST ? consts[REF_INDEX(op->args[a])] : op->args[a];
        }
        build_op(b, op->kind, op->prim, args, op->nargs, k + 2, "", 0);
    }
    if (REF_KIND(result) == REF_CONST) {
        result = consts[REF_INDEX(result)];
    }
    return build_finish(b, name, strlen(name), (Mode)d->mode, d->nparams, result);
}
