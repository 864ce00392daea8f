# What the documents name exists: files, commands, options and targets.
set -eu
bad=0
complain() {
    echo "$*"
    bad=1
}

for document in README.md CONTRIBUTING.md docs/*.md; do
    [ -e "$document" ] || { complain "no $document"; continue; }
    # Paths in backticks, as far as they look like ours.
    for path in $(grep -oE '`(src|tests|docs|include|scripts|examples|solvers|bench|\.ci)/[A-Za-z0-9_./-]*`' "$document" |
        tr -d '`' | grep -v NAME | sort -u); do
        [ -e "$path" ] || complain "$document: $path does not exist"
    done
    # Commands (in code), and their long options on the same line.
    while IFS= read -r line; do
        command=$(sed -E 's/^batt ([a-z]+).*/\1/' <<<"$line")
        if ! help=$("$BATT" help "$command" 2>/dev/null); then
            complain "$document: batt $command is no command"
            continue
        fi
        for option in $(grep -oE -- '--[a-z][a-z-]*' <<<"$line" || true); do
            grep -qE -- "$option( |\$)" <<<"$help" || complain "$document: batt $command has no option $option"
        done
    done < <(grep -oE '(^ {4}|`)batt [a-z]+[^`#]*' "$document" | sed -E 's/^[` ]+//' | sort -u)
    for target in $(grep -oE '(^ {4}|`)make [a-z][a-z-]*' "$document" | sed -E 's/^[` ]*make //' | sort -u); do
        grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" Makefile || complain "$document: make $target is no target"
    done
done
# The map of docs/architecture.md: what it calls a function is defined, what it calls a file is there.
while IFS= read -r name; do
    case $name in
    *.[ch] | *.def) [ -e "$name" ] || compgen -G "src/*/$name" >/dev/null || compgen -G "src/*/*/$name" >/dev/null || complain "the map: there is no file $name" ;;
    *) grep -qE "^[A-Za-z].*\\b$name\(" src/*/*.[ch] src/*/*/*.[ch] || complain "the map: there is no function $name" ;;
    esac
done < <(sed -n '/^## Walk 1/,/^## Glossary/p' docs/architecture.md | grep -oE '`([a-z_0-9]+|[a-z_0-9/]+\.(c|h|def))`' |
    tr -d '`' | sort -u)
# Its table of folders: every folder has a row, and the files to read first stand there.
for folder in src/base/ src/*/*/; do
    row=$(grep -F "| \`$folder\` |" docs/architecture.md) || { complain "the map: no row for $folder"; continue; }
    for file in $(sed 's/.*|\(.*\)|$/\1/' <<<"$row" | grep -oE '[a-z_0-9/]+\.(c|h|def)'); do
        [ -e "$folder$file" ] || [ -e "$file" ] || complain "the map: $folder has no $file"
    done
done
# And every command is in the table of the README, with its summary.
while read -r command summary; do
    grep -qF "| \`batt $command\` | $summary |" README.md || complain "README.md: no row for batt $command: $summary"
done < <(COLUMNS=200 "$BATT" | sed -n '/^first steps/q; s/^  \([a-z]*\) */\1 /p')

# The forms that docs/style.md asks for: lengths, and no line of prose wider than 100 columns.
[ "$(wc -l <README.md)" -le 150 ] || complain "README.md has more than 150 lines"
[ "$(sed -n '/^## 1.0/,/^## 0.1.0/p' CHANGELOG.md | wc -l)" -le 61 ] || complain "CHANGELOG.md: 1.0 has more than 60 lines"
for document in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md; do
    awk -v name="$document" 'length($0) > 100 && !/^\||^    |^\[|^!\[/ && !fence { print name ":" NR ": " length($0) " columns"; bad = 1 }
        /^```/ { fence = !fence } END { exit bad }' "$document" || bad=1
done

scripts/pictures "$BATT" "$TMP"
for picture in task.svg trace.svg; do
    cmp "$TMP/$picture" "docs/$picture" || complain "docs/$picture is out of date: make docs"
done
exit $bad
