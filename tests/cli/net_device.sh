#!/bin/bash
# batt net --device: a device that is not available is an error; nets on a device equal those of the CPU up to rounding,
# alone and in a batch bit for bit, and either side resumes the other's states; failures are reported. PoCL runs the
# kernels.
set -eu
. tests/words.sh

# ---- what cannot be had ----
bad 'expected one of cpu, auto, auto:SECONDS, opencl' "$BATT" net --steps 1 --device gpu
bad 'after the colon stand numbers' "$BATT" net --steps 1 --device opencl:x
bad '--device opencl:99: ' "$BATT" net --steps 1 --device opencl:99
bad 'takes no number of seconds' "$BATT" net --steps 1 --device auto:5
bad 'one device at a time' "$BATT" net --steps 1 --device opencl:0,1
case $BATT_BUILD in /*) fakes=$BATT_BUILD/device ;; *) fakes=$PWD/$BATT_BUILD/device ;; esac
if [ -e "$fakes/libOpenCL.so.1" ]; then # its devices have no such kernels: an error, and nobody takes over
    LD_LIBRARY_PATH=$fakes${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} bad '--device opencl: ' "$BATT" net --steps 1 --device opencl
fi
# auto never takes a processor, and says so
"$BATT" net --steps 1 -q --device auto 8be6661a >"$TMP/out" || [ $? -eq 1 ]
grep -qE '^device +(none: |.* nets in )' "$TMP/out" || fail "auto says nothing: $(cat "$TMP/out")"

"$BATT" devices 2>/dev/null | grep -q '^opencl:0' || {
    echo 'skipped: OpenCL has no device here'
    exit 77
}
cd "$TMP"
run() { # OUT ARGUMENT...: exit code 1 means that the answer is wrong, as it is so early
    local to=$1
    shift
    "$BATT" net --json --progress off "$@" >"$to" || [ $? -eq 1 ]
}
expect() { # EXPRESSION FILE...: is true of their JSON, j being the first, k the second
    python3 - "$@" <<'PY' || fail "not $*"
import json, sys
j, k = [json.load(open(name)) for name in (sys.argv[2:] * 2)[:2]]
def runs(of):
    return {t['id']: [(r['seed'], r['kl'], r['reconstruction'], r['steps']) for r in t['runs']] for t in of['results']}
def near(a, b, part):
    return abs(a - b) <= part * abs(b)
sys.exit(0 if eval(sys.argv[1]) else str([runs(j), runs(k)]))
PY
}
bad 'layers' "$BATT" net --steps 1 --layers --device opencl 8be6661a
bad 'profile' "$BATT" net --steps 1 --profile timing --device opencl 8be6661a

# ---- as on the processor ----
run cpu --steps 3 8be6661a 978a5e93
run both --steps 3 --device opencl 8be6661a 978a5e93
expect 'j["device"]["nets"] == 2 and j["device"]["batches"] == 1 and j["device"]["steps"] == 3' both
expect 'all(near(a[1], b[1], 1e-3) and near(a[2], b[2], 0.1) for t in runs(j) for a, b in zip(runs(j)[t], runs(k)[t]))' both cpu
run alone --steps 3 --device opencl 978a5e93
expect 'runs(j)["978a5e93"] == runs(k)["978a5e93"]' alone both
run seeds --steps 2 --seeds 2 --device opencl 8be6661a
expect 'len(runs(j)["8be6661a"]) == 2 and runs(j)["8be6661a"][0] != runs(j)["8be6661a"][1]' seeds
"$BATT" net --steps 2 --device opencl --html net.html 978a5e93 >out || [ $? -eq 1 ]
for words in '^seed 1' 'answer 1' '^2 attempts' '^device .* 1 nets in 1 batch'; do
    grep -qE "$words" out || fail "no '$words' in the report: $(cat out)"
done
grep -q '<html' net.html || fail "no page"

# ---- going on, from either side ----
if ! "$BATT" store stats none.batt 2>&1 | grep -q 'built without'; then
    run half --steps 2 --device opencl --store nets.batt 8be6661a
    run rest --steps 3 --device opencl --store nets.batt 8be6661a
    grep -q '"resumed_at": 2' rest || fail "it did not go on"
    expect 'runs(j)["8be6661a"] == runs(k)["8be6661a"]' rest both
    run there --steps 4 --store nets.batt 8be6661a
    run back --steps 5 --device opencl --store nets.batt 8be6661a
    grep -q '"resumed_at": 4' back || fail "it did not go on with what the processor did"
    run whole --steps 5 8be6661a
    expect 'near(runs(j)["8be6661a"][0][1], runs(k)["8be6661a"][0][1], 1e-3)' back whole
fi

# ---- more than fits at once, and more than fits at all ----
if [ -z "${BATT_TEST_QUICK:-}" ] && "$BATT" devices | grep -q 'Portable Computing Language'; then
    export POCL_MEMORY_LIMIT=1 # GB, of which a quarter may be one buffer
    run split --steps 1 --seeds 14 --device opencl 978a5e93
    unset POCL_MEMORY_LIMIT
    run whole --steps 1 --seeds 14 --device opencl 978a5e93
    expect 'j["device"]["batches"] == 2 and k["device"]["batches"] == 1 and runs(j) == runs(k)' split whole
    python3 - >large.json <<'PY'
import json
grid = [[(x * y + x) % 10 for y in range(30)] for x in range(30)]
print(json.dumps({'train': [{'input': grid, 'output': grid}] * 4, 'test': [{'input': grid}]}))
PY
    POCL_MEMORY_LIMIT=1 wants 1 'too large for the memory of the device' "$BATT" net --steps 1 --max-memory 16G --device opencl large.json
fi

# ---- what is refused, and what ends it ----
wants 1 'too large for the memory' "$BATT" net --steps 1 --max-memory 1M --device opencl 978a5e93
echo '{"train":[{"input":[[0]],"output":[[0]]}],"test":[{"input":[[0]]}]}' >black.json
wants 1 'black.*: ' "$BATT" net --steps 1 --device opencl black.json
"$BATT" net --steps 100000 --time 500ms --json --device opencl 8be6661a >out || [ $? -eq 1 ]
grep -q '"answers"' out || fail "no answers after --time"
"$BATT" net --steps 1000000 --json --progress off --device opencl 8be6661a >out 2>err &
sleep 3
kill -INT $!
status=0
wait $! || status=$?
[ $status -eq 130 ] || fail "Ctrl-C: exit $status"
grep -q '"answers"' out || fail "no answers after Ctrl-C"
