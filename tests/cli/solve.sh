#!/bin/bash
# batt solve: the same answers on any number of threads, resuming, programs that run, messages.
set -eu
fail() {
    echo "$*" >&2
    exit 1
}
wants() { # STATUS PATTERN COMMAND...
    local status=$1 pattern=$2 got=0
    shift 2
    "$@" >out 2>&1 </dev/null || got=$?
    [ "$got" -eq "$status" ] || fail "$*: exit code $got instead of $status: $(head -c 500 out)"
    grep -qE -- "$pattern" out || fail "$*: no '$pattern' in: $(head -c 500 out)"
}
# Everything but times: keys that end in _s, and the phases.
steady() { sed -e '/_s"/d' -e '/"phases"/,/}/d' "$1"; }
cd "$TMP"

for jobs in 1 8; do
    "$BATT" solve --without library --steps 30000 --count 12 --json -j $jobs >j$jobs.json || [ $? -eq 1 ]
    steady j$jobs.json >steady$jobs
done
[ -s steady1 ] || fail 'no output'
cmp steady1 steady8 || fail 'answers depend on the number of threads'

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
        timeout --preserve-status -s INT $seconds "$BATT" solve --without library -t 60s -j 1 "$@" >cut.txt || status=$?
        if grep -q '^mirror *right' cut.txt; then break; fi
    done
    [ "$status" -eq 130 ] || fail "exit code $status after an interrupt"
}
interrupted mirror.json noise.json
grep -q '^mirror *right' cut.txt || fail 'what was found before the interrupt is lost'
"$BATT" solve --without library -t 60s -j 1 --store k.batt mirror.json noise.json >/dev/null 2>&1 &
victim=$!
for _ in $(seq 100); do
    sleep 0.1
    if "$BATT" store stats k.batt 2>/dev/null | grep -qE '^tasks +1'; then break; fi
done
kill -9 "$victim"
wait "$victim" 2>/dev/null || true
interrupted --store k.batt mirror.json noise.json
grep -q '^resumed *1 task' cut.txt || fail 'the task that was done before the kill is lost'
grep -q '^mirror *right' cut.txt || fail 'its answer is lost'

# What the store holds is tried on other tasks first.
"$BATT" solve --steps 20000 --count 6 --store s.batt --explain >known || [ $? -eq 1 ]
grep -q 'found by library' known || fail 'the library found nothing'

wants 2 'part' "$BATT" solve --without nothing
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
wants 0 'programs read' "$BATT" learn -o steps.txt
"$BATT" solve --without library --steps 5000 --count 2 --vocabulary steps.txt >out || [ $? -eq 1 ]
"$BATT" learn --store s.batt >learnt.txt 2>err
grep -q '^ *[0-9][0-9]* grid(grid): O = vmirror(S)' learnt.txt || fail 'no steps written'
