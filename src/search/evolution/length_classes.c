/* Places in a population by the length of programs; see evolve.h. */
#include "base/check.h"
#include "search/evolution/evolve.h"

/* Programs compete only within their length class: a population holds a share of each class, in 48ths.
 * Programs that patch pair after pair grow long and score well; without places of their own, the short ones
 * that a general program is made from would soon be gone. */
static const struct {
    uint32_t calls, share; /* up to this many calls */
} classes[EVOLVE_CLASSES] = {{2, 8}, {4, 12}, {7, 12}, {UINT32_MAX, 16}};

unsigned evolve_class(uint32_t calls) {
    unsigned k = 0;
    while (calls > classes[k].calls) {
        k++;
    }
    return k;
}

bool evolve_shadowed(const EvolveTask *t, uint32_t member) {
    uint32_t k = 0;
    while (t->members[k].outputs != t->members[member].outputs) {
        k++;
    }
    return k < member;
}

uint32_t evolve_class_room(const Evolve *e, unsigned class) {
    uint32_t room = e->options.population * classes[class].share / 48;
    return room > 0 ? room : 1;
}

int32_t evolve_min_score(const Evolve *e, const EvolveTask *t, unsigned class) {
    ASSERT(class < EVOLVE_CLASSES, "class %u", class);
    uint32_t count = 0, room = evolve_class_room(e, class);
    for (uint32_t k = 0; k < t->count; k++) {
        count += evolve_class(t->members[k].calls) == class;
        if (count == room) {
            return t->members[k].score;
        }
    }
    return 0;
}
