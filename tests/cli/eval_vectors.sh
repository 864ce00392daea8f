#!/bin/bash
# batt eval --vectors: verdicts, exit codes, modes by folder, JSON.
set -eu
. tests/words.sh
run() { # STATUS ARGUMENTS...
    local wanted=$1 got=0
    shift
    "$BATT" eval --vectors "$@" >"$TMP/out" 2>"$TMP/err" || got=$?
    [ "$got" = "$wanted" ] || fail "batt eval --vectors $*: wanted $wanted, got $got: $(cat "$TMP/out" "$TMP/err")"
}
last() { [ "$(tail -n 1 "$TMP/out")" = "$1" ] || fail "wanted '$1', got: $(cat "$TMP/out")"; }

mkdir -p "$TMP/v/dialect/shared" "$TMP/v/other"
printf 'add(1, 2)\t3\nfirst(())\t!\n' >"$TMP/v/good.tsv"
printf 'first(())\tNone\ndivide(1, 0)\t()\n' >"$TMP/v/dialect/shared/first.tsv"
printf 'x1 = rot90(I); O = rot90(x1)\t((1, 2),)\t((2, 1),)\n' >"$TMP/v/other/programs.tsv"
printf 'rot90\t1.5\n' >"$TMP/v/reference_times.tsv"
printf 'not a vector file\n' >"$TMP/v/README.md"
run 0 "$TMP/v"
last '5 passed, 0 failed'
(cd "$TMP/v/dialect/shared" && "$BATT" eval --vectors first.tsv) | grep -qx '2 passed, 0 failed'
run 1 --mode core "$TMP/v/dialect"
run 0 "$TMP/v/reference_times.tsv"
last '0 passed, 0 failed'

printf 'add(1, 2)\t4\nadd(1, 1)\t2\n' >"$TMP/wrong.tsv"
run 1 "$TMP/wrong.tsv" "$TMP/v"
last '6 passed, 1 failed'
grep -q "wrong.tsv:1: add(1, 2)" "$TMP/out" && grep -q 'expected: 4' "$TMP/out" && grep -q 'got:      3' "$TMP/out"
"$BATT" eval --vectors --json "$TMP/wrong.tsv" >"$TMP/json" || true
grep -q '"passed": 1' "$TMP/json" && grep -q '"got": "3"' "$TMP/json"

printf 'add(1, 2)\t3\nno tab here\n' >"$TMP/malformed.tsv"
run 2 "$TMP/malformed.tsv"
grep -q 'malformed.tsv:2: no tab here' "$TMP/out" || fail "$(cat "$TMP/out")"
run 2 "$TMP/missing.tsv"
grep -q 'missing.tsv: No such file' "$TMP/err"
run 2
head -c 100000 /dev/urandom >"$TMP/noise.tsv"
run 2 "$TMP/noise.tsv"

# a mismatch in a very long line is cut in the middle
{ printf 'totuple(('; yes '1, ' | head -n 5000 | tr -d '\n'; printf '2))\t7\n'; } >"$TMP/long.tsv"
run 1 "$TMP/long.tsv"
[ "$(awk '{ if (length > longest) longest = length } END { print longest }' "$TMP/out")" -lt 1000 ] || fail "the line is not cut"
