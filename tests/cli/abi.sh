#!/bin/bash
# libbatt.so exports exactly the functions of batt.h, under their symbol versions, and links no library that it does not
# use.
set -eu
. tests/words.sh

# Declared, versioned, exported: one list.
echo '#include <batt.h>' | "${CC:-cc}" -Iinclude -E -P -x c - | tr '\n' ' ' | grep -oE '\bbatt_[a-z_]+\(' | tr -d '(' |
    sort -u >"$TMP/declared"
[ "$(wc -l <"$TMP/declared")" -gt 80 ] || fail "the header was not understood"
grep -oE '^ +batt_[a-z_]+;' src/tools/api/batt.map | tr -d ' ;' | sort >"$TMP/versioned"
diff "$TMP/declared" "$TMP/versioned" || fail "batt.h and src/tools/api/batt.map differ"
nm -D --defined-only "$BATT_BUILD/libbatt.so" | awk '$2 != "A" {print $3}' | sort >"$TMP/exported"
sed 's/@@BATT_1.*//' "$TMP/exported" >"$TMP/names"
if [ -z "${BATT_TEST_SLOW:-}" ]; then # sanitizers export words of their own
    diff "$TMP/declared" "$TMP/names" || fail "libbatt.so does not export what batt.h declares"
    ! grep -v '@@BATT_1' "$TMP/exported" || fail "exported without a version"
fi

# The head of batt.h says what the SOVERSION means.
grep -q 'The SOVERSION is incremented when' include/batt.h || fail "no sentence about the ABI"
readelf -d "$BATT_BUILD/libbatt.so" | grep -q 'SONAME.*libbatt.so.1' || fail "SONAME"

# Every library it needs is one that it calls, and the archives of the language tools are not among them.
[ -z "${BATT_TEST_SLOW:-}" ] || exit 0
for library in $(readelf -d "$BATT_BUILD/libbatt.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
    case $library in
    libc.so.* | libm.so.* | libsqlite3.so.* | libpng*.so.* | libjansson.so.*) ;;
    *) fail "libbatt.so needs $library" ;;
    esac
done
undefined=$(ldd -u "$BATT_BUILD/libbatt.so" 2>/dev/null | grep -c '\.so' || true)
[ "$undefined" -eq 0 ] || fail "libbatt.so needs a library that it does not use: $(ldd -u "$BATT_BUILD/libbatt.so")"
