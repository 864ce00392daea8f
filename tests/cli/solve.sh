#!/bin/bash
# batt solve: the same answers on any number of threads, resuming, programs that run, messages.
set -eu
. tests/words.sh
# Everything but times: keys that end in _s, and the phases.
steady() { sed -e '/_s"/d' -e '/"phases"/,/}/d' "$1"; }
cd "$TMP"

for jobs in 1 8; do
    "$BATT" solve --without library --steps 400000 --count 12 --json -j $jobs >j$jobs.json || [ $? -eq 1 ]
    steady j$jobs.json >steady$jobs
done
grep -q '"candidates": [1-9]' steady1 || fail 'nothing was found'
cmp steady1 steady8 || fail 'answers depend on the number of threads'
# The same where the memory ends before the steps do.
for jobs in 1 8; do
    "$BATT" solve --without library --steps 400000 --max-memory 16M --count 6 --json -j $jobs >m$jobs.json || [ $? -eq 1 ]
    steady m$jobs.json >steady$jobs
done
cmp steady1 steady8 || fail 'with little memory answers depend on the number of threads'

# The programs are programs: they run, and give what they gave in the search.
"$BATT" solve --without library --steps 100000 --id fa2e3f8c --explain >explained || [ $? -eq 1 ]
grep -q '^#.*found by' explained || fail 'no explanation'
sed -n '/^def /,/return/p' explained | awk '/^def/ {n++} n == 1' >found.py
wants 0 '1 of 1|fa2e3f8c' "$BATT" run --solvers found.py --id fa2e3f8c

# A second run with the same settings takes all tasks from the store; one with others does not.
"$BATT" solve --without library --steps 20000 --count 6 --store s.batt --json >first.json || [ $? -eq 1 ]
"$BATT" solve --without library --steps 20000 --count 6 --store s.batt >second || [ $? -eq 1 ]
grep -q '^resumed *6 tasks' second || fail 'did not resume'
"$BATT" solve --without library --steps 20001 --count 6 --store s.batt >third || [ $? -eq 1 ]
if grep -q '^resumed' third; then fail 'resumed a run with other settings'; fi
first=$(sed -n 's/.*"outputs_correct": *//p' first.json | head -1)
"$BATT" solve --without library --steps 20000 --count 6 --store s.batt --json >again.json || [ $? -eq 1 ]
again=$(sed -n 's/.*"outputs_correct": *//p' again.json | head -1)
[ "$first" = "$again" ] || fail "answers from the store differ: $first, $again"

# Killed at any moment and started again, on other threads: what was done is kept, and the answers are those of a run
# that nobody ended.
answers() { awk '/"id":/ {print} /"answers":/, /"outputs_correct_by_attempt":/' "$1"; }
done_in() { "$BATT" store stats "$1" 2>/dev/null | awk '$1 == "tasks" {print $2}'; }
tasks=(--without library --steps 400000 --count 10)
"$BATT" solve "${tasks[@]}" -j 1 --json >whole.json || [ $? -eq 1 ]
answers whole.json >whole
grep -q '\[\[' whole || fail 'no answers to compare'
for wait in 1 3 6; do
    "$BATT" solve "${tasks[@]}" -j 2 --store "r.batt" >/dev/null 2>&1 &
    victim=$!
    for _ in $(seq 2000); do
        have=$(done_in r.batt)
        if [ "${have:-0}" -ge "$wait" ] || ! kill -0 "$victim" 2>/dev/null; then break; fi
        sleep 0.02
    done
    kill -9 "$victim" 2>/dev/null || true
    wait "$victim" 2>/dev/null || true
done
have=$(done_in r.batt)
[ "${have:-0}" -ge 1 ] || fail 'nothing was kept before the kills'
"$BATT" solve "${tasks[@]}" -j 1 --store r.batt >resumed.txt || [ $? -eq 1 ]
resumed=$(awk '/^resumed/ {print $2}' resumed.txt)
[ "${resumed:-0}" -ge "$have" ] || fail "$have tasks had been done, $resumed were resumed"
"$BATT" solve "${tasks[@]}" -j 8 --store r.batt --json >resumed.json || [ $? -eq 1 ]
answers resumed.json >resumed
cmp whole resumed || fail 'a resumed run gives other answers than one that was not ended'

# Noise is not solved and takes all of its time: interrupted, the others are written; killed, they are in the store.
row() { echo "[$((RANDOM % 10)),$((RANDOM % 10)),$((RANDOM % 10)),$((RANDOM % 10)),$((RANDOM % 10))]"; }
noise() { echo "[$(row),$(row),$(row),$(row),$(row)]"; }
pair() { echo "{\"input\":$(noise),\"output\":$(noise)}"; }
echo "{\"train\":[$(pair),$(pair),$(pair)],\"test\":[$(pair)]}" >noise.json
mirror='{"input":[[1,2]],"output":[[2,1]]},{"input":[[3,0,4]],"output":[[4,0,3]]}'
echo "{\"train\":[$mirror],\"test\":[{\"input\":[[5,6,7]],\"output\":[[7,6,5]]}]}" >mirror.json
# interrupted ARGUMENTS..: after two seconds; on a machine that is too busy to begin in two, later.
interrupted() {
    local seconds
    for seconds in 2 8 30; do
        status=0
        timeout --preserve-status -s INT $seconds "$BATT" solve --without library --time-per-task 60s -j 1 "$@" >cut.txt || status=$?
        if grep -q '^mirror *right' cut.txt; then break; fi
    done
    [ "$status" -eq 130 ] || fail "exit code $status after an interrupt"
}
interrupted mirror.json noise.json
grep -q '^mirror *right' cut.txt || fail 'what was found before the interrupt is lost'
"$BATT" solve --without library --time-per-task 60s -j 1 --store k.batt mirror.json noise.json >/dev/null 2>&1 &
victim=$!
for _ in $(seq 600); do
    sleep 0.1
    if "$BATT" store stats k.batt 2>/dev/null | grep -qE '^tasks +1'; then break; fi
done
kill -9 "$victim"
wait "$victim" 2>/dev/null || true
interrupted --store k.batt mirror.json noise.json
grep -q '^resumed *1 task' cut.txt || fail 'the task that was done before the kill is lost'
grep -q '^mirror *right' cut.txt || fail 'its answer is lost'

# What the store holds is tried on other tasks first: the rule of 0cd24527 solves this one, too.
"$BATT" solve --steps 200000 --id a729ef36 --store s.batt --explain >known || [ $? -eq 1 ]
grep -q 'found by library' known || fail 'the library found nothing'

# What is right is written as solver files, with a table; they solve their tasks again. A program that only copies
# the outputs is not written, although its answer is right.
copy='"output":[[1,2,3],[4,5,6],[7,8,9]]'
echo "{\"train\":[{\"input\":[[1]],$copy},{\"input\":[[2,2]],$copy}],\"test\":[{\"input\":[[3]],$copy}]}" >copied.json
"$BATT" solve "${tasks[@]}" -j 1 --store r.batt --found found >found.txt || [ $? -eq 1 ]
right=$(grep -cE '^[0-9a-f]{8} +right' found.txt)
files=$(find found -name '*.py' | wc -l)
[ "$files" -ge 1 ] && [ "$files" -le "$right" ] || fail "$files solver files, $right tasks were right"
[ "$(grep -cE '^\| [0-9a-f]{8} \| [a-z]+ \| [0-9]+ \| [0-9.]+ \|$' found/TABLE.md)" -eq "$files" ] || fail 'the table lacks tasks'
grep -q "^$files of 10 tasks" found/TABLE.md || fail "no sum in the table: $(tail -1 found/TABLE.md)"
for file in found/*.py; do
    id=$(basename "$file" .py)
    wants 0 '.' "$BATT" run --solvers found --id "$id"
done
wants 0 'copied *right' "$BATT" solve --without library --steps 400000 --found copies copied.json
[ ! -e copies/copied.py ] && [ -e copies/TABLE.md ] || fail 'a copy of the outputs was written as a solver'
wants 2 'mirror.json' "$BATT" solve --steps 1000 --count 1 --found mirror.json/x

wants 2 'strategy' "$BATT" solve --without nothing
# Numbers that steer the search: listed, changed, checked; a run with others is another run.
wants 0 '^cells_cost +8 ' "$BATT" help tunables
wants 2 'no such tunable' "$BATT" solve --set nothing=1
wants 2 'NAME=VALUE' "$BATT" solve --set cells_cost
wants 2 'whole number from' "$BATT" solve --set stamps_deep_depth=1.5
wants 2 'number from 0 to' "$BATT" solve --set cells_cost=-1
costs() { "$BATT" solve --without library --steps 400000 --count 1 --json "$@" | grep '"cost"' | head -1; }
[ "$(costs)" != "$(costs --set cells_cost=9)" ] || fail '--set changes nothing'
"$BATT" solve --without library --steps 20000 --count 6 --store s.batt --set trusted=39 >fourth || [ $? -eq 1 ]
if grep -q '^resumed' fourth; then fail 'resumed a run with other tunables'; fi
wants 2 'missing.txt' "$BATT" solve --vocabulary missing.txt
printf '3 grid(grid): vmirror(S)\nx\n' >bad.txt
wants 2 'bad.txt:2: .*cost' "$BATT" solve --vocabulary bad.txt
printf '3 grid(thing): vmirror(S)\n' >bad.txt
wants 2 'bad.txt:1: .*type' "$BATT" solve --vocabulary bad.txt
printf '3 grid(grid): nosuch(S)\n' >bad.txt
wants 2 'bad.txt:1: .*nosuch' "$BATT" solve --vocabulary bad.txt
printf '3 grid(grid): first((S, S, S, S, S, S, S, S, S))\n' >bad.txt
wants 2 'bad.txt:1: .*too long' "$BATT" solve --vocabulary bad.txt
echo garbage >garbage.batt
wants 2 'garbage.batt' "$BATT" solve --count 1 --store garbage.batt

# learn: what it writes can be searched with.
wants 0 'programs read' "$BATT" learn -o idioms.txt
"$BATT" solve --without library --steps 5000 --count 2 --vocabulary idioms.txt >out || [ $? -eq 1 ]
# What is learnt is for enumeration, so it is alone here.
enumeration=()
for strategy in $("$BATT" help strategies | awk 'NR > 1 && $1 != "enumerate" { print $1 }'); do
    enumeration+=(--without "$strategy")
done
# From a store: idioms that the programs of the store use become cheaper, none is lost.
cost() { sed -n 's/^ *\([0-9]*\) [a-z]*([a-z, ]*): O = '"$2"'$/\1/p' "$1" | sort -n | head -1; }
printf 'def solve_none(I):\n    O = identity(I)\n    return O\n' >none.py
"$BATT" learn none.py >before.txt 2>err
"$BATT" solve "${enumeration[@]}" --steps 300000 --count 8 --store found.batt >/dev/null || [ $? -eq 1 ]
"$BATT" learn --store found.batt >learnt.txt 2>err
grep -qE '^[1-9][0-9]* programs read, idioms found in [1-9]' err || fail "nothing learnt from the store: $(cat err)"
[ "$(grep -c ' grid(' before.txt)" -le "$(grep -c ' grid(' learnt.txt)" ] || fail 'idioms were lost'
# From solvers: three calls that stand together in six programs become one step, and what took long is found at once.
for k in 1 2 3 4 5 6; do
    printf 'def solve_a%d(I):\n    x1 = trim(I)\n    x2 = dmirror(x1)\n    O = upscale(x2, TWO)\n    return O\n\n' $k
done >six.py
wants 0 '6 programs read, .* [1-9][0-9]* new idioms' "$BATT" learn six.py -o six.txt
grep -q 'grid(grid): x1 = trim(S); O = dmirror(x1)' six.txt || fail 'no new step'
[ "$(cost six.txt 'upscale(S, I)')" -le "$(cost before.txt 'upscale(S, I)')" ] || fail 'a step became dearer'
cat >trimmed.json <<'TASK'
{"train":[{"input":[[3,9,8,2,5],[9,7,9,1,9],[0,7,4,8,3],[3,7,8,8,7]],"output":[[7,7,7,7],[7,7,7,7],[9,9,4,4],[9,9,4,4],[1,1,8,8],[1,1,8,8]]},{"input":[[6,2,3,2],[8,6,0,1],[2,9,0,4],[0,4,7,9],[6,6,6,9]],"output":[[6,6,9,9,4,4],[6,6,9,9,4,4],[0,0,0,0,7,7],[0,0,0,0,7,7]]},{"input":[[7,2,5,1,0,2],[7,3,4,6,4,6],[8,6,9,5,8,9],[6,9,3,5,0,4]],"output":[[3,3,6,6],[3,3,6,6],[4,4,9,9],[4,4,9,9],[6,6,5,5],[6,6,5,5],[4,4,8,8],[4,4,8,8]]}],"test":[{"input":[[9,2,5,8,9],[9,1,3,9,4],[4,1,1,7,7],[1,5,1,6,2],[0,4,6,6,1]],"output":[[1,1,1,1,5,5],[1,1,1,1,5,5],[3,3,1,1,1,1],[3,3,1,1,1,1],[9,9,7,7,6,6],[9,9,7,7,6,6]]}]}
TASK
found_after() { # ARGUMENTS..: steps until the first program of the task
    "$BATT" solve "${enumeration[@]}" --steps 5000000 --json trimmed.json "$@" >learn.json || fail 'not found'
    sed -n 's/.*"found_after_steps": *\([0-9]*\).*/\1/p' learn.json | head -1
}
slow=$(found_after)
quick=$(found_after --vocabulary six.txt)
[ "$quick" -lt $((slow / 10)) ] || fail "found after $quick steps with what was learnt, $slow without"
