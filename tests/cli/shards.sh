#!/bin/bash
# Work split by --shard: shards cover all tasks and do not overlap; merging their results gives the result of one run.
set -eu
. tests/words.sh
cd "$TMP"
ids() { python3 -c 'import json, sys; print("\n".join(t["id"] for t in json.load(sys.stdin)["results"]))'; }

"$BATT" run --json | ids | sort >whole
for n in 2 3 7; do
    : >union
    for k in $(seq $n); do
        "$BATT" run --json --shard "$k/$n" | ids >>union
    done
    sort union | cmp - whole || fail "the shares of $n are not the whole"
done

# A share depends on ids alone, not on places or on what else is there; another seed splits otherwise.
"$BATT" run --json --shard 1/3 | ids | sort >first
"$BATT" run --json --shard 1/3 --start 20 | ids | sort >later
comm -13 first later | grep -q . && fail "a task changed its share with the others"
"$BATT" run --json --shard 1/3:5 | ids | sort >seeded
cmp -s first seeded && fail "the seed splits alike"

# Equally heavy shares: one task is as heavy as all the others together.
heavy=$(head -n 1 whole)
sed 's/$/ 1/' whole | sed "s/^$heavy .*/$heavy 47 # the heavy one/" >costs
"$BATT" run --json --shard 1/2 --shard-costs costs | ids >a
"$BATT" run --json --shard 2/2 --shard-costs costs | ids >b
sort a b | cmp - whole || fail "shares by cost are not the whole"
[ "$(wc -l <a)" -eq 1 ] && [ "$(cat a)" = "$heavy" ] || fail "the heavy task is not alone: $(cat a)"

# What is no share.
for bad in 0/3 4/3 1/0 1 /3 1/ 1/3: 1/3:x -1/3 1/99999999 x/y ''; do
    status=0
    "$BATT" run --shard "$bad" >/dev/null 2>err || status=$?
    [ $status -eq 2 ] || fail "--shard '$bad': exit $status"
done
printf 'a 1\nb x\n' >bad
status=0
"$BATT" run --shard 1/2 --shard-costs bad 2>err || status=$?
[ $status -eq 2 ] && grep -q 'bad:2' err || fail "bad costs: $(cat err)"
status=0
"$BATT" run --shard-costs costs 2>err || status=$?
[ $status -eq 2 ] || fail "costs without a share: exit $status"

# A share may be empty: there is nothing to do, and that was done.
one=$(head -n 1 whole)
for k in 1 2; do
    "$BATT" run --id "$one" --shard $k/2 -q --submission "one$k.json" >/dev/null 2>&1 || fail "share $k of one task"
    "$BATT" solve --steps 1000 --id "$one" --shard $k/2 --store "one$k.batt" >/dev/null 2>&1 || [ $? -eq 1 ] || fail "solve"
    "$BATT" evolve --generations 1 --id "$one" --shard $k/2 >/dev/null 2>&1 || [ $? -eq 1 ] || fail "evolve"
done
"$BATT" submission merge one.json one1.json one2.json >/dev/null
"$BATT" store merge one.batt one1.batt one2.batt >/dev/null

# Submissions of shares are the submission of the whole, byte by byte, in any order.
"$BATT" run -q --submission all.json >/dev/null
for k in 1 2 3; do
    "$BATT" run -q --shard $k/3 --submission "s$k.json" >/dev/null
done
"$BATT" submission merge merged.json s3.json s1.json s2.json >/dev/null
cmp merged.json all.json || fail "merged submissions differ from the whole"

# Attempts are ranked again: two files prefer 2, one 1; 3 is a second attempt in two.
answer() { printf '{"t":[{"attempt_1":[[%s]],"attempt_2":[[%s]]}]}' "$1" "$2"; }
answer 1 3 >x.json
answer 2 3 >y.json
answer 2 1 >z.json
"$BATT" submission merge voted.json x.json y.json z.json >/dev/null
python3 - <<'CHECK' || fail "votes"
import json
assert json.load(open("voted.json")) == {"t": [{"attempt_1": [[2]], "attempt_2": [[1]]}]}
CHECK
printf '{"t":[{"attempt_1":[[0,0],[0,0]],"attempt_2":[[0,0],[0,0]]}]}' >none.json
"$BATT" submission merge voted.json none.json x.json >/dev/null
cmp -s voted.json x.json || python3 -c 'import json; assert json.load(open("voted.json")) == json.load(open("x.json"))' ||
    fail "placeholders have votes"
echo mine >mine.json
status=0
"$BATT" submission merge mine.json x.json y.json 2>err || status=$?
[ $status -eq 2 ] && grep -qx mine mine.json || fail "a file that is not ours was replaced"
"$BATT" submission merge --force mine.json x.json y.json >/dev/null || fail "--force"
status=0
"$BATT" submission merge x.json x.json y.json 2>err || status=$?
[ $status -eq 2 ] || fail "an output that is an input"
printf '{"t":[]}' >short.json
status=0
"$BATT" submission merge voted.json x.json short.json 2>err || status=$?
[ $status -eq 2 ] && grep -q 'short.json' err || fail "another number of answers: $(cat err)"
echo '{"t": 5}' >broken.json
status=0
"$BATT" submission merge voted.json x.json broken.json 2>err || status=$?
[ $status -eq 2 ] && grep -q 'broken.json:1' err || fail "a broken submission: $(cat err)"

# By steps, the stores of shares are the store of the whole: programs and results, times aside.
"$BATT" solve --steps 200000 --count 9 --without library --store whole.batt >/dev/null || [ $? -eq 1 ]
for k in 1 2 3; do
    "$BATT" solve --steps 200000 --count 9 --without library --shard $k/3 --store "p$k.batt" >/dev/null || [ $? -eq 1 ]
done
"$BATT" store merge parts.batt p1.batt p2.batt p3.batt >/dev/null
for store in whole parts; do
    "$BATT" store list "$store.batt" -n 0 --json | sed 's/"time_s": [0-9.]*/"time_s": 0/' >"$store.rows"
done
cmp whole.rows parts.rows || fail "merged shares differ from the whole"

# Profiles of the shares as one, with a column for each; it can be merged again, looked at and saved in every format.
for k in 1 2; do
    "$BATT" profile batch -r 2 --shard "$k/2" -o "share$k.json" >out
done
"$BATT" profile merge -o all.json -o all.csv -o all.html share1.json share2.json >merged
grep -q 'measured by *share1.json *share2.json' merged || fail "no column for each share: $(cat merged)"
"$BATT" profile batch --from all.json --json >all
python3 - all share1.json share2.json <<'EOF' || fail "the merged profile is not the sum"
import json, sys
whole, parts = json.load(open(sys.argv[1])), [json.load(open(p)) for p in sys.argv[2:]]
assert whole["tasks"] == sum(len(p["tasks"]) for p in parts) == 48
assert [s["tasks"] for s in whole["sources"]] == [len(p["tasks"]) for p in parts]
assert abs(whole["wall_s"] - sum(p["wall_s"] for p in parts)) < 1e-6
calls = lambda p: sum(n[2] for n in p["names"])
assert calls(json.load(open("all.json"))) == sum(map(calls, parts)) > 0
EOF
head -n 1 all.csv | grep -q 'self_ns of share2.json' || fail "no column for a share in CSV"
"$BATT" profile merge -o twice.json all.json share1.json | grep -q 'all.json: share2.json' || fail "merged again, sources are lost"
"$BATT" profile batch -r 1 --shard 1/2 -o other.json >out
wants 2 'another number of repeats' "$BATT" profile merge share1.json other.json
wants 2 'needs saved profiles' "$BATT" profile merge

# Outcomes of measured shares as those of the whole.
"$BATT" bench search --steps 3000 --save whole.tsv >out 2>&1
for k in 1 2 3; do
    "$BATT" bench search --steps 3000 --shard "$k/3" --save "part$k.tsv" >out 2>&1
done
"$BATT" bench search --merge --save joined.tsv part3.tsv part1.tsv part2.tsv >out
plain() { grep -E '^(command|set|run|task)' "$1" | awk -F '\t' -v OFS='\t' '$1 == "task" { $5 = $6 = "" } { print }'; }
plain whole.tsv >a
plain joined.tsv | cmp - a || fail "merged outcomes are not those of the whole"
wants 2 'is in both' "$BATT" bench search --merge part1.tsv part1.tsv
"$BATT" bench search --steps 2000 --shard 1/3 --save less.tsv >out 2>&1
wants 2 'other budgets' "$BATT" bench search --merge part2.tsv less.tsv
