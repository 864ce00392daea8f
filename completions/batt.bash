# Completion of batt for bash. Written by `make docs` from the tables of src/cli; do not edit.
# shellcheck shell=bash
_batt() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "eval run show score trace store synth prims lint solve bench help --help --version" -- "$word")
        return
    fi
    case $command:$before in
    eval:--mode)
        words="core batt"
        ;;
    run:--mode)
        words="core batt"
        ;;
    show:--palette)
        words="classic arcprize colorblind"
        ;;
    trace:--mode)
        words="core batt"
        ;;
    trace:--palette)
        words="classic arcprize colorblind"
        ;;
    store:--mode)
        words="core batt"
        ;;
    lint:--mode)
        words="core batt"
        ;;
    *:--color)
        words="auto never always"
        ;;
    store:store)
        words="stats best list export import prune check"
        ;;
    bench:bench)
        words="all prims"
        ;;
    esac
    if [ -z "$words" ] && [[ $word == -* ]]; then
        case $command in
        eval)
            words="--vectors --program -p --function -f --grid -g --samples --candidate --mode --safe --timeout -t --max-steps --max-memory --json --color --help -h"
            ;;
        run)
            words="--solvers -s --all -a --no-share --id --filter --start --count --strict --jobs -j --timeout -t --max-steps --max-memory --mode --safe --diff -d --quiet -q --show --slowest --submission --gallery --json --color --help -h"
            ;;
        show)
            words="--digits --palette --svg --png --gallery --list -l --json --id --filter --start --count --strict --color --help -h"
            ;;
        score)
            words="--challenges --tasks -a --json --color --help -h"
            ;;
        trace)
            words="--solvers -s --sample --html --mode --safe --timeout -t --max-steps --max-memory --digits --palette --json --color --help -h"
            ;;
        store)
            words="--best -k --limit -n --solved --score --calls --mode --text --output -o --partial --json --color --help -h"
            ;;
        synth)
            words="--family -f --tasks -n --pairs -k --tests --seed --output -o --solvers -s --list --json --color --help -h"
            ;;
        prims)
            words="--json --color --help -h"
            ;;
        lint)
            words="--types --order --tasks --safe --mode --json --color --help -h"
            ;;
        solve)
            words="--time-per-task -t --steps --attempts -n --without --id --filter --start --count --strict --jobs -j --max-memory --submission --explain -e --quiet -q --json --color --help -h"
            ;;
        bench)
            words="--vectors --rounds -r --slice --dialect --history --json --color --help -h"
            ;;
        help)
            words="--man --completion --examples --color --help -h"
            ;;
        esac
    fi
    [ -n "$words" ] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _batt batt
