/* The table of parts; see strategies.h. */
#include "search/schedule/strategies.h"

#include "engine/features/features.h"
#include "engine/stamps/stamp.h"

const char *const strategy_names[STRATEGY_COUNT + 1] = {
#define STRATEGY(id, name, open, run, close, text) #name,
#include "search/schedule/strategies.def"
#undef STRATEGY
    NULL};

#define SCOPE_OF(id)                                         \
    (STRATEGY_##id == STRATEGY_LIBRARY     ? SCOPE_LIBRARY   \
     : STRATEGY_##id == STRATEGY_CELLS     ? SCOPE_CELLS     \
     : STRATEGY_##id == STRATEGY_OBJECTS   ? SCOPE_OBJECTS   \
     : STRATEGY_##id == STRATEGY_STAMPS    ? SCOPE_STAMPS    \
     : STRATEGY_##id == STRATEGY_ENUMERATE ? SCOPE_ENUMERATE \
     : STRATEGY_##id == STRATEGY_EVOLVE    ? SCOPE_EVOLVE    \
                                           : SCOPE_STRATEGY)

const StrategyRow strategy_table[STRATEGY_COUNT] = {
#define STRATEGY(id, name, open, run, close, text) {#name, text, open, run, close, SCOPE_OF(id)},
#include "search/schedule/strategies.def"
#undef STRATEGY
};

uint32_t search_strategy_max_cells(Strategy strategy) {
    switch (strategy) {
    case STRATEGY_LIBRARY:
    case STRATEGY_ENUMERATE:
    case STRATEGY_EVOLVE:
    case STRATEGY_NET:
        return 0;
    case STRATEGY_STAMPS:
        return STAMP_MAX_CELLS;
    default:
        return FEATURE_MAX_CELLS;
    }
}
