/* The table of strategies; see strategies.h. */
#include "search/schedule/strategies.h"

#include "engine/features/features.h"
#include "engine/stamps/stamp.h"

const char *const strategy_names[STRATEGY_COUNT + 1] = {
#define STRATEGY(id, name, functions, max_cells, scope, traits, text) #name,
#include "search/schedule/strategies.def"
    NULL};

#define FUNCTIONS_RUN(name) .run = strategy_##name##_run
#define FUNCTIONS_STATE(name) \
    FUNCTIONS_RUN(name), .open = strategy_##name##_open, .close = strategy_##name##_close
#define FUNCTIONS_FALLBACK(name)                                                                             \
    FUNCTIONS_STATE(name), .slice_ms = strategy_##name##_slice_ms, .is_needed = strategy_##name##_is_needed, \
                           .weigh = strategy_##name##_weigh

const StrategyRow strategy_table[STRATEGY_COUNT] = {
#define STRATEGY(id, name, functions, max_cells, scope, traits, text) \
    {#name, text, max_cells, scope, traits, FUNCTIONS_##functions(name)},
#include "search/schedule/strategies.def"
};

uint32_t strategies_with(StrategyTrait trait) {
    uint32_t set = 0;
    for (unsigned k = 0; k < STRATEGY_COUNT; k++) {
        set |= (uint32_t)((strategy_table[k].traits & trait) != 0) << k;
    }
    return set;
}
