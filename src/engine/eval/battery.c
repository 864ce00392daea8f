/* Batteries: value numbering, incremental adding and removing, and compaction; see battery.h. */
#include "base/alloc.h"
#include "base/mix.h"
#include "engine/eval/battery_internal.h"
#include "engine/language/infer.h"

#include <string.h>

enum { NONE = 0xffffffffu };
enum { CHECKED_NODES = 256 }; /* batteries up to this size are checked as a whole after every change */

static bool reserve(void **array, uint32_t *room, uint64_t wanted, size_t size) {
    if (wanted <= *room) {
        return true;
    }
    uint64_t larger = *room * 2ull > wanted ? *room * 2ull : wanted < 64 ? 64 : wanted;
    void *grown = larger >= NONE ? NULL : mem_grow(*array, larger, size);
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
    b->room = room; /* all three arrays had the same room and grew alike */
    return true;
}

/* Aliases are names that share an implementation, in safe mode only if their defaults agree too; they count
 * as the first of them. */
static bool are_aliases(const Battery *b, uint32_t prim, uint32_t other) {
    const PrimInfo *p = &prim_table[prim], *o = &prim_table[other];
    bool same_net = o->safe_default == p->safe_default && o->safe == p->safe;
    return prim_fn(b->mode, other) == prim_fn(b->mode, prim) && o->arity == p->arity &&
           (!b->safe || same_net);
}

static void fill_aliases(Battery *b) {
    enum { SLOTS = 2048 };
    _Static_assert(PRIM_COUNT <= SLOTS / 2, "too many primitives for the table of their functions");
    uint64_t slots[SLOTS] = {0};
    HashMap map = {.slots = slots, .size = SLOTS};
    for (uint32_t prim = 0; prim < PRIM_COUNT; prim++) {
        uint64_t hash = mix64(0, (uintptr_t)prim_fn(b->mode, prim));
        uint32_t at = map_start(&map, hash), first;
        while ((first = map_next(&map, hash, &at)) != MAP_NONE && !are_aliases(b, prim, first)) {
        }
        if (first == MAP_NONE) {
            map_put(&map, hash, at, first = prim);
        }
        b->alias[prim] = (uint16_t)first;
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
    closure_roles_fill(&b->roles);
    if (!reserve_nodes(b, nparams + 1)) {
        battery_free(b);
        return NULL;
    }
    for (unsigned k = 0; k < nparams; k++) {
        b->nodes[b->count++] = (DagNode){.kind = BATTERY_PARAM, .refs = 1, .depends = (uint8_t)(1u << k)};
    }
    return b;
}

void battery_clear(Battery *b) {
    for (uint32_t k = b->nparams; k < b->count; k++) {
        mem_free(b->nodes[k].block);
    }
    map_clear(&b->map);
    b->count = b->nparams;
    b->nargs = b->nuses = b->uses_idle = b->idle = 0;
    b->member_count = b->programs = 0;
    b->calls_before = 0;
}

void battery_free(Battery *b) {
    if (b == NULL) {
        return;
    }
    battery_clear(b);
    mem_free(b->nodes);
    mem_free(b->values);
    mem_free(b->costs);
    mem_free(b->args);
    map_free(&b->map);
    mem_free(b->members);
    mem_free(b->uses);
    mem_free(b->node_of);
    mem_free(b->marks);
    mem_free(b->slot_types);
    types_close(b->types);
    mem_free(b);
}

/* ---- nodes ---- */

static bool keep(Val v, Val *kept, void **block) { /* copy a constant into memory of its node */
    size_t bytes = val_deep_size(v);
    *kept = v;
    *block = NULL;
    if (bytes != 0) {
        char *cursor = *block = mem_alloc(bytes);
        if (cursor == NULL) {
            return false;
        }
        *kept = val_deep_copy(v, &cursor);
    }
    return true;
}

static uint32_t enter(Battery *b, DagNode n) { /* room is reserved by battery_add */
    ASSERT(b->count < b->room && !map_is_full(&b->map), "%u nodes, room for %u, %u in a table of %u",
           b->count, b->room, b->map.count, b->map.size);
    b->nodes[b->count] = n;
    b->idle++; /* until a program refers to it */
    map_add(&b->map, n.hash, b->count);
    return b->count++;
}

static uint32_t constant_node(Battery *b, Val v) { /* NONE: no memory */
    uint64_t hash =
        v.kind == VAL_INT ? mix64(mix64(BATTERY_CONST, (uint64_t)v.i), v.kind) : val_hash(v, BATTERY_CONST);
    for (uint32_t at = map_start(&b->map, hash), k; (k = map_next(&b->map, hash, &at)) != MAP_NONE;) {
        if (b->nodes[k].kind == BATTERY_CONST && b->nodes[k].hash == hash && val_eq(b->values[k], v)) {
            return k;
        }
    }
    DagNode n = {.kind = BATTERY_CONST, .hash = hash, .constant = true};
    n.breeds = v.kind == VAL_PRIM && (prim_table[v.n].flags & PRIM_CLOSURE) != 0;
    if (!keep(v, &b->values[b->count], &n.block)) {
        return NONE;
    }
    b->costs[b->count] = 0;
    return enter(b, n);
}

static uint64_t call_hash(const DagNode *n, const uint32_t *args) {
    uint64_t hash = (uint64_t)n->twin << 32 | (uint32_t)n->kind << 24 | (uint32_t)n->nargs << 16 | n->prim;
    hash = mix64(hash, BATTERY_PARAM);
    uint64_t sum = 0, factor = MIX_FACTOR;
    for (uint32_t k = 0; k < n->nargs; k++) { /* independent loads: no argument waits for the one before */
        sum += (args[k] + UINT64_C(1)) * factor;
        factor = factor << 13 | factor >> 51 | 1;
    }
    return mix64(hash, sum);
}

static inline bool same_args(const uint32_t *a, const uint32_t *b, uint32_t n) { /* a few */
    uint32_t k = 0;
    while (k < n && a[k] == b[k]) {
        k++;
    }
    return k == n;
}

static uint32_t find_call(const Battery *b, const DagNode *n, const uint32_t *args) {
    uint32_t at = map_start(&b->map, n->hash);
    for (uint32_t k; b->share && (k = map_next(&b->map, n->hash, &at)) != MAP_NONE;) {
        const DagNode *a = &b->nodes[k];
        if (a->hash == n->hash && a->kind == n->kind && a->prim == n->prim && a->nargs == n->nargs &&
            a->twin == n->twin && same_args(b->args + a->first, args, n->nargs)) {
            return k;
        }
    }
    return NONE;
}

/* Computes the value of a node that depends on no parameter, once and for all. Nodes that make closures are
 * left to the runs, which make them in the order of the nodes. False: no memory. */
static bool compute_constant(Battery *b, Ctx *ctx, DagNode *n) {
    ASSERT(n->constant && n->depends == 0 && !n->breeds, "constant %d, depends %u", n->constant, n->depends);
    CtxMark mark = ctx_mark(ctx);
    ctx_rebudget(ctx);
    Val v = battery_call(b, ctx, n, b->values);
    bool kept = true;
    b->costs[b->count] = ctx_steps_used(ctx);
    if (!ctx_charge(ctx, 0)) {
        n->constant = false; /* each run finds out whether it fits the budget */
    } else {
        kept = keep(v, &b->values[b->count], &n->block);
    }
    ctx_rebudget(ctx);
    ctx_release(ctx, mark);
    return kept;
}

/* The node of a call over nodes, made if it is new. Sorts the arguments of commutative primitives. *breeder:
 * the program's last node whose closures must be made in order; NULL if it does not matter for this call. */
static uint32_t call_node(Battery *b, Ctx *ctx, DagNode n, uint32_t *args, uint32_t *breeder) {
    if (b->share && n.kind == OP_PRIM && n.nargs == 2 && args[0] > args[1] &&
        (prim_table[n.prim].flags & PRIM_COMMUTES)) {
        uint32_t first = args[0];
        args[0] = args[1];
        args[1] = first;
    }
    n.breeds = n.kind == OP_VALUE || (n.kind == OP_PRIM && (prim_table[n.prim].flags & PRIM_CLOSURE) != 0);
    n.constant = true;
    for (uint32_t k = 0; k < n.nargs; k++) {
        const DagNode *operand = &b->nodes[args[k]];
        n.breeds |= operand->breeds;
        n.constant &= operand->constant;
        n.depends |= operand->depends;
    }
    n.constant &= !n.breeds;
    for (;; n.twin++) {
        n.hash = call_hash(&n, args);
        uint32_t found = find_call(b, &n, args);
        if (found == NONE) {
            break;
        }
        if (!n.breeds || breeder == NULL || *breeder == NONE || found > *breeder) {
            if (n.breeds && breeder != NULL) {
                *breeder = found;
            }
            return found;
        }
    }
    if (!reserve((void **)&b->args, &b->args_room, (uint64_t)b->nargs + n.nargs, sizeof *b->args)) {
        return NONE;
    }
    n.first = b->nargs;
    for (uint32_t k = 0; k < n.nargs; k++) {
        ASSERT(args[k] < b->count, "operand %u of %u nodes", args[k], b->count);
        b->args[n.first + k] = args[k];
    }
    if (n.constant && !compute_constant(b, ctx, &n)) {
        return NONE;
    }
    b->nargs += n.nargs;
    if (n.breeds && breeder != NULL) {
        *breeder = b->count;
    }
    return enter(b, n);
}

/* ---- compaction ---- */

/* Nodes and spans that nobody needs are dropped once they are the larger part, so that adding and removing
 * can go on forever. Everything moves down, so this is done in place. */
static void compact_nodes(Battery *b, uint32_t *moved) {
    uint32_t count = b->nparams, nargs = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        DagNode n = b->nodes[k];
        if (k < b->nparams || n.refs == 0) {
            moved[k] = k;
            if (n.refs == 0) {
                mem_free(n.block);
            }
            continue;
        }
        for (uint32_t x = 0; x < n.nargs; x++) { /* numbers change, but not their order */
            b->args[nargs + x] = moved[b->args[n.first + x]];
        }
        n.first = nargs;
        nargs += n.nargs;
        if (n.kind < BATTERY_PARAM) {
            n.hash = call_hash(&n, b->args + n.first);
        }
        b->values[count] = b->values[k];
        b->costs[count] = b->costs[k];
        b->nodes[count] = n;
        moved[k] = count++;
    }
    ASSERT(count <= b->count && nargs <= b->nargs, "%u nodes of %u, %u arguments of %u", count, b->count,
           nargs, b->nargs);
    LOG(BATTERY, "compacted from %u to %u nodes", b->count, count);
    b->count = count;
    b->nargs = nargs;
    b->idle = 0;
    map_clear(&b->map);
    for (uint32_t k = b->nparams; k < count; k++) {
        map_add(&b->map, b->nodes[k].hash, k);
    }
}

static void compact(Battery *b) {
    enum { FEW = 1024 };
    if (b->idle > FEW && b->idle > b->count / 2) {
        uint32_t *moved = mem_array(b->count, sizeof *moved);
        if (moved != NULL) { /* without memory the battery stays as it is, merely larger */
            compact_nodes(b, moved);
            for (uint32_t k = 0; k < b->member_count; k++) {
                Member *m = &b->members[k];
                for (uint32_t x = 0; x < m->count; x++) {
                    b->uses[m->first + x].node = moved[b->uses[m->first + x].node];
                }
                m->result = m->used ? moved[m->result] : 0;
            }
            mem_free(moved);
        }
    }
    if (b->uses_idle > FEW && b->uses_idle > b->nuses / 2) {
        Use *uses = mem_array(b->nuses, sizeof *uses);
        uint32_t nuses = 0;
        for (uint32_t k = 0; uses != NULL && k < b->member_count; k++) {
            Member *m = &b->members[k];
            if (m->count != 0) {
                memcpy(uses + nuses, b->uses + m->first, m->count * sizeof *uses);
            }
            m->first = nuses;
            m->room = m->count;
            nuses += m->count;
        }
        if (uses != NULL) {
            mem_free(b->uses);
            b->uses_room = b->nuses;
            b->uses = uses;
            b->nuses = nuses;
            b->uses_idle = 0;
        }
    }
}

/* ---- programs ---- */

static void note(Use *uses, uint32_t *count, uint32_t node) {
    uint32_t at = *count;
    while (at > 0 && uses[at - 1].node > node) {
        at--;
    }
    if (at > 0 && uses[at - 1].node == node) {
        uses[at - 1].times++;
        return;
    }
    for (uint32_t k = (*count)++; k > at; k--) { /* few steps: the newest node is mostly the last */
        uses[k] = uses[k - 1];
    }
    uses[at] = (Use){node, 1};
}

static int free_handle(Battery *b) {
    for (uint32_t k = 0; b->programs < b->member_count && k < b->member_count; k++) {
        if (!b->members[k].used) {
            return (int)k;
        }
    }
    if (b->member_count == INT32_MAX ||
        !reserve((void **)&b->members, &b->member_room, b->member_count + 1ull, sizeof *b->members)) {
        return -1;
    }
    b->members[b->member_count] = (Member){0};
    return (int)b->member_count++;
}

/* Of a slot: the result needs it; its closures must be made in the order of the program. */
enum { NEEDED = 1, IN_ORDER = 2 };

static void mark_needed(const Program *p, uint8_t *marks) {
    ASSERT(p->result < prog_slots(p), "result %u of %u slots", p->result, prog_slots(p));
    memset(marks, 0, prog_slots(p));
    marks[p->result] = NEEDED;
    for (uint32_t k = p->nops; k-- > 0;) {
        if (marks[prog_op_slot(p, k)]) {
            for (uint32_t x = 0; x < p->ops[k].nargs; x++) {
                marks[p->args[p->ops[k].first + x]] = NEEDED;
            }
        }
    }
}

/* Types are inferred only where signatures alone do not show that closures of different calls stay apart. */
static void mark_order(Battery *b, const Program *p) {
    uint32_t *scratch = b->node_of; /* not used for what it is for yet */
    bool any = closure_groups_find(&b->roles, p, NULL, NULL, scratch);
    if (any) {
        b->types = b->types != NULL ? b->types : types_open();
    }
    if (any && b->types != NULL &&
        reserve((void **)&b->slot_types, &b->slot_types_room, prog_slots(p), sizeof *b->slot_types)) {
        types_tidy(b->types);
        types_of_program(b->types, p, b->slot_types, NULL, NULL);
        any = closure_groups_find(&b->roles, p, b->types, b->slot_types, scratch);
    }
    for (uint32_t slot = 0; any && slot < prog_slots(p); slot++) {
        b->marks[slot] |= closure_meets_others(scratch, prog_slots(p), slot) ? IN_ORDER : 0;
    }
}

/* Finds or makes nodes for all needed slots and notes them in the span of m. */
static bool number_values(Battery *b, Ctx *ctx, const Program *p, Member *m) {
    Use *uses = b->uses + m->first;
    uint32_t breeder = NONE, operands[256];
    mark_needed(p, b->marks);
    mark_order(b, p);
    for (uint32_t slot = 0; slot < prog_slots(p); slot++) {
        uint32_t node = slot;
        if (!(b->marks[slot] & NEEDED)) {
            continue;
        }
        if (slot >= p->nparams && slot < p->nparams + p->nconsts) {
            node = constant_node(b, p->consts[slot - p->nparams]);
        } else if (slot >= p->nparams) {
            const Op *op = &p->ops[slot - p->nparams - p->nconsts];
            for (uint32_t k = 0; k < op->nargs; k++) {
                operands[k] = b->node_of[p->args[op->first + k]];
            }
            uint32_t prim = op->kind == OP_PRIM ? b->alias[op->prim] : 0;
            node = call_node(b, ctx, (DagNode){.kind = op->kind, .nargs = op->nargs, .prim = (uint16_t)prim},
                             operands, (b->marks[slot] & IN_ORDER) != 0 ? &breeder : NULL);
            m->calls++;
        }
        if (node == NONE) {
            return false;
        }
        b->node_of[slot] = node;
        note(uses, &m->count, node);
    }
    m->result = b->node_of[p->result];
    return true;
}

/* Gives the member a span of at least `room` uses; its old one may do. */
static bool take_span(Battery *b, Member *m, uint32_t room) {
    if (m->room >= room) {
        b->uses_idle -= m->room;
        return true;
    }
    if (!reserve((void **)&b->uses, &b->uses_room, (uint64_t)b->nuses + room, sizeof *b->uses)) {
        return false;
    }
    m->first = b->nuses;
    m->room = room;
    b->nuses += room;
    return true;
}

int battery_add(Battery *b, Ctx *ctx, const Program *p) {
    ASSERT(p->result < prog_slots(p), "result %u of %u slots", p->result, prog_slots(p));
    uint32_t slots = prog_slots(p);
    compact(b);
    if (p->nparams != b->nparams || !reserve_nodes(b, slots) || !map_reserve(&b->map, slots, 256) ||
        !reserve((void **)&b->node_of, &b->node_of_room, 2 * (uint64_t)slots, sizeof *b->node_of) ||
        !reserve((void **)&b->marks, &b->marks_room, slots, sizeof *b->marks)) {
        return -1;
    }
    int handle = free_handle(b);
    if (handle < 0 || !take_span(b, &b->members[handle], slots)) {
        return -1;
    }
    Member m = {.first = b->members[handle].first, .room = b->members[handle].room, .used = true};
    Mode mode = (Mode)ctx->mode;
    bool safe = ctx->safe;
    prim_bind(ctx, b->mode, b->safe);
    bool ok = number_values(b, ctx, p, &m);
    prim_bind(ctx, mode, safe);
    if (!ok) { /* nodes made so far stay, unused, and may serve later programs */
        b->members[handle] = (Member){.first = m.first, .room = m.room};
        b->uses_idle += m.room;
        return -1;
    }
    if (m.first + m.room == b->nuses) { /* give back the surplus of the newest span */
        b->nuses = m.first + m.count;
        m.room = m.count;
    }
    for (uint32_t k = 0; k < m.count; k++) {
        b->idle -= b->nodes[b->uses[m.first + k].node].refs++ == 0;
    }
    b->members[handle] = m;
    b->programs++;
    b->calls_before += m.calls;
    LOG(BATTERY, "%s added: %u of its %u nodes; %u programs, %u nodes", p->name != NULL ? p->name : "",
        m.count, slots, b->programs, b->count);
    ASSERT(b->count > CHECKED_NODES || battery_wrong(b) == NULL, "after adding %s: %s",
           p->name != NULL ? p->name : "", battery_wrong(b));
    return handle;
}

void battery_remove(Battery *b, int handle) {
    ASSERT(handle >= 0 && (uint32_t)handle < b->member_count && b->members[handle].used, "program %d of %u",
           handle, b->member_count);
    Member *m = &b->members[handle];
    for (uint32_t k = 0; k < m->count; k++) {
        b->idle += --b->nodes[b->uses[m->first + k].node].refs == 0;
    }
    b->programs--;
    b->calls_before -= m->calls;
    b->uses_idle += m->room;
    *m = (Member){.first = m->first, .room = m->room};
    ASSERT(b->count > CHECKED_NODES || battery_wrong(b) == NULL, "after removing %d: %s", handle,
           battery_wrong(b));
}

#ifdef BATT_CHECKED
static const char *member_wrong(const Battery *b, const Member *m) {
    if (m->count > m->room || (uint64_t)m->first + m->room > b->nuses) {
        return "a program whose span of uses is too short, or not there";
    }
    for (uint32_t k = 0; k < m->count; k++) {
        const Use *u = &b->uses[m->first + k];
        if (u->node >= b->count || u->times == 0 || b->nodes[u->node].refs == 0) {
            return "a use of a node that is not there or that nobody counts";
        }
        if (k > 0 && u[-1].node >= u->node) {
            return "uses that do not ascend";
        }
    }
    return m->used && m->result >= b->count ? "a result beyond the nodes" : NULL;
}

const char *battery_wrong(const Battery *b) {
    uint32_t idle = 0, used = 0;
    if (b->count > b->room || b->nargs > b->args_room || b->nuses > b->uses_room) {
        return "more nodes, arguments or uses than there is room for";
    }
    if (b->map.count != b->count - b->nparams || b->map.count > b->map.size / 2) {
        return "a hash table that is too full, or does not hold every node";
    }
    for (uint32_t k = 0; k < b->count; k++) {
        const DagNode *n = &b->nodes[k];
        idle += n->refs == 0;
        if ((n->kind == BATTERY_PARAM) != (k < b->nparams)) {
            return "parameters that do not come first";
        }
        for (uint32_t x = 0; n->kind < BATTERY_PARAM && x < n->nargs; x++) {
            uint32_t from = b->args[n->first + x];
            if (from >= k) {
                return "a node before its operands";
            }
            if (n->constant && !b->nodes[from].constant) {
                return "a constant made from what is none";
            }
            if ((b->nodes[from].depends & ~n->depends) != 0) {
                return "a node that depends on less than its operands";
            }
        }
    }
    for (uint32_t k = 0; k < b->member_count; k++) {
        const char *wrong = member_wrong(b, &b->members[k]);
        used += b->members[k].used;
        if (wrong != NULL) {
            return wrong;
        }
    }
    return idle != b->idle       ? "idle nodes that are not counted"
           : used != b->programs ? "programs that are not counted"
                                 : NULL;
}
#endif

BatteryStats battery_stats(const Battery *b) {
    BatteryStats s = {.programs = b->programs, .calls_before = b->calls_before};
    for (uint32_t k = 0; k < b->count; k++) {
        const DagNode *n = &b->nodes[k];
        if (n->refs != 0 && n->kind < BATTERY_PARAM) {
            s.constants += n->constant;
            s.calls_after += !n->constant;
        }
    }
    return s;
}

Mode battery_mode(const Battery *b) {
    return b->mode;
}

uint32_t battery_programs(const Battery *b) {
    return b->programs;
}

uint32_t battery_nodes(const Battery *b) {
    return b->count;
}

uint32_t battery_result(const Battery *b, int handle) {
    ASSERT(handle >= 0 && (uint32_t)handle < b->member_count && b->members[handle].used, "program %d of %u",
           handle, b->member_count);
    return b->members[handle].result;
}

BatteryNode battery_node(const Battery *b, uint32_t node) {
    ASSERT(node < b->count, "node %u of %u", node, b->count);
    const DagNode *n = &b->nodes[node];
    return (BatteryNode){.kind = n->kind,
                         .nargs = n->nargs,
                         .prim = n->prim,
                         .args = n->kind < BATTERY_PARAM ? b->args + n->first : NULL,
                         .constant = n->constant ? b->values[node] : val_int(0),
                         .needed = n->refs != 0,
                         .once = n->constant,
                         .breeds = n->breeds};
}
