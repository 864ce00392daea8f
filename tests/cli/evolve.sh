#!/bin/bash
# batt evolve: the same result for a seed on any number of threads, resuming exactly where a run was interrupted or
# killed, differs from a file, and a store that other commands read.
set -eu

. tests/words.sh
refused() { # refused MESSAGE ARGS...
    local message=$1 status=0
    shift
    "$BATT" evolve "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
    [ $status -eq 2 ] || fail "exit code $status instead of 2: $*"
    grep -qF -- "$message" "$TMP/err" || fail "$* said: $(cat "$TMP/err")"
}
best() { sed -n '/"best"/,$p' "$1"; }

few="--count 5 --children 120"
# shellcheck disable=SC2086
{
    "$BATT" evolve $few --generations 12 -j 1 --json >"$TMP/one"
    "$BATT" evolve $few --generations 12 -j 3 --json >"$TMP/three"
    "$BATT" evolve $few --generations 12 --seed 2 --json >"$TMP/other"
}
[ "$(best "$TMP/one")" = "$(best "$TMP/three")" ] || fail "threads change the result"
[ "$(best "$TMP/one")" != "$(best "$TMP/other")" ] || fail "the seed changes nothing"
for key in tasks tasks_solved candidates distinct evaluations_per_s wall_s; do
    grep -q "\"$key\"" "$TMP/one" || fail "no $key in the JSON"
done
grep -q '"program": "O = trim(I)"' "$TMP/one" || fail "trim was not found"

begun() { # STORE: wait until it is there, which a busy machine may take a while for
    for _ in $(seq 600); do
        if [ -s "$1" ]; then break; fi
        sleep 0.1
    done
}

# In pieces, with a kill in between.
# shellcheck disable=SC2086
{
    "$BATT" evolve $few --generations 3 --store "$TMP/s.batt" --json >/dev/null
    "$BATT" evolve $few --generations 100000 --store "$TMP/k.batt" -q >/dev/null 2>&1 &
    victim=$!
    begun "$TMP/k.batt"
    sleep 1.7
    kill -9 $victim
    wait $victim 2>/dev/null || true
    "$BATT" store check "$TMP/k.batt" >/dev/null || fail "the store of a killed run is damaged"
    "$BATT" evolve $few --generations 12 --store "$TMP/s.batt" -j 2 --json >"$TMP/rest"
}
grep -q '"resumed": true' "$TMP/rest" || fail "the run was not gone on with"
grep -q '"generations": 9' "$TMP/rest" || fail "not nine generations"
[ "$(best "$TMP/one")" = "$(best "$TMP/rest")" ] || fail "going on gives another result"
if "$BATT" store stats "$TMP/k.batt" --json | grep -q '"runs": 1'; then
    # From wherever the kill left it, the end is that of a run that nothing happened to.
    # shellcheck disable=SC2086
    {
        "$BATT" evolve $few --generations 1 --store "$TMP/k.batt" --json >"$TMP/after" || fail "a killed run cannot be gone on with"
        end=$(($(sed -n 's/^ *"generation": \([0-9]*\),/\1/p' "$TMP/after") + 5))
        "$BATT" evolve $few --generations $end --store "$TMP/k.batt" --json >"$TMP/mended"
        "$BATT" evolve $few --generations $end --json >"$TMP/whole"
    }
    grep -q '"resumed": true' "$TMP/mended" || fail "the killed run was not gone on with"
    [ "$(best "$TMP/mended")" = "$(best "$TMP/whole")" ] || fail "a killed run ends elsewhere, at generation $end"
fi

"$BATT" store best "$TMP/s.batt" >"$TMP/best" || fail "store best does not read it"
grep -q . "$TMP/best" || fail "the store has no best"
"$BATT" store export "$TMP/s.batt" -o "$TMP/export.py" >/dev/null 2>&1 ||
    "$BATT" store export "$TMP/s.batt" >"$TMP/export.py" || fail "the store does not export"
"$BATT" lint "$TMP/export.py" >/dev/null || fail "the export does not lint"
# shellcheck disable=SC2086
"$BATT" evolve $few --generations 1 -s "$TMP/export.py" -q >/dev/null || fail "the export is no seed"

# The dialect evolves as well; differs come from files.
"$BATT" evolve --id fa2e3f8c --generations 2 --mode batt --json >"$TMP/batt"
grep -qE '"program": "O = (vmirror_t|mir_rot_t)' "$TMP/batt" || fail "no name of the dialect: $(cat "$TMP/batt")"
cat >"$TMP/differ.py" <<'END'
def differ_half(S, I, C):
    return (500, C)
END
"$BATT" evolve --count 1 --children 60 --generations 3 --differs "$TMP/differ.py" -q >/dev/null
printf 'def differ(I):\n    return 1\n' >"$TMP/bad.py"
refused "parameters (S, I, C)" --count 1 --generations 1 --differs "$TMP/bad.py"
refused "No such file" --generations 1 "$TMP/none.json"
printf 'not a store' >"$TMP/foreign"
refused "foreign" --generations 1 --count 1 --store "$TMP/foreign"
[ "$(cat "$TMP/foreign")" = "not a store" ] || fail "a foreign file was changed"

# Interrupted: exit code 130, and the store is whole.
# shellcheck disable=SC2086
"$BATT" evolve $few --time 60s --store "$TMP/i.batt" -q >/dev/null 2>&1 &
victim=$!
begun "$TMP/i.batt"
sleep 1.5
kill -INT $victim
status=0
wait $victim || status=$?
[ $status -eq 130 ] || fail "interrupted: exit code $status"
"$BATT" store check "$TMP/i.batt" >/dev/null || fail "the store of an interrupted run is damaged"
