#!/bin/bash
# INT, TERM and HUP at random moments of commands that work longer than a second: exit code 130 soon, outputs whole, no
# temporary file. SIGXFSZ, which a file size limit sends, is a write error like others.
set -eu
. tests/words.sh
python3 tests/generate_python.py module "$BATT" 5 60000 "$TMP/battery.py" guarded
cd "$TMP"
"$BATT" synth -n 300 --seed 3 --solvers-out many.py -o tasks >/dev/null
for n in $(seq 200); do sed "s/^def solve_/def solve_$n/" many.py; done >more.py
"$BATT" store import some.batt more.py >/dev/null
"$BATT" store import large.batt more.py >/dev/null
cat >slow.py <<'PROGRAM'
def solve_slow(I):
    x1 = height(I)
    x2 = interval(x1, 900, ONE)
    x3 = product(x2, x2)
    x4 = apply(size, x3)
    x5 = merge(x3)
    x6 = size(x4)
    x7 = size(x5)
    x8 = add(x6, x7)
    O = canvas(x8, UNITY)
    return O
PROGRAM
python3 - "$BATT" <<'CHECK'
import glob, json, os, random, signal, subprocess, sys, time
batt = sys.argv[1]
rounds = int(os.environ.get("BATT_TEST_ROUNDS", "1" if "BATT_TEST_QUICK" in os.environ else "18"))
longest = 0.0
soon = 1.0 if "BATT_TEST_IDLE" in os.environ else 30.0
random.seed(int(os.environ.get("BATT_TEST_SEED", "1")))

COMMANDS = [ # arguments, files that must be whole afterwards if the work had begun
    ("run --all -j 2 -s slow.py --submission s.json --gallery g.html tasks", ["s.json", "g.html"]),
    ("solve --time 60s --submission s.json --found found tasks", ["s.json"]),
    ("solve --time 60s --store new.batt --submission s.json --json tasks", ["s.json", "new.batt"]),
    ("evolve --time 60s --store new.batt tasks", ["new.batt"]),
    ("net --time 60s --id 8c5f9c65", []),
    ("synth -n 100000 --seed 5 -o made.json --force", []),
    ("lint --order --json more.py", ["OUT"]),
    ("lint --order slow.py more.py", []),
    ("lint --order --battery battery.py", []),
    ("card -s more.py -o card.py", []),
    ("card -s more.py --store new.batt -o card.py", ["new.batt"]),
    ("profile batch --all --repeat 1000 -s slow.py tasks -o p.json", []),
    ("profile pipeline --all -s slow.py tasks -o p.json", []),
    ("profile lines slow.py:solve_slow 8c5f9c65 --repeat 10000", []),
    ("learn more.py -o idioms.txt", []),
    ("store check large.batt", []),
    ("store import new.batt more.py", []),
    ("store merge new.batt some.batt large.batt", []),
    ("store export large.batt -o out.py", []),
    ("eval --timeout 60s size(product(interval(0,900000,1),interval(0,900000,1)))", []),
    ("bench search --budgets 20s tasks", []),
]

def whole(name, out):
    text = out if name == "OUT" else open(name, "rb").read()
    if name.endswith(".json") or name == "OUT":
        json.loads(text)
    elif name.endswith(".html"):
        assert b"</html>" in text, name
    elif name.endswith(".batt"):
        r = subprocess.run([batt, "store", "check", name], capture_output=True)
        assert r.returncode == 0, r

def one(command, files, sent, after, closed):
    for name in glob.glob("new.batt*") + glob.glob("*.json") + glob.glob("*.tmp"):
        os.unlink(name)
    read, write = os.pipe()
    p = subprocess.Popen([batt] + command.split(), stdout=write, stderr=subprocess.PIPE,
                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
    os.close(write)
    if closed: # nobody reads any more, as after a lost connection
        os.close(read)
    time.sleep(after)
    running = p.poll() is None
    p.send_signal(sent)
    if sent == signal.SIGHUP:
        p.send_signal(sent)
    start = time.monotonic()
    out = b""
    if not closed:
        with os.fdopen(read, "rb") as f:
            out = f.read()
    err = p.communicate(timeout=120)[1]
    took = time.monotonic() - start
    where = "%s: signal %d after %.3f s: exit code %d after %.2f s: %s" % (
        command, sent, after, p.returncode, took, err.decode()[-300:])
    if not running:
        return False
    code = p.returncode
    if code in (0, 1) and took < 0.5: # its work was done already; it has to be interrupted at another time
        return False
    assert code == 130 or (code == -sent and after < 0.2), where # before the options were read, it is just killed
    assert took < soon, where
    global longest
    longest = max(longest, took)
    left = glob.glob("*.tmp") + glob.glob("found/*.tmp")
    assert not left, (where, left)
    for name in files:
        if name == "OUT" and closed:
            continue
        if name == "OUT" or os.path.exists(name):
            if name != "OUT" or code == 130:
                try:
                    whole(name, out)
                except Exception as e:
                    sys.exit("%s\n%s: %s" % (where, name, e))
        else:
            assert after < 1, (where, "no " + name)
    return True

def length_of(command): # at most 1.5 s
    start = time.monotonic()
    try:
        r = subprocess.run([batt] + command.split(), timeout=1.5, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert r.returncode in (0, 1), r # it does work
    except subprocess.TimeoutExpired:
        pass
    return time.monotonic() - start

for command, files in COMMANDS:
    span, done = length_of(command), 0
    for _ in range(rounds):
        sent = random.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        after = span * (0.05 + 0.9 * random.random())
        done += one(command, files, sent, after, sent == signal.SIGHUP and "store" not in command)
    for _ in range(20): # a command that is quicker this time
        if done == 0:
            span /= 2
            done += one(command, files, signal.SIGINT, span, False)
    assert done > 0, command + ": over before it could be interrupted"
    print("%-76s interrupted %d times" % (command, done), flush=True)
print("the longest took %.2f s" % longest)
# nohup keeps a command alive
p = subprocess.Popen([batt, "solve", "--time", "3s", "tasks"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                     preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
time.sleep(0.5)
p.send_signal(signal.SIGHUP)
assert p.wait(timeout=120) in (0, 1), "nohup was not respected"
CHECK
# A file size limit: the file is rescued or refused with its cause, and nothing temporary stays.
status=0
(ulimit -f 4 && "$BATT" run -q --submission big.json tasks >out 2>err) || status=$?
[ $status -eq 1 ] || { cat err; fail "a file size limit ends with $status"; }
grep -q 'File too large' err || { cat err; fail "the cause is not named"; }
[ -z "$(find . -name '*.tmp')" ] || fail "a temporary file is left: $(find . -name '*.tmp')"
