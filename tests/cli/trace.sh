# batt trace: every line with its value, or why there is none; the page and the JSON say the same.
set -eu
. tests/words.sh
tasks=$PWD/examples/tasks solvers=$PWD/solvers/examples.py
cd "$TMP"

# ---- ways to say which program on which task ----
wants 0 '8  O = paint\(I, x7\)  grid' "$BATT" trace 92eac448
sed 's/, [0-9.]* [nµm]*s$//' out >by_id
for arguments in "solve_92eac448" "$solvers:solve_92eac448" "$solvers 92eac448" "-s $solvers 92eac448 $tasks" \
    "solve_92eac448 $tasks/92eac448.json" "92eac448 92eac448"; do
    # shellcheck disable=SC2086
    wants 0 'result  right' "$BATT" trace $arguments
    sed 's/, [0-9.]* [nµm]*s$//' out | cmp - by_id || fail "batt trace $arguments differs"
done
wants 0 'result  right' "$BATT" trace
wants 2 "did you mean '92eac448'" "$BATT" trace 92eac449
wants 2 'has 48 programs; choose one' "$BATT" trace "$solvers"
wants 2 'No such file' "$BATT" trace nowhere.py:f 92eac448
wants 2 "no task 'nope'" "$BATT" trace 92eac448 nope

wants 2 'not both' "$BATT" trace -s "$solvers" "$solvers:solve_92eac448"
wants 2 'cannot be combined' "$BATT" trace --html x.html --json

# ---- which pair ----
wants 0 'on 92eac448, test 1' "$BATT" trace 92eac448 --sample test1
wants 0 'on 92eac448, train 2' "$BATT" trace 92eac448 --sample 2
wants 0 'on 92eac448, test 1' "$BATT" trace 92eac448 --sample all
[ "$(grep -c 'result  right' out)" -eq 4 ] || fail "--sample all is not all"
for bad in 0 4 test2 x 1x ''; do wants 2 'training pairs 1 to 3' "$BATT" trace 92eac448 --sample "$bad"; done

# ---- kinds of values, failures and what follows from them ----
cat >kinds.py <<'PROGRAM'
def solve_92eac448(I):
    x1 = objects(I, F, F, T)
    x2 = first(x1)
    x3 = toindices(x2)
    x4 = hsplit(I, TWO)
    x5 = compose(size, first)
    x6 = equality(x3, x3)
    x7 = first(ZERO)
    x8 = increment(x7)
    x9 = shift(x3, (100, 0))
    O = vmirror(I)
    return O

def solve_same(I):
    return I
PROGRAM
wants 1 'x1 = objects\(I, F, F, T\)  objects' "$BATT" trace kinds.py 92eac448
for line in '     1 object, 16 cells' '     16 cells' '     16 indices' '     2 grids' '     compose(size, first)' '     T' \
    "     failed: type in first: argument 1 'container' is" '     failed: x7 has no value' \
    '     16 indices, 16 of them too far outside to draw' ' cells wrong'; do
    grep -qF -- "$line" out || fail "no '$line'"
done
grep -q '2a2a2a8a' out || fail "objects have no letters"
wants 1 'O = I' "$BATT" trace kinds.py:solve_same 92eac448
printf 'def f(S, I, C):\n    x1 = get_nth_f(S, F0)\n    O = vmirror(I)\n    return O\n' >three.py
wants 0 'x1 = get_nth_f' "$BATT" trace three.py:f fa2e3f8c
printf 'def f(I):\n    x1 = first(ZERO)\n    O = vmirror(I)\n    return O\n' >safe.py
wants 0 'failed: type' "$BATT" trace safe.py fa2e3f8c
wants 0 'result  right' "$BATT" trace --safe --mode batt safe.py fa2e3f8c
if grep -q failed out; then fail "a failure in safe mode"; fi

# ---- JSON and page ----
"$BATT" trace kinds.py 92eac448 --json >trace.json || [ $? -eq 1 ]
python3 - <<'CHECK' || fail "the JSON"
import json
t = json.load(open("trace.json"))
assert t["program"] == "solve_92eac448" and t["task"] == "92eac448" and len(t["samples"]) == 4
steps = t["samples"][0]["steps"]
assert [s["source"].split(" = ")[0] for s in steps] == [f"x{k}" for k in range(1, 10)] + ["O"]
assert "reason" in steps[6] and "value" not in steps[6] and steps[5]["value"] == "T" and steps[0]["line"] == 2
CHECK
wants 1 'trace.html' "$BATT" trace kinds.py 92eac448 --html trace.html
python3 - <<'CHECK' || fail "the page"
page = open("trace.html").read()
assert page.rstrip().endswith("</html>") and "x7 has no value" in page and "16 indices" in page
assert "src=" not in page and "@import" not in page
CHECK
wants 2 'nowhere/t.html' "$BATT" trace 92eac448 --html nowhere/t.html

# ---- budgets ----
wants 1 'budget of steps is used up' "$BATT" trace --max-steps 20 92eac448
