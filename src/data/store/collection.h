/* Collections of the Python pipeline: what the path of a file says about the program in it.
 *
 *     solver_dir/solve_<task>/<score>/<t_log>/<md5>.py    a link to solver_md5/<md5>.py
 *     differ_dir/solve_<task>/<score>/<t_log>/<md5>.py    the same for differs
 *
 * The score is the sum over all samples, training and test, 1,000 for each that is right. t_log is 11 minus
 * the natural logarithm of the seconds that a run of all samples took, as a whole number: larger is faster.
 */
#ifndef BATT_DATA_STORE_COLLECTION_H
#define BATT_DATA_STORE_COLLECTION_H

#include "data/store/store.h"

#include <math.h>

enum { COLLECTION_UNMEASURED = 10 }; /* t_log where the time is not known */

typedef struct CollectionPlace {
    char task[STORE_TASK_MAX + 1], file[STORE_TASK_MAX + 1]; /* file: its name without .py */
    StoreKind kind;
    int32_t score, speed; /* speed: t_log */
} CollectionPlace;

/* False: the path is not one of a collection. */
bool collection_place(const char *path, CollectionPlace *place);

/* t_log of a time. */
static inline int32_t collection_speed(int64_t time_ns) {
    return time_ns > 0 ? (int32_t)(11 - log((double)time_ns * 1e-9)) : COLLECTION_UNMEASURED;
}

/* Whether a program that gets `right` of `known` samples right can have this score on record. Whole thousands
 * count right samples; anything else has a part from differs, which give less than 1,000 for a wrong one. */
bool collection_score_fits(int32_t score, uint32_t right, uint32_t known);

#endif
