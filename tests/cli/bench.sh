#!/bin/bash
# batt bench from outside: its parts, their JSON, and a clone without ../shared.
set -eu
: "${TMP:?}" "${BATT:?}"
. tests/words.sh
BATT=$(realpath "$BATT")
root=$PWD

# ---- a fresh clone: the vectors are its own, which is said; without any, primitives are skipped, which is said too ----
mkdir -p "$TMP/fresh/clone/tests" "$TMP/nowhere"
cp -r "$root/tests/vectors" "$TMP/fresh/clone/tests/"
cd "$TMP/fresh/clone"
env -u BATT_VECTORS "$BATT" bench --rounds 1 --slice 1us >"$TMP/out" || fail 'bench in a clone'
grep -q '^vectors: tests/vectors; no times of a reference' "$TMP/out" || fail "a clone does not say what it uses: $(cat "$TMP/out")"
grep -q '^objects ' "$TMP/out" || fail 'no primitive was measured'
cd "$TMP/nowhere"
env -u BATT_VECTORS "$BATT" bench --rounds 1 --slice 1us >"$TMP/out" || fail 'bench without vectors'
grep -q 'skipped, no reference vectors' "$TMP/out" || fail 'no vectors: not said'
cd "$root"
bad 'no reference vectors' "$BATT" bench prims --vectors "$TMP/nothing"

# ---- what profiling costs: ratios to a build without it, here to itself ----
"$BATT" bench profiler --rounds 3 --passes 8 --baseline "$BATT" --json >"$TMP/out" || fail 'bench profiler'
for key in counters_pct counters_low_pct counters_high_pct timing_pct trace_pct baseline_us; do
    grep -q "\"$key\":-\\?[0-9]" "$TMP/out" || fail "bench profiler --json without $key: $(cat "$TMP/out")"
done
cp "$BATT" "$TMP/batt" # beside which there is no build without a profiler
"$TMP/batt" bench profiler --rounds 1 --passes 4 >"$TMP/out" || fail 'bench profiler without a baseline'
grep -q 'not measured: give --baseline' "$TMP/out" || fail 'no baseline: not said'
grep -q 'to --profile off of this build' "$TMP/out" || fail 'no baseline: what is compared with is not said'
bad 'failed' "$BATT" bench profiler --rounds 1 --passes 4 --baseline "$TMP/none"

# ---- made-up programs: the same on every run, on both paths, and in Python where its functions are at hand ----
"$BATT" bench programs --programs 6 --rounds 1 --json >"$TMP/out" || fail 'bench programs'
for key in short long loops compiled_us compiled_worst_us stepwise_us; do
    grep -q "\"$key\":" "$TMP/out" || fail "bench programs --json without $key: $(cat "$TMP/out")"
done
calls() { sed -n 's/.*"short":{[^}]*"calls":\([0-9.]*\).*/\1/p' "$1"; }
"$BATT" bench programs --programs 6 --rounds 1 --path stepwise --json >"$TMP/again" || fail 'bench programs --path'
[ "$(calls "$TMP/out")" = "$(calls "$TMP/again")" ] || fail 'other programs, or calls that are not counted, on the other path'
"$BATT" bench programs --programs 6 --rounds 1 --kind short --mix >"$TMP/out" || fail 'bench programs --mix'
grep -qE '^first +[0-9]+ +47883$' "$TMP/out" || fail "the mix is not shown: $(cat "$TMP/out")"
"$BATT" bench programs --programs 40 --rounds 1 --kind loops --mix >"$TMP/out" || fail 'bench programs --kind loops'
grep -qE '^ten and more patches or objects +[0-9]+ .* 9\.0$' "$TMP/out" || fail "the shapes of loops are not shown: $(cat "$TMP/out")"
if command -v python3 >/dev/null; then
    echo 'nothing = 0' >"$TMP/empty.py"
    bad 'do not run with its functions' "$BATT" bench programs --programs 2 --rounds 1 --python "$TMP/empty.py"
fi

# ---- limits of fast paths: every program of the table runs; whether a step is steep is a matter of times ----
code=0
"$BATT" bench limits --rounds 1 --slice 1us --json >"$TMP/out" || code=$?
[ $code -le 1 ] || fail "bench limits: exit code $code"
steep=$(sed -n 's/.*"steep":\([0-9]*\).*/\1/p' "$TMP/out")
[ $((steep > 0)) = $code ] || fail "bench limits: $steep steep steps, exit code $code"
echo 'benchmarks run and print JSON'
