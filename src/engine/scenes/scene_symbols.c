/* The words of program text for numbers that belong to the scenes; see engine/primitives/symbol_table.def. */
#include "engine/primitives/symbol_table.h"
#include "engine/scenes/scene_pairs.h"

static const Symbol segmentations[] = {
#define SEGMENTATION(id, cost, text) {#id, text},
#include "engine/scenes/scene_segmentations.def"
#undef SEGMENTATION
};
const SymbolSet symbols_segmentation = SYMBOL_SET(0, segmentations);

/* In place of an attribute, how often an object stands in a list may be once: OBJECT_ONCE. */
static const Symbol attributes[] = {
    {"ONCE", "each object once"},
#define ATTRIBUTE(id, kind, cost, text) {#id, text},
#include "engine/scenes/scene_attributes.def"
#undef ATTRIBUTE
};
const SymbolSet symbols_object_attribute = {attributes + 1, 0, sizeof attributes / sizeof *attributes - 1};
const SymbolSet symbols_object_times = SYMBOL_SET(-1, attributes);

static const Symbol anchor_attributes[] = {
#define ATTRIBUTE(id, kind, cost, text) {"ANCHOR_" #id, "of the anchor: " text},
#include "engine/scenes/scene_attributes.def"
#undef ATTRIBUTE
};
const SymbolSet symbols_anchor_attribute = SYMBOL_SET(PAIR_OF_ANCHOR, anchor_attributes);

static const Symbol relations[] = {
#define RELATION(id, cost, text) {"PAIR_" #id, text},
#include "engine/scenes/pair_relations.def"
#undef RELATION
};
const SymbolSet symbols_pair_relation = SYMBOL_SET(PAIR_OF_BOTH, relations);

static const Symbol acts[] = {
#define ACT(id, cost, text) {#id, text},
#include "engine/scenes/scene_acts.def"
#undef ACT
};
const SymbolSet symbols_object_act = SYMBOL_SET(0, acts);

static const Symbol cuts[] = {{"BOX", "its box as it is"},
                              {"OWN", "its box, with background for what is not its own"},
                              {"INSIDE", "its box without the edge"},
                              {"AROUND", "its box with one more line on every side"}};
const SymbolSet symbols_object_cut = SYMBOL_SET(0, cuts);

static const Symbol directions[] = {{"ASCENDING", "the smallest first"},
                                    {"DESCENDING", "the greatest first"}};
const SymbolSet symbols_object_order = SYMBOL_SET(0, directions);

static const Symbol tests[] = {
    {"IS", "the attribute equals the number"},
    {"OVER", "the attribute is greater than the number"},
    {"SAME", "the attribute equals the other attribute"},
    {"IS_NOT", "the attribute differs from the number"},
    {"NOT_OVER", "the attribute is not greater than the number"},
    {"NOT_SAME", "the attribute differs from the other attribute"},
    {"COUNT_MORE", "the number of objects with more of the attribute is the number"},
    {"COUNT_LESS", "the number of objects with less of the attribute is the number"},
    {"COUNT_SAME", "the number of objects with as much of the attribute is the number"},
    {"COUNT_NOT_MORE", "the number of objects with more of the attribute is another"},
    {"COUNT_NOT_LESS", "the number of objects with less of the attribute is another"},
    {"COUNT_NOT_SAME", "the number of objects with as much of the attribute is another"}};
const SymbolSet symbols_object_test = SYMBOL_SET(0, tests);
