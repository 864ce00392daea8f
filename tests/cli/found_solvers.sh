# solvers/found: programs that search found. All of them parse and type-check; on the tasks they were found for, where
# these are at hand, all of them are right; the table names each.
set -eu
. tests/words.sh
folder=solvers/found
data=${BATT_DATA:-../shared/data}/arc1-training
count=$(find "$folder" -name '*.py' | wc -l)
[ "$count" -ge 200 ] || fail "$count programs"
"$BATT" lint "$folder"/*.py >"$TMP/out" 2>&1 || { cat "$TMP/out"; fail "lint"; }
for file in "$folder"/*.py; do
    id=$(basename "$file" .py)
    grep -q "^| $id " "$folder/TABLE.md" || fail "$id is not in the table"
done
if [ ! -d "$data" ]; then
    echo "no $data: not run on tasks"
    exit 77
fi
ids=$(for file in "$folder"/*.py; do basename "$file" .py; done | paste -sd,)
"$BATT" run --json -s "$folder" --id "$ids" "$data" >"$TMP/run.json"
python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not (r["tasks"] == r["tasks_solved"] == int(sys.argv[2])))' "$TMP/run.json" "$count" || fail "not all are right"
