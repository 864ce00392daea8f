#!/bin/bash
# The Debian package: dpkg installs it, it runs, dpkg removes it without a trace, and lintian finds no error.
set -u
. tests/words.sh
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: no dpkg-dev"; exit 77; }
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "skipped: a package of a checked build"; exit 77; }
sh scripts/deb "$BATT" 0.1.0 "$TMP/deb" >"$TMP/out" 2>&1 || { cat "$TMP/out"; fail "no package"; }
package=$(echo "$TMP"/deb/batt_*.deb)
dpkg-deb -f "$package" Depends | grep -q 'libsqlite3-0' || fail "the package does not say what it needs: $(dpkg-deb -f "$package" Depends)"

# Into a root of its own, whose database has no other package: what it depends on is on this machine.
mkdir -p "$TMP/root/var/lib/dpkg/info" "$TMP/root/var/lib/dpkg/updates"
touch "$TMP/root/var/lib/dpkg/status" "$TMP/root/var/lib/dpkg/available"
install() { dpkg --root="$TMP/root" --log=/dev/null --force-not-root --force-depends "$@" >"$TMP/out" 2>&1; }
install -i "$package" || { cat "$TMP/out"; fail "dpkg -i"; }
for file in bin/batt share/man/man1/batt.1.gz share/bash-completion/completions/batt share/zsh/vendor-completions/_batt \
    share/fish/vendor_completions.d/batt.fish share/doc/batt/copyright; do
    [ -s "$TMP/root/usr/$file" ] || fail "no $file"
done
"$TMP/root/usr/bin/batt" run -q | grep -q '48 of 48 solved' || fail "the packaged binary does not run"
hardened "$TMP/root/usr/bin/batt"
install -r batt || { cat "$TMP/out"; fail "dpkg -r"; }
[ "$(find "$TMP/root/usr" "$TMP/root/etc" 2>/dev/null | wc -l)" -eq 0 ] || fail "left behind: $(find "$TMP/root/usr")"
if command -v lintian >/dev/null; then
    lintian --fail-on error "$package" >"$TMP/out" 2>&1 || { cat "$TMP/out"; fail "lintian finds errors"; }
else
    echo "skipped in part: no lintian on this machine"
fi
echo ok
