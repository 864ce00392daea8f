#!/bin/bash
# batt prims: the list, one primitive, suggestions, JSON.
set -eu
. tests/words.sh
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
prims = {p["name"]: p for p in json.load(open(sys.argv[1]))["primitives"]}
assert all(name.strip() in prims for name in open("tests/names.txt"))
assert prims["fill"]["arity"] == 3 and prims["first"]["depends_on_order"] and not prims["add"]["depends_on_order"]
assert prims["palette"]["from"] == "arc-dsl" and prims["o_g"]["from"] == "dialect"
assert "o_g_tuple" in prims["o_g_t"]["aliases"]
ours = [name for name in prims if prims[name]["from"] == "batt"]
assert len(ours) > 30, ours
for name in ours:
    calls = open("tests/vectors/ours/" + name + ".tsv").read().splitlines()
    assert len(calls) >= 10 and all(name + "(" in call for call in calls), name' "$TMP/json"
fi

# every feature is listed, and has vectors
listed=0
while read -r word number _; do
    listed=$((listed + 1))
    grep -q ", $number)	((" tests/vectors/ours/cell_feature.tsv || fail "no vectors for feature $word"
done < <("$BATT" prims cell_feature | grep -oE '^ +[A-Z0-9_]+ +[0-9]+ (color|count) ')
[ "$listed" -gt 100 ] || fail "$listed features are listed"
"$BATT" prims object_rule >"$TMP/object_rule"
[ "$(grep -c 'by: a partner' "$TMP/object_rule")" -ge 10 ] || fail "what partners are for is not said"
"$BATT" prims object_attribute | sed -n '/^  attribute$/,/^  example/p' | grep -oE '^  [A-Z0-9_]+ +[0-9]+ ' | while read -r _ number; do
    grep -q ", $number)	((" tests/vectors/ours/object_attribute.tsv || fail "no vectors for attribute $number"
done
"$BATT" prims stamp_keep | grep -q '0 is transparent' || fail "what a stamp is is not said"
