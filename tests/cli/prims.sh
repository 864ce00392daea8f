#!/bin/bash
# batt prims: the list, one primitive, suggestions, JSON.
set -eu
fail() { echo "$*"; exit 1; }
"$BATT" prims >"$TMP/list"
while read -r name; do
    grep -qw -- "$name" "$TMP/list" || fail "$name is not listed"
done <tests/names.txt
"$BATT" prims fill >"$TMP/fill"
grep -qF 'fill(grid: grid, value|color: color, patch: patch) -> grid' "$TMP/fill" || fail "$(cat "$TMP/fill")"
grep -q 'example   fill(' "$TMP/fill"
"$BATT" prims get_nth_by_key_t apply | grep -qF 'apply(function: fn(a)->b, container: C(a)) -> C(b)'
status=0
"$BATT" prims filk 2>"$TMP/err" || status=$?
[ $status = 2 ] || fail "exit code $status"
grep -q "did you mean 'fill'" "$TMP/err" || fail "$(cat "$TMP/err")"
"$BATT" prims --json >"$TMP/json"
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys
prims = {p["name"]: p for p in json.load(open(sys.argv[1]))}
assert all(name.strip() in prims for name in open("tests/names.txt"))
assert prims["fill"]["arity"] == 3 and prims["first"]["depends_on_order"] and not prims["add"]["depends_on_order"]
assert prims["palette"]["from"] == "arc-dsl" and prims["o_g"]["from"] == "dialect"
assert "o_g_tuple" in prims["o_g_t"]["aliases"]' "$TMP/json"
fi
