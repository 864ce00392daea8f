#!/bin/bash
# --profile on every command that runs programs: calls and failures are counted by default, times and traces add up, and
# agree with what a clock, getrusage and perf measure from outside.
set -eu
: "${TMP:?}" "${BATT:?}"
. tests/words.sh
may() { # COMMAND...: exit code 0 or 1
    local status=0
    "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
    [ $status -le 1 ] || fail "exit $status: $*: $(cat "$TMP/err")"
}
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
printf 'def solve_a(I):\n    x1 = objects(I, T, F, T)\n    x2 = argmax(x1, size)\n    O = subgrid(x2, I)\n    return O\n' >"$TMP/s.py"

# ---- every command, every level ----
solve=(solve --steps 100000 --count 3 --without library)
evolve=(evolve --generations 2 --count 3)
for level in counters timing trace; do
    for name in run solve evolve eval trace lint card; do
        case $name in
        run) args=(run --json) ;;
        solve) args=("${solve[@]}" --json) ;;
        evolve) args=("${evolve[@]}" --json) ;;
        eval) args=(eval --json 'size(objects(((1, 0), (0, 1)), T, F, T))') ;;
        trace) args=(trace 92eac448 --json) ;;
        lint) args=(lint --order --json "$TMP/s.py") ;;
        card) args=(card -n 12 --json -o "$TMP/battery.py") ;;
        esac
        may "$BATT" "${args[@]}" --profile $level
        python3 - "$TMP/out" $name $level <<'PYTHON' || fail "$name --profile $level"
import json, sys
d, name, level = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
p = (d["results"][0] if name == "eval" else d)["profile"]
assert p["level"] == level, p["level"]
prims = p["prims"]
assert name == "card" or sum(r["calls"] for r in prims.values()) > 0, "no calls"
assert all(r["fails"] <= r["calls"] for r in prims.values())
if name in ("solve", "evolve", "card"):
    assert p["engine"], "no scopes"
if level != "counters":
    assert p["items"] >= p["items_measured"] > 0
    parts = p["primitives_s"] + p["engine_s"]
    assert abs(parts - p["items_s"]) <= 0.01 * p["items_s"], (parts, p["items_s"])
    own = sum(r["self_us"] for r in prims.values()) * 1e-6
    assert abs(own - p["primitives_s"]) <= 0.01 * p["items_s"], (own, p["primitives_s"])
    if name in ("run", "solve", "evolve"):
        whole = d["phases"]["execute"] * (d["jobs"] if "jobs" in d else d.get("threads", 0) or 0)
        assert abs(p["unaccounted_s"]) <= 0.01 * (p["items_s"] + p["idle_s"] + p["scheduling_s"]), p
        assert whole == 0 or abs(p["items_s"] + p["idle_s"] + p["scheduling_s"] - whole) <= 0.01 * whole, (p, whole)
if "phases" in d:
    assert abs(sum(d["phases"].values()) - d["wall_s"]) <= 0.01 * d["wall_s"], (d["phases"], d["wall_s"])
PYTHON
    done
done

# Counting is the default; off is off; results are the same at every level.
for args in "${solve[*]}" "${evolve[*]}"; do
    # shellcheck disable=SC2086
    for level in '' off counters timing trace; do
        may "$BATT" $args --json ${level:+--profile $level}
        cp "$TMP/out" "$TMP/${args%% *}$level.json"
    done
    grep -q '"level": "counters"' "$TMP/${args%% *}.json" || fail "${args%% *} does not count by default"
    if grep -q '"profile"' "$TMP/${args%% *}off.json"; then fail "${args%% *} --profile off tells something"; fi
    python3 - "$TMP/${args%% *}" <<'PYTHON' || fail "${args%% *}: a profile changes the result"
import json, sys
def strip(x):
    timing = ("profile", "phases", "wall_s", "cpu_s", "unaccounted_s", "time_s", "evaluations_per_s", "values_per_s")
    return {k: strip(v) for k, v in x.items() if k not in timing} if isinstance(x, dict) else \
        [strip(v) for v in x] if isinstance(x, list) else x
all_of = [json.load(open(sys.argv[1] + level + ".json")) for level in ("", "off", "counters", "timing", "trace")]
assert all(strip(d) == strip(all_of[0]) for d in all_of)
counts = [{k: r["calls"] for k, r in d["profile"]["prims"].items()} for d in all_of if "profile" in d]
assert all(c == counts[0] for c in counts), "calls differ between levels"
PYTHON
done

# The number of threads changes neither results nor counts.
may "$BATT" "${solve[@]}" --json -j 1 --profile timing && cp "$TMP/out" "$TMP/one.json"
may "$BATT" "${solve[@]}" --json -j 3 --profile timing && cp "$TMP/out" "$TMP/three.json"
python3 - "$TMP" <<'PYTHON' || fail 'threads change what is counted'
import json, sys
one, three = (json.load(open(f"{sys.argv[1]}/{n}.json"))["profile"] for n in ("one", "three"))
assert {k: r["calls"] for k, r in one["prims"].items()} == {k: r["calls"] for k, r in three["prims"].items()}
assert {k: r["calls"] for k, r in one["engine"].items() if "total_s" in r} == \
    {k: r["calls"] for k, r in three["engine"].items() if "total_s" in r}
PYTHON

# ---- files, and views of them ----
may "$BATT" "${solve[@]}" -q --profile trace --profile-out "$TMP/p.json" --profile-out "$TMP/p.folded" \
    --profile-out "$TMP/p.trace.json" --profile-out "$TMP/p.speedscope.json" --profile-out "$TMP/p.html"
grep -q '^engine ' "$TMP/out" || fail 'solve --profile trace shows no engine'
grep -qE '^batt;strategy_[a-z]+;[a-z_0-9]+ [0-9]+$' "$TMP/p.folded" || fail 'stacks without scopes'
"$BATT" profile framework --from "$TMP/p.json" --json >"$TMP/framework.json"
python3 - "$TMP" <<'PYTHON' || fail 'a saved profile of a search'
import json, sys
d = json.load(open(sys.argv[1] + "/framework.json"))
parts = {c["name"]: [p["name"] for p in c["largest"]] for c in d["categories"]}
# Only the largest are listed, and which those are is a matter of time.
assert any(name.startswith("strategy_") for name in parts["candidate management"]), parts
assert "strategy_stamps" in json.dumps(json.load(open(sys.argv[1] + "/p.json"))["names"])
assert "known_values" in parts["deduplication"], parts
assert abs(d["execute"]["unaccounted_s"]) <= 0.01 * d["execute"]["pass_s"], d["execute"]
stacks, ns = {}, lambda us: round(us * 1000)
for e in json.load(open(sys.argv[1] + "/p.trace.json"))["traceEvents"]: # calls in scopes, scopes in tasks, none overlap
    if e["ph"] == "M":
        continue
    stack = stacks.setdefault(e["tid"], [["", "", 0, None]])
    begin = ns(e["ts"])
    assert begin >= stack[-1][2], ("before the one before it ended", e)
    if e["ph"] == "E":
        assert stack.pop()[0] == e["name"], e
        stack[-1][2] = begin
    elif e["ph"] == "B":
        assert e["cat"] != "task" or len(stack) == 1, ("a task inside something", e)
        assert e["cat"] != "prim" or len(stack) > 1, ("a call outside of a task", e)
        stack.append([e["name"], e["cat"], begin, None])
    else:
        stack[-1][2] = begin + ns(e["dur"])
assert all(len(s) == 1 for s in stacks.values()), "something does not end"
PYTHON
bad 'needs --profile' "$BATT" "${solve[@]}" --profile-out "$TMP/x.json"
bad 'no format' "$BATT" "${evolve[@]}" --profile timing --profile-out "$TMP/x.txt"
bad 'needs --order' "$BATT" lint --profile timing "$TMP/s.py"

# ---- the totals from outside: a clock around the process, getrusage, perf ----
idle || { echo 'profiles of all commands hold; totals are compared with clocks on an idle machine (make check-idle)'; exit 0; }
# Timing notes some of the calls, a trace all of them: the share of primitives that they report is the same. Tasks were
# chosen in which calls come in bursts and take from nanoseconds to milliseconds. One run is of little worth on a busy
# machine, the middle of several is; where they differ more runs decide. With twice as many threads at work as there are
# cores, samples have come out 9 points below the trace.
cat >"$TMP/levels.py" <<'PYTHON'
import json, statistics, subprocess, sys
tasks = [f"examples/tasks/{t}.json" for t in ("fa2e3f8c", "4bfcb8d0", "62bf1715", "d6213147", "5d3edc3e", "70f72b18")]
args = [sys.argv[1], "solve", "-j", "1", "--without", "library", "--steps", "1500000", "--json"] + tasks + ["--profile"]
shares = {"timing": [], "trace": []}
for run in range(1, 26):
    for level, seen in shares.items():
        done = subprocess.run(args + [level], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert done.returncode <= 1, done.returncode
        p = json.loads(done.stdout)["profile"]
        assert p["lost"] == 0, "the trace is full"
        seen.append(100 * p["primitives_s"] / p["items_s"])
    timing, trace = (statistics.median(seen) for seen in shares.values())
    if abs(timing - trace) <= {5: 6, 9: 6, 15: 8, 25: 10}.get(run, -1):
        print(f"primitives: {timing:.1f} % by timing, {trace:.1f} % by trace, {run} runs")
        break
else:
    sys.exit(f"primitives: {timing:.1f} % by timing, {trace:.1f} % by trace: {shares}")
PYTHON
python3 "$TMP/levels.py" "$BATT" || fail 'timing and trace do not agree'
cat >"$TMP/outside.py" <<'PYTHON'
# usage: outside.py BATT FOLDER [perf]: the profile's wall and processor time against those of the whole process.
import json, os, resource, subprocess, sys, time
batt, tmp, perf = sys.argv[1], sys.argv[2], len(sys.argv) > 3
profile, counted = tmp + "/outside.json", tmp + "/perf.csv"
args = [batt, "solve", "-q", "-j", "1", "--count", "6", "--without", "library", "--steps", "300000", # starting and
        "--profile", "timing", "--profile-out", profile] # writing the file, which no profile can have, are far below
if perf:
    args = ["perf", "stat", "-x,", "-o", counted, "-e", "task-clock"] + args
seen = []
for attempt in range(12): # other processes may come between
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    assert subprocess.run(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode <= 1
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if perf:
        cpu = next(float(l.split(",")[0]) for l in open(counted) if ",msec," in l) * 1e-3
    p = json.load(open(profile))
    os.remove(profile)
    assert p["wall_s"] <= wall and p["cpu_s"] <= cpu * 1.001 + 0.001, "more than there was"
    assert abs(p["wall_s"] - sum(p["phases"].values())) <= 0.01 * p["wall_s"], "phases are not the wall time"
    seen.append((p["wall_s"] / wall, p["cpu_s"] / cpu))
    if (perf or seen[-1][0] >= 0.95) and seen[-1][1] >= 0.95:
        break
else:
    sys.exit(f"shares of the wall and processor time that the profile has: {seen}")
print("%s: the profile has %.1f %% of the processor time" % ("perf stat" if perf else "getrusage", 100 * seen[-1][1])
      + ("" if perf else ", %.1f %% of the wall time" % (100 * seen[-1][0])))
PYTHON
python3 "$TMP/outside.py" "$BATT" "$TMP" || fail 'totals do not agree with a clock'
if command -v perf >/dev/null && perf stat -x, -e task-clock true 2>"$TMP/perf" && grep -qE '^[0-9.]+,msec' "$TMP/perf"; then
    python3 "$TMP/outside.py" "$BATT" "$TMP" perf || fail 'totals do not agree with perf stat'
else
    echo 'perf stat: skipped, it is not there or may not count'
fi
echo 'profiles of all commands hold'
