/* Paths and scores of collections; see collection.h. */
#include "data/store/collection.h"

#include <string.h>

/* The component of a path that ends at `end`; NULL: there is none. */
static const char *component(const char *path, const char *end, size_t *length) {
    if (end == NULL || end <= path) {
        return NULL;
    }
    const char *start = end;
    while (start > path && start[-1] != '/') {
        start--;
    }
    *length = (size_t)(end - start);
    return start;
}

/* Where the component before this one ends; NULL: this is the first. */
static const char *before(const char *path, const char *start) {
    while (start > path && start[-1] == '/') {
        start--;
    }
    return start > path ? start : NULL;
}

static bool read_number(const char *at, size_t length, int32_t *number) {
    int64_t value = 0;
    bool negative = length > 1 && *at == '-';
    for (size_t k = negative; k < length; k++) {
        if (at[k] < '0' || at[k] > '9' || (value = value * 10 + at[k] - '0') > INT32_MAX) {
            return false;
        }
    }
    *number = (int32_t)(negative ? -value : value);
    return length > 0;
}

/* A name that an export could not write again is none: that of `solve_..`. */
static bool copy(char to[STORE_TASK_MAX + 1], const char *from, size_t length) {
    if (length == 0 || length > STORE_TASK_MAX || (length <= 2 && strspn(from, ".") >= length)) {
        return false;
    }
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

bool collection_place(const char *path, CollectionPlace *place) {
    static const char prefix[] = "solve_", differ[] = "differ";
    const size_t solve = sizeof prefix - 1;
    const char *parts[5] = {NULL}; /* file, speed, score, task, folder */
    size_t lengths[5] = {0};
    const char *end = path + strlen(path);
    for (int k = 0; k < 5; k++) {
        parts[k] = component(path, end, &lengths[k]);
        end = parts[k] != NULL ? before(path, parts[k]) : NULL;
    }
    if (parts[3] == NULL || lengths[0] <= 3 || memcmp(parts[0] + lengths[0] - 3, ".py", 3) != 0 ||
        lengths[3] <= solve || memcmp(parts[3], prefix, solve) != 0) {
        return false;
    }
    place->kind = parts[4] != NULL && lengths[4] >= sizeof differ - 1 &&
                          memcmp(parts[4], differ, sizeof differ - 1) == 0
                      ? STORE_DIFFER
                      : STORE_SOLVER;
    return read_number(parts[1], lengths[1], &place->speed) &&
           read_number(parts[2], lengths[2], &place->score) && place->score >= 0 &&
           copy(place->task, parts[3] + solve, lengths[3] - solve) &&
           copy(place->file, parts[0], lengths[0] - 3);
}

bool collection_score_fits(int32_t score, uint32_t right, uint32_t known) {
    int64_t rest = score - (int64_t)1000 * right;
    return score % 1000 == 0 ? rest == 0 : rest > 0 && rest <= (int64_t)999 * (known - right);
}
