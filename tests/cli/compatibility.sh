#!/bin/bash
# What docs/compatibility.md promises: commands, options, primitives, functions, enumerators, layouts, members of reports and
# names in Python of every release are still there, and the files that it wrote can be read.
set -eu
. tests/words.sh
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }

scripts/interface "$BATT" >"$TMP/now"
[ "$(wc -l <"$TMP/now")" -gt 2000 ] || fail "the interface was not understood"
for release in tests/compatibility/*.txt; do
    grep -Fxv -f "$TMP/now" "$release" >"$TMP/gone" || [ $? -eq 1 ]
    [ ! -s "$TMP/gone" ] || { cat "$TMP/gone"; fail "$release: these are gone or have changed"; }
    store=${release%.txt}.batt
    cp "$store" "$TMP/store.batt"
    "$BATT" store check "$TMP/store.batt" >"$TMP/out" || { cat "$TMP/out"; fail "$store is not sound"; }
    "$BATT" store best "$TMP/store.batt" --json >"$TMP/best"
    [ "$(grep -c '"program"' "$TMP/best")" -ge 5 ] || fail "$store: programs are missing"
    # Programs of the store are read, and still right on the training pairs that they were found for.
    "$BATT" store export "$TMP/store.batt" >"$TMP/solvers.py"
    "$BATT" run -s "$TMP/solvers.py" --count 5 --json >"$TMP/run" || [ $? -eq 1 ]
    [ "$(grep -cE '"samples_correct": [34],' "$TMP/run")" -eq 5 ] || { cat "$TMP/run"; fail "$store: its programs are not right any more"; }

    # Files of other kinds, from four tasks of it.
    file=${release%.txt}
    wants 0 '^order +22 ' "$BATT" profile batch --from "$file.profile.json"
    wants 0 '^2026-11-18T20:12:57 +4 +4 +4 ' "$BATT" profile history "$file.history.jsonl"
    wants 0 'examples \| 2000 steps \| 3 ' "$BATT" bench search --report "$file.outcomes.tsv"
    wants 0 '"tasks_solved": 1,' "$BATT" solve --vocabulary "$file.vocabulary" --steps 200000 -n 1 --json
    wants 1 '"tasks_solved": 3,' "$BATT" run --battery "$file.battery.py" --json
done
