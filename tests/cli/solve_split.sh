#!/bin/bash
# A task searched in subsearches: the same answers on any number of threads, the same budget, and resuming from a store.
set -eu
. tests/words.sh
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "skipped: test_subsearches runs under sanitizers"; exit 77; }
. tests/ranks.sh
cd "$TMP"
solve() { "$BATT" solve --without library --steps 400000 --count 8 "$@" || [ $? -eq 1 ]; }

solve --json -j1 | answers >whole
for n in 2 5; do
    solve --json -j1 --split $n | answers >one
    solve --json -j3 --split $n | answers | cmp - one || fail "--split $n depends on the number of threads"
    ! cmp -s one whole || fail "--split $n does nothing"
    python3 - <<'EOF' || fail "--split $n does not share the steps of a task"
import json
tasks = json.load(open("one"))["results"]
assert all(t["done"] for t in tasks) and sum(t["steps"] for t in tasks) < 1.3 * 400000 * len(tasks)
EOF
done
solve --json -j1 --split 1 | answers | cmp - whole || fail '--split 1 is not the default'

# The number of subsearches is part of the question.
solve -q --split 2 --store two.batt >out
solve -q --split 2 --store two.batt | grep -q 'resumed *8 tasks' || fail 'a split run does not go on'
solve -q --store two.batt >out
! grep -q resumed out || fail 'a run in subsearches is taken for another one'
"$BATT" store check two.batt >out || fail 'the store is damaged'

# One row of the profile for each subsearch.
solve -q --split 2 --profile timing --profile-out p.json >out
python3 -c 'import json; n = [t["id"] for t in json.load(open("p.json"))["tasks"]]; assert len(set(n)) == 16 and sum(x.endswith("/2") for x in n) == 8' ||
    fail 'not one row for each subsearch'
bad 'a net cannot be split' "$BATT" solve --split 2 --net only
bad 'split' "$BATT" solve --split 0
