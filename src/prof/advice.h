/* Whether a device would pay for the rows that matter: said from what was measured, and "not measured" where
 * it was not. Nothing here guesses the speed of a device. */
#ifndef BATT_PROF_ADVICE_H
#define BATT_PROF_ADVICE_H

#include "core/json.h"
#include "prof/profile.h"

enum { ADVICE_MOST = 32 };

typedef struct Advice {
    uint32_t name;
    double share;
    uint64_t calls;
    double call_ns;        /* on the processor, callees included */
    double calls_a_task;   /* at most so many could go together without mixing tasks */
    uint32_t median_cells; /* of the largest inputs of the tasks that call it */
    bool functions;        /* it calls functions it is given: those would have to run on the device too */
} Advice;

/* Rows of at least 5 %, largest first; returns how many. */
uint32_t advice_make(const Profile *profile, const ProfSum *sum, Advice *advice);
void advice_text(const Profile *profile, const Advice *advice, char *text, size_t room);
void advice_json(Json *json, const Profile *profile, const Advice *advice,
                 uint32_t n); /* "acceleration": [..] */

#endif
