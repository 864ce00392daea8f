/* Sending, receiving and merging the stores of islands; see island_store.h. */
#include "search/persistence/island_store.h"

#include "data/store/solver_file.h"

#include <stdio.h>
#include <unistd.h>

bool island_store_path(char path[ISLAND_PATH_BYTES], const char *store, unsigned rank) {
    int n = rank == 0 ? snprintf(path, ISLAND_PATH_BYTES, "%s", store)
                      : snprintf(path, ISLAND_PATH_BYTES, "%s.rank%u", store, rank);
    return n > 0 && n < ISLAND_PATH_BYTES;
}

bool island_store_send(Ranks *ranks, RanksTag tag, Store *store) {
    Out bytes;
    out_init(&bytes);
    bool good = store_image(store, &bytes) && bytes.len < RANKS_MESSAGE_MAX - 64;
    if (!good) {
        out_clear(&bytes); /* rank 0 is waiting for a message, even an empty one */
    }
    ranks_put(ranks, 0, tag, &bytes);
    out_free(&bytes);
    return good;
}

static bool verify(void *context, const StoreProgram *program, char *why) {
    return store_verify_text(context, program, why);
}

static bool merge_file(Store *into, const char *file, char why[STORE_ERROR_MAX]) {
    StoreMerged counts;
    Lang *lang = store_lang_open(NULL);
    Store *from = lang != NULL ? store_open(file, STORE_READ, why) : NULL;
    bool good = from != NULL && store_merge(into, &from, 1, verify, lang, &counts);
    if (from != NULL && !good) {
        snprintf(why, STORE_ERROR_MAX, "%s", store_error(into));
    }
    if (from != NULL) {
        char closing[STORE_ERROR_MAX];
        store_close(from, closing);
    }
    if (lang != NULL) {
        lang_close(lang);
    }
    return good;
}

bool island_store_take(Ranks *ranks, unsigned rank, RanksTag tag, Store *into, const char *path,
                       char why[STORE_ERROR_MAX]) {
    char file[ISLAND_PATH_BYTES + 32];
    Out bytes;
    out_init(&bytes);
    snprintf(file, sizeof file, "%s.from-rank%u", path, rank);
    bool good = ranks_get(ranks, rank, tag, &bytes) && bytes.len > 0;
    if (!good) {
        snprintf(why, STORE_ERROR_MAX,
                 "the store of rank %u was not received; merge its file later with 'batt store merge'", rank);
    }
    good = good && out_save(&bytes, file, why, STORE_ERROR_MAX) && merge_file(into, file, why);
    unlink(file);
    out_free(&bytes);
    return good;
}

bool island_store_adopt(Store *into, const char *path, unsigned ranks, char why[STORE_ERROR_MAX]) {
    char file[ISLAND_PATH_BYTES];
    bool good = true;
    for (unsigned k = ranks; k < ISLAND_MAX && good; k++) {
        if (island_store_path(file, path, k) && access(file, F_OK) == 0) {
            good = merge_file(into, file, why);
        }
    }
    return good;
}
