/* Which of equally good programs comes first; see program_places.h. */
#include "search/run/program_places.h"

#include "base/alloc.h"
#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

typedef struct Place {
    uint32_t program, calls;
    uint64_t hash; /* of what it computes, not of how its lines are numbered */
    const char *name;
} Place;

static int by_place(const void *left, const void *right) {
    const Place *a = left, *b = right;
    if (a->calls != b->calls) {
        return a->calls < b->calls ? -1 : 1;
    }
    if (a->hash != b->hash) {
        return a->hash < b->hash ? -1 : 1;
    }
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->program > b->program) - (a->program < b->program);
}

/* Hashes of the nodes, by those of their operands. */
static uint64_t node_hash(const BatteryNode *node, uint32_t k, const uint64_t *hashes) {
    if (node->kind == BATTERY_PARAM) {
        return mix64(BATTERY_PARAM, k);
    }
    if (node->kind == BATTERY_CONST || node->args == NULL) {
        return val_hash(node->constant, BATTERY_CONST);
    }
    uint64_t hash = mix64((uint64_t)node->kind << 16 | node->prim, node->nargs);
    bool commutes = node->kind == OP_PRIM && node->nargs == 2 && prim_table[node->prim].flags & PRIM_COMMUTES;
    bool swap = commutes && hashes[node->args[0]] > hashes[node->args[1]];
    for (uint32_t x = 0; x < node->nargs; x++) {
        hash = mix64(hash, hashes[node->args[swap ? 1 - x : x]]);
    }
    return hash;
}

static bool measure(Battery *battery, Ctx *ctx, const Program *program, Place *place) {
    battery_clear(battery);
    int handle = battery_add(battery, ctx, program);
    uint32_t n = battery_nodes(battery);
    uint64_t *hashes = handle >= 0 ? mem_array(n, sizeof *hashes) : NULL;
    for (uint32_t k = 0; hashes != NULL && k < n; k++) {
        BatteryNode node = battery_node(battery, k);
        hashes[k] = node_hash(&node, k, hashes);
        place->calls += node.needed && node.kind < BATTERY_PARAM;
    }
    if (hashes != NULL) {
        place->hash = hashes[battery_result(battery, handle)];
    }
    mem_free(hashes);
    return hashes != NULL;
}

static Battery *battery_for(Battery *battery, const Program *program, const Program *before, bool safe) {
    if (before != NULL && before->mode == program->mode && before->nparams == program->nparams) {
        return battery;
    }
    battery_free(battery);
    return battery_new((Mode)program->mode, safe, program->nparams, true);
}

bool program_places(const Program *const *programs, size_t n, bool safe, Ctx *ctx, uint32_t *places) {
    Place *order = mem_zalloc(n, sizeof *order);
    Battery *battery = NULL;
    bool good = order != NULL;
    for (size_t k = 0; k < n && good; k++) {
        order[k] = (Place){.program = (uint32_t)k, .name = programs[k]->name};
        battery = battery_for(battery, programs[k], k > 0 ? programs[k - 1] : NULL, safe);
        good = battery != NULL && measure(battery, ctx, programs[k], &order[k]);
    }
    if (good) {
        qsort(order, n, sizeof *order, by_place);
    }
    for (size_t k = 0; k < n && good; k++) {
        places[order[k].program] = (uint32_t)k;
    }
    battery_free(battery);
    mem_free(order);
    return good;
}
