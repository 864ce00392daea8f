/* The words of program text for numbers that belong to the features; see engine/primitives/symbol_table.def.
 */
#include "engine/primitives/symbol_table.h"

#define TEXT_COLOR "color "
#define TEXT_COUNT "count "
static const Symbol features[] = {
#define FEATURE(id, group, kind, cost, text) {#id, TEXT_##kind text},
#include "engine/features/features.def"
#undef FEATURE
};
const SymbolSet symbols_feature = SYMBOL_SET(0, features);

static const Symbol numbers[] = {
#define GRID_NUMBER(id, kind, cost, text) {#id, text},
#include "engine/features/grid_numbers.def"
#undef GRID_NUMBER
};
const SymbolSet symbols_grid_number = SYMBOL_SET(0, numbers);

static const Symbol backgrounds[] = {{"MOST_FREQUENT", "the most frequent color"},
                                     {"USUAL", "0, or the most frequent color where there is no 0"}};
const SymbolSet symbols_background = SYMBOL_SET(-2, backgrounds);

static const Symbol panel_sums[] = {{"MAIN", "its most frequent color except background"},
                                    {"RAREST", "its least frequent color except background"},
                                    {"CELLS", "its cells that are not background"},
                                    {"COLORS", "its colors except background"},
                                    {"RANK", "how many panels are fuller"}};
const SymbolSet symbols_panel_sum = SYMBOL_SET(0, panel_sums);

static const Symbol echoes[] = {{"KEEP", "patterns that were painted stay"},
                                {"REMOVE", "patterns that were painted become background"}};
const SymbolSet symbols_pattern_echo = SYMBOL_SET(0, echoes);

static const Symbol pieces[] = {
    {"PANELS", "its panels, as panel_grids"},
    {"MCOMPS", "the boxes of its multicolor components"},
    {"COMPONENTS", "the boxes of its components of one color"},
    {"FRAMES", "what frames of one color enclose"},
    {"ROWS", "its rows"},
    {"COLUMNS", "its columns"},
    {"BANDS", "the runs of rows between rows of background"},
    {"STRIPES", "the runs of columns between columns of background"},
    {"ENCLOSED", "what cells of one color shut off from the rim"},
    {"AREAS", "the areas between the cells of the most frequent color except background"},
    {"SLICES", "the grids of every k-th row and every l-th column"},
    {"COLORS", "the whole grid for each color"}};
const SymbolSet symbols_local_split = SYMBOL_SET(0, pieces);
