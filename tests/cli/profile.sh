#!/bin/bash
# batt profile from outside: every view, every format, tasks that run out of budget, comparing.
set -eu
: "${TMP:?}" "${BATT:?}"
. tests/words.sh
json() { # FILE PYTHON: an expression over d that must be true
    python3 -c "import json, sys; d = json.load(open(sys.argv[1])); sys.exit(0 if ($2) else 1)" "$1" || fail "$2 does not hold in $1"
}
have_python=$(command -v python3 || true)

# ---- views ----
for view in dsl batch framework pipeline; do
    "$BATT" profile $view --repeat 2 >"$TMP/$view.txt" || fail "profile $view"
    "$BATT" profile $view --repeat 2 --json >"$TMP/$view.json" || fail "profile $view --json"
done
grep -q 'priority' "$TMP/dsl.txt" || fail 'dsl names no priority'
grep -q 'median task' "$TMP/batch.txt" || fail 'batch without the median'
grep -qE '^impact and effort' "$TMP/batch.txt" || fail 'batch without impact and effort'
grep -qE '^category .* per call' "$TMP/framework.txt" || fail 'framework does not say what a call takes'
grep -q 'set operations' "$TMP/framework.txt" || fail 'framework without its categories'
grep -q 'validate' "$TMP/pipeline.txt" || fail 'pipeline without validate'
if grep -q unaccounted "$TMP"/*.txt; then fail 'a report has unaccounted time'; fi
"$BATT" profile pipeline --repeat 2 --budget 8h --project 400,120000 --what-if generate=2x,objects=4x >"$TMP/out"
grep -q 'full runs in 8.00 h' "$TMP/out" || fail 'no budget'
grep -q 'what if     objects 4 times' "$TMP/out" || fail 'no what-if'
task=$("$BATT" run --json | sed -n 's/.*"id": "\([^"]*\)".*/\1/p' | head -n 1)
"$BATT" profile lines "$task" "$task" --repeat 3 >"$TMP/out"
grep -q "x1 = " "$TMP/out" || fail 'lines shows no program'

# ---- files ----
"$BATT" profile batch --repeat 3 --profile trace -o "$TMP/p.json" -o "$TMP/p.csv" -o "$TMP/p.folded" -o "$TMP/p.speedscope.json" \
    -o "$TMP/p.trace.json" -o "$TMP/callgrind.out.1" -o "$TMP/p.html" >/dev/null || fail 'writing all formats'
if grep -vE '^batt(;[a-z_0-9]+)* [0-9]+$' "$TMP/p.folded"; then fail 'folded stacks'; fi
head -n 1 "$TMP/callgrind.out.1" | grep -q '^# callgrind format$' || fail 'callgrind'
if command -v callgrind_annotate >/dev/null; then
    callgrind_annotate "$TMP/callgrind.out.1" >"$TMP/annotated" 2>&1 || fail "callgrind_annotate: $(cat "$TMP/annotated")"
    grep -q 'objects' "$TMP/annotated" || fail 'callgrind_annotate sees no objects'
fi
"$BATT" profile batch --from "$TMP/p.json" >"$TMP/again" || fail 're-analysis'
grep -q 'median task' "$TMP/again" || fail 're-analysis shows nothing'
"$BATT" profile batch --repeat 3 --append -o "$TMP/p.json" --profile trace >/dev/null || fail 'append'
grep -q '"repeats": 6' "$TMP/p.json" || fail 'append did not add'
"$BATT" run -q --profile timing --profile-out "$TMP/run.json" >"$TMP/out"
grep -q 'items measured' "$TMP/out" || fail 'run --profile timing'
"$BATT" run --json >"$TMP/run_counters.json"
grep -q '"level": "counters"' "$TMP/run_counters.json" || fail 'counters are not on by default'
"$BATT" run --json --profile off >"$TMP/run_off.json"
if grep -q '"profile"' "$TMP/run_off.json"; then fail 'off is not off'; fi

# ---- bad input ----
bad 'no format' "$BATT" profile batch -o "$TMP/p.text"
bad 'text files are for' "$BATT" profile batch --json -o "$TMP/p.txt"
"$BATT" profile batch --repeat 1 --color always -o "$TMP/p.txt" >"$TMP/colored" || fail 'a text'
sed 's/\x1b\[[0-9;]*m//g' "$TMP/colored" | cmp - "$TMP/p.txt" || fail 'the text is not what was printed'
bad 'Chrome' "$BATT" profile batch -o "$TMP/x.trace.json"
bad 'p.csv' "$BATT" profile batch --from "$TMP/p.csv"
bad 'not a profile' "$BATT" profile batch --from "$TMP/run_off.json"
bad 'what-if' "$BATT" profile pipeline --repeat 1 --what-if nothing=2x
bad 'project' "$BATT" profile batch --repeat 1 --project 4x
bad 'two saved' "$BATT" profile compare "$TMP/p.json"
bad 'needs --profile' "$BATT" run --profile-out "$TMP/p.json"

# ---- the four endless tasks: the others' figures are as if they were not there ----
mkdir "$TMP/tasks" "$TMP/rest"
row=0,1,2,0,3,0,1,1,0,2,0,4
grid="[[$row],[$row]"
for k in 1 2 3 4 5 6 7 8; do
    row=${row#*,},${row%%,*}
    grid="$grid,[$row]"
done
grid="$grid]"
for k in $(seq -w 0 99); do
    echo "{\"train\":[{\"input\":$grid,\"output\":$grid}],\"test\":[{\"input\":$grid}]}" >"$TMP/tasks/t$k.json"
    if [ "$k" -lt 96 ]; then
        printf 'def solve_t%s(I):\n    x1 = objects(I, T, F, T)\n    x2 = merge(x1)\n    x3 = outbox(x2)\n    O = fill(I, TWO, x3)\n    return O\n' "$k" >>"$TMP/s.py"
        cp "$TMP/tasks/t$k.json" "$TMP/rest/"
    else
        printf 'def solve_t%s(I):\n    x1 = interval(ZERO, 900, ONE)\n    x2 = lbind(apply, increment)\n    x3 = power(x2, 900)\n    O = x3(x1)\n    return O\n' "$k" >>"$TMP/s.py"
    fi
done
"$BATT" profile batch -s "$TMP/s.py" --repeat 3 --max-steps 200000 -o "$TMP/story.json" "$TMP/tasks" >"$TMP/story.txt"
grep -q '^4 outliers' "$TMP/story.txt" || fail "the endless tasks are not the outliers: $(grep -i outlier "$TMP/story.txt")"
grep -q 't97 .*out of' "$TMP/story.txt" || fail 'an outlier does not say what it ran out of'
# What two runs measure differs a little, on a busy machine at times a lot: then once more.
same_shares() {
    "$BATT" profile batch -s "$TMP/s.py" --repeat 3 --max-steps 200000 -o "$TMP/story.json" "$TMP/tasks" >/dev/null
    "$BATT" profile batch --from "$TMP/story.json" --filter-outliers --json >"$TMP/filtered.json"
    "$BATT" profile batch -s "$TMP/s.py" --repeat 3 --max-steps 200000 --json "$TMP/rest" >"$TMP/alone.json"
    python3 - "$TMP" <<'PYTHON'
import json, sys
filtered = json.load(open(sys.argv[1] + "/filtered.json"))["without_outliers"]
alone = json.load(open(sys.argv[1] + "/alone.json"))["all"]
rows = lambda s: {r["name"]: r for r in s["rows"]}
a, b = rows(filtered), rows(alone)
assert filtered["tasks"] == alone["tasks"] == 96, (filtered["tasks"], alone["tasks"])
assert a.keys() == b.keys() == {"objects", "merge", "outbox", "fill"}, (a.keys(), b.keys())
for name in a:
    assert a[name]["calls"] == b[name]["calls"], name
    assert abs(a[name]["share"] - b[name]["share"]) < 0.1, (name, a[name]["share"], b[name]["share"])
PYTHON
}
if [ -n "$have_python" ]; then
    same_shares || same_shares || same_shares || fail 'filtered shares are not those of the ninety-six alone'
    # The saved profile without the four, by hand: every share is the same as that of the filter, exactly.
    python3 - "$TMP" <<'PYTHON'
import json, sys
p = json.load(open(sys.argv[1] + "/story.json"))
out = {k for k, t in enumerate(p["tasks"]) if t["over_budget"] > 0}
assert len(out) == 4 and len(p["tasks"]) == 100, out
places, task_of, stacks = {0: 0}, {}, []
for k, s in enumerate(p["stacks"], 1):
    task_of[k] = -1 - s[1] if s[0] == 0 else task_of[s[0]]
    if task_of[k] not in out:
        name = s[1] if s[0] else -1 - (task_of[k] - sum(x < task_of[k] for x in out))
        stacks.append([places[s[0]], name] + s[2:])
        places[k] = len(stacks)
p["tasks"] = [t for k, t in enumerate(p["tasks"]) if k not in out]
p["stacks"] = stacks
for k, name in enumerate(p["names"]): # the counters are of the whole run: calls and failures of the rest
    name[2] = sum(r[1] for t in p["tasks"] for r in t["rows"] if r[0] == k)
    name[3] = sum(r[2] for t in p["tasks"] for r in t["rows"] if r[0] == k)
json.dump(p, open(sys.argv[1] + "/rest.json", "w"))
PYTHON
    "$BATT" profile batch --from "$TMP/rest.json" --json >"$TMP/by_hand.json"
    python3 - "$TMP" <<'PYTHON' || fail 'the filter is not the profile without the four tasks'
import json, sys
filtered = json.load(open(sys.argv[1] + "/filtered.json"))["without_outliers"]
by_hand = json.load(open(sys.argv[1] + "/by_hand.json"))["all"]
assert filtered["rows"] == by_hand["rows"], (filtered["rows"], by_hand["rows"])
assert {k: v for k, v in filtered.items() if k != "rows"} == {k: v for k, v in by_hand.items() if k != "rows"}
PYTHON
    # sums: phases to the wall time, rows to the pass
    json "$TMP/batch.json" 'abs(d["unaccounted_s"]) <= 0.01 * d["wall_s"]'
    json "$TMP/batch.json" 'abs(sum(d["phases"].values()) - d["wall_s"]) <= 0.01 * d["wall_s"]'
    json "$TMP/batch.json" 'abs(d["execute"]["unaccounted_s"]) <= 0.01 * d["execute"]["pass_s"]'
    json "$TMP/batch.json" 'abs(sum(r["self_us"] for r in d["all"]["rows"]) * 1e-6 + d["all"]["dispatch_s"] - d["all"]["execute_s"]) <= 0.01 * d["all"]["execute_s"]'
fi

# ---- exact counts, one loop: what run counts and says, profile counts and says ----
if [ -n "$have_python" ]; then
    for how in '' --all; do
        # shellcheck disable=SC2086
        "$BATT" run --json $how >"$TMP/run_all.json"
        for repeat in 1 4; do
            # shellcheck disable=SC2086
            "$BATT" profile batch --json $how --repeat $repeat -o "$TMP/counted.json" --force >"$TMP/counts.json"
            python3 - "$TMP" "$how" <<'PYTHON' || fail "run $how and profile --repeat $repeat $how do not agree"
import json, sys
run, batch, p = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in ("run_all", "counts", "counted"))
exact = {k: (r["calls"], r["fails"]) for k, r in run["profile"]["prims"].items() if r["calls"]}
rows = {r["name"]: (r["calls"], r["fails"]) for r in batch["all"]["rows"]}
if sys.argv[2]: # merging programs makes some calls, before any task
    assert all(c <= exact[k][0] for k, (c, f) in rows.items()), "counts"
    exact = rows
assert exact == rows, "counts"
names, tasks = [n[0] for n in p["names"]], {}
for task in p["tasks"]:
    for row in task["rows"]:
        tasks[names[row[0]]] = tasks.get(names[row[0]], 0) + row[1]
assert tasks == {k: c for k, (c, f) in exact.items()}, "counts by task"
assert {t["id"]: t["solved"] for t in run["results"]} == {t["id"]: t["solved"] for t in p["tasks"]}, "verdicts"
for r in batch["all"]["rows"]: # a priority is that of the whole interval
    word = lambda s: "HIGH" if s > 0.1 else "MEDIUM" if s >= 0.05 else "LOW" if s >= 0.01 else ""
    assert r["share_low"] <= r["share"] + 1e-6 and r["share"] <= r["share_high"] + 1e-6, r
    assert r["priority"] in ("", word(r["share_low"])) and r["priority"] in ("", word(r["share_high"])), r
PYTHON
        done
    done
    # test outputs that nobody knows: not solved, by whatever way
    "$BATT" run -s "$TMP/s.py" --json --max-steps 200000 "$TMP/rest" >"$TMP/run_all.json" || true
    json "$TMP/run_all.json" 'not any(t["solved"] for t in d["results"])'
    for how in '' --all; do
        # shellcheck disable=SC2086
        "$BATT" profile batch -s "$TMP/s.py" $how -n 3 --repeat 1 --max-steps 200000 -o "$TMP/blind.json" --force "$TMP/rest" >/dev/null
        json "$TMP/blind.json" 'not any(t["solved"] for t in d["tasks"])'
    done
fi

# ---- a battery: the same calls, however often it is run ----
"$BATT" card --freeze -n 12 -o "$TMP/battery.py" >/dev/null 2>&1
for view in dsl batch framework pipeline; do
    "$BATT" profile $view --battery "$TMP/battery.py" --repeat 1 >"$TMP/out" || fail "profile $view --battery"
done
if [ -n "$have_python" ]; then
    "$BATT" profile batch --battery "$TMP/battery.py" --repeat 1 --json >"$TMP/counts1.json"
    "$BATT" profile batch --battery "$TMP/battery.py" --repeat 3 -j 2 --json >"$TMP/counts3.json"
    json "$TMP/counts1.json" "{r['name']: r['calls'] for r in d['all']['rows']} == {r['name']: r['calls'] for r in json.load(open('$TMP/counts3.json'))['all']['rows']}"
fi
bad 'cannot be combined with' "$BATT" profile batch --battery "$TMP/battery.py" -s "$TMP/s.py"
bad 'is for the views dsl' "$BATT" profile lines --battery "$TMP/battery.py" x y

# ---- pipeline: accuracy, projection, what if ----
status=0
"$BATT" profile pipeline -s "$TMP/s.py" -n 3 --repeat 1 --max-steps 200000 "$TMP/rest" >"$TMP/out" || status=$?
[ $status -eq 1 ] || fail "pipeline: exit $status, not 1, though nothing is right"
grep -q '0 % ACCURACY' "$TMP/out" || fail 'pipeline: no banner'
grep -q '^accuracy    48 of 48' "$TMP/pipeline.txt" || fail "pipeline: $(grep '^accuracy' "$TMP/pipeline.txt")"
if [ -n "$have_python" ]; then
    "$BATT" profile pipeline --json --what-if 'load=1000x,execute=1000x,objects=1000x' >"$TMP/out"
    json "$TMP/out" '0 < d["projection"][0]["run_sped_up_s"] < d["projection"][0]["run_s"]'
    "$BATT" profile pipeline --json --what-if 'objects=100x,apply=100x,execute=1000x' >"$TMP/out"
    json "$TMP/out" 'd["projection"][0]["run_sped_up_s"] >= d["steps"]["load"]["s"] + d["steps"]["generate"]["s"] + d["steps"]["validate"]["s"]'
    "$BATT" profile pipeline --json --what-if 'objects=3x-6x,set-operations=2x' >"$TMP/out"
    json "$TMP/out" 'd["projection"][0]["run_sped_up_max_s"] < d["projection"][0]["run_sped_up_s"] < d["projection"][0]["run_s"]'
    # twenty tasks say what a hundred take; fixed costs are not multiplied
    projected() {
        for k in 1 2 3 4 5; do
            "$BATT" profile pipeline -s "$TMP/s.py" -n 20 --project 96 --json "$TMP/rest" >"$TMP/twenty$k.json" || true
            "$BATT" run -s "$TMP/s.py" -j 1 --json "$TMP/rest" >"$TMP/all$k.json" || true
        done
        python3 - "$TMP" <<'PYTHON'
import json, statistics, sys # interruptions are as long as the whole, so of each phase the shortest counts
said = statistics.median(json.load(open(f"{sys.argv[1]}/twenty{k}.json"))["projection"][0]["run_s"] for k in range(1, 6))
runs = [json.load(open(f"{sys.argv[1]}/all{k}.json"))["phases"] for k in range(1, 6)]
took = sum(min(p[k] for p in runs) for k in runs[0] if k != "report")
print(f"projected {said * 1e3:.2f} ms, measured {took * 1e3:.2f} ms")
sys.exit(0 if abs(said / took - 1) <= 0.25 else 1)
PYTHON
    }
    ! idle || projected || projected || projected || fail 'the projection is off by more than a quarter'
fi

# ---- compare: runs are compared, not repeats; no regression against itself, one where everything takes twice as long ----
"$BATT" profile compare "$TMP/p.json" "$TMP/p.json" >"$TMP/out" || fail 'compare with itself'
grep -q 'not enough runs' "$TMP/out" || fail 'two runs are judged'
if [ -n "$have_python" ]; then
    # What was measured may be noise on a busy machine: the first repeat again and again, a thousandth more each time.
    python3 - "$TMP/p.json" "$TMP/steady.json" "$TMP/slow.json" <<'PYTHON'
import json, sys
p = json.load(open(sys.argv[1]))
steady = lambda times: [times[0] * (1 + 0.001 * k) for k in range(len(times))]
p["runs"] = [1] * p["repeats"]
for task in p["tasks"]:
    task["execute_ns"] = steady(task["execute_ns"])
    for row in task["rows"]:
        row[5:] = steady(row[5:])
json.dump(p, open(sys.argv[2], "w"))
for task in p["tasks"]:
    task["execute_ns"] = [2 * x for x in task["execute_ns"]]
    for row in task["rows"]:
        row[5:] = [2 * x for x in row[5:]]
json.dump(p, open(sys.argv[3], "w"))
p["runs"] = [p["repeats"]]
json.dump(p, open(sys.argv[3] + ".one.json", "w"))
p["runs"] = [p["repeats"] - 1]
json.dump(p, open(sys.argv[3] + ".bad.json", "w"))
PYTHON
    status=0
    "$BATT" profile compare "$TMP/steady.json" "$TMP/slow.json" -o "$TMP/compare.html" >"$TMP/out" || status=$?
    [ $status -eq 1 ] || fail "compare: exit $status, not 1, for twice the time: $(cat "$TMP/out")"
    grep -q '^all evaluations .*REGRESSION' "$TMP/out" || fail 'compare does not say REGRESSION'
    [ "$(grep -c 'REGRESSION$' "$TMP/out")" -eq 1 ] || fail 'rows that kept their share are called regressions'
    "$BATT" profile compare "$TMP/steady.json" "$TMP/slow.json" --threshold 200 >/dev/null || fail 'the threshold does not count'
    "$BATT" profile compare "$TMP/steady.json" "$TMP/slow.json.one.json" --json >"$TMP/out" || fail 'one run is judged'
    json "$TMP/out" 'd["tested"] is False and d["regression"] is False'
    bad 'repeats, not' "$BATT" profile compare "$TMP/steady.json" "$TMP/slow.json.bad.json"
fi
"$BATT" profile compare "$BATT" "$BATT" --runs 3 --repeat 1 >"$TMP/out" || fail "two programs: $(cat "$TMP/out")"
grep -q '3 runs before, 3 after' "$TMP/out" || fail 'compare does not run two programs'
bad 'two programs' "$BATT" profile compare "$TMP/p.json" "$TMP/p.json" "$TMP/rest"
echo 'profiles are made, shown, saved, filtered and compared'
