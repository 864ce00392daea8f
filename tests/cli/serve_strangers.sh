#!/bin/bash
# batt serve under strangers on this machine: 1000 requests per second without the token and 100 connections that send a
# byte now and then. The owner, who asks 200 times meanwhile, is answered. All of it on 127.0.0.1, for seconds.
set -eu
. tests/words.sh
cd "$TMP"
"$BATT" synth -n 3 --seed 2 -o tasks >/dev/null
start_server tasks
python3 - "$(cat address)" <<'P'
import http.client, os, socket, sys, threading, time
base = sys.argv[1]
port, token = int(base.split(":")[2].split("/")[0]), base.split("/")[3]
ASKED, RATE, SLOW, LONGEST = 200, 1000, 100, 60
over = threading.Event()
sent = answered = 0

def stranger():
    global sent, answered
    begin = time.monotonic()
    while not over.is_set() and time.monotonic() - begin < LONGEST:
        # ten at a time, each a connection of its own
        for _ in range(10):
            sent += 1
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=5) as s:
                    s.sendall(b"GET /%s/tasks HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (b"0" * 32, port))
                    answered += s.recv(12) == b"HTTP/1.1 403"
            except OSError:
                pass
        time.sleep(max(0, begin + sent / RATE - time.monotonic()))

def slow():
    connections = []
    while not over.is_set():
        connections = [s for s in connections if s is not None]
        while len(connections) < SLOW:
            try:
                s = socket.create_connection(("127.0.0.1", port), timeout=5)
                s.sendall(b"POST /" + token[:5].encode())
                connections.append(s)
            except OSError:
                break
        for k, s in enumerate(connections):
            try:
                s.sendall(b"x")
            except OSError:
                connections[k] = None
        time.sleep(0.3)

threads = [threading.Thread(target=stranger), threading.Thread(target=slow)]
for t in threads:
    t.start()
time.sleep(1)
good, longest, begin, first = 0, 0.0, time.monotonic(), sent
for k in range(ASKED):
    start = time.monotonic()
    try:
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        c.request("GET", f"/{token}/tasks")
        good += c.getresponse().status == 200
        c.close()
    except OSError:
        pass
    longest = max(longest, time.monotonic() - start)
    time.sleep(max(0, begin + k / 40 - time.monotonic()))
took, strange = time.monotonic() - begin, sent - first
over.set()
for t in threads:
    t.join()
print(f"the owner: {good} of {ASKED} answered, the slowest in {longest * 1000:.0f} ms; "
      f"strangers: {strange / took:.0f} requests per second, {answered} of {sent} refused, {SLOW} slow connections")
assert good >= 0.99 * ASKED
assert "BATT_TEST_IDLE" not in os.environ or strange / took > 0.9 * RATE

# A connection without the token ends at its deadline, however busy it is.
with socket.create_connection(("127.0.0.1", port), timeout=10) as s:
    s.settimeout(0.2)
    begin = time.monotonic()
    try:
        while time.monotonic() - begin < 30:
            s.sendall(b"G")
            try:
                if s.recv(1) == b"":
                    break
            except socket.timeout:
                pass
    except OSError:
        pass
    assert time.monotonic() - begin < 15, "a slow connection may stay"
# And many of them at once let a new one in.
crowd = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(300)]
c = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
c.request("GET", f"/{token}/tasks")
assert c.getresponse().status == 200
P
