#!/bin/bash
# batt profile, interrupted: what is complete by then is shown, with exit code 130. Long runs are done in chunks of tasks,
# short ones repeat by repeat. What a long run costs.
set -eu
. tests/words.sh
solvers=$PWD/solvers/found
arc=${BATT_DATA:-../shared/data}/arc1-training
case $arc in /*) ;; *) arc=$PWD/$arc ;; esac
cd "$TMP"
mkdir tasks
python3 - <<'P'
import json
for k in range(400):
    grid = [[(i * j + k) % 10 for j in range(20)] for i in range(20)]
    json.dump({"train": [{"input": grid, "output": grid}], "test": [{"input": grid, "output": grid}]},
              open(f"tasks/t{k:03}.json", "w"))
P
cat >slow.py <<'P'
def solve_slow(I):
    x1 = asindices(I)
    x2 = product(x1, x1)
    x3 = fork(connect, first, last)
    x4 = apply(x3, x2)
    x5 = merge(x4)
    O = fill(I, ONE, x5)
    return O
P
# Interrupts a command after some seconds; longer ones until something was complete by then.
interrupted() { # COMMAND...
    local after status
    for after in 2 8 30 100; do
        status=0
        "$@" >out 2>err &
        local command=$!
        sleep $after
        kill -INT $command 2>/dev/null || fail "it ended by itself: $*"
        wait $command || status=$?
        [ $status -eq 130 ] || fail "exit $status, not 130: $(cat err)"
        if [ -s out ]; then
            return 0
        fi
        [ ! -s err ] || grep -q '^interrupted before the first' err || fail "no profile, and: $(cat err)"
    done
    fail "nothing is shown: $*"
}
interrupted "$BATT" profile batch --all -r 1 -s slow.py tasks
tasks=$(sed -n 's/^interrupted: this is the profile of \([0-9]*\) tasks in 1 repeat$/\1/p' err)
[ "$tasks" -gt 0 ] && [ "$tasks" -lt 400 ] || fail "tasks: $(cat err)"
grep -qE "^tasks +$tasks( |$)" out || fail "the table has other tasks"
grep -q '^apply ' out || fail "no rows"
if grep -q unaccounted out; then fail "time is missing: $(grep unaccounted out)"; fi
grep -q '1 repeat after 0 warm-up' out || fail "how it was measured"

interrupted "$BATT" profile batch -r 10000 --json -o saved.json
repeats=$(sed -n 's/^interrupted: this is the profile of 48 tasks in \([0-9]*\) repeats*$/\1/p' err)
[ "$repeats" -gt 0 ] && [ "$repeats" -lt 10000 ] || fail "repeats: $(cat err)"
python3 -c "
import json
p = json.load(open('saved.json'))
assert p['repeats'] == $repeats, p['repeats']
assert len(p['tasks']) == 48
assert sum(r['calls'] for r in json.load(open('out'))['all']['rows']) > 0"
"$BATT" profile batch --from saved.json >out || fail "what was saved cannot be read"

# Soon, whatever is being repeated: a chunk whose repeats take minutes, one line, and a child process.
python3 - "$BATT" <<'P' || fail "interrupting repeats"
import glob, os, signal, subprocess, sys, tempfile, time
batt = sys.argv[1]
soon = 1.0 if "BATT_TEST_IDLE" in os.environ else 20.0 # to the end, each of these takes minutes
def descendants(pid):
    return open("/proc/%d/task/%d/children" % (pid, pid)).read().split()
for command in ("batch --all -r 1000 -s slow.py tasks", "lines slow.py:solve_slow t000 -r 10000 tasks",
                "compare %s %s --all -r 1000 -s slow.py tasks" % (batt, batt)):
    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with tempfile.TemporaryDirectory() as folder:
            p = subprocess.Popen([batt, "profile"] + command.split(), env=dict(os.environ, TMPDIR=folder), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
            time.sleep(1.5)
            children = descendants(p.pid)
            assert ("compare" in command) == (children != []), (command, children)
            start = time.monotonic()
            p.send_signal(sent)
            out, err = p.communicate(timeout=600)
            took = time.monotonic() - start
            assert p.returncode == 130 and took < soon, (command, sent, p.returncode, took, err)
            assert not os.listdir(folder), (command, os.listdir(folder))
            left = [c for c in children if os.path.exists("/proc/%s/exe" % c)]
            assert not left, (command, "children live on", left)
            if command.startswith("lines"):
                assert err.startswith("interrupted"), err
P

interrupted "$BATT" profile lines slow.py:solve_slow t000 -r 10000 tasks
grep -q '^interrupted: this is the profile of [0-9]* repeat' err || fail "lines: $(cat err)"
grep -q 'fork(connect' out || fail "lines are missing: $(cat out)"

# A long run costs at most three times the CPU time of the run itself.
if idle && [ -d "$arc" ]; then
    python3 - "$BATT" "$solvers" "$arc" <<'P' || fail "more than three times the run's own CPU time"
import resource, subprocess, sys
batt, solvers, arc = sys.argv[1:]
def cpu(*command):
    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([batt, *command, "--all", "-n", "60", "-j", "1", "-s", solvers, arc], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return min(once() for _ in range(3))
run, profile = cpu("run"), cpu("profile", "batch", "-r", "1")
print(f"run --all {run:.2f} s of CPU time, profile batch {profile:.2f} s: {profile / run:.2f} times")
assert run > 0.1 and profile <= 3 * run
P
fi
