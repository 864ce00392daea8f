/* The words of program text for numbers that belong to the patterns; see engine/primitives/symbol_table.def.
 */
#include "engine/primitives/symbol_table.h"

#define TEXT_COLOR "color "
#define TEXT_COUNT "count "
static const Symbol beam_attributes[] = {
#define BEAM_ATTRIBUTE(id, kind, cost, text) {#id, TEXT_##kind text},
#include "engine/patterns/beam_attributes.def"
#undef BEAM_ATTRIBUTE
};
const SymbolSet symbols_beam_attribute = SYMBOL_SET(0, beam_attributes);

static const Symbol beam_actions[] = {
#define BEAM_ACTION(id, cost, text) {#id, text},
#include "engine/patterns/beam_actions.def"
#undef BEAM_ACTION
};
const SymbolSet symbols_beam_action = SYMBOL_SET(0, beam_actions);

static const Symbol paths[] = {
#define PATH(id, cost, text) {#id, text},
#include "engine/patterns/lay.def"
#undef PATH
};
const SymbolSet symbols_lay_path = SYMBOL_SET(0, paths);

static const Symbol layings[] = {
#define LAYING(id, cost, text) {#id, text},
#include "engine/patterns/lay.def"
#undef LAYING
};
const SymbolSet symbols_laying = SYMBOL_SET(0, layings);

static const Symbol joins[] = {
    {"SAME", "they have one size"},
    {"SCALED", "each cell of the first is scaled up to a block, so that it has the second's size"},
    {"PRODUCT", "each cell of the first becomes a block of the second's size, with the second in each"},
    {"TILED", "the second is repeated so that it has the first's size"}};
const SymbolSet symbols_mosaic_join = SYMBOL_SET(0, joins);

static const Symbol sums[] = {{"MAIN", "its most frequent color except background"},
                              {"RAREST", "its least frequent color except background"},
                              {"MOST_FREQUENT", "its most frequent color"},
                              {"CELLS", "its cells except background"},
                              {"COLORS", "its colors except background"}};
const SymbolSet symbols_mosaic_sum = SYMBOL_SET(0, sums);

static const Symbol piles[] = {
    {"ORDER", "the color that comes first in order"},    {"MOST_FREQUENT", "the most frequent color"},
    {"LEAST_FREQUENT", "the least frequent color"},      {"COUNT", "how many are not background"},
    {"FIRST", "the first color that is not background"}, {"LAST", "the last color that is not background"}};
const SymbolSet symbols_mosaic_pile = SYMBOL_SET(0, piles);

static const Symbol shifts[] = {
    {"ROWS", "each row to the right, around the edge"},
    {"COLUMNS", "each column down, around the edge"},
    {"RINGS", "each ring around the middle clockwise"},
    {"ROWS_SLANT", "row k k times as far to the right, around the edge"},
    {"COLUMNS_SLANT", "column k k times as far down, around the edge"},
    {"ROWS_LOSE", "each row to the right; what leaves is lost"},
    {"COLUMNS_LOSE", "each column down; what leaves is lost"},
    {"ROWS_SHEAR", "row k k times as far to the right, on a canvas that has room for all"},
    {"COLUMNS_SHEAR", "column k k times as far down, on a canvas that has room for all"}};
const SymbolSet symbols_cyclic_shift = SYMBOL_SET(0, shifts);

static const Symbol regularities[] = {{"SYMMETRIES", "all mirrors, turns and shifts that hold"},
                                      {"TURNS", "mirrors and turns only"},
                                      {"SHIFTS", "shifts only"},
                                      {"TILE", "a tile"},
                                      {"RINGS", "squares, crosses or diamonds around a point"},
                                      {"ROWS", "a period for each row"},
                                      {"COLUMNS", "a period for each column"}};
const SymbolSet symbols_regularity = SYMBOL_SET(0, regularities);

static const Symbol masks[] = {{"OUTSIDE", "all outside the rectangle of what is not background"},
                               {"BEST_COLOR", "cells of the color that leaves the best repair"},
                               {"UNKNOWN", "no others than those of -1"}};
const SymbolSet symbols_repair_mask = SYMBOL_SET(-3, masks);

static const Symbol groups[] = {{"MIRROR_COLUMNS", "left and right mirrored"},
                                {"MIRROR_ROWS", "top and bottom mirrored"},
                                {"MIRROR_BOTH", "both mirrored"},
                                {"HALF_TURN", "half turns"},
                                {"QUARTER_TURN", "quarter turns"},
                                {"ALL", "all of these and the diagonals"},
                                {"DIAGONAL", "mirrored on the diagonal from the upper left"},
                                {"ANTIDIAGONAL", "mirrored on the other diagonal"},
                                {"DIAGONALS", "mirrored on both diagonals"}};
const SymbolSet symbols_shape_group = SYMBOL_SET(0, groups);

static const Symbol scopes[] = {{"FOREGROUND", "all that is not background together"},
                                {"MCOMPS", "each multicolor component"},
                                {"COLORS", "each color"}};
const SymbolSet symbols_shape_scope = SYMBOL_SET(0, scopes);

static const Symbol turns[] = {{"FIXED", "rules fit as they are"},
                               {"ROTATED", "rules also fit in turns 1 to 3 of stamp_turn"},
                               {"ANY_TURN", "rules also fit in turns 1 to 7 of stamp_turn"}};
const SymbolSet symbols_rewrite_turns = SYMBOL_SET(0, turns);

static const Symbol repeats[] = {{"ONCE", "the rules are applied once"},
                                 {"UNTIL_STABLE", "again and again until nothing changes"},
                                 {"IN_PLACE", "once, but what is painted is seen at once"}};
const SymbolSet symbols_rewrite_repeat = SYMBOL_SET(0, repeats);

static const Symbol objects[] = {{"COMPONENTS", "cells of one color, connected over sides"},
                                 {"COMPONENTS8", "cells of one color, connected over sides or corners"},
                                 {"MCOMPS8", "cells of any colors, connected over sides or corners"}};
const SymbolSet symbols_decorate_objects = SYMBOL_SET(0, objects);

#define MODES(suffix, text)                                                      \
    {"FIXED" suffix, "rules fit as they are" text},                              \
        {"ROTATED" suffix, "rules also fit in turns 1 to 3 of stamp_turn" text}, \
        {"ANY_TURN" suffix, "rules also fit in turns 1 to 7 of stamp_turn" text},
static const Symbol modes[] = {
    MODES("", "") MODES("_SCALED", ", and objects 2 to 4 times as large")
        MODES("_UNDER", ", and only background is painted")
            MODES("_SCALED_UNDER", ", and objects 2 to 4 times as large; only background is painted")};
const SymbolSet symbols_decorate_mode = SYMBOL_SET(0, modes);
