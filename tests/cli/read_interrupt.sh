# Ctrl-C ends reading, of however many files.
set -eu
. tests/words.sh
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "skipped: reading takes too long under a sanitizer"; exit 77; }
mkdir "$TMP/many"
python3 - "$TMP/many" <<'MAKE'
import os, sys
for a in range(60):
    folder = "%s/%d" % (sys.argv[1], a)
    os.mkdir(folder)
    for b in range(400):
        with open("%s/%d.py" % (folder, b), "w") as f:
            f.write("".join("def solve_%d_%d_%d(I):\n    O = rot90(I)\n    return O\n" % (a, b, c) for c in range(40)))
MAKE

# A fresh process group without job control ignores SIGINT, so the signal comes from python.
python3 - "$BATT" "$TMP/many" <<'CHECK' || fail "reading was not interrupted"
import os, signal, subprocess, sys, time
batt, many = sys.argv[1:]

def interrupt(arguments, after):
    started = time.monotonic()
    p = subprocess.Popen([batt] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(after)
    running = p.poll() is None
    p.send_signal(signal.SIGINT)
    sent = time.monotonic()
    out, err = p.communicate(timeout=120)
    return running, p.returncode, time.monotonic() - sent, err.decode()

whole = time.monotonic()
subprocess.run([batt, "run", "-q", "-s", many], capture_output=True)
whole = time.monotonic() - whole
for arguments in (["run", "-s", many], ["run", "-s", "/"], ["run", "/"], ["solve", "/"]):
    after = whole / 3 if many in arguments else 0.3
    for _ in range(4):
        running, code, took, err = interrupt(arguments, after)
        if running:
            break
        after /= 2
    else:
        print(arguments, "was over before it could be interrupted:", err[:300])
        if many in arguments:
            sys.exit(1)
        continue
    if code != 130 and code != -signal.SIGINT:
        sys.exit("%s: exit code %d: %s" % (arguments, code, err[:300]))
    if took > max(2.0, whole / 2) and "BATT_TEST_IDLE" in os.environ:
        sys.exit("%s: ended %.1f s after the signal" % (arguments, took))
CHECK
