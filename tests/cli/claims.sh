#!/bin/bash
# scripts/claims: every text of bench/claims is in its document, what can be measured in seconds is what is claimed, and a
# figure or a text that is wrong is noticed.
set -eu
. tests/words.sh
export BATT_BUILD=${BATT_BUILD:-build}
scripts/claims --texts >"$TMP/out" || { cat "$TMP/out"; fail "the table does not match the documents"; }
if [ -n "${BATT_TEST_SLOW:-}" ]; then
    echo "skipped in part: measured once, with the release build"
else
    scripts/claims --quick >"$TMP/out" || { grep FAIL "$TMP/out"; fail "a claim does not hold"; }
    [ "$(grep -c '^ok' "$TMP/out")" -ge 8 ] || { cat "$TMP/out"; fail "few claims were measured"; }
fi

noticed() { # WHAT SED-SCRIPT PATTERN
    sed "$2" bench/claims >"$TMP/wrong"
    status=0
    scripts/claims --table "$TMP/wrong" examples >"$TMP/out" || status=$?
    [ $status -eq 1 ] && grep -q "$3" "$TMP/out" || { cat "$TMP/out"; fail "not noticed: $1 (exit code $status)"; }
}
noticed "another figure" '/^\[examples\]/,/^$/s/^read = .*/read = j["tasks_solved"] - 1/' '^FAIL  *examples .*claim 48, measured 47'
noticed "a command that fails" '/^\[examples\]/,/^$/s/^run = .*/run = false/' '^FAIL  *examples .*exit code 1'
noticed "a text that is not there" 's/solve {} example tasks/solve {} sample tasks/' '^FAIL  *examples: README.md: found 0 times'
noticed "a question without a claim" 's/^under = How fast is the engine?/under = Speed/' "^FAIL  *bench/RESULTS.md: .*'How fast is the engine?'"
noticed "a field misspelled" '/^\[examples\]/,/^$/s/^within/withn/' '^FAIL  *examples: no field withn'
status=0
scripts/claims nonesuch >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || fail "exit code $status for a claim that is not there"
