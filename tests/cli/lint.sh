#!/bin/bash
# batt lint: every error, types, order; exit codes; JSON.
set -eu
. tests/words.sh
run() { # STATUS ARGUMENTS...
    local wanted=$1 got=0
    shift
    "$BATT" lint "$@" >"$TMP/out" 2>"$TMP/err" || got=$?
    [ "$got" = "$wanted" ] || fail "batt lint $*: wanted $wanted, got $got: $(cat "$TMP/out" "$TMP/err")"
}
says() { grep -qF -- "$1" "$TMP/out" || fail "'$1' is missing in: $(cat "$TMP/out")"; }

cat >"$TMP/good.py" <<'PY'
def solve(I):
    x1 = objects(I, T, F, T)
    x2 = merge(x1)
    O = paint(I, x2)
    return O
PY
run 0 "$TMP/good.py"
says '1 program, 0 errors, 0 warnings'
run 0 --types "$TMP/good.py"
says ': objects'

cat >"$TMP/types.py" <<'PY'
def impossible(I):
    x1 = objects(I, T, F, T)
    O = rot90(x1)
    return O
def unused(I):
    x1 = first(5)
    return I
def dialect(S, I, C):
    x1 = size(I)
    O = rot90(x1)
    return O
PY
run 1 "$TMP/types.py"
says "types.py:3:5: error: rot90 wants 'grid' to be grid, not objects"
says "types.py:6:5: warning: first wants 'container' to be container, not int; the result does not need it"
says "types.py:10:5: warning: rot90 wants 'grid' to be grid, not int; without --safe this fails"
says '3 programs, 1 error, 2 warnings'

cat >"$TMP/text.py" <<'PY'
def a(I):
    O = colourfilter(I, ONE)
    return O
def b(I):
    return x9
PY
run 2 "$TMP/text.py" "$TMP/good.py"
says "text.py:2:9: error: unknown primitive 'colourfilter', did you mean 'colorfilter'?"
says "text.py:5:12: error: variable 'x9' is not assigned above"
says '1 program, 2 errors, 0 warnings'
run 2 "$TMP/missing.py"
run 2
mkdir -p "$TMP/folder/below" "$TMP/empty"
cp "$TMP/good.py" "$TMP/folder/a.py"
cp "$TMP/types.py" "$TMP/folder/below/b.py"
run 1 "$TMP/folder"
says '4 programs, 1 error, 2 warnings'
run 2 "$TMP/empty"
grep -q 'no solver files' "$TMP/err" || fail "an empty folder: $(cat "$TMP/err")"

cat >"$TMP/order.py" <<'PY'
def fragile(I):
    x1 = objects(I, T, F, T)
    x2 = first(x1)
    O = subgrid(x2, I)
    return O
def sturdy(I):
    x1 = partition(I)
    x2 = apply(size, x1)
    O = canvas(maximum(x2), UNITY)
    return O
PY
run 0 "$TMP/order.py"
run 1 --order "$TMP/order.py"
says 'the result of fragile depends on the order of a set'
says 'first visible in first(x1)'
says ', 1 depends on the order of sets'
grep -q sturdy "$TMP/out" && fail "$(cat "$TMP/out")"
run 2 --tasks "$TMP" "$TMP/order.py"
cat >"$TMP/sturdy.json" <<'JSON'
{"train": [{"input": [[1, 0], [0, 2]], "output": [[1]]}], "test": [{"input": [[0, 0, 3]]}]}
JSON
run 1 --order --tasks "$TMP/sturdy.json" "$TMP/order.py"
says 'for 1 of 2 inputs'

"$BATT" lint --json --order "$TMP/order.py" "$TMP/types.py" >"$TMP/json" || true
grep -q '"depend_on_order": 1' "$TMP/json"
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
assert [f["programs"] for f in r["files"]] == [2, 3] and r["errors"] == 1
assert r["files"][1]["findings"][0] == {"line": 3, "column": 5, "severity": "error",
    "message": "rot90 wants '"'grid'"' to be grid, not objects"}' "$TMP/json"
fi
