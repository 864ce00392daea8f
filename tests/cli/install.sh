# make install, then a program built against what was installed, then make uninstall.
set -eu
. tests/words.sh
[ -e include/batt.h ] || { echo "no public header yet"; exit 77; }
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "installed once, from the release build"; exit 77; }

make -s BUILD="$BATT_BUILD" DESTDIR="$TMP" PREFIX=/usr install >/dev/null
root=$TMP/usr
for file in bin/batt include/batt.h lib/libbatt.a lib/libbatt.so lib/libbatt.so.1 lib/pkgconfig/batt.pc \
    share/man/man1/batt.1 share/man/man1/batt-solve.1 share/bash-completion/completions/batt share/zsh/vendor-completions/_batt \
    share/fish/vendor_completions.d/batt.fish; do
    [ -e "$root/$file" ] || fail "not installed: $file"
done

hardened "$root/bin/batt"
hardened "$root/lib/libbatt.so.1"

# Only what the header declares can be seen from outside.
for library in "-D $root/lib/libbatt.so.1" "$root/lib/libbatt.a"; do
    # shellcheck disable=SC2086
    leaked=$(nm --defined-only --extern-only $library | awk 'NF == 3 && $3 !~ /^batt_|^BATT_1/ {print $3}')
    [ -z "$leaked" ] || fail "$library shows internal symbols: $leaked"
done

# As a user builds: pkg-config for the flags, both libraries.
export PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$TMP PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
read -ra flags <<<"$(pkg-config --cflags --libs batt)"
cc -std=c17 examples/api.c -o "$TMP/shared" "${flags[@]}"
LD_LIBRARY_PATH=$root/lib "$TMP/shared" >"$TMP/shared.out"
[ -s "$TMP/shared.out" ] || fail "the example printed nothing"
# The library as an archive, with all that it needs: from pkg-config alone, and by a linker that takes archives only.
read -ra private <<<"$(pkg-config --static --cflags --libs batt)"
mv "$root/lib/libbatt.so" "$root/lib/aside"
cc -std=c17 examples/api.c -o "$TMP/static" "${private[@]}"
cc -std=c17 -static examples/api.c -o "$TMP/all-static" "${private[@]}" 2>"$TMP/log" || { cat "$TMP/log"; fail "pkg-config --static does not link"; }
mv "$root/lib/aside" "$root/lib/libbatt.so"
"$TMP/all-static" | cmp - "$TMP/shared.out" || fail "the static program does something else"
"$TMP/static" | cmp - "$TMP/shared.out" || fail "static and shared library disagree"
if command -v c++ >/dev/null; then
    echo '#include <batt.h>' | c++ -fsyntax-only -I"$root/include" -x c++ - || fail "batt.h does not compile as C++"
fi

make -s BUILD="$BATT_BUILD" DESTDIR="$TMP" PREFIX=/usr uninstall >/dev/null
left=$(find "$root" -type f -o -type l)
[ -z "$left" ] || fail "left behind by uninstall: $left"
