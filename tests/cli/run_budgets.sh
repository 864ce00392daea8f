#!/bin/bash
# batt run --all with budgets in stages: a program that needs more than the first budget still solves its task, one that
# cannot matter any more is cut off, named and counted, and the order of files, threads and batteries change nothing.
set -eu
fail() { echo "FAIL: $1"; exit 1; }

cat >"$TMP/tasks.json" <<'P'
{"turn": {"train": [{"input": [[1,2,3],[4,5,6]], "output": [[3,2,1],[6,5,4]]},
                    {"input": [[1,2,3,4,5,6,7,8],[1,2,3,4,5,6,7,8],[1,2,3,4,5,6,7,8]],
                     "output": [[8,7,6,5,4,3,2,1],[8,7,6,5,4,3,2,1],[8,7,6,5,4,3,2,1]]}],
          "test": [{"input": [[1,1,2,2,3,3,4,4],[0,1,2,3,4,5,6,7],[1,2,3,4,5,6,7,8],[1,2,3,4,5,6,7,8]],
                    "output": [[4,4,3,3,2,2,1,1],[7,6,5,4,3,2,1,0],[8,7,6,5,4,3,2,1],[8,7,6,5,4,3,2,1]]}]},
 "same": {"train": [{"input": [[1,2,3,4,5,6,7,8]], "output": [[1,2,3,4,5,6,7,8]]}],
          "test": [{"input": [[5,2,3,4,5,6,7,8]], "output": [[5,2,3,4,5,6,7,8]]}]}}
P
# what solves "turn" needs the number of cells squared; "same" is solved at once by a program that comes first
cat >"$TMP/long.py" <<'P'
def solve_long(I):
    x1 = asindices(I)
    x2 = product(x1, x1)
    x3 = apply(first, x2)
    x4 = difference(x1, x3)
    x5 = vmirror(I)
    O = fill(x5, ZERO, x4)
    return O
P
cat >"$TMP/short.py" <<'P'
def solve_short(I):
    O = identity(I)
    return O
P
cat >"$TMP/both.py" <<'P'
def solve_twin_b(I):
    x1 = hmirror(I)
    O = hmirror(x1)
    return O

def solve_twin_a(I):
    x1 = vmirror(I)
    O = vmirror(x1)
    return O
P
run() { "$BATT" run --json "$@" "$TMP/tasks.json" || [ $? -eq 1 ]; }
ask() { python3 -c "import json,sys; r = json.load(open(sys.argv[1])); t = {x['id']: x for x in r['results']}; sys.exit(not ($2))" "$1" || fail "$2"; }

run --all --first-steps 40 -s "$TMP/long.py" -s "$TMP/short.py" >"$TMP/out"
ask "$TMP/out" "r['tasks_solved'] == 2"
ask "$TMP/out" "t['turn']['program'] == 'solve_long' and t['same']['program'] == 'solve_short'"
ask "$TMP/out" "[(c['program'], c['samples'], c['reason'], c['steps']) for c in t['same']['cut_off']] == [('solve_long', 2, 'steps', 80)]"
ask "$TMP/out" "r['cut_off'] == 2 and r['tasks_cut_off'] == 1 and 'cut_off' not in t['turn']"
{ "$BATT" run --all --first-steps 40 -s "$TMP/long.py" -s "$TMP/short.py" "$TMP/tasks.json" || [ $? -eq 1 ]; } >"$TMP/text"
grep -q '^cut off     2 evaluations on 1 task after 80 steps; costliest: solve_long on same 80 steps$' "$TMP/text" || fail "the summary"

# the whole budget is the limit, and is counted as such
run --all --first-steps 40 --max-steps 60 -s "$TMP/long.py" -s "$TMP/short.py" >"$TMP/out"
ask "$TMP/out" "r['tasks_solved'] == 1 and t['turn']['status'] != 'solved' and t['turn']['cut_off'][0]['program'] == 'solve_long'"

# equally good programs: the same one stands for the task, whatever the order
what() { run "$@" | grep -E '"(id|program|status|correct|solving|steps|samples)":'; }
what --all --first-steps 40 -s "$TMP/long.py" -s "$TMP/both.py" -s "$TMP/short.py" >"$TMP/one"
what --all --first-steps 40 -j 3 -s "$TMP/short.py" -s "$TMP/both.py" -s "$TMP/long.py" >"$TMP/two"
cmp "$TMP/one" "$TMP/two" || fail "the order of files matters"
sed -i 's/twin_a/twin_c/; s/twin_b/twin_a/; s/twin_c/twin_b/' "$TMP/both.py"
what --all --first-steps 40 -s "$TMP/both.py" | grep -q '"status": "solved"' || fail "twins"
sed -i 's/twin_a/twin_c/; s/twin_b/twin_a/; s/twin_c/twin_b/' "$TMP/both.py"
"$BATT" card --freeze -s "$TMP/long.py" -s "$TMP/both.py" -s "$TMP/short.py" -o "$TMP/battery.py" >/dev/null 2>&1
what --battery "$TMP/battery.py" --first-steps 40 >"$TMP/three"
cmp "$TMP/one" "$TMP/three" || fail "a battery has other outcomes"
what --all --no-share --first-steps 40 -s "$TMP/long.py" -s "$TMP/both.py" -s "$TMP/short.py" >"$TMP/four"
cmp "$TMP/one" "$TMP/four" || fail "merging changes outcomes"
# programs of two forms run one by one
sed 's/def solve_short(I)/def solve_short(S, I, C)/' "$TMP/short.py" >"$TMP/three_parameters.py"
what --all --first-steps 40 -s "$TMP/long.py" -s "$TMP/both.py" -s "$TMP/three_parameters.py" >"$TMP/five"
cmp "$TMP/one" "$TMP/five" || fail "two forms have other outcomes"

"$BATT" run --first-steps 40 -s "$TMP/long.py" "$TMP/tasks.json" >/dev/null 2>"$TMP/err" && fail "--first-steps without --all"
grep -q 'needs --all' "$TMP/err" || fail "--first-steps without --all: $(cat "$TMP/err")"

# real tasks: what is solved with the whole budget at once is solved in stages
DATA=${BATT_DATA:-../shared/data}/arc1-training
if [ ! -d "$DATA" ]; then
    echo "no data in $DATA: real tasks left out"
    exit 0
fi
for first in 0 1000; do
    { "$BATT" run --all --first-steps $first -s solvers/found --json --sample 20 "$DATA" || [ $? -eq 1 ]; } |
        grep -E '"(id|status)":' >"$TMP/$first"
done
cmp "$TMP/0" "$TMP/1000" || fail "stages change what is solved"
