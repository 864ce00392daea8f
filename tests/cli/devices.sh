#!/bin/bash
# --device and batt devices: a device that is not available is an error; a device gives the CPU's results, byte for
# byte, and the report counts its work; failures on a device are reported and lose nothing. A fake libOpenCL
# (tests/device) fails on purpose and has several devices; PoCL runs the kernels themselves.
set -eu
. tests/words.sh

# ---- what cannot be had ----
for command in 'solve -n 1 --steps 1000' 'run -q --all' 'evolve --generations 1 -n 1' 'bench search --steps 1000' 'profile batch -n 1'; do
    # shellcheck disable=SC2086 # several words
    {
        bad 'expected one of cpu, auto, auto:SECONDS, opencl' "$BATT" $command --device gpu
        bad 'after the colon stand numbers' "$BATT" $command --device opencl:x
        bad 'after the colon stand seconds' "$BATT" $command --device auto:x
        bad '--device opencl:9: ' "$BATT" $command --device opencl:9
    }
done
bad 'no devices\?[: ]' "$BATT" devices 9
if command -v ldd >/dev/null && ldd "$BATT" | grep -i opencl; then
    fail 'the binary is linked with OpenCL'
fi

# ---- help ----
case $BATT_BUILD in /*) fakes=$BATT_BUILD/device ;; *) fakes=$PWD/$BATT_BUILD/device ;; esac
cd "$TMP" # jobs on which results differ are kept in the working folder
fake() { LD_LIBRARY_PATH=$fakes${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"; }

printf '%s\n' 49db1a3f f1a725b5 817794f5 605160bb >ids
solve() { # DEVICE NAME [OPTION...]: what does not depend on the clock is in NAME.kept
    local device=$1 name=$2
    shift 2
    "$BATT" solve --without library --ids "${ids:-ids}" --steps 400000 --device "$device" --json "$@" >"$name" 2>"$name.err" || return
    python3 - "$name" >"$name.kept" <<'PY'
import json, sys
def kept(value):
    if isinstance(value, dict):
        return {k: kept(v) for k, v in value.items()
                if not k.endswith('_s') and k not in ('device', 'phases', 'profile')}
    return [kept(v) for v in value] if isinstance(value, list) else value
print(json.dumps(kept(json.load(open(sys.argv[1]))), indent=1))
PY
}
same() { # NAME [OTHER]: as the processor answers
    cmp "${2:-cpu}.kept" "$1.kept" || fail "$1 gives other answers than the processor"
}
device_of() { # NAME EXPRESSION: is true of the JSON's device (d) and its operations (done)
    python3 - "$@" <<'PY' || fail "$1: not $2"
import json, sys
d = json.load(open(sys.argv[1]))['device']
done = {o['name'] for o in d['operations'] if o['batches'] > 0}
sys.exit(0 if eval(sys.argv[2]) else str(d))
PY
}
solve cpu cpu
device_of cpu 'd["name"] == "cpu" and d["batches"] == 0'

# ---- several devices ----
FAKE_OPENCL_DEVICES=3 fake solve opencl:0,1,2 three
same three
device_of three 'd["name"] == "fake 0 + fake 1 + fake 2" and done == {"rules", "cover", "tables"}'
device_of three 'd["checked"] > 0 and d["differences"] == 0 and d["fallbacks"] == [] and d["transfer_bytes"] > 0'

# ---- all trees of depth three, which search leaves out unless it is told ----
printf '%s\n' d003e5b0 d6213147 >tree_ids
trees=(--set cells_deep_tests_max=2000 --set cells_long_list=1 --set cells_short_list=1)
for strategy in $("$BATT" help strategies | awk 'NR > 1 && $1 != "library" && $1 != "cells" { print $1 }'); do
    trees+=(--without "$strategy")
done
trees() { # DEVICE NAME [OPTION...]
    ids=tree_ids solve "$@" "${trees[@]}"
}
trees cpu trees -j 1
grep -q 'cell_rule.* IS.* IS' trees || fail 'no tree of more than one question was found'
trees cpu trees_threads -j 3
same trees_threads trees
FAKE_OPENCL_DEVICES=2 fake trees opencl:0,1 trees_two
same trees_two trees
device_of trees_two 'done == {"trees"} and d["checked"] > 0 and d["differences"] == 0'

# ---- what goes wrong ----
silent="the OpenCL driver batt's tests does not list its devices: "
FAKE_OPENCL_FAIL=list@1 fake "$BATT" devices | grep -q "^no devices: $silent" || fail 'a broken driver is not named'
FAKE_OPENCL_FAIL=list@1 fake "$BATT" devices --json | grep -q "\"why\": \"$silent" || fail 'a broken driver is not named in JSON'
status=0
FAKE_OPENCL_FAIL=list@1 fake solve opencl:0 silent || status=$?
[ $status -eq 2 ] || fail "exit code $status of a driver without a list, not 2"
grep -q "$silent" silent.err || fail "a broken driver is not named: $(cat silent.err)"
for failure in 'alloc@1+ memory' 'build@1+ build' 'launch@2+ launch' 'lost@2+ lost' 'wrong@1+ wrong result'; do
    wish=${failure%% *} reason=${failure#* }
    FAKE_OPENCL_FAIL=$wish fake solve auto:0 "$wish"
    same "$wish"
    device_of "$wish" "[f['reason'] for f in d['fallbacks']] == ['$reason'] and d['fallbacks'][0]['count'] > 0"
    grep -q 'device fake 0: .*; repeated on the CPU' "$wish.err" || fail "$wish is not told: $(cat "$wish.err")"
    status=0
    FAKE_OPENCL_FAIL=$wish fake solve opencl:0 asked || status=$?
    [ $status -eq 1 ] || fail "$wish: exit code $status of a device that was asked for, not 1"
    grep -q 'device fake 0: .*; results are incomplete' asked.err || fail "$wish is not told: $(cat asked.err)"
done
ls batt-device-*-1.bin >/dev/null || fail 'no job was kept on which results differ'

# ---- looking late ----
fake solve auto short
same short
device_of short 'd["batches"] == 0 and d["operations"] == [] and d["note"].startswith("not looked for")'
fake solve auto:0.02 late # in the midst of it
same late
device_of late '"note" not in d and d["name"] == "fake 0" and d["checked"] > 0 and d["differences"] == 0'
fake "$BATT" solve --without library --ids ids --steps 1000 --device auto 2>/dev/null | grep -q '^device *none: not looked for' ||
    fail 'it is not told that no device was looked for'

# ---- batteries by levels ----
battery() { # DEVICE NAME [OPTION...]: every example solver on every example task
    local device=$1 name=$2 status=0
    shift 2
    "$BATT" run --all --device "$device" --json "$@" >"$name" 2>"$name.err" || status=$?
    python3 - "$name" >"$name.kept" <<'PY'
import json, sys
def kept(value):
    if isinstance(value, dict):
        return {k: kept(v) for k, v in value.items()
                if not k.endswith(('_s', '_ms', '_us')) and k not in ('device', 'phases', 'profile', 'slowest')}
    return [kept(v) for v in value] if isinstance(value, list) else value
print(json.dumps(kept(json.load(open(sys.argv[1]))), indent=1))
PY
    return $status
}
battery cpu battery_cpu || true
for devices in 1 3; do
    FAKE_OPENCL_DEVICES=$devices fake battery "$([ $devices = 1 ] && echo opencl || echo opencl:0,1,2)" "battery_$devices" || true
    same "battery_$devices" battery_cpu
    device_of "battery_$devices" 'd["battery"]["share"] > 0.4 and d["checked"] > 0 and d["differences"] == 0'
done
device_of battery_3 'sum(e["device_calls"] for e in d["devices"]) == d["battery"]["device_calls"]'
device_of battery_3 'all(sum(e[k] for e in d["devices"]) == d[k] for k in ("launches", "transfers", "transfer_bytes"))'
device_of battery_3 'len(d["devices"]) == 3 and all(e["device_calls"] > 0 for e in d["devices"])'
fake battery auto:0 battery_auto || true # keeps it there or not, and says why
same battery_auto battery_cpu
device_of battery_auto 'd["reason"].startswith("auto: ") and "for a sample with devices" in d["reason"]'
fake battery auto battery_late || true
device_of battery_late 'd["launches"] == 0 and "auto:0" in d["reason"]'
fake battery opencl:0 battery_few --device-from 100000 || true
same battery_few battery_cpu
device_of battery_few 'd["launches"] == 0 and "battery" not in d and "--device-from" in d["reason"]'
bad '--device-from needs --device' "$BATT" run -q --all --device-from 3
for wish in build@1+ alloc@1+ launch@3+ read@2+ lost@2+ wrong@3+; do
    status=0
    FAKE_OPENCL_FAIL=$wish fake battery opencl:0 battery_bad 2>/dev/null || status=$?
    [ $status -eq 1 ] || fail "$wish: exit code $status of a battery on a device that fails, not 1"
    grep -q 'device fake 0: battery: ' battery_bad.err || fail "$wish is not told: $(cat battery_bad.err)"
    FAKE_OPENCL_FAIL=$wish fake battery auto:0 battery_auto || true
    same battery_auto battery_cpu
done

# ---- profiles ----
profile() { # DEVICE NAME: calls and sums of a battery's profile
    "$BATT" profile batch --all -n 6 -r 1 --device "$1" -o "$2.json" >"$2.txt" 2>"$2.err" ||
        fail "profile --device $1: $(cat "$2.err")"
}
profile cpu profile_cpu
for device in opencl:0 auto; do # auto looks at once, and may leave all to the processor
    fake profile "$device" "profile_${device%:0}"
    python3 - profile_cpu.json "profile_${device%:0}.json" <<'PY' || fail "profile --device $device"
import json, sys
cpu, fake = (json.load(open(name)) for name in sys.argv[1:])
solved = [[(t['id'], t['solved'], t['evaluations']) for t in p['tasks']] for p in (cpu, fake)]
rows = ('device_build', 'device_transfer', 'device_kernel', 'device_wait')
before = ('match', 'strip', 'merge') + rows  # not a part of the passes
def adds_up(p):
    parts = sum(ns for name, ns in p['work_ns'].items() if name not in before) + p['plain_ns']
    return abs(parts - p['pass_ns'][0] * p['workers']) < 0.01 * parts
if solved[0] != solved[1]: sys.exit('other tasks are solved')
if any(cpu['work_ns'][row] for row in rows): sys.exit('a device worked without being asked')
if not fake['work_ns']['device_build']: sys.exit('no device was looked for')
if 'opencl' in sys.argv[2] and not all(fake['work_ns'][row] for row in rows): sys.exit(str(fake['work_ns']))
if not adds_up(cpu) or not adds_up(fake): sys.exit('the parts do not add up to the pass')
PY
done

# ---- every operation against the processor ----
FAKE_OPENCL_DEVICES=2 fake "$BATT" devices --selftest --json >selftest || fail 'a device that is right does not pass the selftest'
python3 - selftest <<'PY' || fail 'the selftest leaves something out'
import json, sys
for device in json.load(open(sys.argv[1]))['devices']:
    test = device['selftest']
    assert {o['name'] for o in test['operations']} == {'rules', 'trees', 'cover', 'tables', 'grids', 'battery'}
    assert len(test['grid_steps']) == 22 and len(test['primitives']) >= 100 and test['differences'] == 0
    assert all(o['items'] > 1000 and o['device_s'] > 0 and o['cpu_s'] > 0 for o in test['operations']), test['operations']
PY
for wish in wrong@3 wrong@60+ launch@2+ alloc@1+ build@1+; do
    status=0
    FAKE_OPENCL_FAIL=$wish fake "$BATT" devices --selftest >wrong 2>&1 || status=$?
    [ $status -eq 1 ] || fail "$wish: exit code $status of a selftest that finds differences, not 1"
    grep -q 'please send us this report' wrong && grep -q '^fake\|fake 0' wrong || fail "$wish: $(cat wrong)"
done
bad 'nothing to test: ' env FAKE_OPENCL_DEVICES=0 LD_LIBRARY_PATH="$fakes${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$BATT" devices --selftest

# ---- a processor behind OpenCL ----
FAKE_OPENCL_TYPE=cpu fake solve auto:0 processor
same processor
device_of processor 'd["batches"] == 0 and "auto never takes" in d["note"]'
FAKE_OPENCL_TYPE=cpu fake "$BATT" devices | grep -q 'the CPU itself' || fail 'a processor is not named as what it is'

# ---- real kernels ----
"$BATT" devices --json >list
if ! grep -q '"usable": true' list; then
    echo 'skipped: no OpenCL here (packages ocl-icd-libopencl1 and pocl-opencl-icd)'
    exit 77
fi
solve opencl:0 real
same real
trees opencl:0 trees_real
same trees_real trees
device_of real 'done == {"rules", "cover", "tables"} and d["checked"] > 0 and d["differences"] == 0'
for device in cpu opencl:0; do
    "$BATT" run -q --all --device "$device" --submission "run-$device" >/dev/null 2>&1
    "$BATT" evolve --generations 2 --count 4 --device "$device" --json 2>/dev/null | sed -n '/"best"/,$p' >"evolve-$device"
done
"$BATT" devices --selftest 0 >selftest || fail "the selftest: $(cat selftest)"
cmp run-cpu run-opencl:0 || fail 'run gives other answers with a device'
grep -q program evolve-cpu || fail 'evolve said nothing'
cmp evolve-cpu evolve-opencl:0 || fail 'evolve gives other programs with a device'
