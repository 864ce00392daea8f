/* Handing out units; see handout.h. */
#include "backends/ranks/handout.h"

#include "base/alloc.h"
#include "base/check.h"

bool handout_open(Handout *handout, size_t units, uint32_t threads, bool twice) {
    *handout = (Handout){.n_units = units, .threads = threads, .twice = twice};
    handout->units = mem_zalloc(units > 0 ? units : 1, sizeof *handout->units);
    for (size_t k = 0; handout->units != NULL && k < units; k++) {
        handout->units[k].holders[0] = handout->units[k].holders[1] = HANDOUT_NOBODY;
    }
    return handout->units != NULL;
}

void handout_close(Handout *handout) {
    mem_free(handout->units);
    *handout = (Handout){0};
}

static void hand_out(Handout *handout, size_t unit, uint32_t rank) {
    HandoutUnit *u = &handout->units[unit];
    ASSERT(unit < handout->n_units && !u->done, "unit %zu of %zu is done", unit, handout->n_units);
    ASSERT(u->holders[0] != rank && u->holders[1] != rank &&
               (u->holders[0] == HANDOUT_NOBODY || u->holders[1] == HANDOUT_NOBODY),
           "unit %zu for rank %u: ranks %u and %u have it", unit, rank, u->holders[0], u->holders[1]);
    u->holders[u->holders[0] == HANDOUT_NOBODY ? 0 : 1] = rank;
    u->since = u->out ? u->since : handout->clock++;
    u->out = true;
}

static bool is_held(const HandoutUnit *u) {
    return u->holders[0] != HANDOUT_NOBODY || u->holders[1] != HANDOUT_NOBODY;
}

/* Takes a unit that was given back; these come before new ones. */
static bool take_given(Handout *handout, uint32_t rank, size_t *unit) {
    for (size_t k = 0; k < handout->next && handout->given > 0; k++) {
        if (!handout->units[k].done && !is_held(&handout->units[k])) {
            handout->given--;
            hand_out(handout, *unit = k, rank);
            return true;
        }
    }
    ASSERT(handout->given == 0, "%zu units given back are nowhere", handout->given);
    return false;
}

/* Takes, as its second holder, the oldest unit that exactly one other rank is working on. */
static bool take_second(Handout *handout, uint32_t rank, size_t *unit) {
    size_t oldest = handout->n_units;
    for (size_t k = 0; k < handout->n_units; k++) {
        const HandoutUnit *u = &handout->units[k];
        bool alone = (u->holders[0] == HANDOUT_NOBODY) != (u->holders[1] == HANDOUT_NOBODY);
        if (!u->done && alone && u->holders[0] != rank && u->holders[1] != rank &&
            (oldest == handout->n_units || u->since < handout->units[oldest].since)) {
            oldest = k;
        }
    }
    if (oldest < handout->n_units) {
        hand_out(handout, *unit = oldest, rank);
    }
    return oldest < handout->n_units;
}

bool handout_take(Handout *handout, uint32_t rank, size_t *unit) {
    if (take_given(handout, rank, unit)) {
        return true;
    }
    while (handout->next < handout->n_units &&
           handout->units[handout->next].done) { /* its result was known before */
        handout->next++;
    }
    if (handout->next < handout->n_units) {
        hand_out(handout, *unit = handout->next++, rank);
        return true;
    }
    return handout->twice && take_second(handout, rank, unit);
}

size_t handout_batch(const Handout *handout, uint32_t threads) {
    size_t left = handout->n_units - handout->next + handout->given, most = 2 * (size_t)threads;
    size_t share = handout->threads > 0 ? left * threads / (2 * (size_t)handout->threads) : left;
    return share < 1 ? 1 : share < most ? share : most;
}

bool handout_finish(Handout *handout, size_t unit, uint32_t rank, uint32_t others[2]) {
    HandoutUnit *u = &handout->units[unit];
    ASSERT(unit < handout->n_units, "unit %zu of %zu", unit, handout->n_units);
    others[0] = others[1] = HANDOUT_NOBODY;
    if (u->done) {
        return false;
    }
    if (unit < handout->next &&
        !is_held(u)) { /* it had been given back, but the result arrived all the same */
        ASSERT(handout->given > 0, "unit %zu was given back and not counted", unit);
        handout->given--;
    }
    for (int k = 0; k < 2; k++) {
        others[k] = u->holders[k] != rank ? u->holders[k] : HANDOUT_NOBODY;
        u->holders[k] = HANDOUT_NOBODY;
    }
    u->done = true;
    handout->n_done++;
    ASSERT(handout->n_done + handout->given <= handout->n_units, "%zu done and %zu given back of %zu",
           handout->n_done, handout->given, handout->n_units);
    return true;
}

size_t handout_lose(Handout *handout, uint32_t rank) {
    size_t back = 0;
    for (size_t k = 0; k < handout->next; k++) {
        HandoutUnit *u = &handout->units[k];
        bool had = !u->done && (u->holders[0] == rank || u->holders[1] == rank);
        for (int h = 0; h < 2 && had; h++) {
            u->holders[h] = u->holders[h] == rank ? HANDOUT_NOBODY : u->holders[h];
        }
        back += had && !is_held(u);
    }
    handout->given += back;
    return back;
}
