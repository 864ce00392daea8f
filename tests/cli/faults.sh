#!/bin/bash
# Faults one at a time: every allocation, every call for a file, a disk that fills up, a kill before every such call, in
# thirty commands. None crashes or hangs; each answers with an exit code it knows and says why; files are whole or not
# there, and stores stay sound. Quick: some calls of each command, drawn by BATT_TEST_SEED; BATT_FAULTS=N: N of each kind;
# BATT_FAULTS=all (make faults): every one.
set -eu
. tests/words.sh
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "skipped: sanitizers bring their own malloc"; exit 77; }
# shellcheck disable=SC2016
cc -shared -fPIC -O1 -o "$TMP/shim.so" tests/faults/shim.c 2>"$TMP/cc" || { cat "$TMP/cc"; fail "the shim does not compile"; }
cd "$TMP"
"$BATT" synth -n 4 --seed 3 --solvers-out some.py -o tasks >/dev/null
place=scored/solver_dir/solve_92eac448/4000/10
mkdir -p $place
printf 'def solve(S, I):\n    O = rot90(I)\n    return O\n' >$place/0123456789abcdef0123456789abcdef.py
"$BATT" store import base.batt some.py scored/solver_dir >/dev/null
"$BATT" store import other.batt some.py >/dev/null
"$BATT" run -q --submission base.json tasks -s some.py >/dev/null 2>&1 || true
"$BATT" card --freeze -s some.py --python battery.py >/dev/null
python3 - "$BATT" <<'CHECK'
import glob, json, os, random, shutil, subprocess, sys
batt = sys.argv[1]
wanted = os.environ.get("BATT_FAULTS", "4" if "BATT_TEST_QUICK" in os.environ else "25")
every = wanted == "all"
few = 0 if every else int(wanted)
random.seed(int(os.environ.get("BATT_TEST_SEED", "1")))
COMMANDS = """
run -q -j 1 -s some.py --submission out.json tasks
run -q -j 2 -s some.py --gallery out.html tasks
run --json -j 1 -s some.py tasks
run -q -j 1 --battery battery.py tasks
run -q -j 1 --all -s some.py --history out.jsonl tasks
solve -q -j 1 --steps 20000 -n 2 --submission out.json tasks
solve -q -j 1 --steps 20000 -n 2 --store s.batt --found found tasks
evolve -j 1 --generations 2 -n 1 --store s.batt tasks
evolve -j 1 --generations 1 -n 1 --store new.batt tasks
evolve -j 1 --breed differs --generations 1 -n 1 --store s.batt tasks
net --steps 2 --store s.batt --id 8c5f9c65
profile batch --repeat 1 --warmup 0 -n 2 -o out.json
profile lines solve_92eac448 92eac448 --repeat 1 --warmup 0
profile pipeline --repeat 1 --warmup 0 -n 2
show --svg out.svg --png out.png 92eac448
trace --html out.html 92eac448
eval vmirror(((0,1),(2,3)))
lint --order some.py
prims objects
score --json base.json tasks
synth -n 2 -o made --solvers-out out.py
card -s some.py -o out.py
card -s some.py --python out.py
card -s some.py --store s.batt -o out.py
learn some.py -o out.txt
store import s.batt some.py
store import new.batt scored/solver_dir
store export s.batt --layout solver_dir laid
store export s.batt -o out.py
store merge s.batt other.batt
store prune s.batt -k 1
store check s.batt
""".strip().split("\n")
KNOWN = {0, 1, 2, 130}

def reset():
    for name in {*glob.glob("*.batt*"), *glob.glob("out[._]*"), *glob.glob("rescued*"), *glob.glob("*.tmp")}:
        if name not in ("base.batt", "other.batt"):
            os.unlink(name)
    for folder in ("found", "made", "laid"):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copy("base.batt", "s.batt")

def run(command, fault):
    env = {**os.environ, "LD_PRELOAD": os.path.abspath("shim.so"), "BATT_FAULT": fault, "BATT_FAULT_COUNT": os.path.abspath("count"),
           "OCL_ICD_VENDORS": os.path.abspath("none"), "TMPDIR": os.getcwd()}
    return subprocess.run([batt] + command.split(), env=env, capture_output=True, timeout=120)

def whole(name):
    text = open(name, "rb").read()
    if name.endswith(".json"):
        json.loads(text)
    elif name.endswith(".html"):
        assert b"</html>" in text
    elif name.endswith(".svg"):
        assert b"</svg>" in text
    elif name.endswith(".png"):
        assert text[-8:-4] == b"IEND"

def check(command, fault, killed):
    reset()
    r = run(command, fault)
    where = "BATT_FAULT=%s batt %s: exit code %d: %s" % (fault, command, r.returncode, r.stderr.decode(errors="replace")[-300:])
    if killed:
        assert r.returncode in KNOWN or r.returncode == -9, where
    else:
        assert r.returncode in KNOWN, where
        assert r.returncode == 0 or r.stderr or r.stdout, where + "(without a word)"
        left = glob.glob("*.tmp") + glob.glob("*/*.tmp")
        assert not left or fault.startswith("io"), (where, left) # a removal may be what fails
    for name in glob.glob("out.*") + glob.glob("rescued*"):
        try:
            whole(name)
        except Exception as e:
            sys.exit("%s\n%s is not whole: %s" % (where, name, e))
    for name in ("s.batt", "new.batt"):
        if os.path.exists(name):
            r = subprocess.run([batt, "store", "check", name], capture_output=True)
            empty = name == "new.batt" and b"empty: nothing was written yet" in r.stderr
            assert r.returncode == 0 or empty, (where, name, r)
            if empty: # a store whose creation was killed is usable
                r = subprocess.run([batt, "store", "import", name, "some.py"], capture_output=True)
                assert r.returncode == 0, (where, name, r)

total = 0
for command in COMMANDS:
    reset()
    r = run(command, "count")
    assert r.returncode in (0, 1), (command, r)
    allocations, calls = map(int, open("count").read().split())
    chosen = lambda n: range(1, n + 1) if every else sorted(random.sample(range(1, n + 1), min(few, n)))
    faults = ["alloc:%d" % k for k in chosen(allocations)] + ["alloc:%d+" % k for k in chosen(allocations)[:few if not every else None]]
    for kind in ("io", "full", "kill"):
        faults += ["%s:%d" % (kind, k) for k in chosen(calls)]
    for fault in faults:
        check(command, fault, fault.startswith("kill"))
    total += len(faults)
    print("%-70s %d allocations, %d calls: %d faults" % (command, allocations, calls, len(faults)), flush=True)
print(total, "faults")
CHECK
