#!/bin/bash
# batt run --history and batt profile history: a line when a task begins and when it ends, what a crash leaves behind, and
# outliers beside typical tasks.
set -eu
. tests/words.sh
cd "$TMP"
"$BATT" run -q --history h.jsonl >/dev/null
"$BATT" run -q -j 3 --history h.jsonl >/dev/null
python3 - <<'P' || fail "the lines"
import json
lines = [json.loads(line) for line in open("h.jsonl")]
assert len(lines) == 4 * 48, len(lines)
assert len({line["run"] for line in lines}) == 2
open_tasks = set()
for line in lines:
    key = line["run"], line["task"]
    if line["event"] == "start":
        assert key not in open_tasks
        open_tasks.add(key)
    else:
        open_tasks.remove(key)
        assert line["solved"] and line["status"] == "solved" and line["samples_correct"] == line["samples"]
        assert abs(sum(line["phases"].values()) - line["time_s"]) < 1e-8
assert not open_tasks
P
wants 0 ' 48 +48 +48 ' "$BATT" profile history h.jsonl
[ "$(grep -c '^20' out)" -eq 2 ] || fail "two runs"
grep -qE '^phase +typical +outlier +times +typical before +outlier before$' out || fail "phases: $(cat out)"

# a run that is killed: the task it was at has a start and no end, and the line that was being written is ended
python3 - <<'P'
import json
lines = open("h.jsonl").read().splitlines()[:96]
made = [json.loads(line) for line in lines]
typical = 0.001
with open("made.jsonl", "w") as out:
    for k, line in enumerate(made):
        if line["event"] == "end":
            more = 0.5 if line["task"] == made[0]["task"] else 0.0
            line["phases"] = {"first": typical * (1 + k % 7 / 50), "more": more, "judge": 0.0001}
            line["solved"] = k % 4 == 1
        out.write(json.dumps(line, separators=(",", ":")) + "\n")
    out.write('{"schema":"batt.run.history/1","event":"start","run":"killed","time":"2030-01-01T00:00:00.000Z","task":"at_work"}\n')
    out.write('{"schema":"batt.run.history/1","event":"end","run":"killed","ti')
P
"$BATT" profile history made.jsonl --json >out 2>err
grep -q 'made.jsonl:98: skipped a truncated line' err || fail "the line that was cut off: $(cat err)"
python3 - <<'P' || fail "the figures"
import json
first, killed = json.load(open("out"))["runs"]
assert first["tasks"] == first["ended"] == 48 and first["unfinished"] == [], first
assert len(first["outliers"]) == 1, first["outliers"]
assert abs(first["phases"]["more"]["outlier_us"] - 500000) < 1 and first["phases"]["more"]["typical_us"] == 0
assert 1000 <= first["phases"]["first"]["typical_us"] < 1200
assert killed["tasks"] == 1 and killed["ended"] == 0 and killed["unfinished"] == ["at_work"]
P
wants 0 'tasks that did not end in the run of 2030-01-01T00:00:00: at_work$' "$BATT" profile history made.jsonl
head -n 96 made.jsonl >one.jsonl
wants 0 '^outlier     .* 50[0-9] ms, [0-9]+ times a typical task; 500 ms more in more$' "$BATT" profile history one.jsonl
"$BATT" run -q --history made.jsonl >/dev/null
wants 0 ' 48 +48 +48 ' "$BATT" profile history made.jsonl

# a real crash
mkdir tasks
python3 -c "
import json
grid = [[k % 10 for k in range(30)] for _ in range(30)]
json.dump({'train': [{'input': grid, 'output': grid}], 'test': [{'input': grid, 'output': grid}]}, open('tasks/slow.json', 'w'))"
cat >slow.py <<'P'
def solve_slow(I):
    x1 = asindices(I)
    x2 = fork(combine, identity, lbind(mapply, neighbors))
    x3 = power(x2, 800)
    x4 = lbind(apply, x3)
    x5 = apply(neighbors, x1)
    O = x4(x5)
    return O
P
"$BATT" run -q --history killed.jsonl --timeout 0 --max-steps 1000000000000 -s slow.py tasks >/dev/null 2>&1 &
worker=$!
for _ in $(seq 100); do
    if grep -qs '"start"' killed.jsonl; then break; fi
    sleep 0.1
done
kill -KILL $worker
wait $worker 2>/dev/null || true
wants 0 'tasks that did not end in the run of .*: slow$' "$BATT" profile history killed.jsonl

# bad input
echo 'my notes' >notes
wants 2 'not a history written by batt' "$BATT" run -q --history notes
[ "$(cat notes)" = 'my notes' ] || fail "the notes were touched"
wants 2 'notes:1: ' "$BATT" profile history notes
echo '{"schema":"batt.run.history/1","event":"end","run":"r","time":"t","task":"x"}' >bad.jsonl
wants 2 'bad.jsonl:1: a task ends without having started' "$BATT" profile history bad.jsonl
wants 2 'No such file' "$BATT" profile history missing.jsonl
wants 2 'needs one file' "$BATT" profile history
: >empty.jsonl
wants 2 'contains no run' "$BATT" profile history empty.jsonl
