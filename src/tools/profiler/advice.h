/* Whether a device would pay for the rows that matter: judged from measurements on the device at hand.
 * Nothing here guesses the speed of a device. */
#ifndef BATT_TOOLS_PROFILER_ADVICE_H
#define BATT_TOOLS_PROFILER_ADVICE_H

#include "base/json.h"
#include "tools/devices/measure.h"
#include "tools/profiler/profile.h"

enum { ADVICE_MAX = 32 };

typedef struct Advice {
    uint32_t name;
    double share;
    uint64_t calls;
    double call_ns;        /* on the processor, callees included */
    double calls_a_task;   /* at most this many could be batched without mixing tasks */
    uint32_t median_cells; /* of the largest inputs of the tasks that call it */
    bool functions; /* it calls functions that it is given: those would have to run on the device too */
    bool form;      /* devices can do it */
    bool measured;
    Measured device; /* if it was */
    char why[200];   /* why it was not */
    char name_of_device[128];
} Advice;

/* What making a row faster would bring, and what kind of work that is. */
typedef enum AdviceEffort { EFFORT_LOW, EFFORT_MEDIUM, EFFORT_HIGH } AdviceEffort;
extern const char *const advice_efforts[];
AdviceEffort advice_effort(const Advice *advice, const char **why);
/* The speedup of the whole if the row becomes `factor` times as fast; INFINITY: if it is gone. */
double advice_impact(const Advice *advice, double factor);

/* Rows of at least 5 %, largest first; returns how many. */
uint32_t advice_make(const Profile *profile, const ProfSum *sum, Advice *advice);
/* Times the first device on what the rows are; without a device it says so. */
void advice_measure(const Profile *profile, Advice *advice, uint32_t n, Backend *backend);
/* One line about a row, for people. */
void advice_text(const Profile *profile, const Advice *advice, char *text, size_t room);
/* "acceleration": [..] */
void advice_json(Json *json, const Profile *profile, const Advice *advice, uint32_t n);

#endif
