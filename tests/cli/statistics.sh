# --stats: one table of counters (src/base/statistics.def), printed by every command that has the option, and consistent
# with the command's report.
set -eu
. tests/words.sh

names=$(sed -n 's/^STATISTIC([A-Z_]*, \([a-z]*\), "\([a-z_]*\)".*/\1 \2/p' src/base/statistics.def)
[ "$(echo "$names" | wc -l)" -ge 20 ] || fail "the table was not read: $names"
# Every row is counted somewhere.
while read -r id _; do
    grep -q "\(COUNT\|COUNTED\)([^;]*\b$id\b" -r src --include="*.[ch]" || fail "nobody counts $id"
done < <(sed -n 's/^STATISTIC(\([A-Z_]*\), \([a-z]*\), .*/\1 \2/p' src/base/statistics.def)

number() { # FILE NAME: from the "statistics" of JSON
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["statistics"][sys.argv[2]])' "$1" "$2"
}
same() { # WHAT A B
    [ "$2" = "$3" ] || fail "$1: $2, not $3"
}

"$BATT" run --stats --json >"$TMP/run.json"
samples=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["samples"])' "$TMP/run.json")
same "samples of run" "$(number "$TMP/run.json" samples)" "$samples"
same "programs of run" "$(number "$TMP/run.json" programs_run)" "$samples"
[ "$(number "$TMP/run.json" calls)" -gt "$samples" ] || fail "run called nothing"
same "evolution in run" "$(number "$TMP/run.json" candidates)" 0
# The same counts with any number of threads, except resets of contexts that more workers open.
"$BATT" run --stats --json -j 1 >"$TMP/one.json"
same "calls with one thread" "$(number "$TMP/one.json" calls)" "$(number "$TMP/run.json" calls)"
"$BATT" run --json >"$TMP/without.json"
grep -q '"statistics"' "$TMP/without.json" && fail "run tells without being asked"

"$BATT" run -q --stats >"$TMP/run.txt"
grep -qE "^ *engine +programs_run +$samples +programs run by themselves" "$TMP/run.txt" || fail "no line: $(cat "$TMP/run.txt")"
grep -q ' candidates ' "$TMP/run.txt" && fail "a line for what did not happen"

"$BATT" solve --stats --json --count 2 --steps 200000 --store "$TMP/s.batt" >"$TMP/solve.json" || [ $? -eq 1 ]
for name in slices offers kept values search_steps programs_run rows commits; do
    [ "$(number "$TMP/solve.json" $name)" -gt 0 ] || fail "solve counted no $name"
done
sum=$(python3 -c 'import json, sys; print(sum(r["steps"] for r in json.load(open(sys.argv[1]))["results"]))' "$TMP/solve.json")
same "steps of solve" "$(number "$TMP/solve.json" search_steps)" "$sum"

"$BATT" evolve --stats --json --count 2 --generations 2 --store "$TMP/e.batt" >"$TMP/evolve.json" || [ $? -eq 1 ]
for name in candidates distinct evaluations improved; do
    same "$name of evolve" "$(number "$TMP/evolve.json" $name)" \
        "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$TMP/evolve.json" $name)"
done
# What an earlier process counted is not counted again.
"$BATT" evolve --stats --json --count 2 --generations 2 --store "$TMP/e.batt" >"$TMP/again.json" || [ $? -eq 1 ]
same "candidates of no generation" "$(number "$TMP/again.json" candidates)" 0

"$BATT" card -n 20 --stats --json -o "$TMP/card.py" >"$TMP/card.json"
mutated=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["mutated"])' "$TMP/card.json")
same "mutated of card" "$(number "$TMP/card.json" mutated)" "$mutated"
[ "$mutated" -gt 0 ] || fail "card mutated nothing"
"$BATT" card -n 20 --stats -o "$TMP/card2.py" | grep -qE "evolution +mutated +$mutated " || fail "card tells no text"
