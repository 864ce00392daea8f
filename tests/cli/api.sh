#!/bin/bash
# The example of the public interface does what its comments say.
set -eu
"$BATT_BUILD/examples/api" >"$TMP/out"
grep -q '^2 programs, 1 errors$' "$TMP/out"
grep -q "text:13:9: error: unknown primitive 'vmiror', did you mean 'vmirror'?" "$TMP/out"
grep -A 3 '^recolor_corners$' "$TMP/out" | tail -n 3 | tr '\n' '/' | grep -qx '  2 0 2/  0 5 0/  2 0 2/'
grep -q '  failed: zero in line 8' "$TMP/out"
grep -q '  {(2, (1, 1))}' "$TMP/out"
if command -v "${CXX:-g++}" >/dev/null; then
    echo '#include <batt.h>' | "${CXX:-g++}" -x c++ -Iinclude -Wall -Wextra -Werror -fsyntax-only -
fi
