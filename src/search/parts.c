/* The table of parts; see parts.h. */
#include "search/parts.h"

const char *const search_part_names[PART_COUNT + 1] = {
#define PART(id, name, open, run, close, text) #name,
#include "search/parts.def"
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
#include "search/parts.def"
#undef PART
};
