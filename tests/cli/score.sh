# batt score: three ways of counting, the form, and every kind of damage to it.
set -eu
. tests/words.sh
cd "$TMP"
train='"train":[{"input":[[1]],"output":[[2]]}]'
printf '{"a":{%s,"test":[{"input":[[1]]},{"input":[[2]]}]},"b":{%s,"test":[{"input":[[3]]}]}}' "$train" "$train" >x_challenges.json
printf '{"a":[[[1]],[[2]]],"b":[[[3]]]}' >x_solutions.json
two() { printf '{"attempt_1":[[%s]],"attempt_2":[[%s]]}' "$1" "$2"; }

printf '{"a":[%s,%s],"b":[%s]}' "$(two 1 0)" "$(two 0 0)" "$(two 0 3)" >sub.json
for truth in x_solutions.json x_challenges.json; do
    wants 0 'form +right' "$BATT" score sub.json $truth
    grep -q '^tasks  *1 of 2 solved (50.0 %)' out || fail "tasks"
    grep -q '^outputs  *2 of 3 right (66.7 %)' out || fail "outputs"
    grep -q '^mean share  75.0 %' out || fail "mean share"
done
wants 0 'form +right' "$BATT" score --challenges x_challenges.json sub.json x_solutions.json
wants 0 '^a +1/2 +wrong' "$BATT" score --tasks sub.json x_solutions.json
"$BATT" score --json sub.json x_solutions.json >score.json
python3 - <<'CHECK' || fail "the JSON"
import json
s = json.load(open("score.json"))
assert (s["tasks"], s["tasks_solved"], s["outputs"], s["outputs_correct"], s["mean_share"]) == (2, 1, 3, 2, 0.75)
assert s["form_ok"] and s["form_errors"] == [] and [r["id"] for r in s["results"]] == ["a", "b"]
CHECK

# The form: missing, extra, too few answers, malformed, twice.
printf '{"a":[%s,%s]}' "$(two 1 0)" "$(two 2 0)" >missing.json
wants 1 'task b is missing' "$BATT" score missing.json x_solutions.json
printf '{"a":[%s,%s],"b":[%s],"c":[]}' "$(two 1 0)" "$(two 2 0)" "$(two 3 0)" >extra.json
wants 1 'extra.json:1:.*task c is unknown' "$BATT" score extra.json x_solutions.json
printf '{"a":[%s],"b":[%s]}' "$(two 1 0)" "$(two 3 0)" >few.json
wants 1 'few.json:1:2: task a: 1 answers for 2 test inputs' "$BATT" score few.json x_solutions.json
printf '{"a":[{"attempt_1":[[1]]}],"b":[%s]}' "$(two 3 0)" >half.json
wants 1 'half.json:1:7: .*attempt_2' "$BATT" score half.json x_solutions.json
printf '{"b":[%s],"b":[%s],"a":[%s,%s]}' "$(two 3 0)" "$(two 3 0)" "$(two 1 0)" "$(two 1 0)" >twice.json
wants 1 'duplicate id' "$BATT" score twice.json x_solutions.json
"$BATT" score --json half.json x_solutions.json >score.json && fail "exit code 0 for a wrong form"
python3 -c 'import json; s = json.load(open("score.json")); assert not s["form_ok"] and any("attempt_2" in e for e in s["form_errors"])' ||
    fail "form errors in the JSON"

# What cannot be scored.
printf '{"a":[' >cut.json
wants 2 'cut.json:1:' "$BATT" score cut.json x_solutions.json
wants 2 'No such file' "$BATT" score nowhere.json x_solutions.json
wants 2 'No such file' "$BATT" score sub.json nowhere.json
rm x_solutions.json
wants 2 'nothing to score' "$BATT" score sub.json x_challenges.json
wants 2 'usage|SUBMISSION|argument' "$BATT" score
