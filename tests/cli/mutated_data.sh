# Thousands of damaged data files at once: the sound tasks among them load, every message names file, line and column.
set -eu
helper=$(dirname "$BATT")/unit/test_mutated
[ -x "$helper" ] || { echo "skipped: $helper is not built"; exit 77; }
. tests/words.sh
count=4000
[ -z "${BATT_TEST_QUICK:-}" ] || count=500
mkdir "$TMP/data"
"$helper" write "$TMP/data" $count

for command in "run --json" "show --json" "show --list" "run -q --all"; do
    status=0
    # shellcheck disable=SC2086
    timeout 120 "$BATT" $command "$TMP/data" >"$TMP/out" 2>"$TMP/err" || status=$?
    [ $status -le 1 ] || { tail -n 3 "$TMP/err"; fail "batt $command: exit code $status"; }
    [ "$(grep -c 'data/[0-9]*\.json:[0-9]*:[0-9]*: ' "$TMP/err")" -eq 20 ] || fail "batt $command: not twenty errors with a place"
    grep -q 'and [0-9]* more errors' "$TMP/err" || fail "batt $command: the other errors are not counted"
done
status=0
"$BATT" show --strict "$TMP/data" >"$TMP/out" 2>"$TMP/err" || status=$?
[ $status -eq 2 ] && [ "$(wc -l <"$TMP/err")" -eq 1 ] || fail "--strict does not stop at the first error"

# One by one, as data and as submission: never more than 2, and a file of which nothing is left is an error.
for k in $(seq -f %06g 0 $((count / 25))); do
    for command in "show --list" "score"; do
        status=0
        # shellcheck disable=SC2086
        timeout 20 "$BATT" $command "$TMP/data/$k.json" >"$TMP/out" 2>"$TMP/err" || status=$?
        [ $status -le 2 ] || fail "batt $command $k.json: exit code $status"
        [ $status -eq 0 ] || [ -s "$TMP/err" ] || fail "batt $command $k.json: exit code $status without a word"
        [ $status -ne 2 ] || grep -qE "$k\.json(:[0-9]+:[0-9]+)?: " "$TMP/err" || fail "batt $command $k.json: $(cat "$TMP/err")"
    done
done
