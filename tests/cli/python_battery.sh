#!/bin/bash
# Batteries of the Python pipeline: every step has the value that batt's own evaluation gives it, whatever spelling and
# guards; scores are the sums that Python counts; a mistake is shown with its line; what is no such battery is refused.
set -eu

. tests/words.sh
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
refused() { # refused MESSAGE ARGS...
    local message=$1 status=0
    shift
    "$BATT" "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
    [ $status -eq 2 ] || fail "exit code $status instead of 2: $*"
    grep -qF -- "$message" "$TMP/err" || fail "$* said: $(cat "$TMP/err")"
}
ran() { "$BATT" "$@" >"$TMP/out" 2>"$TMP/err" || [ $? -eq 1 ] || fail "$*: $(cat "$TMP/err")"; }

# The value of every step, as NAME VALUE.
cat >"$TMP/values.py" <<'END'
import json, sys
for sample in json.load(sys.stdin)["samples"]:
    for k, step in enumerate(sample["steps"]):
        print(sample["sample"], "t%d" % (k + 1), step.get("value", "failed"))
END
seeds=${BATT_TEST_QUICK:+2}
for seed in ${seeds:-1 2 3 4 5 6 7 8}; do
    for guards in guarded bare mixed; do
        vector=$([ $((seed % 2)) -eq 0 ] && echo vector || true)
        python3 tests/generate_python.py module "$BATT" "$seed" 400 "$TMP/m.py" $guards $vector
        safe=$([ $guards = bare ] || echo --safe)
        for task in 8c5f9c65 92eac448; do
            ran trace --battery "$TMP/m.py" batt $task --json --sample all
            python3 "$TMP/values.py" <"$TMP/out" >"$TMP/values"
            ran trace $safe "$TMP/m_plain.py:solve_plain" $task --json --sample all
            python3 "$TMP/values.py" <"$TMP/out" >"$TMP/plain"
            [ "$(grep -c ' t400 ' "$TMP/values")" -ge 3 ] || fail "not all steps are shown"
            cmp "$TMP/values" "$TMP/plain" || fail "seed $seed, $guards, $task: other values"
        done
        [ $guards = bare ] || ! grep -q failed "$TMP/values" || fail "a guarded step has no value"
    done
    ran run --battery "$TMP/m.py" -q
    ran lint --battery "$TMP/m.py"
    grep -q '1 program, 0 errors' "$TMP/out" || fail "lint: $(tail -1 "$TMP/out")"
done
ran profile batch --battery "$TMP/m.py" -n 2 -r 1 --warmup 0
grep -q HIGH "$TMP/out" || fail "no profile of a battery: $(cat "$TMP/err")"

# Scores as Python counts them: 1,000 for each sample that is right, training and test, else the mean of the differs.
python3 - >"$TMP/0badcafe.json" <<'END'
import json
grids = [[[k, 2, 3], [4, 5, k], [1, k, 9]] for k in range(5)]
pairs = [{"input": g, "output": [list(column) for column in zip(*g)]} for g in grids]
print(json.dumps({"train": pairs[:4], "test": pairs[4:]}))
END
cat >"$TMP/known.py" <<'END'
# Generated
from dsl import *
from safe_dsl import _get_safe_default
from batt_gpu import batch_process_samples_gpu
def batt(task_id, S, I, C, log_path):
    """A docstring."""
    s = []
    o = []
    t1 = identity(dmirror_t)
    try:
        t2 = t1(I)
    except (TypeError, AttributeError, ValueError):
        t2 = _get_safe_default(t1)
    o.append((2, False, '0badcafe', t2))
    # Pre-mutate: t3 = hmirror_t(I)
    t3 = vmirror_t(I)
    o.append((3, True, '0badcafe', t3))
    try:
        t4 = height_t(t3)
        t5 = astuple(HUNDRED, t4)
    except Exception as e:
        t4 = _get_safe_default(height_t)
        t5 = _get_safe_default(astuple)
    s.append((5, '0badcafe', 'differ_c59e6ae069a9205b311cf67a15473d64', t5))
    t6 = astuple(THOUSAND, ONE)
    s.append((6, "0badcafe", 'iz_first', t6))
    s.append((6, 'None', 'iz_first', t6))
    t7, t8, t9, t10 = batch_process_samples_gpu(S)
    t11 = first(t8)
    o.append((11, False, 'first', t11))
    return o, s
END
ran run --battery "$TMP/known.py" --json "$TMP/0badcafe.json"
grep -q '"score": 5000,' "$TMP/out" && grep -q '"program": "solve_0badcafe"' "$TMP/out" || fail "4 + 1 right samples: $(cat "$TMP/out")"
sed '/^    o.append((2, /d; /^    o.append((11, /d' "$TMP/known.py" >"$TMP/near.py" # the wrong one is left: (100 + 1000) / 2 for each of 5 samples
ran run --battery "$TMP/near.py" --json "$TMP/0badcafe.json"
grep -q '"score": 2750,' "$TMP/out" || fail "5 wrong samples by two differs: $(cat "$TMP/out")"
ran trace --battery "$TMP/known.py" solve_0badcafe_t3 "$TMP/0badcafe.json"
grep -q 't3 = vmirror_t(I)' "$TMP/out" || fail "a solver of a battery is not traced: $(cat "$TMP/out")"

# A mistake in line 14,000 is shown there, and nothing is read.
python3 tests/generate_python.py module "$BATT" 9 6000 "$TMP/large.py" guarded vector
line=$(awk 'NR >= 14000 && /^        t[0-9]+ = [a-z]/ && !/_get/ { print NR; exit }' "$TMP/large.py")
sed "${line}s/= [a-z_]*(/= objetcs(/" "$TMP/large.py" >"$TMP/wrong.py"
for command in run trace "profile batch"; do
    # shellcheck disable=SC2086
    refused "wrong.py:$line:" $command --battery "$TMP/wrong.py"
done
wants 2 "wrong.py:$line:" "$BATT" lint --battery "$TMP/wrong.py"
refused "did you mean 'objects'" run --battery "$TMP/wrong.py"
[ ! -s "$TMP/out" ] || fail "something was run: $(cat "$TMP/out")"
! "$BATT" lint --battery "$TMP/wrong.py" >"$TMP/out" 2>&1
grep -q '^0 programs, 1 error,' "$TMP/out" || fail "one mistake is several errors: $(grep error "$TMP/out")"

refused "read it with --battery" run -s "$TMP/large.py"
refused "_call module" run --battery "$TMP/large_call.py"
refused "run --battery reads it" store import "$TMP/none.batt" "$TMP/large.py"
mkdir "$TMP/folder"
cp "$TMP/large.py" "$TMP/large_call.py" "$TMP/folder"
ran lint "$TMP/folder"
grep -q '^1 program, 0 errors' "$TMP/out" || fail "the _call module beside a battery: $(tail -1 "$TMP/out")"
refused_lint=0
"$BATT" lint "$TMP/folder/large_call.py" >"$TMP/out" || refused_lint=$?
[ $refused_lint -eq 2 ] && grep -q 'name the battery itself' "$TMP/out" || fail "a _call module that is named: $(cat "$TMP/out")"
refuses() { # refuses MESSAGE: the battery on standard input is refused with it
    cat >"$TMP/bad.py"
    refused "$1" run --battery "$TMP/bad.py"
}
head='def batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n'
printf "${head}"'    t1 = rot90(I)\n    return o, s\n' | refuses "nothing is appended to o"
printf "${head}"'    t1 = rot90(log_path)\n    o.append((1, False, "a", t1))\n    return o, s\n' | refuses "bad.py:4:16: error: unknown name 'log_path'"
printf "${head}"'    o.append((1, False, "a", t1))\n    return o, s\n' | refuses "variable 't1' is not assigned above"
printf "${head}"'    try:\n        t1 = rot90(I)\n    t2 = I\n    o.append((1, False, "a", t1))\n    return o, s\n' | refuses "bad.py:4:5: error: 'try' without 'except'"
printf "${head}"'    try:\n        t1 = rot90(I)\n    except Exception:\n        t1 = I\n    o.append((1, False, "a", t1))\n    return o, s\n' | refuses "bad.py:7:14: error: a guard gives the default"
printf "${head}"'    t1, t2 = rot90(I)\n    o.append((1, False, "a", t1))\n    return o, s\n' | refuses "gives several values"
printf "${head}"'    t1 = rot90(I)\n    o.append((1, "a", t1))\n    return o, s\n' | refuses "True or False"
printf "${head}"'    t1 = rot90(I)\n    o.append((1, False, "a", t1))\n' | refuses "return o, s"
printf "${head}"'    t1 = rot90(I)\n    o.append((1, False, "a", t1))\n    return o, s\nprint(1)\n' | refuses "bad.py:7:1: error: unexpected text after the function"
