# Every example of the help that needs no files works, in an empty folder.
set -eu
mkdir "$TMP/bin" "$TMP/empty"
ln -s "$BATT" "$TMP/bin/batt"
PATH=$TMP/bin:$PATH
cd "$TMP/empty"
bad=0
while IFS= read -r line; do
    status=0
    bash -c "$line" >"$TMP/out" 2>&1 </dev/null || status=$?
    if [ $status -ne 0 ]; then
        echo "exit code $status: $line"
        head -n 20 "$TMP/out"
        bad=1
    fi
done < <(batt help --examples)
exit $bad
