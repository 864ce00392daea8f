#!/bin/bash
# The Debian packages: dpkg installs them, they run, dpkg removes them without a trace, and lintian finds nothing.
set -u
. tests/words.sh
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: no dpkg-dev"; exit 77; }
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "skipped: a package of a checked build"; exit 77; }
[ -e "$BATT_BUILD/python/batt/_batt.abi3.so" ] || { echo "skipped: no header of Python (python3-dev)"; exit 77; }
version=$(sed -n 's/^VERSION := //p' Makefile)
sh scripts/deb "$BATT_BUILD" "$version" "$TMP/deb" >"$TMP/out" 2>&1 || { cat "$TMP/out"; fail "no package"; }
packages=("$TMP"/deb/*.deb)
[ "${#packages[@]}" -eq 4 ] || fail "not four packages: ${packages[*]}"
for package in "${packages[@]}"; do
    dpkg-deb -f "$package" Depends | grep -qE 'libsqlite3-(0|dev)' || fail "$package does not say what it needs: $(dpkg-deb -f "$package" Depends)"
done

# Into a root of its own, whose database has no other package: what it depends on is on this machine.
mkdir -p "$TMP/root/var/lib/dpkg/info" "$TMP/root/var/lib/dpkg/updates"
touch "$TMP/root/var/lib/dpkg/status" "$TMP/root/var/lib/dpkg/available"
install() { dpkg --root="$TMP/root" --log=/dev/null --force-not-root --force-script-chrootless --force-depends "$@" >"$TMP/out" 2>&1; }
install -i "${packages[@]}" || { cat "$TMP/out"; fail "dpkg -i"; }
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for file in bin/batt include/batt.h "lib/$triplet/libbatt.so.1" "lib/$triplet/libbatt.a" "lib/$triplet/pkgconfig/batt.pc" \
    lib/python3/dist-packages/batt/_batt.abi3.so share/man/man1/batt.1.gz share/man/man1/batt-solve.1.gz share/bash-completion/completions/batt share/zsh/vendor-completions/_batt \
    share/fish/vendor_completions.d/batt.fish share/doc/batt/copyright; do
    [ -s "$TMP/root/usr/$file" ] || fail "no $file"
done
"$TMP/root/usr/bin/batt" run -q | grep -q '48 of 48 solved' || fail "the packaged binary does not run"
hardened "$TMP/root/usr/bin/batt"
PYTHONPATH=$TMP/root/usr/lib/python3/dist-packages /usr/bin/python3 -c 'import batt; assert len(batt.load()) == 48' || fail "the packaged module does not run"
export PKG_CONFIG_LIBDIR=$TMP/root/usr/lib/$triplet/pkgconfig:/usr/lib/$triplet/pkgconfig PKG_CONFIG_SYSROOT_DIR=$TMP/root PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
read -ra flags <<<"$(pkg-config --cflags batt)"
cc -std=c17 examples/api.c -o "$TMP/api" "${flags[@]}" -L"$TMP/root/usr/lib/$triplet" -lbatt || fail "a program does not compile with libbatt-dev"
LD_LIBRARY_PATH=$TMP/root/usr/lib/$triplet "$TMP/api" >/dev/null || fail "a program does not run with libbatt1"
install -r batt python3-batt libbatt-dev libbatt1 || { cat "$TMP/out"; fail "dpkg -r"; }
[ "$(find "$TMP/root/usr" "$TMP/root/etc" 2>/dev/null | wc -l)" -eq 0 ] || fail "left behind: $(find "$TMP/root/usr")"
if command -v lintian >/dev/null; then
    lintian --fail-on error,warning "${packages[@]}" >"$TMP/out" 2>&1 || { cat "$TMP/out"; fail "lintian finds something"; }
else
    echo "skipped in part: no lintian on this machine"
fi
echo ok
