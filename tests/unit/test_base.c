/* The modules of base/ that have no file of their own: hash tables, flood fill. */
#include "base/alloc.h"
#include "base/flood_fill.h"
#include "base/hash_map.h"
#include "base/mix.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- hash tables ---- */

enum { MANY = 5000 };

static uint32_t find_key(const HashMap *map, const uint32_t *keys, uint32_t key, uint64_t hash,
                         uint32_t *at) {
    *at = map_start(map, hash);
    uint32_t k;
    while ((k = map_next(map, hash, at)) != MAP_NONE && keys[k] != key) {
    }
    return k;
}

/* Keys come again and again, and a table of few hashes has long chains. */
static void check_map(uint32_t range, uint64_t hash_mask) {
    static uint32_t keys[MANY];
    uint32_t count = 0, at;
    HashMap map = {0};
    Rng rng = {range};
    for (unsigned round = 0; round < MANY; round++) {
        uint32_t key = rng_below(&rng, range), expected = 0;
        uint64_t hash = mix64(0, key) & hash_mask;
        while (expected < count && keys[expected] != key) {
            expected++;
        }
        assert_true(map_reserve(&map, 1, 4));
        uint32_t found = find_key(&map, keys, key, hash, &at);
        assert_int_equal(found, expected < count ? expected : MAP_NONE);
        if (found == MAP_NONE) {
            map_put(&map, hash, at, count);
            keys[count++] = key;
        }
        assert_true(map.count == count && 2 * map.count <= map.size);
    }
    map_clear(&map);
    assert_int_equal(map.count, 0);
    for (uint32_t k = 0; k < count; k++) {
        assert_int_equal(find_key(&map, keys, keys[k], mix64(0, keys[k]) & hash_mask, &at), MAP_NONE);
    }
    map_free(&map);
}

static void maps_find_what_an_array_holds(void **state) {
    (void)state;
    check_map(100, UINT64_MAX);
    check_map(1u << 31, UINT64_MAX);
    check_map(2000, UINT64_C(7) << 32); /* eight hashes */
    check_map(2000, 0xffffffffu);       /* one: only the lower half differs */
}

static void maps_survive_a_lack_of_memory(void **state) {
    (void)state;
    uint64_t before = mem_bytes();
    HashMap map = {0};
    mem_fail_at(1);
    assert_false(map_reserve(&map, 10, 4));
    assert_true(map_reserve(&map, 10, 4));
    assert_int_equal(map.size, 32);
    for (uint32_t k = 0; k < 16; k++) {
        map_add(&map, mix64(0, k), k);
    }
    mem_fail_at(1);
    assert_true(map_is_full(&map) && !map_reserve(&map, 1, 4));
    assert_int_equal(map.count, 16);
    assert_false(map_reserve(&map, UINT32_MAX, 4)); /* more than slots can be numbered */
    for (uint32_t k = 0, at; k < 16; k++) {
        at = map_start(&map, mix64(0, k));
        assert_int_equal(map_next(&map, mix64(0, k), &at), k);
    }
    map_free(&map);
    assert_int_equal(mem_bytes(), before);
}

/* ---- flood fill ---- */

enum { SIDE = 12 };

/* Spreads over the whole grid until nothing changes. */
static void fill_naively(int32_t h, int32_t w, FloodReach reach, const bool *wall, bool *filled) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t k = 0; k < h * w * h * w; k++) {
            int32_t from = k / (h * w), to = k % (h * w), di = to / w - from / w, dj = to % w - from % w;
            bool near = di * di <= reach.rows * reach.rows && dj * dj <= reach.columns * reach.columns &&
                        (!reach.sides || di == 0 || dj == 0);
            if (near && filled[from] && !filled[to] && !wall[to]) {
                filled[to] = changed = true;
            }
        }
    }
}

static void fills_match_a_naive_one(void **state) {
    (void)state;
    const FloodReach reaches[] = {FLOOD_SIDES, FLOOD_CORNERS, {2, 1, false}, {0, 3, false}, {2, 2, true}};
    Rng rng = {7};
    for (unsigned round = 0; round < 200; round++) {
        int32_t h = 1 + (int32_t)rng_below(&rng, SIDE), w = 1 + (int32_t)rng_below(&rng, SIDE), n = 0;
        FloodReach reach = reaches[round % 5];
        bool wall[SIDE * SIDE], seen[SIDE * SIDE], filled[SIDE * SIDE] = {false};
        int16_t queue[SIDE * SIDE];
        for (int32_t k = 0; k < h * w; k++) {
            seen[k] = wall[k] = rng_percent(&rng, 20 + 10 * (round % 6));
        }
        for (unsigned start = 0; start < 2; start++) {
            int32_t at = (int32_t)rng_below(&rng, (uint32_t)(h * w));
            if (!seen[at]) {
                seen[at] = filled[at] = true;
                queue[n++] = (int16_t)at;
            }
        }
        n = flood_unseen(h, w, reach, queue, n, seen);
        fill_naively(h, w, reach, wall, filled);
        for (int32_t k = 0; k < h * w; k++) {
            assert_int_equal(seen[k], wall[k] || filled[k]);
            n -= filled[k];
        }
        assert_int_equal(n, 0); /* the queue holds each cell that is filled, once */
    }
}

static bool note_steps(void *user, int32_t from, int32_t to) {
    int16_t *steps = user;
    if (steps[to] >= 0) {
        return false;
    }
    steps[to] = (int16_t)(steps[from] + 1);
    return true;
}

static void fills_go_by_distance(void **state) {
    (void)state;
    int16_t steps[SIDE * SIDE], queue[SIDE * SIDE] = {3 * SIDE + 5};
    memset(steps, -1, sizeof steps);
    steps[queue[0]] = 0;
    assert_int_equal(flood_fill(SIDE, SIDE, FLOOD_SIDES, queue, 1, note_steps, steps), SIDE * SIDE);
    for (int32_t k = 0; k < SIDE * SIDE; k++) {
        int32_t i = k / SIDE - 3, j = k % SIDE - 5;
        assert_int_equal(steps[k], (i < 0 ? -i : i) + (j < 0 ? -j : j));
        assert_true(k == 0 || steps[queue[k - 1]] <= steps[queue[k]]);
    }
    const int16_t first[] = {2 * SIDE + 5, 3 * SIDE + 4, 3 * SIDE + 6, 4 * SIDE + 5}; /* in reading order */
    assert_memory_equal(queue + 1, first, sizeof first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_find_what_an_array_holds),
        cmocka_unit_test(maps_survive_a_lack_of_memory),
        cmocka_unit_test(fills_match_a_naive_one),
        cmocka_unit_test(fills_go_by_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
