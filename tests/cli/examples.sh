# Every example of the help that needs no files works, in an empty folder. Exit code 1 is allowed: a task was not
# solved.
set -eu
mkdir "$TMP/bin" "$TMP/empty"
ln -s "$BATT" "$TMP/bin/batt"
PATH=$TMP/bin:$PATH
cd "$TMP/empty"
bad=0
while IFS= read -r line; do
    status=0
    timeout 120 bash -c "$line" >"$TMP/out" 2>&1 </dev/null || status=$?
    if [ $status -gt 1 ]; then
        echo "exit code $status: $line"
        head -n 20 "$TMP/out"
        bad=1
    fi
done < <(batt help --examples)
exit $bad
