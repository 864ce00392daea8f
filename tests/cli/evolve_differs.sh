#!/bin/bash
# batt evolve --breed differs: differs mutate, their scores per task are in the store, and from there in records, lineage
# and folders of the Python pipeline.
set -eu

. tests/words.sh
cd "$TMP"
few="--breed differs --count 4 --children 100"
best() { sed -n '/"best"/,$p' "$1"; }
# shellcheck disable=SC2086
{
    "$BATT" evolve $few --generations 9 -j 1 --json >one
    "$BATT" evolve $few --generations 3 --store s.batt -q >/dev/null
    "$BATT" evolve $few --generations 9 --store s.batt -j 2 --json >rest
}
grep -q '"breed": "differs"' one || fail "the JSON does not say that differs are bred"
grep -q '"resumed": true' rest || fail "the run was not gone on with"
[ "$(best one)" = "$(best rest)" ] || fail "going on gives another result"
"$BATT" store check s.batt >/dev/null || fail "the store is damaged"

# Records are of differs, one for a task and program; there are no results, which are those of solvers.
"$BATT" store records s.batt -n 0 --json >records
python3 - <<'END' || fail "records: $(head -c 600 records)"
import json
records, best = json.load(open("records"))["records"], json.load(open("one"))["best"]
assert {r["kind"] for r in records} == {"differ"}
for b in best:
    of_task = [r["score"] for r in records if r["task"] == b["task"]]
    assert max(of_task) >= b["on_record"] >= b["score"] and len(of_task) > 2, b
    assert all(0 <= score <= 1000 * (b["train_total"] + 1) for score in of_task)
assert len({(r["task"], r["file"]) for r in records}) == len(records)
END
"$BATT" store stats s.batt --json | grep -q '"results": 0,' || fail "differs have results"
task=$(sed -n 's/.*"task": "\(.*\)",/\1/p' records | head -n 1)
wants 0 "^[0-9a-f]{8}  [0-9]+ as a differ, " "$BATT" store lineage s.batt "$task"
grep -q "^scores on $task$" out || fail "whose scores: $(cat out)"
file=$(sed -n 's/.*"file": "\(.*\)",/\1/p' records | tail -n 1)
wants 0 "^${file:0:8}  [0-9]+ as a differ, " "$BATT" store lineage s.batt "$file"

# Out to the pipeline's folders and in again: the same records. As a file as well.
"$BATT" store export s.batt --layout solver_dir folder >/dev/null
[ -z "$(ls folder/solver_dir)" ] && [ -d "folder/differ_dir/solve_$task" ] || fail "the layout: $(ls folder/*)"
"$BATT" store import t.batt folder/differ_dir >/dev/null
"$BATT" store export s.batt -o file.py >/dev/null
"$BATT" store import u.batt file.py >/dev/null
for copy in t u; do
    "$BATT" store records $copy.batt -n 0 --json | cmp - records || fail "$copy.batt has other records"
done

# They are differs: evolution takes them to score solvers, and to start from; from a store they come by themselves.
"$BATT" store prune s.batt -k 2 >pruned
grep -q 'differs [1-9]' pruned || fail "nothing pruned: $(cat pruned)"
[ "$("$BATT" store records s.batt --json | grep -c '"kind"')" -eq 8 ] || fail "not two differs for each of four tasks"
"$BATT" store export s.batt --layout solver_dir kept >/dev/null
"$BATT" evolve --count 1 --children 50 --generations 2 --differs kept/differ_dir -q >/dev/null || fail "no differs for solvers"
# shellcheck disable=SC2086
"$BATT" evolve $few --generations 1 --fresh --store s.batt -q >out
grep -q '8 programs of the store were among the founders' out || fail "founders of the store: $(cat out)"
"$BATT" store records s.batt --json >after
[ "$(grep -c '"kind"' after)" -gt 8 ] || fail "a fresh run adds no records"

# A differ that is wrong everywhere is bred from as well; solvers give more answers to judge by.
printf 'def differ_size(S, I, C):\n    x1 = shape_t(I)\n    x2 = shape_t(C)\n    x3 = equality(x1, x2)\n    O = multiply(x3, THOUSAND)\n    return O\n' >differ.py
printf 'def solve_x(I):\n    O = rot180(I)\n    return O\n' >solvers.py
# shellcheck disable=SC2086
"$BATT" evolve $few --generations 1 --differs differ.py -s solvers.py --json >more.json
grep -q '"train_exact"' more.json || fail "no differs: $(cat more.json)"
printf 'def differ(I):\n    return 1\n' >bad.py
# shellcheck disable=SC2086
{
    wants 2 'parameters \(S, I, C\)' "$BATT" evolve $few --generations 1 --differs bad.py
    wants 2 'always run in batt mode' "$BATT" evolve $few --generations 1 --mode batt
}
wants 2 'breed' "$BATT" evolve --breed cats --generations 1
