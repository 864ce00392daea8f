#!/bin/bash
# batt eval: expressions, programs, vectors, JSON, budgets.
set -eu
. tests/words.sh
is() { # WANTED ARGUMENTS...
    local wanted=$1 got
    shift
    got=$("$BATT" eval "$@" 2>"$TMP/err") || true
    [ "$got" = "$wanted" ] || fail "batt eval $*: wanted '$wanted', got '$got' $(cat "$TMP/err")"
}
exits() { # STATUS ARGUMENTS...
    local wanted=$1 got=0
    shift
    "$BATT" eval "$@" >"$TMP/out" 2>"$TMP/err" || got=$?
    [ "$got" = "$wanted" ] || fail "batt eval $*: wanted exit code $wanted, got $got: $(cat "$TMP/out" "$TMP/err")"
}

is '(4, 5)' 'add((1, 2), 3)'
is '(F, T, F)' 'apply(even, (1, 2, 3))'
is 'T' 'equality(1, 1)'
is '{(0, 0), (0, 1)}' 'asindices(((1, 2),))'
is $'1\n2' 1 2
is '-3' -- -3
is '!' 'first(())'
is 'None' --mode batt 'first(())'
is '()' --mode batt --safe 'divide(1, 0)'
for mode in core batt; do # strictly, a set is no grid
    is '!' --mode $mode 'compress({(1, 2), (3, 4)})'
    is '!' --mode $mode 'mir_rot_t({(1, 2), (3, 4)}, 1)'
    is '!' --mode $mode 'mir_rot_t({(1, 2), (3, 4)}, 2)'
done
is '((1, 3), (2, 4))' --mode batt --safe 'mir_rot_t({(1, 2), (3, 4)}, 1)'
is '((3, 1), (4, 2))' --grid '((1,2),(3,4))' 'rot90(I)'
is '((3, 1), (4, 2))' --grid '((1,2),(3,4))' 'x1 = rot90(I); O = identity(x1)'
exits 0 'add(1, 2)'
exits 1 'first(())'
grep -q 'failed: empty in first' "$TMP/err" || fail "$(cat "$TMP/err")"
exits 2 'frist(())'
grep -q "did you mean 'first'" "$TMP/err" || fail "$(cat "$TMP/err")"
exits 2
exits 2 'rot90(I)'
grep -q -- '--grid' "$TMP/err"
exits 2 --grid '((1,2)' 'rot90(I)'

cat >"$TMP/two.py" <<'PY'
from dsl import *
def turn(I):
    O = rot90(I)
    return O
def pairs(S, I, C):
    x1 = size(S)
    O = astuple(x1, C)
    return O
PY
is '((3, 1), (4, 2))' --program "$TMP/two.py" --function turn --grid '((1,2),(3,4))'
is '(1, ((1, 2), (3, 4)))' -p "$TMP/two.py" --function pairs -g '((1,2),(3,4))' --samples '((((1,),), ((2,),)),)'
is '(0, ((9,),))' -p "$TMP/two.py" --function pairs -g '((1,2),(3,4))' --candidate '((9,),)'
exits 2 --program "$TMP/two.py" --grid '((1,),)'
grep -q 'has 2 functions' "$TMP/err"
exits 2 --program "$TMP/two.py" --function trun --grid '((1,),)'
grep -q "did you mean 'turn'" "$TMP/err"
exits 2 --program "$TMP/none.py" --grid '((1,),)'
exits 2 --program "$TMP" --grid '((1,),)'
exits 2 --program "$TMP/two.py" 1
is '((1,),)' -p - -g '((1,),)' <<<'O = rot90(I)'

# a program with an error does not keep the good one from running
printf 'def bad(I):\n    O = foo(I)\n    return O\ndef good(I):\n    return I\n' >"$TMP/one.py"
is '((1,),)' --program "$TMP/one.py" --function good --grid '((1,),)'

# colors only where asked for, a drawing only on a terminal
is '((0, 1), (1, 0))' '((0, 1), (1, 0))'

# budgets
exits 1 --max-steps 1000 'prapply(astuple, interval(0, 1000, 1), interval(0, 1000, 1))'
grep -q 'failed: steps' "$TMP/err" || fail "$(cat "$TMP/err")"
exits 1 --max-memory 64K 'interval(0, 1000000, 1)'
grep -q 'failed: memory' "$TMP/err" || fail "$(cat "$TMP/err")"
for try in 1 2 3 4 5; do # a busy machine may be late, but not every time
    start=$(date +%s%N)
    exits 1 --timeout 50ms --max-steps 1000000000000 --max-memory 4G 'power(lbind(apply, increment), 900)(interval(0, 100000, 1))'
    grep -q 'failed: time' "$TMP/err" || fail "$(cat "$TMP/err")"
    if [ $((($(date +%s%N) - start) / 1000000)) -lt 3000 ]; then break; fi
    [ $try -lt 5 ] || fail "the timeout came late"
done
# a tower of closures doubles at every storey
tower='x1 = fork(add, identity, identity)'
for k in $(seq 2 40); do tower="$tower; x$k = fork(add, x$((k - 1)), x$((k - 1)))"; done
exits 1 "$tower; O = x40(0)"

# the explanation takes what is left of the time, not as much again
begin=$(date +%s%N)
long='x1 = power(lbind(apply, increment), 900); O = apply(lbind(apply, compose(size, compose(x1, rbind(repeat, 90000)))), (interval(0, 90, 1),))'
"$BATT" eval --max-steps 1000000000000 --max-memory 4G --timeout 2s "$long" >"$TMP/out" 2>&1 && fail "that ended"
grep -q 'failed: time' "$TMP/out" || fail "$(cat "$TMP/out")"
took=$((($(date +%s%N) - begin) / 1000000))
[ $took -ge 1900 ] || fail "the time limit came after $took ms"
! idle || [ $took -le 2200 ] || fail "a time limit of 2 s took $took ms"

# what is not shown whole is told
deep='x1 = power(initset, 700); O = x1(1)'
exits 1 "$deep"
"$BATT" eval "$deep" 2>&1 >/dev/null | grep -q 'a value is truncated' || fail "a value was cut without a word"
[ "$("$BATT" eval --json "$deep" 2>/dev/null | grep -c '"cut": true')" -eq 1 ] || fail "JSON does not say that it was cut"

# address space: the memory of an evaluation per worker, and 128 MB
if [ -z "${BATT_TEST_SLOW:-}" ]; then
    (ulimit -v $(((256 + 128) * 1024)) && "$BATT" eval 'add(1, 2)' >"$TMP/out") || fail "eval wants more than 384 MB of addresses"
    (ulimit -v $(((2 * 256 + 128) * 1024)) && "$BATT" run -q -j 2 >"$TMP/out") || fail "run -j 2 wants more than 640 MB of addresses"
    status=0
    (ulimit -v 400000 && "$BATT" run -q -j 2) >"$TMP/out" 2>"$TMP/err" || status=$?
    grep -q 'cannot reserve 256 MB for each of 2 workers; lower --max-memory or --jobs' "$TMP/err" && [ $status -eq 2 ] ||
        fail "run does not say what memory it lacks: $(cat "$TMP/err")"
fi

# JSON that a reader accepts
"$BATT" eval --json 'rot90(((1, 2), (3, 4)))' >"$TMP/json"
grep -q '"value": "((3, 1), (4, 2))"' "$TMP/json"
if command -v python3 >/dev/null; then
    python3 - "$BATT" <<'PYTHON'
import json, subprocess, sys
def run(*args):
    return json.loads(subprocess.run([sys.argv[1], "eval", "--json", *args], stdout=subprocess.PIPE).stdout)["results"]
assert run("((1, 2), (3, 4))")[0]["grid"] == [[1, 2], [3, 4]]
failed, = run("first(())")
assert failed["reason"] == "empty" and failed["primitive"] == "first" and failed["line"] == 1
assert [v["value"] for v in run("1", "{2}")] == ["1", "{2}"]
PYTHON
fi
