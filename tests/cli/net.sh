#!/bin/bash
# batt net: the same seed gives the same answers with any number of threads; refusals give a reason; output files.
set -eu
. tests/words.sh
cd "$TMP"

# The numbers of a run, without times.
figures() { sed -E '/"time_s"|"resumed_at"|"bytes"|_ms"|_ns"|"wall|"phases"/d' "$1" | sed -n '/"results"/,/^ \]/p'; }
run() { # OUT ARGUMENT...: exit code 1 means that the answer is wrong, as it is so early
    local to=$1
    shift
    "$BATT" net --json --progress off "$@" >"$to" || [ $? -eq 1 ]
}
run one --steps 6 -j 1 8be6661a
run two --steps 6 -j 2 8be6661a
[ "$(figures one)" = "$(figures two)" ] || fail "the number of threads changes something: $(diff <(figures one) <(figures two))"
run other --steps 6 --seed 2 8be6661a
[ "$(figures one)" != "$(figures other)" ] || fail "another seed changes nothing"
grep -q '"place_of_correct"' one || fail "no place of the right answer"
# Two seeds side by side count together.
run pooled --steps 3 --seeds 2 -j 2 8be6661a
[ "$(grep -c '"seed"' pooled)" -eq 2 ] || fail "not two runs"

# In two goes, through a store, as in one. Builds without a store say so.
if "$BATT" store stats none.batt 2>&1 | grep -q 'built without'; then
    bad 'built without' "$BATT" net --steps 1 --store nets.batt 8be6661a
else
    run half --steps 3 --store nets.batt 8be6661a
    run rest --steps 6 --store nets.batt 8be6661a
    grep -q '"resumed_at": 3' rest || fail "it did not go on: $(grep resumed_at rest)"
    for key in kl reconstruction share times first_step distinct_answers; do
        [ "$(grep "\"$key\"" one)" = "$(grep "\"$key\"" rest)" ] || fail "$key differs after a break"
    done
    "$BATT" store stats nets.batt | grep -qE '^nets +1' || fail "stats: $("$BATT" store stats nets.batt)"
    "$BATT" store check nets.batt >/dev/null || fail "the store is not sound"
    # A bit that changed is found by the checksum: by the check, and by a run, which begins anew.
    cp nets.batt damaged.batt
    python3 - <<'P'
import sqlite3
store = sqlite3.connect("damaged.batt")
(state,) = store.execute("SELECT state FROM nets").fetchone()
store.execute("UPDATE nets SET state = ?", (state[:50000] + bytes([state[50000] ^ 1]) + state[50001:],))
store.commit()
P
    wants 1 'net of task 8be6661a, seed 1: damaged' "$BATT" store check damaged.batt
    "$BATT" net --steps 1 --store damaged.batt 8be6661a 2>&1 | grep -q 'damaged.*training starts over' || fail "damage is not told"
    # The one with more steps stands, whatever the order.
    run few --steps 1 --store few.batt 8be6661a
    run seed2 --steps 2 --seed 2 --store few.batt 8be6661a
    "$BATT" store merge all.batt few.batt nets.batt few.batt >/dev/null
    "$BATT" store stats all.batt | grep -qE '^nets +2' || fail "merged: $("$BATT" store stats all.batt)"
    run merged --steps 6 --store all.batt 8be6661a
    grep -q '"resumed_at": 6' merged || fail "the shorter run stands: $(grep resumed_at merged)"
    # A run that is there already does nothing; other seeds are other nets.
    "$BATT" net --steps 6 --store nets.batt 8be6661a | grep -q '^steps  *0' || fail "it was done again"
fi

# People's report and the page.
"$BATT" net --steps 4 --layers --html net.html 978a5e93 >out || [ $? -eq 1 ]
for words in '^seed 1' '^test 1' 'answer 1' '^2 attempts' '^softmax_back' '^all '; do
    grep -qE "$words" out || fail "no '$words' in the report: $(cat out)"
done
grep -q '<html' net.html || fail "no page"
# Rows of layers sum up.
awk '/^layer / { on = 1; next } on && $1 == "all" { all = $2 } on && $1 != "all" { sum += $2 }
    END { exit !(all > 0 && (sum - all) ^ 2 < 0.0001 * all ^ 2) }' out || fail "layers do not sum up"
"$BATT" net --steps 2 --profile timing 8be6661a >out || [ $? -eq 1 ]
grep -q 'net_' out || fail "no rows of layers in the profile: $(cat out)"

# What is refused is said.
wants 1 'too large for the memory' "$BATT" net --steps 1 --max-memory 1M 978a5e93
echo '{"train":[{"input":[[0]],"output":[[0]]}],"test":[{"input":[[0]]}]}' >black.json
wants 1 'black.*: ' "$BATT" net --steps 1 black.json
bad 'steps' "$BATT" net --steps 0 8be6661a
bad 'nowhere' "$BATT" net --steps 1 nowhere.json
# --time ends it, and so does Ctrl-C, with what there is.
"$BATT" net --steps 100000 --time 100ms --json 8be6661a >out || [ $? -eq 1 ]
grep -q '"answers"' out || fail "no answers after --time"
"$BATT" net --steps 1000000 --json --progress off 8be6661a >out 2>err &
sleep 1
kill -INT $!
status=0
wait $! || status=$?
[ $status -eq 130 ] || fail "Ctrl-C: exit $status"
grep -q '"answers"' out || fail "no answers after Ctrl-C"

# In search: marked as answers without a program, so that nothing takes them for one.
net_only() { "$BATT" solve --net only --steps 400000 --progress off "$@" || [ $? -eq 1 ]; }
net_only --explain --id 8be6661a --found found >out
grep -q 'answers of a net, no program' out || fail "not marked: $(cat out)"
[ -z "$(ls found/*.py 2>/dev/null)" ] || fail "--found took answers of a net"
net_only --id 8be6661a --json >out
grep -q '"program": null' out || fail "JSON has a program"
grep -q '"strategy": "net"' out || fail "JSON does not say who"
if [ -e nets.batt ]; then
    net_only --id 8be6661a --store solve.batt >out
    "$BATT" store stats solve.batt --json | grep -q '"programs": 0' || fail "the store took answers of a net"
    net_only --id 8be6661a --store solve.batt --explain >out # not done: its answers are not kept
    grep -q 'answers of a net' out || fail "a run that goes on has lost them: $(cat out)"
    # The net itself is kept, and goes on: in solve, and in batt net.
    steps_of() { "$BATT" net --json --steps 1 --store "$1" 8be6661a | sed -n 's/.*"resumed_at": \([0-9]*\).*/\1/p'; }
    net_only --id 8be6661a --store once.batt >/dev/null
    once=$(steps_of once.batt) twice=$(steps_of solve.batt)
    [ "$once" -ge 1 ] || fail "solve kept no net"
    [ "$twice" -eq $((2 * once)) ] || fail "two searches made $twice steps, one $once"
fi
# Steps, loss and answer are shown while it learns.
"$BATT" solve --net only --time-per-task 3s --progress bar --id 8be6661a >out 2>err || [ $? -eq 1 ]
grep -q 'net of 8be6661a: step [0-9]*, loss [0-9]' err || fail "nothing was shown: $(head -c 300 err)"
grep -q 'test 1.*answer' err || fail "no picture was shown: $(head -c 300 err)"
# By steps, programs are what they are without nets.
"$BATT" solve --steps 100000 --count 3 --json --net off >off || [ $? -eq 1 ]
"$BATT" solve --steps 100000 --count 3 --json --net auto >auto || [ $? -eq 1 ]
[ "$(figures off)" = "$(figures auto)" ] || fail "auto changes results by steps"
bad 'net' "$BATT" solve --net sometimes
wants 2 "no program 'nothing' among" "$BATT" trace nothing
"$BATT" bench search --net only --steps 200000 --sample 1 >out 2>&1 || fail "bench search: $(cat out)"
grep -qE ' net  *[0-9]' out || fail "bench search tells no strategy net: $(cat out)"
