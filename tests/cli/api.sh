#!/bin/bash
# The example of the public interface does what its comments say.
set -eu
"$BATT_BUILD/examples/api" >"$TMP/out"
grep -q '^2 programs, 1 errors$' "$TMP/out"
grep -q "text:13:9: error: unknown primitive 'vmiror', did you mean 'vmirror'?" "$TMP/out"
grep -A 3 '^recolor_corners$' "$TMP/out" | tail -n 3 | tr '\n' '/' | grep -qx '  2 0 2/  0 5 0/  2 0 2/'
grep -q '  failed: zero in line 8' "$TMP/out"
grep -q '  {(2, (1, 1))}' "$TMP/out"
"$BATT_BUILD/examples/values" >"$TMP/out"
grep -q '^3 objects$' "$TMP/out"
grep -q '^color 3 at row 1, column 1$' "$TMP/out"
grep -q "^unknown primitive 'objetcs', did you mean 'objects'?$" "$TMP/out"
"$BATT_BUILD/examples/tasks" >"$TMP/out"
grep -q '^2 of [0-9]* tasks$' "$TMP/out"
grep -qE '^[0-9a-f]{8} test 1: wrong$' "$TMP/out"
grep -q '^train 1' "$TMP/out"
grep -qE '^an SVG of [0-9]{4,} bytes$' "$TMP/out"
"$BATT_BUILD/examples/search" >"$TMP/out" 2>/dev/null
[ "$(grep -cE '^[0-9a-f]{8}: ' "$TMP/out")" -eq 4 ]
grep -q '^a submission is ready$' "$TMP/out"
"$BATT_BUILD/examples/own" >"$TMP/out"
grep -q '^run: solved$' "$TMP/out"
grep -A 2 '^search: solved$' "$TMP/out" | grep -q 'x1 = add_rows(I, THREE)'
grep -q '^failed: type in add_rows$' "$TMP/out"
if command -v "${CXX:-g++}" >/dev/null; then
    echo '#include <batt.h>' | "${CXX:-g++}" -x c++ -Iinclude -Wall -Wextra -Werror -fsyntax-only -
fi
