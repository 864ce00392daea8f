#!/bin/bash
# Data of all public shapes: large grids, folders of folders, byte order marks, refused files among good ones; and the
# messages where no tasks are named or no answers are known.
set -u
. tests/words.sh
cd "$TMP" || exit 2

# ---- grids up to 255x255: read, run, drawn, searched, evolved, traced; --max-side says less ----
python3 - <<'P'
import json, os, random
random.seed(1)
def grid(h, w): return [[random.choice([0, 0, 0, random.randrange(10)]) for _ in range(w)] for _ in range(h)]
def save(name, pairs):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    json.dump({"train": [{"input": a, "output": b} for a, b in pairs[:-1]],
               "test": [{"input": pairs[-1][0], "output": pairs[-1][1]}]}, open(name, "w"))
def mirrored(h, w): return [(a, [r[::-1] for r in a]) for a in (grid(h, w) for _ in range(3))]
save("big/mirror255.json", mirrored(255, 255))
save("big/long200.json", mirrored(1, 200))
save("big/tall.json", [(a, a[::-1]) for a in (grid(90, 3) for _ in range(3))])
save("too/large.json", mirrored(2, 256))
# sets with a folder per concept, as ConceptARC and 1D-ARC have them; pairs without tests as re-arc has them
for k in range(3):
    save(f"concepts/Above/Above{k}.json", mirrored(3, 4))
    save(f"concepts/Below/Below{k}.json", [(a, [[5] * 3]) for a in (grid(4, 3) for _ in range(3))])
os.makedirs("re_arc/tasks")
for k in range(2):
    json.dump([{"input": a, "output": b} for a, b in mirrored(5, 5)], open(f"re_arc/tasks/0000000{k}.json", "w"))
json.dump({"00000000": {"n_examples": 3, "n_verified": 3, "runtime": 0.1},
           "00000001": {"n_examples": 3, "n_verified": 3, "runtime": 0.1}}, open("re_arc/metadata.json", "w"))
# ARC-GEN's additional key, Mini-ARC's names
t = json.load(open("big/tall.json")); t["arc-gen"] = t["train"]; os.makedirs("gen"); json.dump(t, open("gen/task001.json", "w"))
os.makedirs("mini"); json.dump(json.load(open("big/tall.json")), open("mini/move to_left (l6aeryfw).json", "w"))
open("solvers.py", "w").write("""def solve_mirror255(I):
    O = vmirror(I)
    return O


def solve_long200(I):
    O = vmirror(I)
    return O


def solve_tall(I):
    O = hmirror(I)
    return O
""")
open("bom.json", "wb").write(b"\xef\xbb\xbf" + open("big/tall.json", "rb").read())
c = {f"x{k}": json.load(open("big/tall.json")) for k in range(2)}
for t in c.values(): del t["test"][0]["output"]
json.dump(c, open("test_challenges.json", "w"))
P
wants 0 '3 of 3 solved' "$BATT" run -s solvers.py big
wants 2 'row is longer than 30 cells' "$BATT" run --max-side 30 -s solvers.py big/mirror255.json
wants 2 'row is longer than 255 cells' "$BATT" show too
wants 0 '255x255' "$BATT" show --list big
wants 0 'first 64x64 shown' "$BATT" show big/mirror255.json
"$BATT" show --svg big.svg --png big.png big/mirror255.json >/dev/null || fail "no picture of a large grid"
"$BATT" show --gallery big.html big >/dev/null || fail "no page with a large grid"
"$BATT" trace solvers.py:solve_mirror255 big --html trace.html >/dev/null || fail "no trace of a large grid"
wants 0 '3 of 3 tasks solved' "$BATT" solve --steps 5000000 big
wants 0 '3 of 3 tasks solved' "$BATT" evolve --generations 1 big
timeout 60 "$BATT" solve --time-per-task 1s --max-memory 64M -q big >/dev/null 2>&1
[ $? -le 1 ] || fail "search on large grids breaks its budget"
# Kaggle's rule stays: a submission has the placeholder for what is too large, and score refuses larger ones
"$BATT" run -q -s solvers.py --submission s.json big >/dev/null || fail "no submission"
grep -q '"mirror255":\[{"attempt_1":\[\[0,0\],\[0,0\]\]' s.json || fail "a submission has a grid of 255 rows"
python3 -c 'import json; json.dump({"tall": [{"attempt_1": [[0]*31], "attempt_2": [[0]]}]}, open("long.json", "w"))'
wants 2 'row is longer than 30 cells' "$BATT" score long.json big/tall.json

# ---- folders as they are, with a row for each group ----
wants 0 'Above +3 +3 +3 of 3' "$BATT" solve -q --steps 300000 concepts
grep -qE 'Below +3 +3 +3 of 3' out || { cat out; fail "no row for the second group"; }
"$BATT" solve --json --steps 300000 concepts/ | grep -q '"name": "Above"' || fail "no groups in JSON"
wants 0 '"tasks": 2,' "$BATT" show --json re_arc
wants 0 'task001' "$BATT" show --list gen
wants 0 'move to_left' "$BATT" show --list mini
wants 0 'bom' "$BATT" show --list bom.json

# ---- refused files among good ones ----
mkdir mixed && cp big/tall.json mixed/ && echo 'not json' >mixed/bad.json
wants 1 'refused +1 ' "$BATT" run -s solvers.py mixed
wants 1 'bad.json:1:1: expected a task, found text that is not JSON' "$BATT" run -s solvers.py mixed
wants 1 'refused +1 ' "$BATT" solve --steps 100000 mixed
wants 1 'bad.json' "$BATT" show --list mixed

# ---- a group that no program is for: its answers are known all the same, and nothing was slow ----
mkdir -p two/one two/other && cp big/tall.json two/one/ && cp big/tall.json two/other/short.json
wants 1 'other +1 +0 +0 of 1' "$BATT" run -s solvers.py two
grep -q 'slowest +tall [^,]*$' -E out || { cat out; fail "a task without a program among the slowest"; }

# ---- nothing named ----
wants 2 'using the 48 built-in examples' "$BATT" run -s solvers.py
wants 2 'name the tasks to run on: batt run -s FILE TASKS' "$BATT" run -s solvers.py
wants 2 'not for the built-in examples.*batt score s.json SOLUTIONS' "$BATT" score s.json
"$BATT" run -q --submission own.json >/dev/null && wants 0 'right' "$BATT" score own.json

# ---- no answers known ----
wants 0 'answered +2 of 2 tasks, 2 of them by a program that fits all pairs' "$BATT" solve --steps 300000 test_challenges.json
! grep -q '0 of 0' out err || fail "0 of 0"
sed 's/solve_tall/solve_x0/' solvers.py >x.py
wants 1 '1 of 2 answered by a program that fits all pairs' "$BATT" run -s x.py test_challenges.json
! grep -q '0 of 0' out err || fail "0 of 0"
wants 0 'hash of the tasks' "$BATT" run -q

# ---- chosen by a list in a file, and by lot ----
"$BATT" show --list --json 2>/dev/null | grep '"id"' | sed 's/.*: "\(.*\)".*/\1/' >all
{ echo '# two of them'; sed -n 3p all; printf ',%s' "$(sed -n 7p all)"; } >ids
listed() { "$BATT" show --json "$@" 2>/dev/null | grep '"id"' | sed 's/.*: "\(.*\)".*/\1/'; }
[ "$(listed --ids ids)" = "$(sed -n '3p;7p' all)" ] || fail "--ids chooses $(listed --ids ids)"
wants 2 "no task 'nobody'" "$BATT" run --ids <(echo nobody)
wants 2 'contains no task ids' "$BATT" run --ids <(echo '# none')
wants 2 'missing: ' "$BATT" run --ids missing
[ "$(listed --sample 5 --seed 3 | sort | uniq | wc -l)" -eq 5 ] || fail "--sample 5"
[ "$(listed --sample 5 --seed 3)" = "$(listed --sample 5 --seed 3)" ] || fail "a seed draws differently"
[ "$(listed --sample 5 --seed 3)" != "$(listed --sample 5 --seed 4)" ] || fail "another seed draws the same"
for command in run 'profile dsl' 'profile batch' 'profile pipeline' 'profile framework' 'solve --steps 1000' 'evolve --generations 1 --children 8'; do
    # shellcheck disable=SC2086 # words
    "$BATT" $command --ids ids --sample 1 --seed 2 --json >out 2>err || [ $? -eq 1 ] || { cat err; fail "$command: --ids, --sample, --seed"; }
done
echo ok
