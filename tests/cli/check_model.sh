# Random calls of primitives against the slow model of the specification, where that is present (scripts/check-model).
# MODEL_SEED chooses other ones.
set -eu
. tests/words.sh
calls=${BATT_TEST_QUICK:+1000}
status=0
export BATT
scripts/check-model "${calls:-20000}" "${MODEL_SEED:-1}" || status=$?
[ $status -ne 77 ] || exit 77
[ $status -eq 0 ] || fail "batt differs from the model"

# A wrong value is noticed.
cat >"$TMP/wrong" <<'WRONG'
#!/bin/sh
for file; do :; done
[ "$1" != eval ] || sed -i '1s/	.*/	((99,),)/' "$file"
exec "$BATT_OF_TEST" "$@"
WRONG
chmod +x "$TMP/wrong"
export BATT_OF_TEST=$BATT
! BATT=$TMP/wrong scripts/check-model 10 1 >"$TMP/out" 2>&1
grep -q 'NOT EXPLAINED' "$TMP/out" || fail "a wrong value goes unnoticed: $(cat "$TMP/out")"
! BATT_ORACLE=$TMP scripts/check-model 10 1 >"$TMP/out" 2>&1
grep -q 'skipped: no model' "$TMP/out" || fail "nothing is said where the model is missing"
