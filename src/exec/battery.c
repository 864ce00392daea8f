/* Batteries: value numbering, incremental adding and removing, and the one-pass run; see battery.h. */
#define XXH_INLINE_ALL
#include "exec/battery.h"

#include "core/alloc.h"

#include <string.h>
#include <xxhash.h>

enum { NONE = 0xffffffffu };

typedef struct Node {
    uint64_t hash;
    uint32_t first; /* of its operands in args */
    uint32_t refs;  /* programs that need it */
    uint32_t twin;  /* which of several equal closure-making calls of one program this is */
    uint16_t prim;
    uint8_t kind, nargs;
    bool constant; /* the value in `values` holds for every sample */
} Node;

typedef struct Member { /* a program: its nodes, ascending, how often it makes each call, and its result among
                           them */
    uint32_t *nodes, *times;
    uint32_t count, result, calls;
    bool used;
} Member;

struct Battery {
    Mode mode;
    bool safe, share;
    unsigned nparams;
    Node *nodes;
    Val *values;     /* constants; parallel to nodes */
    uint64_t *costs; /* steps a constant took; parallel to nodes */
    uint16_t alias[PRIM_COUNT];
    uint32_t count, room;
    uint32_t *args;
    uint32_t nargs, args_room;
    uint32_t *table; /* hash table of nodes: index + 1, 0 is free */
    uint32_t table_size;
    Member *members;
    uint32_t member_count, member_room;
    void **blocks; /* memory of constants */
    uint32_t block_count, block_room;
    uint32_t closures; /* created while adding: their ids stay below those of a run */
    uint32_t programs;
    uint64_t calls_before;
};

static bool reserve(void **array, uint32_t *room, uint64_t wanted, size_t size) {
    if (wanted <= *room) {
        return true;
    }
    uint64_t larger = *room * 2ull > wanted ? *room * 2ull : wanted < 64 ? 64 : wanted;
    void *grown = larger > NONE ? NULL : mem_grow(*array, larger, size);
    if (grown == NULL) {
        return false;
    }
    *array = grown;
    *room = (uint32_t)larger;
    return true;
}

static bool reserve_nodes(Battery *b, uint32_t more) {
    uint64_t wanted = (uint64_t)b->count + more;
    uint32_t room = b->room, values_room = b->room, costs_room = b->room;
    if (!reserve((void **)&b->nodes, &room, wanted, sizeof *b->nodes) ||
        !reserve((void **)&b->values, &values_room, wanted, sizeof *b->values) ||
        !reserve((void **)&b->costs, &costs_room, wanted, sizeof *b->costs)) {
        return false;
    }
    b->room = room; /* all three grow from the same room by the same rule */
    return true;
}

static bool reserve_table(Battery *b, uint32_t more) {
    uint64_t wanted = ((uint64_t)b->count + more) * 2;
    if (wanted <= b->table_size) {
        return true;
    }
    uint32_t size = 256;
    while (size < wanted) {
        size *= 2;
    }
    uint32_t *table = mem_zalloc(size, sizeof *table);
    if (table == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < b->count; k++) {
        uint32_t at = (uint32_t)b->nodes[k].hash & (size - 1);
        while (table[at] != 0) {
            at = (at + 1) & (size - 1);
        }
        table[at] = k + 1;
    }
    mem_free(b->table);
    b->table = table;
    b->table_size = size;
    return true;
}

/* Aliases, names that share an implementation, count as the first of them; in safe mode only if their
 * defaults agree. */
static void fill_aliases(Battery *b) {
    for (uint32_t prim = 0; prim < PRIM_COUNT; prim++) {
        const PrimInfo *info = &prim_table[prim];
        b->alias[prim] = (uint16_t)prim;
        for (uint32_t k = 0; k < prim; k++) {
            const PrimInfo *other = &prim_table[k];
            bool same_net = other->safe_default == info->safe_default && other->safe == info->safe;
            if (prim_fn(b->mode, k) == prim_fn(b->mode, prim) && other->arity == info->arity &&
                (!b->safe || same_net)) {
                b->alias[prim] = (uint16_t)k;
                break;
            }
        }
    }
}

Battery *battery_new(Mode mode, bool safe, unsigned nparams, bool share) {
    Battery *b = mem_zalloc(1, sizeof *b);
    if (b == NULL) {
        return NULL;
    }
    b->mode = mode;
    b->safe = safe;
    b->share = share;
    b->nparams = nparams;
    fill_aliases(b);
    if (!reserve_nodes(b, nparams + 1)) {
        battery_free(b);
        return NULL;
    }
    for (unsigned k = 0; k < nparams; k++) {
        b->nodes[b->count++] = (Node){.kind = BATTERY_PARAM, .refs = 1, .hash = XXH3_64bits(&k, sizeof k)};
    }
    return b;
}

void battery_free(Battery *b) {
    if (b == NULL) {
        return;
    }
    for (uint32_t k = 0; k < b->member_count; k++) {
        mem_free(b->members[k].nodes);
        mem_free(b->members[k].times);
    }
    for (uint32_t k = 0; k < b->block_count; k++) {
        mem_free(b->blocks[k]);
    }
    mem_free(b->nodes);
    mem_free(b->values);
    mem_free(b->costs);
    mem_free(b->args);
    mem_free(b->table);
    mem_free(b->members);
    mem_free(b->blocks);
    mem_free(b);
}

/* ---- nodes ---- */

static bool keep(Battery *b, Val v, Val *kept) { /* copy a constant into memory of the battery */
    size_t bytes = val_deep_size(v);
    *kept = v;
    if (bytes == 0) {
        return true;
    }
    if (!reserve((void **)&b->blocks, &b->block_room, b->block_count + 1ull, sizeof *b->blocks)) {
        return false;
    }
    char *block = mem_alloc(bytes);
    if (block == NULL) {
        return false;
    }
    b->blocks[b->block_count++] = block;
    *kept = val_deep_copy(v, &block);
    return true;
}

static void enter(Battery *b, uint32_t node) {
    uint32_t at = (uint32_t)b->nodes[node].hash & (b->table_size - 1);
    while (b->table[at] != 0) {
        at = (at + 1) & (b->table_size - 1);
    }
    b->table[at] = node + 1;
}

static uint32_t constant_node(Battery *b, Val v) { /* NONE: no memory; room is reserved by the caller */
    uint64_t hash = val_hash(v, BATTERY_CONST);
    for (uint32_t at = (uint32_t)hash & (b->table_size - 1); b->table[at] != 0;
         at = (at + 1) & (b->table_size - 1)) {
        uint32_t k = b->table[at] - 1;
        if (b->nodes[k].kind == BATTERY_CONST && b->nodes[k].hash == hash && val_eq(b->values[k], v)) {
            return k;
        }
    }
    uint32_t k = b->count;
    if (!keep(b, v, &b->values[k])) {
        return NONE;
    }
    b->nodes[k] = (Node){.kind = BATTERY_CONST, .hash = hash, .constant = true};
    b->costs[k] = 0;
    b->count++;
    enter(b, k);
    return k;
}

static bool same_call(const Battery *b, const Node *a, const Node *n, const uint32_t *args) {
    return a->hash == n->hash && a->kind == n->kind && a->prim == n->prim && a->nargs == n->nargs &&
           a->twin == n->twin && memcmp(b->args + a->first, args, n->nargs * sizeof *args) == 0;
}

static Val run_node(const Battery *b, Ctx *ctx, const Node *n, const Val *values);

/* The node of a call over nodes; made if it is new. seen: nodes the present program has met before, for
 * twins. */
static uint32_t call_node(Battery *b, Ctx *ctx, Node n, const uint32_t *operands, const Member *seen) {
    uint32_t args[256];
    memcpy(args, operands, n.nargs * sizeof *args);
    bool maker = n.kind == OP_PRIM && (prim_table[n.prim].flags & PRIM_CLOSURE);
    if (n.kind == OP_PRIM && (prim_table[n.prim].flags & PRIM_COMMUTES) && n.nargs == 2 &&
        args[0] > args[1]) {
        args[0] = operands[1];
        args[1] = operands[0];
    }
    for (;; n.twin++) {
        uint32_t key[3] = {(uint32_t)n.kind << 16 | n.prim, n.nargs, n.twin};
        n.hash = XXH3_64bits_withSeed(args, n.nargs * sizeof *args, XXH3_64bits(key, sizeof key));
        uint32_t found = NONE, at = (uint32_t)n.hash & (b->table_size - 1);
        for (; b->share && b->table[at] != 0 && found == NONE; at = (at + 1) & (b->table_size - 1)) {
            found = same_call(b, &b->nodes[b->table[at] - 1], &n, args) ? b->table[at] - 1 : NONE;
        }
        if (found == NONE) {
            break;
        }
        bool again = false;
        for (uint32_t k = 0; maker && k < seen->count; k++) {
            again |= seen->nodes[k] == found;
        }
        if (!again) {
            return found;
        }
    }
    if (!reserve((void **)&b->args, &b->args_room, (uint64_t)b->nargs + n.nargs, sizeof *b->args)) {
        return NONE;
    }
    n.first = b->nargs;
    n.constant = true;
    for (uint32_t k = 0; k < n.nargs; k++) {
        b->args[b->nargs + k] = args[k];
        n.constant &= b->nodes[args[k]].constant;
    }
    if (n.constant) {
        CtxMark mark = ctx_mark(ctx);
        uint32_t closures = ctx->closures;
        ctx->closures = b->closures;
        ctx_rebudget(ctx);
        Val v = run_node(b, ctx, &n, b->values);
        b->costs[b->count] = ctx_steps_used(ctx);
        if (!ctx_charge(ctx, 0)) {
            n.constant = false; /* whether it fits the budget is for each run to find out */
        } else if (!keep(b, v, &b->values[b->count])) {
            return NONE;
        }
        b->closures = ctx->closures;
        ctx->closures = closures;
        ctx_release(ctx, mark);
    }
    b->nargs += n.nargs;
    b->nodes[b->count] = n;
    enter(b, b->count);
    return b->count++;
}

/* ---- programs ---- */

static void note(Member *m, uint32_t node) {
    uint32_t at = m->count;
    while (at > 0 && m->nodes[at - 1] > node) {
        at--;
    }
    if (at > 0 && m->nodes[at - 1] == node) {
        m->times[at - 1]++;
        return;
    }
    memmove(m->nodes + at + 1, m->nodes + at, (m->count - at) * sizeof *m->nodes);
    memmove(m->times + at + 1, m->times + at, (m->count - at) * sizeof *m->times);
    m->nodes[at] = node;
    m->times[at] = 1;
    m->count++;
}

static int free_handle(Battery *b) {
    for (uint32_t k = 0; b->programs < b->member_count && k < b->member_count; k++) {
        if (!b->members[k].used) {
            return (int)k;
        }
    }
    if (!reserve((void **)&b->members, &b->member_room, b->member_count + 1ull, sizeof *b->members)) {
        return -1;
    }
    b->members[b->member_count] = (Member){0};
    return (int)b->member_count++;
}

/* Which slots the result needs. */
static void mark_needed(const Program *p, uint8_t *needed) {
    memset(needed, 0, prog_slots(p));
    needed[p->result] = 1;
    for (uint32_t k = p->nops; k-- > 0;) {
        if (needed[prog_op_slot(p, k)]) {
            for (uint32_t x = 0; x < p->ops[k].nargs; x++) {
                needed[p->args[p->ops[k].first + x]] = 1;
            }
        }
    }
}

static bool number_values(Battery *b, Ctx *ctx, const Program *p, Member *m, uint32_t *node_of,
                          uint8_t *needed) {
    mark_needed(p, needed);
    for (uint32_t slot = 0; slot < prog_slots(p); slot++) {
        uint32_t node = slot;
        if (!needed[slot]) {
            continue;
        }
        if (slot >= p->nparams && slot < p->nparams + p->nconsts) {
            node = constant_node(b, p->consts[slot - p->nparams]);
        } else if (slot >= p->nparams) {
            const Op *op = &p->ops[slot - p->nparams - p->nconsts];
            uint32_t operands[256];
            for (uint32_t k = 0; k < op->nargs; k++) {
                operands[k] = node_of[p->args[op->first + k]];
            }
            uint32_t prim = op->kind == OP_PRIM ? b->alias[op->prim] : 0;
            node = call_node(b, ctx, (Node){.kind = op->kind, .nargs = op->nargs, .prim = (uint16_t)prim},
                             operands, m);
            m->calls++;
        }
        if (node == NONE) {
            return false;
        }
        node_of[slot] = node;
        note(m, node);
    }
    m->result = node_of[p->result];
    return true;
}

int battery_add(Battery *b, Ctx *ctx, const Program *p) {
    uint32_t slots = prog_slots(p);
    int handle = free_handle(b);
    Member m = {.used = true};
    uint32_t *node_of = mem_array(slots, sizeof *node_of);
    uint8_t *needed = mem_alloc(slots);
    m.nodes = mem_array(slots, sizeof *m.nodes);
    m.times = mem_array(slots, sizeof *m.times);
    bool ok = handle >= 0 && node_of != NULL && needed != NULL && m.nodes != NULL && m.times != NULL &&
              p->nparams == b->nparams && reserve_nodes(b, slots) && reserve_table(b, slots);
    Mode mode = (Mode)ctx->mode;
    bool safe = ctx->safe;
    prim_bind(ctx, b->mode, b->safe);
    ok = ok && number_values(b, ctx, p, &m, node_of, needed);
    prim_bind(ctx, mode, safe);
    mem_free(node_of);
    mem_free(needed);
    if (!ok) { /* nodes that were made already stay, needed by nobody, and may serve later programs */
        mem_free(m.nodes);
        mem_free(m.times);
        return -1;
    }
    for (uint32_t k = 0; k < m.count; k++) {
        b->nodes[m.nodes[k]].refs++;
    }
    b->members[handle] = m;
    b->programs++;
    b->calls_before += m.calls;
    return handle;
}

void battery_remove(Battery *b, int handle) {
    Member *m = &b->members[handle];
    for (uint32_t k = 0; k < m->count; k++) {
        b->nodes[m->nodes[k]].refs--;
    }
    b->programs--;
    b->calls_before -= m->calls;
    mem_free(m->nodes);
    mem_free(m->times);
    *m = (Member){0};
}

BatteryStats battery_stats(const Battery *b) {
    BatteryStats s = {.programs = b->programs, .calls_before = b->calls_before};
    for (uint32_t k = 0; k < b->count; k++) {
        const Node *n = &b->nodes[k];
        if (n->refs != 0 && n->kind < BATTERY_PARAM) {
            s.constants += n->constant;
            s.calls_after += !n->constant;
        }
    }
    return s;
}

uint32_t battery_nodes(const Battery *b) {
    return b->count;
}

uint32_t battery_result(const Battery *b, int handle) {
    return b->members[handle].result;
}

BatteryNode battery_node(const Battery *b, uint32_t node) {
    const Node *n = &b->nodes[node];
    return (BatteryNode){.kind = n->kind,
                         .nargs = n->nargs,
                         .prim = n->prim,
                         .args = n->kind < BATTERY_PARAM ? b->args + n->first : NULL,
                         .constant = n->constant ? b->values[node] : val_int(0),
                         .needed = n->refs != 0};
}

/* ---- running ---- */

static Val run_node(const Battery *b, Ctx *ctx, const Node *n, const Val *values) {
    const uint32_t *from = b->args + n->first;
    Val few[8], *args = n->nargs <= 8 ? few : val_buffer(ctx, n->nargs);
    if (args == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n->nargs; k++) {
        args[k] = values[from[k]];
    }
    if (n->kind == OP_PRIM) {
        return prim_call(ctx, n->prim, args, n->nargs);
    }
    for (uint32_t k = 0; k < n->nargs; k++) {
        if (val_failed(args[k])) {
            return args[k];
        }
    }
    if (n->kind == OP_VALUE) {
        Val v = call_value(ctx, args[0], args + 1, n->nargs - 1u);
        bool net = ctx->safe && b->nparams == 3 && ctx->exhausted == FAIL_NONE;
        return val_failed(v) && net ? VAL_EMPTY_TUPLE : v;
    }
    Val *items = args == few ? val_buffer(ctx, n->nargs) : args;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    memcpy(items, args, n->nargs * sizeof *items);
    return n->kind == OP_TUPLE ? val_tuple(ctx, items, n->nargs) : val_set(ctx, items, n->nargs);
}

void battery_run(const Battery *b, Ctx *ctx, const Val *params, BatteryRun *run) {
    Mode mode = (Mode)ctx->mode;
    bool safe = ctx->safe;
    prim_bind(ctx, b->mode, b->safe);
    ctx->closures = b->closures;
    for (uint32_t k = 0; k < b->count; k++) {
        const Node *n = &b->nodes[k];
        run->steps[k] = 0;
        if (n->kind == BATTERY_PARAM) {
            run->values[k] = params[k];
        } else if (n->constant) {
            run->values[k] = b->values[k];
            run->steps[k] = b->costs[k];
        } else if (n->refs != 0) {
            CtxMark mark = ctx_mark(ctx);
            ctx_rebudget(ctx);
            Val v = run_node(b, ctx, n, run->values);
            v = ctx_charge(ctx, 0) ? v : val_fail((Reason)ctx->exhausted);
            if (val_failed(v)) { /* what it left behind must not take the room of the others */
                ctx_release(ctx, mark);
            }
            run->values[k] = v;
            run->steps[k] = ctx_steps_used(ctx);
        }
    }
    prim_bind(ctx, mode, safe);
}

Val battery_answer(const Battery *b, const Ctx *ctx, const BatteryRun *run, int handle, uint64_t *steps) {
    const Member *m = &b->members[handle];
    uint64_t total = 0;
    for (uint32_t k = 0; k < m->count; k++) {
        total += run->steps[m->nodes[k]] * m->times[k];
    }
    if (steps != NULL) {
        *steps = total;
    }
    return total > ctx->budget.steps ? val_fail(FAIL_STEPS) : run->values[m->result];
}
