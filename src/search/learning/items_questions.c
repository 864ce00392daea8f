/* Questions about items, cheap attributes first; see items.h. */
#include "search/learning/items.h"

bool items_make_questions(Items *items) {
    enum { ALIKE_AT = 3, HALVES = 2 }; /* costs are multiples of a half */
    TreeQuestions *q = &items->questions;
    *q = (TreeQuestions){.search = items->search,
                         .attributes = items->attributes,
                         .prices = {.question = items->question_cost,
                                    .greater = 0.5,
                                    .color = 1,
                                    .large = 1,
                                    .larger = 2.5,
                                    .same_scale = 0.5},
                         .n = items->n,
                         .words = items->words,
                         .apart = items->n_train,
                         .cheapest = true,
                         .asked_steps = 1 + items->n / 16,
                         .max = ITEMS_MAX_QUESTIONS};
    if (!tree_questions_open(q)) {
        return false;
    }
    double max = 0;
    for (uint32_t a = 0; a < items->n_attributes; a++) {
        max = items->attributes[a].cost > max ? items->attributes[a].cost : max;
    }
    bool go_on = true;
    uint32_t asked = 0;
    for (int halves = 1; halves <= HALVES * max && go_on; halves++) { /* of equal ones the cheapest is kept */
        for (uint32_t a = 0; a < items->n_attributes && go_on; a++) {
            bool now = items->attributes[a].cost * HALVES == halves;
            asked += now;
            go_on = !now || tree_ask_values(q, a, UINT32_MAX);
        }
        for (uint32_t k = 0; k < items->n_alike && go_on && halves == HALVES * ALIKE_AT; k++) {
            go_on = tree_ask(q, items->alike[k].a, RULE_SAME, items->alike[k].b);
        }
    }
    ASSERT(!go_on || asked == items->n_attributes, "%u of %u attributes have a cost of whole halves", asked,
           items->n_attributes);
    return !items->search->slice_over;
}
