#!/bin/bash
# batt serve: what it answers, and what it refuses.
set -eu
. tests/words.sh
cd "$TMP"
"$BATT" synth -n 3 --seed 2 -o tasks >/dev/null
start_server tasks --store kept.batt
grep -qE '^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$' address || { cat err; fail "no address: $(cat address)"; }
python3 - "$(cat address)" <<'P'
import json, re, socket, sys, time, urllib.error, urllib.request
base = sys.argv[1]
port = int(base.split(":")[2].split("/")[0])

def ask(path, body=None, raw=None, method=None, at=base, headers={}):
    data = raw if raw is not None else json.dumps(body).encode() if body is not None else None
    headers = {"Content-Type": "application/json", **headers} if data is not None else headers
    request = urllib.request.Request(at + path, data=data, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            text = reply.read()
            return reply.status, json.loads(text) if "json" in reply.headers["Content-Type"] else text.decode()
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())

status, page = ask("")
assert status == 200 and "connect-src 'self'" in page and "</html>" in page
nonces = [re.search(r"script-src 'nonce-([0-9a-f]{32})'", p).group(1) for p in (page, ask("")[1])]
assert nonces[0] != nonces[1] and f'<script nonce="{nonces[0]}">' in page and "script-src 'unsafe-inline'" not in page
assert "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page  # nothing from elsewhere
tasks = ask("tasks")[1]["tasks"]
ids = [task["id"] for task in tasks]
assert len(ids) == 3 and not any(task["solved"] for task in tasks), tasks
assert all(set(task) >= {"same_size", "side", "colors", "input", "output"} for task in tasks)
words = ask("words")[1]
assert any(w["name"] == "vmirror" and "piece" in w["signature"] for w in words["primitives"]) and "ZERO" in words["constants"]
task = ask("task/" + ids[0])[1]
assert len(task["train"]) > 1 and all(set(pair["input"]) <= set("0123456789|") for pair in task["train"] + task["test"])

# A file dropped on the page: its tasks, under ids of their own; what is no task is refused with the place.
grid = [[1, 2], [3, 4]]
mirrored = [[2, 1], [4, 3]]
made = {"train": [{"input": grid, "output": mirrored}] * 2, "test": [{"input": grid, "output": mirrored}, {"input": grid}]}
assert ask("tasks", {"name": "made.json", "text": json.dumps(made)}) == (200, {"added": ["made"]})
assert ask("tasks", {"name": "made.json", "text": json.dumps(made)}) == (200, {"added": ["made"]})
other = {**made, "test": made["test"][:1]}
assert ask("tasks", {"name": "made.json", "text": json.dumps(other)}) == (200, {"added": ["made-2"]})
assert ask("task/made")[1]["test"] == [{"input": "12|34", "output": "21|43"}, {"input": "12|34", "output": None}]
assert [len(ask("task/" + id)[1]["test"]) for id in ("made", "made-2")] == [2, 1]
status, refused = ask("tasks", {"name": "bad.json", "text": '{"train": 5}'})
assert status == 400 and refused["error"].startswith("bad.json:1:"), refused
assert ask("tasks", {"name": "empty.json", "text": ""})[0] == 400 and ask("tasks", {"name": 5})[0] == 400
assert ask("tasks", {"name": "large.json", "text": " " * (5 << 20)})[0] == 413

# Outputs and verdicts of every pair; right on all that are known means solved.
mirror = {"task": "made", "program": "def solve(I):\n    O = vmirror(I)\n    return O\n"}
pairs = ask("pairs", mirror)[1]["pairs"]
assert [pair["verdict"] for pair in pairs] == ["right", "right", "right", "answer unknown"], pairs
assert {pair["output"] for pair in pairs} == {"21|43"}
assert ask("pairs", {**mirror, "program": "def solve(I):\n    O = first(ONE)\n    return O\n"})[1]["pairs"][0]["output"] is None
assert [task["id"] for task in ask("tasks")[1]["tasks"] if task["solved"]] == ["made"]

# Programs: errors at their places, steps drawn, verdicts.
good = {"task": ids[0], "program": "def solve(I):\n    x1 = vmirror(I)\n    O = objects(x1, T, F, T)\n    return O\n", "sample": 1}
steps = ask("steps", good)[1]
assert [s["source"] for s in steps["steps"]] == ["x1 = vmirror(I)", "O = objects(x1, T, F, T)"], steps["steps"]
assert all(s["svg"].startswith("<svg") for s in steps["steps"])
assert steps["pairs"][0]["verdict"] == "not a grid" and steps["sample"] == 1
wrong = ask("steps", {**good, "program": "def solve(I):\n    O = vmiror(I)\n    return O\n"})[1]
assert wrong["errors"] == [{"line": 2, "column": 9, "warning": False, "text": "unknown primitive 'vmiror', did you mean 'vmirror'?"}]
assert "steps" not in wrong
warned = ask("steps", {**good, "program": "def solve(I):\n    x1 = size(I)\n    O = vmirror(x1)\n    return O\n"})[1]
assert warned["errors"][0]["warning"] and warned["errors"][0]["line"] == 3 and "failed" in warned["steps"][1]
assert ask("steps", {**good, "program": ""})[1]["errors"]
slow = "def solve(I):\n    x1 = height(I)\n    x2 = interval(x1, 1000, ONE)\n    x3 = product(x2, x2)\n    x4 = power(lbind(apply, identity), 900)\n    x5 = x4(x3)\n    O = canvas(size(x5), UNITY)\n    return O\n"
begin = time.monotonic()
assert {p["verdict"] for p in ask("steps", {**good, "program": slow})[1]["pairs"]} == {"out of budget"}
assert time.monotonic() - begin < 20

# A search: candidates arrive, what fits is kept, another one ends it, stop ends it.
assert ask("search", {"task": ids[0], "seconds": 60})[0] == 200
assert ask("search")[1]["running"]
assert ask("search", {"task": ids[1], "seconds": 1})[0] == 200
for _ in range(300):
    now = ask("search")[1]
    if not now["running"]:
        break
    time.sleep(0.1)
assert now["task"] == ids[1] and not now["running"] and now["error"] == ""
assert now["limit_cpu_seconds"] == 1 and 0 < now["cpu_seconds"] < 1.5 and now["wall_seconds"] > 0, now
for found in now["candidates"]:
    assert found["program"].startswith("def solve_") and 0 < found["right"] <= found["pairs"]
assert ask("keep", {"task": ids[1], "program": "def solve(I):\n    O = vmirror(I)\n    return O\n"}) == (200, {"errors": [], "kept": True})
ask("search", {"task": ids[0], "seconds": 60})
assert ask("stop", {})[0] == 200 and not ask("search")[1]["running"]

# What is refused.
assert ask("", at=f"http://127.0.0.1:{port}/")[0] == 403
assert ask("tasks", at=f"http://127.0.0.1:{port}/{'0' * 32}/")[0] == 403
for host in ("evil.example:80", f"evil.example:{port}", f"127.0.0.1:1@evil.com", f"127.0.0.1:{port}@evil.com", "127.0.0.1",
             f"127.0.0.1:{port}0", "localhost", f"localhost.evil.com:{port}", f"127.0.0.1:{port + 1}", ""):
    assert ask("tasks", headers={"Host": host})[0] == 403, host
assert ask("tasks", headers={"Host": f"localhost:{port}"})[0] == 200
for odd in ({"Origin": "http://evil.com"}, {"Origin": "null"}, {"Origin": f"https://127.0.0.1:{port}"}, {"Origin": f"http://127.0.0.1:{port}.evil.com"},
            {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
    assert ask("stop", {}, headers=odd)[0] == 403, odd
for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""):
    assert ask("stop", {}, headers={"Content-Type": kind})[0] == 415, kind
assert ask("stop", {}, headers={"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"})[0] == 200
assert ask("steps", raw=b'{"task": ')[0] == 400
assert ask("steps", raw=b"[1, 2]")[0] == 400
assert ask("steps", raw=b'{"task": "' + ids[0].encode() + b'", "program": 5}')[0] == 400
assert ask("steps", raw=b"[" * 60000)[0] == 400
assert ask("steps", {"task": "nobody", "program": ""})[0] == 404
assert ask("steps", {**good, "sample": 99})[0] == 400 and ask("steps", {**good, "sample": -1})[0] == 400
assert ask("steps", {**good, "sample": "x"})[0] == 400 and ask("steps", {**good, "sample": 2**62})[0] == 400
assert ask("search", {"task": ids[0], "seconds": 10**6})[0] == 400
assert ask("steps", {**good, "program": "x" * 70000})[0] == 413
assert ask("nothing")[0] == 404 and ask("nothing", {})[0] == 404
for path in ("task/../../../../etc/passwd", "task/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "../../etc/passwd", "task/%00"):
    assert ask(path)[0] in (403, 404), path
assert ask("tasks", method="DELETE")[0] == 405
for junk in (b"\0\0\0\0\r\n\r\n", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n"):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
        try:
            s.sendall(junk)
            s.shutdown(socket.SHUT_WR)
            s.recv(100)
        except OSError:
            pass
statuses = {ask("tasks")[0] for _ in range(600)}
assert 429 in statuses, statuses
time.sleep(2)
assert ask("tasks")[0] == 200
P
# Nobody else can reach it, and nothing was written but the store.
if command -v ss >/dev/null; then
    port=$(sed 's|.*:\([0-9]*\)/.*|\1|' address)
    ss -ltn | grep ":$port " | grep -qv '127.0.0.1' && fail "it listens beyond this machine"
fi
kill -INT $server
status=0
wait $server || status=$?
[ $status -eq 130 ] || { cat err; fail "exit code $status after Ctrl-C"; }
"$BATT" store list kept.batt | grep -q vmirror || "$BATT" store export kept.batt | grep -q vmirror || fail "what was kept is not in the store"
[ "$(find . -newer tasks -type f ! -name 'kept.batt*' ! -name address ! -name err ! -path './tasks/*' | wc -l)" -eq 0 ] || fail "files were written: $(ls)"
cp address other.batt
bad 'not a batt store' "$BATT" serve --store other.batt
