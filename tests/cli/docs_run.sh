# Every command that README and the documents show runs, on stand-in data, in the order in which it is shown; what cannot
# run is listed with its reason in tests/doc_commands.py. Links between documents lead to files.
set -eu
. tests/words.sh
root=$PWD
documents="README.md CONTRIBUTING.md $(echo docs/*.md)"
# A list of words.
# shellcheck disable=SC2086
python3 tests/doc_commands.py links $documents CHANGELOG.md SECURITY.md bench/RESULTS.md || fail "links lead nowhere"
mkdir "$TMP/bin"
ln -s "$BATT" "$TMP/bin/batt"
export PATH="$TMP/bin:$PATH" SLURM_ARRAY_TASK_ID=1

stand_ins() { # FOLDER: data under the names that the documents use
    mkdir -p "$1/data" "$1/ARC-AGI"
    cd "$1"
    batt synth -n 6 -o data/training --solvers-out solvers.py >/dev/null
    local id
    id=$(basename "$(find data/training -name '*.json' | sort | head -n 1)" .json)
    cp "data/training/$id.json" data/training/00d62c1b.json
    sed -n "/^def solve_$id(/,/return O/ s/solve_$id/solve_00d62c1b/p" solvers.py >"$TMP/solver"
    sed -n "/^def solve_$id(/,/return O/p" solvers.py | sed 1d >>"$TMP/solver"
    cat "$TMP/solver" >>solvers.py
    grep -q 'def solve_00d62c1b' solvers.py || fail "no stand-in solver"
    cp -r data/training data/evaluation
    batt solve --count 1 --time-per-task 20ms -q --store found.batt >/dev/null || [ $? -eq 1 ]
    python3 "$root/tests/doc_commands.py" data .
    cd "$root"
}
bad=0 run=0
check() { # LIMIT DOCUMENT COMMAND, which comes as a script on standard input
    local status=0
    timeout 300 bash >"$TMP/out" 2>&1 || status=$?
    run=$((run + 1))
    if [ $status -gt "$1" ]; then
        echo "$2: exit code $status: $3"
        tail -n 5 "$TMP/out"
        bad=1
    fi
}
for document in $documents; do
    [ "$document" != docs/from-python.md ] || continue # tests/cli/from_python.sh runs it, with files of that pipeline
    python3 tests/doc_commands.py commands "$document" >"$TMP/script" || bad=1
    grep -q '^check' "$TMP/script" || continue
    rm -rf "$TMP/scratch"
    stand_ins "$TMP/scratch"
    cd "$TMP/scratch"
    # shellcheck disable=SC1091
    . "$TMP/script"
    cd "$root"
done
[ $run -ge 50 ] || fail "only $run commands were found in the documents"

# The Python blocks, where the package is built.
package=$root/${BATT_BUILD:-build}/python
if PYTHONPATH=$package python3 -c 'import batt' 2>/dev/null; then
    for document in README.md docs/python.md; do
        python3 tests/doc_commands.py python "$document" >"$TMP/blocks.py"
        rm -rf "$TMP/scratch"
        stand_ins "$TMP/scratch"
        (cd "$TMP/scratch" && PYTHONPATH=$package timeout 300 python3 "$TMP/blocks.py") >"$TMP/out" 2>&1 || {
            echo "$document: its Python does not run"
            tail -n 5 "$TMP/out"
            bad=1
        }
    done
else
    echo "the Python package is not built: its blocks are not run"
fi
[ $bad -eq 0 ] || exit 1
echo "$run commands of the documents run"
