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

static const Symbol of_pairs[] = {
#define ATTRIBUTE(id, kind, cost, text) \
    [ATTRIBUTE_##id] = {#id, text},     \
    [PAIR_OF_ANCHOR + ATTRIBUTE_##id] = {"ANCHOR_" #id, "of the anchor: " text},
#include "engine/scenes/scene_attributes.def"
#undef ATTRIBUTE
#define RELATION(id, cost, text) [PAIR_OF_BOTH + RELATION_##id] = {"PAIR_" #id, text},
#include "engine/scenes/pair_relations.def"
#undef RELATION
};
const SymbolSet symbols_pair_attribute = SYMBOL_SET(0, of_pairs);

static const Symbol acts[] = {
#define ACT(id, cost, text) {#id, text},
#include "engine/scenes/scene_acts.def"
#undef ACT
};
const SymbolSet symbols_object_act = SYMBOL_SET(0, acts);

static const Symbol regions[] = {
#define REGION(id, by, cost, text) {"REGION_" #id, text},
#include "engine/scenes/scene_acts.def"
#undef REGION
};
const SymbolSet symbols_object_region = SYMBOL_SET(0, regions);

static const Symbol vectors[] = {
#define VECTOR(id, by, cost, text) {"TO_" #id, text},
#include "engine/scenes/scene_acts.def"
#undef VECTOR
};
const SymbolSet symbols_object_vector = SYMBOL_SET(0, vectors);

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
