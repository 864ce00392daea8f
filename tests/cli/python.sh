#!/bin/bash
# The Python package: pytest; with the sanitizers' library loaded first where the extension was built with them.
set -eu
. tests/words.sh
python=${PYTHON:-/usr/bin/python3}
extension=$BATT_BUILD/python/batt/_batt.abi3.so
[ -e "$extension" ] || { echo "skipped: no header of Python, so no extension (python3-dev)"; exit 77; }
"$python" -c 'import pytest' 2>/dev/null || { echo "skipped: no pytest (python3-pytest)"; exit 77; }
export PYTHONPATH=$BATT_BUILD/python PYTHONDONTWRITEBYTECODE=1 BATT PYTHON="$python"
tests=python/tests
if nm -D "$extension" | grep -q __asan_init; then
    # Python's own allocations are never given back at its end; what is read or written wrongly is looked for.
    LD_PRELOAD="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)"
    export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc
    tests="python/tests/test_bad_arguments.py python/tests/test_values.py python/tests/test_tasks.py python/tests/test_jobs.py"
elif nm -D "$extension" | grep -q __tsan_init; then
    LD_PRELOAD=$(cc -print-file-name=libtsan.so)
    export LD_PRELOAD TSAN_OPTIONS=halt_on_error=1
    tests=python/tests/test_jobs.py
fi
# shellcheck disable=SC2086
"$python" -m pytest -q -p no:cacheprovider --durations=3 $tests
