/* Compiled closures (engine/arcdsl/closure_plan.h) against closures called call by call: random ones of a
 * depth of up to eight, and what they are counted and charged.
 *
 * BATT_CLOSURES=N       how many random ones (scripts/check-closures: ten million)
 * BATT_CLOSURES_SEED=S  others than those of every run */
#include "../closures.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t number_of(const char *name, uint64_t preset) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : preset;
}

static void both_ways_agree(void **unused) {
    (void)unused;
    uint64_t wanted = number_of("BATT_CLOSURES", getenv("BATT_TEST_QUICK") != NULL ? 4000 : 80000);
    uint64_t seed = number_of("BATT_CLOSURES_SEED", 15);
    Closures t;
    assert_true(closures_open(&t));
    for (uint64_t k = 0; t.compared < wanted; k++) {
        uint8_t bytes[2000];
        Rng rng = rng_stream(seed, k, 0);
        for (size_t at = 0; at < sizeof bytes; at++) {
            bytes[at] = (uint8_t)rng64(&rng);
        }
        const char *wrong = closures_try(&t, bytes, sizeof bytes);
        if (wrong != NULL) {
            fail_msg("seed %llu, round %llu: another %s", (unsigned long long)seed, (unsigned long long)k,
                     wrong);
        }
    }
    print_message("%llu closures, made of %llu, the same both ways\n", (unsigned long long)t.compared,
                  (unsigned long long)t.made);
    assert_true(t.made > wanted);
    closures_close(&t);
}

/* Every budget of steps up to what a call takes: it ends at the same call both ways. */
static void every_budget_ends_alike(void **unused) {
    (void)unused;
    Closures t;
    assert_true(closures_open(&t));
    uint32_t keys[20];
    for (uint32_t k = 0; k < 20; k++) {
        keys[k] = key_index((int32_t)k, 3);
    }
    Val set = val_keys_sorted(VAL_INDICES, keys, 20);
    Val seven = val_closure(&t.values, CLOSURE_RBIND, 1, val_prim(P_greater), val_int(7), val_int(0));
    Val pure = val_closure(&t.values, CLOSURE_CHAIN, 1, val_prim(P_flip), seven, val_prim(P_first));
    Val mixed = val_closure(
        &t.values, CLOSURE_COMPOSE, 1, val_prim(P_neighbors),
        val_closure(&t.values, CLOSURE_FORK, 1, val_prim(P_astuple), val_prim(P_last), val_prim(P_first)),
        val_int(0));
    /* loops over constants within a call, beside one that is made element by element */
    Val few = val_set(&t.values,
                      memcpy(val_buffer(&t.values, 2), (Val[]){val_pair32(1, 2), val_pair32(5, 0)}, 32), 2);
    Val from = closures_bind(&t, true, P_lbind, val_prim(P_subtract));
    Val inner =
        closures_compose(&t, closures_bind(&t, true, P_valmin, few),
                         closures_compose(&t, closures_bind(&t, true, P_compose, val_prim(P_maximum)), from));
    Val nested = closures_compose(&t, closures_bind(&t, true, P_valmin, few),
                                  closures_compose(&t, closures_bind(&t, true, P_compose, inner), from));
    Val loops = closures_fork(&t, P_astuple, nested, val_prim(P_neighbors));
    for (uint64_t steps = 0; steps < 800; steps++) {
        Budget budget = t.run[0].budget;
        budget.steps = steps;
        ctx_set_budget(&t.run[0], &budget);
        ctx_set_budget(&t.run[1], &budget);
        assert_null(closures_compare(&t, P_sfilter, (Val[]){set, pure}));
        assert_null(closures_compare(&t, P_mapply, (Val[]){mixed, set}));
        assert_null(closures_compare(&t, P_argmax, (Val[]){set, pure}));
        assert_null(closures_compare(&t, P_apply, (Val[]){loops, set}));
        assert_null(closures_compare(&t, P_apply, (Val[]){inner, set}));
    }
    closures_close(&t);
}

/* One patch shifted by many pairs has a way of its own; patches and pairs near, far and beyond what keys
 * hold. */
static void shifted_patches_agree(void **unused) {
    (void)unused;
    Closures t;
    assert_true(closures_open(&t));
    for (uint32_t k = 0; k < 3000; k++) {
        uint8_t bytes[600];
        Rng rng = rng_stream(16, k, 0);
        for (size_t at = 0; at < sizeof bytes; at++) {
            bytes[at] = (uint8_t)rng64(&rng);
        }
        t.data = bytes;
        t.size = sizeof bytes;
        t.at = 0;
        prim_bind(&t.values, k & 1 ? MODE_BATT : MODE_CORE, false);
        ctx_reset(&t.values);
        Val patch = closures_set(&t, k & 2, 80), pairs = closures_set(&t, false, 300);
        Val shift = val_closure(&t.values, CLOSURE_LBIND, 1, val_prim(P_shift), patch, val_int(0));
        Val twice = val_closure(&t.values, CLOSURE_COMPOSE, 1, shift, val_prim(P_double), val_int(0));
        assert_null(closures_compare(&t, P_mapply, (Val[]){shift, pairs}));
        assert_null(closures_compare(&t, P_mapply, (Val[]){twice, pairs}));
    }
    closures_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways_agree),
                                       cmocka_unit_test(every_budget_ends_alike),
                                       cmocka_unit_test(shifted_patches_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
