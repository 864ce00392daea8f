#!/bin/bash
# Ranks that are killed (kill -9): answers that were received are kept, and the same command resumes; where the launcher
# allows it, the others take over the dead rank's tasks.
set -eu
. tests/words.sh
. tests/ranks.sh
ranks_or_skip
cd "$TMP"
splits='1 3' tries=${BATT_RANKS_KILLS:-2} # even numbers kill rank 0, odd ones another
[ -z "${BATT_TEST_QUICK:-}" ] || splits=3 tries=1

# solve: rank 0 keeps each answer before it tells of it.
"$BATT" solve --steps 400000 -j1 --json | answers >one
for k in $(seq "$tries"); do
    rm -f kill.batt*
    launch 2 -- "$BATT" solve --steps 400000 -j1 -q --store kill.batt --progress plain >out 2>told &
    job=$!
    kill_rank $((k % 2)) "$(moment "$k" 0.5 3)"
    wait $job || true
    [ ! -e kill.batt ] || "$BATT" store check kill.batt >out || fail "killed ($k): the store is damaged"
    # the programs in the store are tried first, which takes its share of the steps: not every answer need be right
    launch 2 -- "$BATT" solve --steps 400000 -j1 --json --store kill.batt >ranks.json 2>err || [ $? -eq 1 ]
    python3 - <<'EOF' || fail "killed ($k): something that was told is lost, or not every task is answered once"
import json, re
d = json.load(open("ranks.json"))
ids = [t["id"] for t in d["results"]]
told = [int(n) for n in re.findall(r"solving: (\d+) of", open("told").read())]
assert len(ids) == len(set(ids)) == d["tasks"] and all(t["done"] for t in d["results"])
assert d["tasks_resumed"] >= max(told, default=0), (d["tasks_resumed"], told)
EOF
    "$BATT" store check kill.batt >out || fail "killed ($k) and gone on: the store is damaged"
    "$BATT" store stats kill.batt | grep -q '^runs *1$' || fail "killed ($k): it was not gone on with"
done

# The others do its part: whole tasks, and subsearches.
export BATT_RANKS_PATIENCE=2
for split in $splits; do
    "$BATT" solve --steps 400000 -j1 --split $split --json | answers >one
    launch 3 --enable-recovery -- "$BATT" solve --steps 400000 -j1 --split $split --json >ranks.json 2>err &
    job=$!
    kill_working_rank 1 0.8
    wait $job || fail "the others did not finish: $(cat err)"
    answers <ranks.json | cmp - one || fail "the answers differ without the rank that is gone (--split $split)"
done

# evolve: the tasks of a dead rank are taken over, and bred as they would have been.
breed() { "$@" evolve --generations 60 --count 12 -j1 --json; }
breed "$BATT" | answers | bred >one
for k in $(seq "$tries"); do
    breed launch 3 --enable-recovery -- "$BATT" >ranks.json 2>err &
    job=$!
    kill_working_rank $((1 + k % 2)) "$(moment "$k" 0.5 1.2)"
    wait $job || fail "evolution ($k) did not go on: $(cat err)"
    answers <ranks.json | bred | cmp - one || fail "evolution ($k) differs without the rank that is gone"
done

# Islands go on without it; its file is there, and a restart goes on with it.
isles() { "$@" evolve --islands --generations "${generations:-40}" --count 6 -j1 --json --store "$store"; }
store=whole.batt
isles launch 2 -- "$BATT" >whole.json
answers <whole.json | bred >one
for k in $(seq "$tries"); do
    store=isle.batt
    rm -f isle.batt*
    isles launch 2 -- "$BATT" >out 2>err & # the launcher ends all
    job=$!
    kill_rank $((k % 2)) "$(moment "$k" 0.6 1.6)"
    wait $job || true
    for file in isle.batt isle.batt.rank1; do # who dies at once leaves an empty one
        [ ! -s $file ] || "$BATT" store check $file >out || fail "islands ($k): $file is damaged"
    done
    isles launch 2 -- "$BATT" >ranks.json
    answers <ranks.json | bred | cmp - one || fail "islands ($k) that go on differ"
    "$BATT" store check isle.batt >out || fail "islands ($k) gone on: the store is damaged"
    "$BATT" store merge isle.batt isle.batt.rank1 | grep -q 'programs: 0, results: 0' || fail "islands ($k): something is missing"
done
rm -f isle.batt*
generations=120 # so that it works when it is killed
isles launch 2 --enable-recovery -- "$BATT" >ranks.json 2>err &
job=$!
kill_working_rank 1 0.8
wait $job || true # with --enable-recovery it is always 0
! grep -q '"gone": true' ranks.json || grep -q 'merge its file later' err || fail 'it is not said that a store is missing'
"$BATT" store check isle.batt >out || fail 'an island alone: the store is damaged'
[ ! -s isle.batt.rank1 ] || "$BATT" store merge isle.batt isle.batt.rank1 >out || fail 'the file of a dead island cannot be merged'
