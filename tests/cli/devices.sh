#!/bin/bash
# --device and batt devices: what cannot be had is refused; what a device does is what the processor does, byte for
# byte, and is told; what goes wrong on a device is told, and loses nothing. A fake libOpenCL (tests/device) goes wrong
# on purpose and has several devices; PoCL runs the kernels themselves.
set -eu
. tests/words.sh

# ---- what cannot be had ----
for command in 'solve -n 1 --steps 1000' 'run -q --all' 'evolve --generations 1 -n 1' 'bench search --steps 1000'; do
    # shellcheck disable=SC2086 # several words
    {
        bad 'is none of cpu, auto, opencl' "$BATT" $command --device gpu
        bad 'after the colon stand numbers' "$BATT" $command --device opencl:x
        bad '--device opencl:9: ' "$BATT" $command --device opencl:9
    }
done
bad 'there \(is\|are\) no device' "$BATT" devices 9
if command -v ldd >/dev/null && ldd "$BATT" | grep -i opencl; then
    fail 'the binary is linked with OpenCL'
fi

# ---- help ----
case $BATT_BUILD in /*) fakes=$BATT_BUILD/device ;; *) fakes=$PWD/$BATT_BUILD/device ;; esac
cd "$TMP" # jobs on which results differ are kept in the working folder
fake() { LD_LIBRARY_PATH=$fakes${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"; }

printf '%s\n' 49db1a3f f1a725b5 817794f5 605160bb >ids
solve() { # DEVICE NAME: what does not depend on the clock is in NAME.kept
    local name=$2
    "$BATT" solve --without library --ids ids --steps 300000 --device "$1" --json >"$name" 2>"$name.err" || return
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
same() { # NAME: as the processor answers
    cmp cpu.kept "$1.kept" || fail "$1 gives other answers than the processor"
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

# ---- what goes wrong ----
for failure in 'alloc@1+ memory' 'build@1+ build' 'launch@2+ launch' 'lost@2+ lost' 'wrong@1+ wrong result'; do
    wish=${failure%% *} reason=${failure#* }
    FAKE_OPENCL_FAIL=$wish fake solve auto "$wish"
    same "$wish"
    device_of "$wish" "[f['reason'] for f in d['fallbacks']] == ['$reason'] and d['fallbacks'][0]['count'] > 0"
    grep -q 'device fake 0: .*; done again by the processor' "$wish.err" || fail "$wish is not told: $(cat "$wish.err")"
    status=0
    FAKE_OPENCL_FAIL=$wish fake solve opencl:0 asked || status=$?
    [ $status -eq 1 ] || fail "$wish: exit code $status of a device that was asked for, not 1"
    grep -q 'device fake 0: .*; what was not done' asked.err || fail "$wish is not told: $(cat asked.err)"
done
ls batt-device-*-1.bin >/dev/null || fail 'no job was kept on which results differ'

# ---- a processor behind OpenCL ----
FAKE_OPENCL_TYPE=cpu fake solve auto processor
same processor
device_of processor 'd["batches"] == 0 and "auto never takes" in d["note"]'
FAKE_OPENCL_TYPE=cpu fake "$BATT" devices | grep -q 'the processor itself' || fail 'a processor is not named as what it is'

# ---- real kernels ----
"$BATT" devices --json >list
if ! grep -q '"usable": true' list; then
    echo 'skipped: no OpenCL here (packages ocl-icd-libopencl1 and pocl-opencl-icd)'
    exit 77
fi
solve opencl:0 real
same real
device_of real 'done == {"rules", "cover", "tables"} and d["checked"] > 0 and d["differences"] == 0'
for device in cpu opencl:0; do
    "$BATT" run -q --all --device "$device" --submission "run-$device" >/dev/null 2>&1
    "$BATT" evolve --generations 2 --count 4 --device "$device" --json 2>/dev/null | sed -n '/"best"/,$p' >"evolve-$device"
done
cmp run-cpu run-opencl:0 || fail 'run gives other answers with a device'
grep -q program evolve-cpu || fail 'evolve said nothing'
cmp evolve-cpu evolve-opencl:0 || fail 'evolve gives other programs with a device'
