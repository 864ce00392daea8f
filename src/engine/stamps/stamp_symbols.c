/* The words of program text for numbers that belong to the stamps; see engine/primitives/symbol_table.def. */
#include "engine/primitives/symbol_table.h"

static const Symbol trims[] = {{"CONTENT", "to the rectangle of its content"},
                               {"DENSE", "without blank rows and columns inside either"},
                               {"MERGED", "with equal neighboring rows and columns merged"},
                               {"BLOCKS", "to its content, with a cell for each of the largest blocks"}};
const SymbolSet symbols_stamp_trim = SYMBOL_SET(0, trims);

static const Symbol boxes[] = {{"FILLED", "filled with its main color"},
                               {"BLANK", "blank"},
                               {"FILLED_HOME", "filled and at the origin"},
                               {"CORNER", "one cell at its upper left corner"},
                               {"MIDDLE", "its middle"}};
const SymbolSet symbols_stamp_box = SYMBOL_SET(0, boxes);

static const Symbol fills[] = {{"FILLED", "holes filled with the main color"},
                               {"HOLES", "the holes alone"},
                               {"INNER", "the stamp without its border"},
                               {"BORDER", "its border"}};
const SymbolSet symbols_stamp_fill = SYMBOL_SET(0, fills);

static const Symbol turns[] = {
    {"ROT90", "a quarter turn clockwise"},
    {"ROT180", "half a turn"},
    {"ROT270", "a quarter turn counterclockwise"},
    {"MIRROR_COLUMNS", "left and right swapped"},
    {"MIRROR_ROWS", "top and bottom swapped"},
    {"TRANSPOSED", "mirrored on the diagonal from the upper left"},
    {"ANTITRANSPOSED", "mirrored on the other diagonal"},
    {"MIRROR_LONGER", "mirrored along its longer side, or on the diagonal if it is square"}};
const SymbolSet symbols_stamp_turn = SYMBOL_SET(1, turns);

#define TALLIES(word, text)                                                   \
    {word "_SQUARE", text ", as a square"}, {word "_ROW", text ", as a row"}, \
        {word "_COLUMN", text ", as a column"},
static const Symbol tallies[] = {TALLIES("CELLS", "its cells that are not transparent") TALLIES(
    "COLORS", "its colors") TALLIES("COMPONENTS", "its components of one color")};
const SymbolSet symbols_stamp_tally = SYMBOL_SET(0, tallies);

static const Symbol rays[] = {{"RIGHTWARD", "right"},
                              {"DOWNWARD", "down"},
                              {"LEFTWARD", "left"},
                              {"UPWARD", "up"},
                              {"HORIZONTAL", "right and left"},
                              {"VERTICAL", "up and down"},
                              {"STRAIGHT", "right, down, left and up"},
                              {"LOWER_RIGHT", "down and right"},
                              {"LOWER_LEFT", "down and left"},
                              {"UPPER_LEFT", "up and left"},
                              {"UPPER_RIGHT", "up and right"},
                              {"DIAGONAL", "down and right, up and left"},
                              {"ANTIDIAGONAL", "down and left, up and right"},
                              {"DIAGONALS", "along all diagonals"},
                              {"ALL", "in all eight directions"}};
const SymbolSet symbols_stamp_rays = SYMBOL_SET(0, rays);

static const Symbol frames[] = {{"OUTLINE", "an outline of color 1 around its content"},
                                {"FRAME", "a frame of color 1"},
                                {"FRAME_MAIN", "a frame of its main color"}};
const SymbolSet symbols_stamp_frame = SYMBOL_SET(0, frames);

static const Symbol joins[] = {
    {"ROWS", "along rows"}, {"COLUMNS", "along columns"}, {"BOTH", "both, rows on top"}};
const SymbolSet symbols_stamp_join = SYMBOL_SET(0, joins);

static const Symbol spreads[] = {{"ALL", "all colors flow"}, {"ALL_BUT_MAIN", "all but the main color flow"}};
const SymbolSet symbols_stamp_spread = SYMBOL_SET(0, spreads);

static const Symbol halves[] = {{"LEFT_HALF", "the left half"},
                                {"RIGHT_HALF", "the right half"},
                                {"UPPER_HALF", "the upper half"},
                                {"LOWER_HALF", "the lower half"},
                                {"FIRST_HALF", "the first half of the longer side"},
                                {"SECOND_HALF", "the second half of the longer side"}};
const SymbolSet symbols_stamp_half = SYMBOL_SET(0, halves);

static const Symbol tiles[] = {{"CLOSE", "close together"},
                               {"GAPS", "with gaps of one cell"},
                               {"MIRRORED", "every other copy mirrored"},
                               {"MIRRORED_GAPS", "every other copy mirrored, with gaps of one cell"},
                               {"CONTINUED", "its own pattern carried on"}};
const SymbolSet symbols_stamp_tile = SYMBOL_SET(0, tiles);

static const Symbol corners[] = {{"UPPER_LEFT", "at its upper left corner"},
                                 {"UPPER_RIGHT", "at its upper right corner"},
                                 {"LOWER_LEFT", "at its lower left corner"},
                                 {"LOWER_RIGHT", "at its lower right corner"},
                                 {"MIDDLE", "in its middle"}};
const SymbolSet symbols_stamp_corner = SYMBOL_SET(0, corners);

static const Symbol splits[] = {{"OBJECTS", "what stands out from the background"},
                                {"COLORS", "by color, each in the whole rectangle"},
                                {"COMPONENTS", "components of one color"},
                                {"COLUMNS", "columns"},
                                {"ROWS", "rows"},
                                {"MARKED", "insides of rectangles with marked corners"},
                                {"FALL_DOWN", "components after falling down"},
                                {"FALL_RIGHT", "components after falling to the right"},
                                {"FALL_UP", "components after falling up"},
                                {"FALL_LEFT", "components after falling to the left"}};
const SymbolSet symbols_stamp_split = SYMBOL_SET(0, splits);

static const Symbol criteria[] = {{"MOST_CELLS", "most cells that are not transparent"},
                                  {"FEWEST_CELLS", "fewest cells that are not transparent"},
                                  {"LARGEST", "the largest rectangle"},
                                  {"SMALLEST", "the smallest rectangle"},
                                  {"MOST_COLORS", "most colors"},
                                  {"HIGHEST", "the smallest row"},
                                  {"LOWEST", "the greatest row"},
                                  {"LEFTMOST", "the smallest column"},
                                  {"RIGHTMOST", "the greatest column"},
                                  {"MOST_COMPONENTS", "most components of one color"},
                                  {"MOST_HOLES", "most holes"},
                                  {"FEWEST_HOLES", "fewest holes"},
                                  {"MOST_HOLE_CELLS", "most cells in holes"},
                                  {"FEWEST_HOLE_CELLS", "fewest cells in holes"}};
const SymbolSet symbols_stamp_criterion = SYMBOL_SET(0, criteria);

static const Symbol piles[] = {{"BESIDE", "beside each other"}, {"BELOW", "below each other"}};
const SymbolSet symbols_stamp_pile = SYMBOL_SET(0, piles);

static const Symbol lays[] = {{"OPAQUE", "the cells that are not transparent"},
                              {"TRANSPARENT", "the transparent cells, as color 0"},
                              {"ALL", "all cells"}};
const SymbolSet symbols_stamp_lay = SYMBOL_SET(0, lays);

static const Symbol roles[] = {{"FREQUENT", "the frequent first"},
                               {"RARE", "the rare first"},
                               {"READING_ORDER", "in reading order"},
                               {"TALL", "the tall first"}};
const SymbolSet symbols_stamp_roles = SYMBOL_SET(0, roles);

static const Symbol orientations[] = {{"SHAPE", "it is not taller than wide"},
                                      {"SIDE", "the fullest side is the left one"},
                                      {"CONTENT", "what is not background lies to the left and above"},
                                      {"RAREST", "its least frequent color lies to the left and above"},
                                      {"MAIN", "its most frequent color except background does"}};
const SymbolSet symbols_stamp_orient = SYMBOL_SET(0, orientations);
