/* The table of parts; see parts.h. */
#include "search/schedule/parts.h"

#include "engine/features/features.h"
#include "engine/stamps/stamp.h"

const char *const search_part_names[PART_COUNT + 1] = {
#define PART(id, name, open, run, close, text) #name,
#include "search/schedule/parts.def"
#undef PART
    NULL};

#define SCOPE_OF(id)                                 \
    (PART_##id == PART_LIBRARY     ? SCOPE_LIBRARY   \
     : PART_##id == PART_CELLS     ? SCOPE_CELLS     \
     : PART_##id == PART_OBJECTS   ? SCOPE_OBJECTS   \
     : PART_##id == PART_STAMPS    ? SCOPE_STAMPS    \
     : PART_##id == PART_ENUMERATE ? SCOPE_ENUMERATE \
     : PART_##id == PART_EVOLVE    ? SCOPE_EVOLVE    \
                                   : SCOPE_PART)

const PartRow search_parts[PART_COUNT] = {
#define PART(id, name, open, run, close, text) {#name, text, open, run, close, SCOPE_OF(id)},
#include "search/schedule/parts.def"
#undef PART
};

uint32_t search_part_most_cells(SearchPart part) {
    switch (part) {
    case PART_LIBRARY:
    case PART_ENUMERATE:
    case PART_EVOLVE:
    case PART_NET:
        return 0;
    case PART_STAMPS:
        return STAMP_MOST_CELLS;
    default:
        return FEATURE_MOST_CELLS;
    }
}
