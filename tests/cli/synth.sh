#!/bin/bash
# batt synth: the same files for the same seed, refusals with a reason, and the
# examples in the tree are what the command makes.
set -eu

. tests/words.sh
refused() { # refused MESSAGE ARGS...
    local message=$1 status=0
    shift
    "$BATT" synth "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
    [ $status -eq 2 ] || fail "exit code $status instead of 2: $*"
    grep -qF -- "$message" "$TMP/err" || fail "$* said: $(cat "$TMP/err")"
}

[ "$("$BATT" synth --list --json | grep -c '"name"')" -ge 40 ] || fail "fewer than 40 families"

"$BATT" synth --count 300 --pairs 4 --tests 2 --seed 7 -o "$TMP/one" --solvers-out "$TMP/one.py" >/dev/null
"$BATT" synth --count 300 --pairs 4 --tests 2 --seed 7 -o "$TMP/two" --solvers-out "$TMP/two.py" >/dev/null
diff -r "$TMP/one" "$TMP/two" && cmp "$TMP/one.py" "$TMP/two.py" || fail "equal seeds, different files"
[ "$(ls "$TMP/one" | wc -l)" -eq 300 ] || fail "not 300 files"
[ "$(grep -c '^def solve_' "$TMP/one.py")" -eq 300 ] || fail "not 300 solvers"
"$BATT" synth --count 300 --seed 8 -o "$TMP/three" >/dev/null
if diff -rq "$TMP/one" "$TMP/three" >/dev/null; then fail "different seeds, equal files"; fi

# A task does not depend on the other families in the batch.
"$BATT" synth -f fill_holes -n 1 --pairs 4 --tests 2 --seed 7 -o "$TMP/alone" >/dev/null
cmp "$TMP/alone/"*.json "$TMP/one/$(basename "$TMP/alone/"*.json)" || fail "a family alone makes another task"

refused "no family 'fill_hole'; did you mean 'fill_holes'?" -f fill_hole -o "$TMP/x"
refused "the folder for the tasks" -n 3
refused "its folder does not exist; create it first" -n 3 -o "$TMP/none/there"

# The examples in the tree come from this command: families in the order of the solvers, seed 1.
if [ -d examples/tasks ]; then
    families=$(sed -n 's/^# \([a-z_0-9]*\): .*/\1/p' solvers/examples.py | paste -sd,)
    "$BATT" synth -f "$families" --seed 1 -o "$TMP/examples" --solvers-out "$TMP/examples.py" >/dev/null
    diff -r "$TMP/examples" examples/tasks || fail "examples/tasks is out of date"
    cmp "$TMP/examples.py" solvers/examples.py || fail "solvers/examples.py is out of date"
fi
