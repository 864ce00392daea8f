# Speed and size: 400 solvers on ARC-AGI-1 training, and many synthetic tasks in bounded memory.
set -eu
. tests/words.sh
[ -z "${BATT_TEST_SLOW:-}" ] || { echo 'skipped: a sanitizer takes memory of its own'; exit 77; }
data=$PWD/${BATT_DATA:-../shared/data}
case ${BATT_DATA:-} in /*) data=$BATT_DATA ;; esac
solvers=$PWD/solvers/examples.py
found=$PWD/solvers/found
cd "$TMP"

# 20,000 tasks with a program each; memory is what the kernel counted for the process.
"$BATT" synth --count 20000 --seed 3 -o many.json --solvers-out many.py >/dev/null
python3 - "$BATT" <<'CHECK' || fail "20,000 tasks"
import json, resource, subprocess, sys
out = subprocess.run([sys.argv[1], "run", "--json", "-s", "many.py", "many.json"], capture_output=True, check=True).stdout
r = json.loads(out)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
assert r["tasks_solved"] == 20000
print(f"20,000 tasks and programs: {r['wall_s']:.2f} s, {peak:.0f} MB")
assert peak < 200, peak
CHECK

idle || exit 0
if [ ! -d "$data/arc1-training" ]; then
    echo "skipped: no ARC data in $data"
    exit 77
fi
# 400 programs under the names of the training tasks; the best of some runs of the whole command on one core.
python3 - "$BATT" "$data/arc1-training" "$solvers" <<'CHECK' || fail "400 solvers"
import os, re, subprocess, sys, time
batt, folder, solvers = sys.argv[1:]
bodies = re.findall(r"def solve_\w+\(I\):\n(.*?return O\n)", open(solvers).read(), re.S)
ids = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".json"))
assert len(ids) == 400
with open("400.py", "w") as f:
    for k, name in enumerate(ids):
        f.write(f"def solve_{name}(I):\n{bodies[k % len(bodies)]}\n\n")
best = 1
for _ in range(60):
    start = time.perf_counter()
    with open("out.json", "wb") as out:
        subprocess.run(["taskset", "-c", "0", batt, "run", "-j", "1", "--json", "-s", "400.py", folder], stdout=out)
    best = min(best, time.perf_counter() - start)
    if best < 0.02:
        break
print(f"400 solvers on 400 tasks: {best * 1000:.1f} ms for the whole command")
assert best <= 0.06, best
CHECK

# All of 400 programs on all tasks: at most 15 s of CPU time, and what the whole budget for all would solve. The order
# of the files does not matter.
"$BATT" synth --count 85 --seed 11 -o synth.json --solvers-out synth.py >/dev/null
python3 - "$BATT" "$data/arc1-training" "$found" "$solvers" synth.py <<'CHECK' || fail "all programs on all tasks"
import json, resource, subprocess, sys
batt, folder, *files = sys.argv[1:]
def run(files, *more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    named = [word for file in files for word in ("-s", file)]
    out = subprocess.run([batt, "run", "--all", "--json", *more, *named, folder], stdout=subprocess.PIPE).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(out), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
outcomes = lambda r: [(t["id"], t["status"], t["program"]) for t in r["results"]]
staged, cpu = run(files)
whole, cpu_whole = run(files[::-1], "--first-steps", "0")
print(f"{staged['programs']} programs on {staged['tasks']} tasks: {cpu:.1f} s of CPU time; all with the whole budget {cpu_whole:.1f} s")
assert staged["programs"] >= 399 and staged["tasks_solved"] >= 266
assert outcomes(staged) == outcomes(whole)
assert cpu <= 15, cpu
CHECK
