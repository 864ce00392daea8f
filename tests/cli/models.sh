#!/bin/bash
# Our own primitives against slow models of them in Python (tests/models), on random calls. MODEL_SEED chooses other ones,
# MODEL_ROUNDS how many for each primitive and feature.
set -eu
. tests/words.sh
command -v python3 >/dev/null || { echo 'python3 is not installed'; exit 77; }
rounds=${MODEL_ROUNDS:-${BATT_TEST_QUICK:+2}}
export PYTHONDONTWRITEBYTECODE=1
python3 tests/models/check.py "$BATT" "$TMP/models.tsv" "${rounds:-3}" "${MODEL_SEED:-1}" || fail 'the models'
"$BATT" eval --vectors "$TMP/models.tsv" || fail 'batt and its models differ'

# A seed is a set of calls, and a wrong value is noticed.
for k in 1 2; do
    python3 tests/models/check.py "$BATT" "$TMP/again$k.tsv" 1 7 >/dev/null
done
cmp "$TMP/again1.tsv" "$TMP/again2.tsv" || fail 'the same seed gives other calls'
sed -i '1s/	.*/	((99,),)/' "$TMP/models.tsv"
if "$BATT" eval --vectors "$TMP/models.tsv" >/dev/null 2>&1; then fail 'a wrong value goes unnoticed'; fi
