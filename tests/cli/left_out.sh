# Without SQLite, libpng and libmicrohttpd: it builds, needs none of them, and says so where they would be needed.
set -eu
. tests/words.sh
[ -z "${BATT_TEST_QUICK:-}" ] || { echo "built once, beside the release build"; exit 77; }
bare=$BATT_BUILD/bare
make -s -j2 STORE=0 PNG=0 SERVE=0 CFLAGS=-O0 BUILD="$bare" all >"$TMP/log" 2>&1 || { tail -n 20 "$TMP/log"; fail "make STORE=0 PNG=0"; }
for file in "$bare/batt" "$bare/libbatt.so"; do
    ! readelf -d "$file" | grep -E 'NEEDED.*(sqlite|png|microhttpd)' || fail "$file needs what was left out"
done
bad 'built without the store (make STORE=0)' "$bare/batt" store stats "$TMP/no.db"
bad 'built without a server (.*make SERVE=0)' "$bare/batt" serve
bad 'built without PNG (make PNG=0); SVG is there' "$bare/batt" show 92eac448 --png "$TMP/x.png"
"$bare/batt" show 92eac448 --svg "$TMP/x.svg" >/dev/null
"$bare/batt" run --json >"$TMP/run.json"
[ -s "$TMP/run.json" ] || fail "no results"
