/* Finding and keeping cards; see card_store.h. */
#include "search/persistence/card_store.h"

#include <string.h>

typedef struct CardLookup {
    const char *settings;
    Out *text;
    bool found;
} CardLookup;

static bool match_card(void *context, const StoreRun *run) {
    CardLookup *l = context;
    if (run->state != NULL && run->finished_ms != 0 && strcmp(run->settings, l->settings) == 0) {
        out_str(l->text, run->state);
        l->found = true;
    }
    return !l->found;
}

bool card_store_find(Store *store, const char *settings, Out *text, bool *found) {
    CardLookup lookup = {.settings = settings, .text = text};
    bool good = store_each_run(store, 0, match_card, &lookup);
    *found = lookup.found;
    return good;
}

bool card_store_keep(Store *store, const char *settings, const char *sources, uint64_t seed, const Out *text,
                     bool *kept) {
    int64_t run;
    *kept = text->len <= STORE_TEXT_MAX;
    return !*kept || (store_run_begin(store, settings, sources, seed, &run) &&
                      store_run_finish(store, run, NULL, text->data) && store_flush(store));
}
