#!/bin/bash
# batt store merge: what several runs found in one store; all or nothing, also when it is killed.
set -eu
. tests/words.sh
cd "$TMP"
kills=10
[ -z "${BATT_TEST_QUICK:-}" ] || kills=3

"$BATT" evolve --generations 3 --seed 1 --store a.batt --json >/dev/null || [ $? -eq 1 ]
"$BATT" evolve --generations 3 --seed 2 --store b.batt --json >/dev/null || [ $? -eq 1 ]
programs() { "$BATT" store stats "$1" --json | sed -n 's/.*"programs": \([0-9]*\).*/\1/p'; }

"$BATT" store merge all.batt a.batt b.batt >out
grep -q '^stores: 2; new programs: [1-9]' out || fail "$(cat out)"
"$BATT" store check all.batt >/dev/null || fail "the merged store is not sound"
"$BATT" store stats all.batt --json | grep -q '"runs": 2' || fail "not two runs"
"$BATT" store export all.batt >once.py
"$BATT" store merge all.batt b.batt a.batt --json >out
grep -q '"programs": 0' out || fail "merging twice is new: $(cat out)"
"$BATT" store export all.batt >twice.py
cmp once.py twice.py || fail "merging twice changes something"

# Refused, and nothing is made or changed.
echo 'not a store' >foreign.batt
status=0
"$BATT" store merge new.batt a.batt foreign.batt 2>err || status=$?
[ $status -eq 2 ] || fail "foreign file: exit $status"
grep -q 'foreign.batt' err || fail "which file: $(cat err)"
[ ! -e new.batt ] || fail "a store was made for a merge that was refused"
status=0
"$BATT" store merge a.batt a.batt 2>err || status=$?
[ $status -eq 2 ] || fail "a store into itself: exit $status"
status=0
"$BATT" store merge a.batt 2>err || status=$?
[ $status -eq 2 ] || fail "nothing to merge: exit $status"
head -c 20000 b.batt >cut.batt
before=$(programs all.batt)
status=0
"$BATT" store merge all.batt cut.batt 2>err || status=$?
[ $status -eq 2 ] || fail "a cut store: exit $status"
[ "$(programs all.batt)" = "$before" ] || fail "a cut store left something"

# Killed at any moment: as it was, or merged.
one=$(programs a.batt)
cp a.batt into.batt
start=$(date +%s%N)
"$BATT" store merge into.batt b.batt >/dev/null
span=$((($(date +%s%N) - start) / 1000000 + 1))
both=$(programs into.batt)
for _ in $(seq $kills); do
    rm -f into.batt into.batt-*
    cp a.batt into.batt
    "$BATT" store merge into.batt b.batt >/dev/null &
    sleep "$(awk -v ms=$((RANDOM % (span + span / 2))) 'BEGIN { print ms / 1000 }')"
    kill -9 $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    "$BATT" store check into.batt >out || fail "after a kill: $(cat out)"
    now=$(programs into.batt)
    [ "$now" = "$one" ] || [ "$now" = "$both" ] || fail "a part of the merge is there: $now of $both"
done
