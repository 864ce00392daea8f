#!/bin/bash
# What batt profile says about priorities together (--what-if HIGH=..), rows found by a word (--search), and lines of
# FILE:function.
set -eu
fail() { echo "FAIL: $1"; exit 1; }
bad() { # WORDS COMMAND...
    local words=$1 status=0
    shift
    "$@" >/dev/null 2>"$TMP/err" || status=$?
    [ $status -eq 2 ] || fail "exit $status, not 2: $*"
    grep -q -e "$words" "$TMP/err" || fail "$*: $(cat "$TMP/err")"
}

"$BATT" profile batch -r 1 -o "$TMP/p.json" >"$TMP/text"
grep -qE '^impact      HIGH: .* -> .* to .* \(3 to 6 times as fast\); MEDIUM: .* \(2 to 4 times as fast\); together' "$TMP/text" ||
    fail "batch does not end with the impact"
grep -qE '^ +runs in 8.00 h: [0-9]+ now, [0-9]+ to [0-9]+ then$' "$TMP/text" || fail "batch: runs before and after"

# HIGH is the sum of the rows over 10 %, whatever else is named
"$BATT" profile batch --from "$TMP/p.json" --json --what-if HIGH=4x,LOW=2x-3x,objects=2x --budget 1h >"$TMP/out"
python3 - "$TMP/out" <<'P' || fail "the impact's figures"
import json, sys
d = json.load(open(sys.argv[1]))
rows, impact = d["all"]["rows"], d["impact"]
part = {r["name"]: r for r in impact["rows"]}
execute = d["all"]["execute_s"] * 1e6
names = {r["name"]: r["self_us"] for r in rows}
high = sum(us for us in names.values() if us > 0.1 * execute)
assert high > 0
scale = part["objects"]["us"] / names["objects"] # of what is summed up to the step as a whole
assert abs(part["HIGH"]["us"] - high * scale) < 0.1 + 0.01 * high, (part, high, scale)
assert part["HIGH"]["factor"] == part["HIGH"]["factor_max"] == 4
assert part["LOW"]["factor"] == 2 and part["LOW"]["factor_max"] == 3
assert impact["run_sped_up_max_s"] < impact["run_sped_up_s"] < impact["run_s"]
saved = (impact["run_s"] - impact["run_sped_up_s"]) * 1e6
assert saved > 0.75 * part["HIGH"]["us"] - 0.1
assert impact["budget_s"] == 3600
P
"$BATT" profile pipeline --from "$TMP/p.json" --what-if HIGH=3x-6x,MEDIUM=2x-4x >"$TMP/out"
grep -q '^what if     HIGH 3 to 6 times as fast' "$TMP/out" || fail "pipeline does not know HIGH"
bad 'no row `HIGHER`' "$BATT" profile batch --from "$TMP/p.json" --what-if HIGHER=2x
bad 'is for the views pipeline' "$BATT" profile dsl --from "$TMP/p.json" --what-if HIGH=2x

"$BATT" profile framework --from "$TMP/p.json" --json --search filter >"$TMP/out"
python3 - "$TMP/out" "$TMP/p.json" <<'P' || fail "framework --search"
import json, sys
found = [r["name"] for c in json.load(open(sys.argv[1]))["categories"] for r in c["largest"]]
assert len(found) >= 3 and all("filter" in name for name in found), found
P
"$BATT" profile framework --from "$TMP/p.json" --search 'set operations' >"$TMP/out"
[ "$(grep -c '^  ' "$TMP/out")" -gt 5 ] || fail "--search shows only the largest rows of a category"
if grep -q '^tuple operations' "$TMP/out"; then fail "--search shows other categories"; fi
status=0
"$BATT" profile framework --from "$TMP/p.json" --search nowhere >/dev/null 2>"$TMP/err" || status=$?
[ $status -eq 1 ] || fail "--search of nothing: exit $status"
bad 'is for the view framework' "$BATT" profile batch --from "$TMP/p.json" --search set

"$BATT" profile lines solvers/examples.py:solve_92eac448 92eac448 -r 1 >"$TMP/out"
grep -q '^solve_92eac448 on 92eac448' "$TMP/out" || fail "lines FILE:function"
"$BATT" profile lines solvers/examples.py 92eac448 -r 1 >"$TMP/out"
grep -q '^solve_92eac448 on 92eac448' "$TMP/out" || fail "lines FILE"
bad 'none of its programs is called nothing' "$BATT" profile lines solvers/examples.py:nothing 92eac448
