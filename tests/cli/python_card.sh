#!/bin/bash
# batt card --python: Python runs the module and gets batt's values; the _call module tells every step; reading the module
# back gives the programs; nothing is overwritten.
set -eu

. tests/words.sh
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || { echo "no python3"; exit 77; }

"$BATT" card --freeze --scored --python "$TMP/batt.py" >"$TMP/out"
grep -qE '^Python module: 40 programs, [0-9]+ steps, 246 scores' "$TMP/out" || fail "$(cat "$TMP/out")" # 6 differs: on 40 answers and the wanted output
"$BATT" run --battery "$TMP/batt.py" --json 2>/dev/null >"$TMP/out" || true
grep -q '"tasks_solved": 39,' "$TMP/out" || fail "39 of the 40 work with the dialect's cells, not $(grep tasks_solved "$TMP/out")"

# The calls, one by one.
"$python" - "$TMP" <<'END' || fail "the calls are not those of the steps"
import re, sys
sys.path.insert(0, sys.argv[1])
from batt_call import t_call
steps = dict(re.findall(r"^        t(\d+) = (?!_get)(.*)$", open(sys.argv[1] + "/batt.py").read(), re.M))
assert len(steps) == len(t_call) > 500, (len(steps), len(t_call))
for number, call in t_call.items():
    function, *arguments = call.split(", ")
    assert steps[str(number)] == "%s(%s)" % (function, ", ".join(arguments)), (number, call)
END

# Programs of the dialect come back as they were: random ones, and all kinds of constants.
"$python" tests/generate_python.py collection "$BATT" 11 60 "$TMP/c" 8c5f9c65 >/dev/null
"$BATT" store import "$TMP/c.batt" "$TMP/c/solver_dir" >/dev/null 2>&1
"$BATT" store export "$TMP/c.batt" --mode batt -o "$TMP/dialect.py" >/dev/null
cat >>"$TMP/dialect.py" <<'END'
def solve_constants(S, I, C):
    x1 = ((0, 1, 2), (3, 4, 5), (3, 4, 5))
    x2 = frozenset({(7, 8), (9, 12345)})
    x3 = ()
    x4 = frozenset()
    x5 = (5,)
    x6 = (I, x1, identity(I))
    x7 = frozenset({size_t(I), 77})
    O = (x1, x2, x3, x4, x5, x6, x7, -99)
    return O
def solve_input(S, I, C):
    return I
END
"$BATT" card --freeze -s "$TMP/dialect.py" --python "$TMP/dialect_batt.py" >"$TMP/out"
result() { # ARGS...: the last value of a trace
    "$BATT" trace "$@" 8c5f9c65 --sample test1 --json 2>/dev/null | sed -n 's/^ *"\(value\|failed\)": \(".*"\),*$/\2/p' | tail -1
}
names=$(sed -n 's/^def \(solve_[a-z0-9_]*\)(S.*/\1/p' "$TMP/dialect.py")
[ "$(wc -w <<<"$names")" -ge 15 ] || fail "too few programs: $names"
for name in $names; do
    a=$(result --safe "$TMP/dialect.py:$name")
    b=$(result --battery "$TMP/dialect_batt.py" "$name")
    [ -n "$a" ] && [ "$a" = "$b" ] || fail "$name: $a, and by way of Python's module $b"
done

bad "ends in .py" "$BATT" card --python "$TMP/batt.txt"
bad "cannot be combined with --store" "$BATT" card --python "$TMP/x.py" --store "$TMP/x.batt"
echo mine >"$TMP/own_call.py"
bad "own_call.py: exists" "$BATT" card --python "$TMP/own.py"
[ ! -e "$TMP/own.py" ] || fail "half of it was written"
printf 'def solve_a(I):\n    O = cell_rule(I, 0)\n    return O\n' >"$TMP/ours.py"
bad "no program can be written as Python" "$BATT" card --freeze -s "$TMP/ours.py" --python "$TMP/none.py"

# Python runs it: the package stands in for the pipeline's dsl.
package=${BATT_BUILD:-build}/python
[ -e "$package/batt/_batt.abi3.so" ] || { echo "no Python package, so the module was not run by Python"; exit 77; }
! nm -D "$package/batt/_batt.abi3.so" | grep -q '__[at]san_init' || { echo "not run by Python under sanitizers"; exit 77; }
mkdir "$TMP/run"
cp "$TMP/batt.py" "$TMP/run/generated.py"
cp "$TMP/dialect_batt.py" "$TMP/run/dialect.py"
echo "from batt.dsl.dialect import *" >"$TMP/run/dsl.py"
echo "def _get_safe_default(f): return ()" >"$TMP/run/safe_dsl.py" # only for values that cannot be called
"$python" - >"$TMP/run/0badcafe.json" <<'END'
import json
grids = [[[k, 2, 3], [4, 5, k], [1, k, 9]] for k in range(5)]
pairs = [{"input": g, "output": [list(column) for column in zip(*g)]} for g in grids]
print(json.dumps({"train": pairs[:4], "test": pairs[4:]}))
END
for module in generated dialect; do
    "$BATT" trace --battery "$TMP/run/$module.py" batt "$TMP/run/0badcafe.json" --sample 1 --json 2>/dev/null >"$TMP/run/$module.json" || true
    PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1 "$python" - "$TMP/run" $module <<'END' || fail "Python gets other values from $module.py"
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
import batt
task = json.load(open(sys.argv[1] + "/0badcafe.json"))
grid = lambda rows: tuple(map(tuple, rows))
train = tuple((grid(p["input"]), grid(p["output"])) for p in task["train"])
o, s = importlib.import_module(sys.argv[2]).batt("0badcafe", train, train[0][0], train[0][0], "log")
steps = json.load(open("%s/%s.json" % tuple(sys.argv[1:3])))["samples"][0]["steps"]
read = lambda text: eval(text, {"T": 1, "F": 0, "frozenset": frozenset})
def plain(v):
    v = batt.plain(v) if hasattr(batt, "plain") else v
    return frozenset(map(plain, v)) if isinstance(v, (set, frozenset)) else tuple(map(plain, v)) if hasattr(v, "__iter__") else v
compared = 0
for number, *_, value in o + s:
    text = steps[number - 1]["value"]
    if any(c.isalpha() for c in text.replace("T", "").replace("F", "")):
        continue  # a function
    text = text.replace("{", "frozenset([").replace("}", "])")
    assert plain(value) == plain(read(text)), (number, text, value)
    compared += 1
assert len(o) >= 15 and compared >= len(o) // 2, (len(o), compared)
END
done
