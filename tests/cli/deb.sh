#!/bin/bash
# The Debian package: has what it should, runs where it is unpacked, and lintian finds no error.
set -u
fail() { echo "FAIL: $*"; exit 1; }
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: no dpkg-dev"; exit 77; }
[ -z "${BATT_TEST_QUICK:-}" ] || { echo "skipped: a package of a checked build"; exit 77; }
sh scripts/deb "$BATT" 0.1.0 "$TMP/deb" >"$TMP/out" 2>&1 || { cat "$TMP/out"; fail "no package"; }
package=$(echo "$TMP"/deb/batt_*.deb)
dpkg-deb -f "$package" Depends | grep -q 'libsqlite3-0' || fail "the package does not say what it needs: $(dpkg-deb -f "$package" Depends)"
mkdir "$TMP/root" && dpkg-deb -x "$package" "$TMP/root"
for file in bin/batt share/man/man1/batt.1.gz share/bash-completion/completions/batt share/zsh/vendor-completions/_batt \
    share/fish/vendor_completions.d/batt.fish share/doc/batt/copyright; do
    [ -s "$TMP/root/usr/$file" ] || fail "no $file"
done
"$TMP/root/usr/bin/batt" run -q | grep -q '48 of 48 solved' || fail "the packaged binary does not run"
if command -v lintian >/dev/null; then
    lintian --fail-on error "$package" >"$TMP/out" 2>&1 || { cat "$TMP/out"; fail "lintian finds errors"; }
else
    echo "no lintian: not asked"
fi
echo ok
