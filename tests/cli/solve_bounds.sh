#!/bin/bash
# batt solve keeps to its memory and its time on a task that nothing solves and that grows without end:
# ten pairs of 30x30 noise in ten colors.
set -eu
. tests/words.sh
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "a sanitizer takes memory of its own"; exit 77; }
cd "$TMP"
task() { # SEED PAIRS SIDE: that many random pairs and a test
    awk -v seed="$1" -v pairs="$2" -v side="$3" '
        function grid(i, j) {
            printf "["
            for (i = 0; i < side; i++) {
                printf "%s[", i ? "," : ""
                for (j = 0; j < side; j++) printf "%s%d", j ? "," : "", int(rand() * 10)
                printf "]"
            }
            printf "]"
        }
        BEGIN {
            srand(seed)
            for (p = 0; p <= pairs; p++) {
                printf "%s{\"input\":", p == 0 ? "{\"train\":[" : p == pairs ? "],\"test\":[" : ","
                grid()
                printf ",\"output\":"
                grid()
                printf "}"
            }
            print "]}"
        }'
}
for k in 1 2; do task $k 10 30 >noise$k.json; done
echo '{"train":[{"input":[[1]],"output":[[1]]}],"test":[{"input":[[2]],"output":[[2]]}]}' >small.json

# The megabytes that a search took at most, and the hundredths of a second of all its threads, in $used and $spent.
measure() { # ARGUMENTS..
    local TIMEFORMAT='%U %S' status=0
    { time "$BATT" solve --without library "$@" >out.txt 2>err.txt || status=$?; } 2>times.txt
    [ "$status" -le 1 ] || fail "$*: exit code $status: $(cat err.txt)"
    used=$(awk '/^memory/ {print $2}' out.txt)
    spent=$(awk '{printf "%d", ($1 + $2) * 100}' times.txt)
}
measure --time-per-task 1s -j 1 small.json
ground=$used

for megabytes in 16 64 200; do
    measure --time-per-task 2s -j 1 --max-memory ${megabytes}M noise1.json
    [ "$used" -le $((ground + megabytes)) ] || fail "$used MB used, $megabytes allowed beyond $ground"
    [ "$spent" -le 260 ] || fail "$spent hundredths of a second for a task that had 200"
done
[ "$used" -ge $((ground + 40)) ] || fail "only $used MB used where 200 were allowed: is there a search at all?"
measure --time-per-task 2s -j 2 --max-memory 64M noise1.json noise2.json
[ "$used" -le $((ground + 2 * 64)) ] || fail "$used MB used, 2 x 64 allowed beyond $ground"
[ "$spent" -le 520 ] || fail "$spent hundredths of a second for two tasks that had 200 each"
# Out of time at once, out of steps at once: nothing is done that takes long.
measure --time-per-task 50ms -j 1 noise1.json
[ "$spent" -le 40 ] || fail "$spent hundredths of a second for a task that had 5"
measure --steps 100000 -j 1 noise1.json
[ "$spent" -le 100 ] || fail "$spent hundredths of a second for 100000 steps"

# Large grids: found by the parts that look at them, and the others say what they leave out.
python3 - "$TMP/large.json" <<'P'
import json, random, sys
rng = random.Random(1)
pairs = []
for _ in range(4):
    grid = [[rng.randrange(10) for _ in range(50)] for _ in range(40)]
    pairs.append({"input": grid, "output": [row[::-1] for row in grid]})
json.dump({"train": pairs[:3], "test": pairs[3:]}, open(sys.argv[1], "w"))
P
wants 0 '1 of 1 outputs right' "$BATT" solve --steps 3000000 "$TMP/large.json"
grep -q '1 of 1 tasks have grids of more than 1024 cells; strategies that skip them: cells ' "$TMP/err" || fail "cells does not say what it leaves out"
grep -q 'more than 1800 cells; strategies that skip them: stamps$' "$TMP/err" || fail "stamps does not say what it leaves out"
wants 0 'outputs right' "$BATT" solve --steps 30000 -n 1
! grep -q 'skip them' "$TMP/err" || fail "something is left out of small grids"
