#!/bin/bash
# Every --json names its schema, and is what docs/schema says: all commands, with what is optional and what goes wrong.
set -u
. tests/words.sh
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import jsonschema' 2>/dev/null || { echo "skipped: no jsonschema (python3-jsonschema)"; exit 77; }
root=$PWD build=$(cd "$BATT_BUILD" && pwd)
cp -r docs/schema "$TMP/schema"
cd "$TMP" && mkdir said
say() { # NAME COMMAND...: keeps what it prints
    name=$1
    shift
    "$BATT" "$@" >"said/$name.json" 2>"$TMP/err"
    [ -s "said/$name.json" ] || fail "batt $* printed nothing: $(cat "$TMP/err")"
}
printf 'def solve_a(I):\n    x1 = size(I)\n    O = rot90(x1)\n    return O\n' >bad.py
printf 'def solve_%s(I):\n    O = %s(I)\n    return O\n' 0cd24527 nothing >broken.py
printf 'def f(I):\n    O = vmirror(I)\n    return O\ndef g(I):\n    O = crop(I, (0, 0), (1, 1))\n    return O\n' >two.py
printf '{"train":[{"input":[[1]],"output":[[2]]}],"test":[{"input":[[3]]}]}' >blind.json
few=(--count 2 -j 1)

say run run --json "${few[@]}"
say run-all run --json --all -s two.py --count 3 --profile timing --stats
say run-wrong run --json -s two.py --all --max-steps 1 --count 2
say run-blind run --json --all -s two.py blind.json
"$BATT" run -q "${few[@]}" --history history.jsonl --submission sub.json >/dev/null
head -n 1 history.jsonl >said/history-begin.json && tail -n 1 history.jsonl >said/history-end.json
say trace trace --json 0cd24527
say trace-failed trace --json bad.py blind.json
say eval eval --json 'first((1, 2))' '((1, 2), (3, 4))' 'first(())'
say eval-vectors eval --json --vectors "$root/tests/vectors"
say lint lint --json bad.py broken.py
say prims prims --json
say show show --json --count 2
say synth synth --json --count 2 -o made --solvers-out made.py
say synth-families synth --json --list
say solve solve --json "${few[@]}" --steps 20000 --store s.batt --stats
say solve-library solve --json "${few[@]}" --without library --steps 3000 --profile timing
say evolve evolve --json --count 1 --generations 2 --children 64 --store e.batt --stats
say net net --json --count 1 --steps 3 --layers
say card card --json --count 2 -o card.py
say score score --json sub.json
say submission submission merge --json merged.json sub.json sub.json
for view in dsl batch pipeline framework; do say profile-$view profile $view --json "${few[@]}" --repeat 2; done
say profile-lines profile lines solve_0cd24527 0cd24527 --json --repeat 2
for file in before after; do "$BATT" profile batch "${few[@]}" --repeat 3 -o $file.json >/dev/null; done
say profile-compare profile compare before.json after.json --json
say profile-history profile history history.jsonl --json
say devices devices --json
say bench-prims bench --json --rounds 1 --vectors "$root/tests/vectors" prims vmirror
say bench-kernel bench --json --programs 4 --passes 2 kernel
say bench-engine bench --json --rounds 1 engine
say bench-programs bench --json --rounds 1 --programs 4 programs
say bench-search bench --json --steps 2000 --sample 2 search
say store-stats store stats --json s.batt
say store-best store best --json s.batt
say store-list store list --json e.batt --text
say store-check store check --json s.batt
say store-export store export --json s.batt -o out.py
say store-import store import --json i.batt out.py
say store-records store records --json e.batt
say store-merge store merge --json m.batt s.batt e.batt
say store-prune store prune --json m.batt --best 1
say store-lineage store lineage --json s.batt 0cd24527
# A sanitized library cannot be loaded into Python.
if [ -z "${BATT_TEST_SLOW:-}" ] && [ -e "$build/python/batt/_batt.abi3.so" ]; then
    PYTHONPATH=$build/python "$python" - <<'P' || fail "the library's JSON"
import batt, json
from batt import _batt
tasks = batt.load()[:2]
save = lambda name, data: json.dump(data, open(f"said/{name}.json", "w"))
save("api-run", batt.run(batt.solvers(), tasks).to_dict())
save("api-solve", batt.solve(tasks, steps=3000, progress=False).to_dict())
save("api-evolve", batt.evolve(tasks, generations=1, children=64, progress=False).to_dict())
save("api-score", batt.score(batt.run(batt.solvers(), tasks), tasks))
save("api-stats", batt.store("s.batt").stats())
save("api-best", json.loads(_batt.store("s.batt", "best", None, 0)))
save("api-lineage", json.loads(_batt.store("s.batt", "lineage", batt.store("s.batt").best()[0]["program"], 0)))
save("api-devices", json.loads(_batt.devices()))
P
else # only the library writes these
    rm schema/batt.results-1.json schema/batt.store.ancestors-1.json
fi
"$python" "$root/tests/schemas.py" schema said/*.json
