# Submissions: complete, in the right form, and never half a file, whatever kills the process.
set -eu
. tests/words.sh
cd "$TMP"
"$BATT" run -q --submission all.json >/dev/null
"$BATT" score --json all.json >score.json || fail "a submission of ours has a wrong form"
python3 - <<'CHECK' || fail "the submission"
import json
s = json.load(open("score.json"))
assert s["form_ok"] and s["outputs_correct"] == s["outputs"] == 48 and s["mean_share"] == 1, s
CHECK

# Every id and both attempts, with placeholders where there is no program.
printf 'def solve_92eac448(I):\n    O = identity(I)\n    return O\n' >one.py
"$BATT" run -q -s one.py --submission one.json >/dev/null || [ $? -eq 1 ]
python3 - <<'CHECK' || fail "placeholders"
import json
s = json.load(open("one.json"))
assert len(s) == 48
assert all(set(answer) == {"attempt_1", "attempt_2"} for answers in s.values() for answer in answers)
assert sum(a["attempt_1"] == [[0, 0], [0, 0]] for answers in s.values() for a in answers) == 47
CHECK
"$BATT" score one.json >/dev/null || fail "the form with placeholders"

# Where it cannot be written, nothing is left behind.
status=0
"$BATT" run -q --submission nowhere/x.json >out 2>err || status=$?
[ $status -eq 2 ] && grep -q 'nowhere/x.json' err || fail "a folder that is not there: exit code $status"

# Killed at any moment: the old file or the whole new one, and it is valid.
"$BATT" synth --count 3000 --seed 1 -o many.json --solvers-out many.py >/dev/null
"$BATT" run -q --submission sub.json -s many.py many.json >/dev/null
cp sub.json whole.json
rounds=40
[ -z "${BATT_TEST_QUICK:-}" ] || rounds=8
for k in $(seq $rounds); do
    "$BATT" run -q --submission sub.json -s many.py many.json >/dev/null 2>&1 &
    pid=$!
    sleep "0.0$((k % 10))"
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    cmp -s sub.json whole.json || fail "round $k: the submission is not whole"
done
