# batt run: verdicts, JSON, exit codes, and what it says when nothing is solved.
set -eu
. tests/words.sh
check() { # FILE EXPRESSION: python's opinion about the JSON in the file, which is called r
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$1" "$2" ||
        fail "$1: not so: $2"
}
cd "$TMP"

# ---- the examples: all solved; the fields that scripts rely on ----
wants 0 'tasks +48 of 48 solved' "$BATT" run
! "$BATT" run | grep -q 'on record' || fail 'the built-in solvers are no scored collection'
"$BATT" run --json >all.json
check all.json 'r["tasks"] == r["tasks_solved"] == len(r["results"]) == 48 and r["samples"] == r["samples_correct"] == 192'
check all.json 'all(k in r for k in ("failed", "over_budget", "wall_s", "phases", "data_hash", "mean_share", "outputs_correct"))'
check all.json 'all(set(t) >= {"id", "solved", "samples", "samples_correct", "time_s", "reason"} for t in r["results"])'

# ---- phases sum to the wall time ----
for _ in 1 2 3; do
    "$BATT" run --json >phases.json
    check phases.json 'abs(sum(r["phases"].values()) - r["wall_s"]) <= 0.01 * r["wall_s"]'
    check phases.json 'set(r["phases"]) == {"load", "parse", "generate", "execute", "validate", "report"}'
done

# ---- threads: the same bytes but for the times ----
"$BATT" synth --count 500 --seed 5 -o made.json --solvers-out made.py >/dev/null
sed '0,/O = /s/O = .*/O = first(I)/' made.py >broken.py # one program fails
timeless() { grep -vE '"(time_s|wall_s|cpu_s|idle_s|unaccounted_s|load|parse|generate|execute|validate|report)":' "$1"; }
for extra in "" "--all --count 40"; do
    # shellcheck disable=SC2086
    "$BATT" run -j 1 $extra --json -s broken.py made.json >one.json || [ $? -eq 1 ]
    # shellcheck disable=SC2086
    "$BATT" run -j 8 $extra --json -s broken.py made.json >eight.json || [ $? -eq 1 ]
    timeless one.json >one; timeless eight.json >eight
    cmp one eight || fail "-j 1 and -j 8 differ ($extra)"
    [ "$(wc -l <one)" -gt 300 ] || fail "nothing was compared"
done

# ---- the three layouts hold the same data ----
"$BATT" synth --count 20 --seed 5 -o folder >/dev/null
"$BATT" synth --count 20 --seed 5 -o 20.json --solvers-out 20.py >/dev/null
"$BATT" run --json -s 20.py folder >a.json; "$BATT" run --json -s 20.py 20.json >b.json
python3 -c 'import json; a, b = (json.load(open(f)) for f in ("a.json", "b.json"))
assert a["data_hash"] == b["data_hash"] and a["tasks_solved"] == b["tasks_solved"] == 20' || fail "folder and file differ"

# ---- selection ----
"$BATT" run --json --id 92eac448,fa2e3f8c >some.json
check some.json '[t["id"] for t in r["results"]] == ["92eac448", "fa2e3f8c"]'
"$BATT" run --json --start 40 --count 5 >some.json && check some.json 'r["tasks"] == 5'
wants 2 'no task .nope. among the 48' "$BATT" run --id nope
wants 2 'none of the 48 tasks matches' "$BATT" run --filter 'h>30'

# ---- nothing solved: said at the top, with the cause ----
printf 'def solve_nobody(I):\n    O = identity(I)\n    return O\n' >nobody.py
wants 1 'no program matched' "$BATT" run -s nobody.py folder
wants 1 'name your programs with batt run -s FILE' "$BATT" run folder
head -n 1 out | grep -q '^0 % SOLVED: ' || fail "zero is not said first"
sed 's/O = .*/O = first(ZERO)/' "$OLDPWD/solvers/examples.py" >fails.py
wants 1 'every evaluation failed, all with the same reason: type in first' "$BATT" run -s fails.py
head -n 1 out | grep -q '^0 % SOLVED: ' || fail "zero is not said first"
sed 's/O = .*/O = canvas(ZERO, (29, 30))/' "$OLDPWD/solvers/examples.py" >shapes.py
wants 1 '^0 % SOLVED: programs ran, but every answer has the wrong size' "$BATT" run -s shapes.py
"$BATT" run --json -s fails.py >zero.json && fail "exit code 0 without anything solved"
check zero.json '"all with the same reason" in r["likely_cause"] and r["failed"] == 192 and r["failures"][0]["primitive"] == "first"'
check zero.json 'all("failed: type in first, line" in t["reason"] for t in r["results"])'

# ---- budgets ----
printf 'def solve_92eac448(I):\n    x1 = height(I)\n    x2 = interval(x1, 900, ONE)\n    x3 = product(x2, x2)\n    x4 = size(x3)\n    O = canvas(x4, UNITY)\n    return O\n' >long.py
wants 1 'out of budget' "$BATT" run --max-steps 1000 --id 92eac448 -s long.py
wants 1 'out of memory' "$BATT" run --max-memory 1M --id 92eac448 -s long.py
sed -i 's/x4 = size(x3)/x3a = apply(size, x3)\n    x3b = merge(x3)\n    x3c = size(x3a)\n    x3d = size(x3b)\n    x4 = add(x3c, x3d)/' long.py
wants 1 'out of time' "$BATT" run --timeout 2ms --id 92eac448 -s long.py

# ---- right on training only, answers that nobody knows, differences ----
printf '{"t":{"train":[{"input":[[1,2]],"output":[[2,1]]}],"test":[{"input":[[3,4]],"output":[[3,4]]}]}}' >only.json
printf '{"t":{"train":[{"input":[[1,2]],"output":[[2,1]]}],"test":[{"input":[[3,4]]}]}}' >unknown.json
printf 'def solve_t(I):\n    O = vmirror(I)\n    return O\n' >t.py
wants 1 'training only' "$BATT" run -s t.py only.json
wants 1 '1 right on the training pairs only' "$BATT" run -s t.py only.json
wants 0 '1 of 1 answered' "$BATT" run -s t.py unknown.json
wants 1 '2 of 2 cells wrong' "$BATT" run --diff -s t.py only.json
grep -q '3 4  . *4!3!' out || fail "wrong cells are not marked"

# ---- damaged files: the others still load ----
mkdir mixed
cp only.json mixed/good.json
printf '{"train":[{"input":[[1,12]],"output":[[1]]}],"test":[]}' >mixed/bad.json
wants 1 'mixed/bad.json:1:24: .*outside 0..9' "$BATT" run -s t.py mixed
grep -q 'of 1 solved' out || fail "the sound task was not run"
wants 2 'mixed/bad.json:1:24: ' "$BATT" run --strict -s t.py mixed
wants 2 'mixed/bad.json:1:24: ' "$BATT" run -s t.py mixed/bad.json
wants 2 'No such file' "$BATT" run -s t.py nowhere
wants 2 'No such file' "$BATT" run -s nowhere.py only.json
printf 'def solve_t(I):\n    O = vmiror(I)\n    return O\n' >typo.py
wants 2 "typo.py:2:9: .*vmirror" "$BATT" run -s typo.py only.json

# ---- options without effect are refused ----
wants 2 'no-share needs --all' "$BATT" run --no-share
wants 2 'cannot be combined with' "$BATT" run --json --diff

# ---- pictures and the gallery ----
wants 0 'def solve_' "$BATT" run --quiet --show 2
[ "$(grep -c 'return O' out)" -eq 2 ] || fail "--show 2 does not show two programs"
wants 0 'gallery +page.html' "$BATT" run --gallery page.html
grep -q '</html>' page.html || fail "the page is not complete"
[ "$(grep -c '^{"id"' page.html)" -eq 48 ] || [ "$(grep -c '"id":' page.html)" -ge 48 ] || fail "tasks are missing on the page"
