#!/bin/bash
# What docs/compatibility.md promises: commands, options, primitives, functions, enumerators and members of every release
# are still there, and its stores can be read.
set -eu
. tests/words.sh
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }

scripts/interface "$BATT" >"$TMP/now"
[ "$(wc -l <"$TMP/now")" -gt 900 ] || fail "the interface was not understood"
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
done
