/* Who does which node of a battery, and when; see levels_internal.h.
 *
 * A round is a phase of the devices and then one of the host. A node of a device comes in the round after
 * that of its operands from the host; a node of the host in the same round as its operands. Within a round,
 * nodes of a device are launched level by level. Closures are made in the order of the nodes: no node that
 * makes one comes in an earlier round than one before it. */
#include "backends/devices/levels_internal.h"
#include "base/alloc.h"

#include <string.h>

int level_op_of(uint32_t prim) {
#define OP_OF(primitive, first, second, third, what) [P_##primitive] = LEVEL_##primitive + 1,
#define OP_OF_ALIAS(name, primitive) [P_##name] = LEVEL_##primitive + 1,
    static const uint8_t ops[PRIM_COUNT] = {LEVEL_FUNCTIONS(OP_OF) LEVEL_TABLE(OP_OF, OP_OF_ALIAS)};
    return prim < PRIM_COUNT ? ops[prim] - 1 : -1;
}

bool level_takes(int op, uint32_t argument, const LevelValue *value) {
#define TAKEN(primitive, first, second, third, what) [LEVEL_##primitive] = {first, second, third, IS_ANY},
#define NOT_TAKEN(name, primitive)
    static const uint16_t forms[LEVEL_OPS][4] = {LEVEL_FUNCTIONS(TAKEN) LEVEL_TABLE(TAKEN, NOT_TAKEN)};
    return value->form == LEVEL_FAIL || (forms[op][argument] >> value->form & 1);
}

void level_plan_free(LevelPlan *p) {
    mem_free(p->op);
    mem_free(p->slot);
    mem_free(p->round);
    mem_free(p->level);
    mem_free(p->flags);
    mem_free(p->node_of);
    mem_free(p->list);
    mem_free(p->launches);
    mem_free(p->rounds);
    mem_free(p->hosts);
    mem_free(p->judged);
    mem_free(p->constants);
    *p = (LevelPlan){0};
}

static bool reserve(LevelPlan *p, uint32_t nodes) {
    if (p->slot != NULL) {
        return true;
    }
    p->slot = mem_array(nodes, sizeof *p->slot);
    p->round = mem_array(nodes, sizeof *p->round);
    p->level = mem_array(nodes, sizeof *p->level);
    p->flags = mem_array(nodes, sizeof *p->flags);
    p->node_of = mem_array(nodes, sizeof *p->node_of);
    p->list = mem_array(2 * (size_t)nodes, sizeof *p->list);
    p->launches = mem_array(nodes, sizeof *p->launches);
    p->rounds = mem_array((size_t)nodes + 1, sizeof *p->rounds);
    p->hosts = mem_array(nodes, sizeof *p->hosts);
    p->judged = mem_array(nodes, sizeof *p->judged);
    p->constants = mem_array(nodes, sizeof *p->constants);
    return p->slot != NULL && p->round != NULL && p->level != NULL && p->flags != NULL &&
           p->node_of != NULL && p->list != NULL && p->launches != NULL && p->rounds != NULL &&
           p->hosts != NULL && p->judged != NULL && p->constants != NULL;
}

/* Which of a device's values a parameter is: the input; or none. */
static bool is_input(unsigned nparams, uint32_t node) {
    return node < nparams && (nparams == 1 || node > 0);
}

/* Round, level and side of a node, from those of its operands, which come before it. */
static void place_node(LevelPlan *p, const BatteryNode *n, uint32_t node, unsigned nparams,
                       uint32_t *breeding) {
    bool device = p->op[node] >= 0;
    uint32_t round = 0, level = 0;
    for (uint32_t k = 0; k < n->nargs; k++) {
        uint32_t from = n->args[k];
        if (from < nparams || (p->flags[from] & LEVEL_CONST)) {
            device &= from >= nparams || is_input(nparams, from);
            continue;
        }
        uint32_t ready = p->round[from] + (device && (p->flags[from] & LEVEL_ON_HOST) ? 1 : 0);
        round = ready > round ? ready : round;
    }
    for (uint32_t k = 0; k < n->nargs && device; k++) {
        uint32_t from = n->args[k];
        bool here = from >= nparams && (p->flags[from] & LEVEL_ON_DEVICE) && p->round[from] == round;
        level = here && p->level[from] + 1 > level ? p->level[from] + 1 : level;
    }
    if (n->breeds) {
        round = round > *breeding ? round : *breeding;
        *breeding = round;
    }
    p->flags[node] |= device ? LEVEL_ON_DEVICE : LEVEL_ON_HOST;
    p->round[node] = round;
    p->level[node] = level;
    p->n_rounds = round + 1 > p->n_rounds ? round + 1 : p->n_rounds;
}

/* Marks what crosses between the sides. */
static void mark_crossings(LevelPlan *p, const Battery *b, unsigned nparams) {
    for (uint32_t node = nparams; node < p->nodes; node++) {
        BatteryNode n = battery_node(b, node);
        uint8_t side = p->flags[node] & (LEVEL_ON_DEVICE | LEVEL_ON_HOST);
        for (uint32_t k = 0; side != 0 && k < n.nargs; k++) {
            uint8_t *from = &p->flags[n.args[k]];
            if (side == LEVEL_ON_HOST && (*from & LEVEL_ON_DEVICE)) {
                *from |= LEVEL_DOWN;
            } else if (side == LEVEL_ON_DEVICE && (*from & LEVEL_ON_HOST)) {
                *from |= LEVEL_UP;
            }
        }
    }
}

static void take_slot(LevelPlan *p, uint32_t node) {
    p->slot[node] = p->n_slots;
    p->node_of[p->n_slots++] = node;
}

/* Slot 0 is the input; then come, round by round, those that come down and those that go up; then the rest.
 */
static void take_slots(LevelPlan *p, unsigned nparams) {
    p->n_slots = 1;
    p->node_of[0] = nparams == 1 ? 0 : 1;
    for (uint32_t k = 0; k < nparams; k++) {
        p->slot[k] = is_input(nparams, k) ? 0 : LEVELS_NONE;
    }
    for (uint32_t r = 0; r < p->n_rounds; r++) {
        LevelRound *round = &p->rounds[r];
        round->down_slot = p->n_slots;
        for (uint32_t node = nparams; node < p->nodes; node++) {
            if (p->round[node] == r && (p->flags[node] & LEVEL_DOWN)) {
                take_slot(p, node);
            }
        }
        round->downs = p->n_slots - round->down_slot;
        round->up_slot = p->n_slots;
        for (uint32_t node = nparams; node < p->nodes; node++) {
            if (p->round[node] == r && (p->flags[node] & LEVEL_UP)) {
                take_slot(p, node);
            }
        }
        round->ups = p->n_slots - round->up_slot;
        p->n_down += round->downs;
        p->n_up += round->ups;
    }
    for (uint32_t node = nparams; node < p->nodes; node++) {
        if ((p->flags[node] & (LEVEL_ON_DEVICE | LEVEL_DOWN)) == LEVEL_ON_DEVICE) {
            take_slot(p, node);
        }
    }
}

static uint32_t constant_index(LevelPlan *p, uint32_t node) {
    if (p->slot[node] == LEVELS_NONE) { /* constants use it for their number */
        p->slot[node] = p->n_constants;
        p->constants[p->n_constants++] = node;
    }
    return p->slot[node] | LEVEL_CONSTANT;
}

static LevelNode list_node(LevelPlan *p, const Battery *b, uint32_t node, unsigned nparams) {
    BatteryNode n = battery_node(b, node);
    LevelNode entry = {.op = (uint32_t)p->op[node],
                       .prim = n.prim + 1u,
                       .slot = p->slot[node],
                       .kept = (p->flags[node] & LEVEL_DOWN) != 0};
    for (uint32_t k = 0; k < 4; k++) { /* those that are not there are the first once more */
        uint32_t from = n.args[k < n.nargs ? k : 0];
        bool constant = from >= nparams && (p->flags[from] & LEVEL_CONST);
        entry.arg[k] = constant ? constant_index(p, from) : p->slot[from];
    }
    return entry;
}

static void list_round(LevelPlan *p, const Battery *b, unsigned nparams, uint32_t r, uint32_t *n_hosts) {
    LevelRound *round = &p->rounds[r];
    uint32_t levels = 0;
    round->first_launch = p->n_launches;
    for (uint32_t node = nparams; node < p->nodes; node++) {
        bool here = (p->flags[node] & LEVEL_ON_DEVICE) && p->round[node] == r;
        levels = here && p->level[node] + 1 > levels ? p->level[node] + 1 : levels;
    }
    for (uint32_t level = 0; level < levels; level++) {
        LevelLaunch *launch = &p->launches[p->n_launches++];
        launch->first = p->n_list;
        for (uint32_t node = nparams; node < p->nodes; node++) {
            if ((p->flags[node] & LEVEL_ON_DEVICE) && p->round[node] == r && p->level[node] == level) {
                p->list[p->n_list++] = list_node(p, b, node, nparams);
            }
        }
        launch->count = p->n_list - launch->first;
    }
    round->launches = p->n_launches - round->first_launch;
    round->first_host = *n_hosts;
    for (uint32_t node = nparams; node < p->nodes; node++) {
        if ((p->flags[node] & LEVEL_ON_HOST) && p->round[node] == r) {
            p->hosts[(*n_hosts)++] = node;
        }
    }
    round->hosts = *n_hosts - round->first_host;
}

/* A device's nodes that are answers of programs are judged there. */
static void list_judged(LevelPlan *p, const Battery *b) {
    for (uint32_t node = 0; node < p->nodes; node++) {
        p->judged[node] = LEVELS_NONE;
    }
    for (uint32_t k = 0; k < battery_programs(b); k++) {
        uint32_t node = battery_result(b, (int)k);
        if ((p->flags[node] & LEVEL_ON_DEVICE) && p->judged[node] == LEVELS_NONE) {
            p->judged[node] = p->n_judged;
            p->list[p->n_list + p->n_judged++] = (LevelNode){.slot = p->slot[node]};
        }
    }
}

bool level_plan_make(LevelPlan *p, const Battery *b, unsigned nparams) {
    uint32_t breeding = 0, n_hosts = 0;
    p->nodes = battery_nodes(b);
    if (!reserve(p, p->nodes)) {
        return false;
    }
    p->n_rounds = 1;
    p->n_list = p->n_judged = p->n_slots = p->n_constants = p->n_down = p->n_up = p->n_launches = 0;
    memset(p->flags, 0, p->nodes * sizeof *p->flags);
    memset(p->slot, 0xff, p->nodes * sizeof *p->slot);
    for (uint32_t node = nparams; node < p->nodes; node++) {
        BatteryNode n = battery_node(b, node);
        p->round[node] = p->level[node] = 0;
        if (n.once) {
            p->flags[node] |= LEVEL_CONST;
        } else if (n.needed) {
            place_node(p, &n, node, nparams, &breeding);
        }
    }
    mark_crossings(p, b, nparams);
    take_slots(p, nparams);
    for (uint32_t r = 0; r < p->n_rounds; r++) {
        list_round(p, b, nparams, r, &n_hosts);
    }
    list_judged(p, b);
    return true;
}
