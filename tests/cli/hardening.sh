# The ELF headers of the built binaries show that they are hardened; the tests of packages check those.
set -eu
. tests/words.sh
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "skipped: sanitizers take the place of hardening"; exit 77; }
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
hardened "$BATT"
for file in "$BATT_BUILD/libbatt.so.1" "$BATT_BUILD/python/batt/_batt.abi3.so" "$BATT_BUILD/batt-mpi.so"; do
    [ ! -e "$file" ] || case $file in
    *mpi*) readelf -dW "$file" | grep -qE 'BIND_NOW|FLAGS_1.*NOW' || fail "$file: not bound at start" ;;
    *) hardened "$file" ;;
    esac
done
# The check can fail.
cat >"$TMP/plain.c" <<'C'
#include <stdio.h>
int main(int argc, char **argv) { char text[20]; sprintf(text, "%s", argv[argc - 1]); puts(text); }
C
cc -no-pie -fno-stack-protector -Wl,-z,norelro,-z,lazy -o "$TMP/plain" "$TMP/plain.c" 2>/dev/null
! (hardened "$TMP/plain") >/dev/null || fail "anything passes for hardened"
