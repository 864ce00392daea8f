# Completion of batt for bash. Written by `make docs` from the tables of src/tools/cli; do not edit.
# shellcheck shell=bash
_batt() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "run show trace serve solve net evolve profile eval lint prims score submission synth card learn store devices bench help --help --version" -- "$word")
        return
    fi
    case $command:$before in
    run:--mode)
        words="core batt"
        ;;
    run:--profile)
        words="off counters timing trace"
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
    trace:--profile)
        words="off counters timing trace"
        ;;
    serve:--palette)
        words="classic arcprize colorblind"
        ;;
    solve:--net)
        words="off auto only"
        ;;
    solve:--progress)
        words="auto plain bar off"
        ;;
    solve:--profile)
        words="off counters timing trace"
        ;;
    net:--palette)
        words="classic arcprize colorblind"
        ;;
    net:--progress)
        words="auto plain bar off"
        ;;
    net:--profile)
        words="off counters timing trace"
        ;;
    evolve:--mode)
        words="core batt"
        ;;
    evolve:--progress)
        words="auto plain bar off"
        ;;
    evolve:--profile)
        words="off counters timing trace"
        ;;
    profile:--profile)
        words="timing trace"
        ;;
    profile:--sort)
        words="self total calls per-call name"
        ;;
    profile:--mode)
        words="core batt"
        ;;
    eval:--mode)
        words="core batt"
        ;;
    eval:--profile)
        words="off counters timing trace"
        ;;
    lint:--profile)
        words="off counters timing trace"
        ;;
    lint:--mode)
        words="core batt"
        ;;
    card:--profile)
        words="off counters timing trace"
        ;;
    store:--mode)
        words="core batt"
        ;;
    bench:--profile)
        words="off counters timing trace"
        ;;
    bench:--path)
        words="both compiled stepwise"
        ;;
    bench:--kind)
        words="both short long"
        ;;
    bench:--net)
        words="off auto only"
        ;;
    help:--completion)
        words="bash zsh fish"
        ;;
    *:--color)
        words="auto never always"
        ;;
    profile:profile)
        words="dsl batch framework pipeline lines compare merge"
        ;;
    submission:submission)
        words="merge"
        ;;
    store:store)
        words="stats best list export import merge prune check"
        ;;
    bench:bench)
        words="all prims engine profiler kernel search programs"
        ;;
    esac
    if [ -z "$words" ] && [[ $word == -* ]]; then
        case $command in
        run)
            words="--solvers -s --all -a --battery --no-share --id --ids --filter --sample --start --count -n --max-side --shard --shard-costs --strict --seed --jobs -j --timeout --max-steps --max-memory --mode --safe --diff -d --quiet -q --show --slowest --submission --gallery --device --profile --profile-out --stats --json --force --color --help -h"
            ;;
        show)
            words="--digits --palette --svg --png --gallery --list -l --json --id --ids --filter --sample --start --count -n --max-side --shard --shard-costs --strict --seed --force --color --help -h"
            ;;
        trace)
            words="--solvers -s --sample --html --timeout --max-steps --max-memory --mode --safe --digits --palette --profile --profile-out --json --force --color --help -h"
            ;;
        serve)
            words="--store --port --max-time --palette --id --ids --filter --sample --start --count -n --max-side --shard --shard-costs --strict --seed --color --help -h"
            ;;
        solve)
            words="--time -t --time-per-task --steps --split --attempts --without --net --set --id --ids --filter --sample --start --count -n --max-side --shard --shard-costs --strict --seed --jobs -j --max-memory --store --solvers -s --vocabulary --submission --found --explain -e --progress --quiet -q --device --profile --profile-out --stats --json --force --color --help -h"
            ;;
        net)
            words="--steps --time -t --seed --seeds --id --ids --filter --sample --start --count -n --max-side --shard --shard-costs --strict --jobs -j --device --max-memory --store --html --layers --palette --progress --quiet -q --profile --profile-out --json --force --color --help -h"
            ;;
        evolve)
            words="--store --solvers -s --time -t --generations --seed --children --population --max-calls --differs --mode --id --ids --filter --sample --start --count -n --max-side --shard --shard-costs --strict --jobs -j --max-steps --islands --exchange --merge-every --fresh --progress --quiet -q --profile --profile-out --device --stats --json --force --color --help -h"
            ;;
        profile)
            words="--id --ids --filter --sample --start --count -n --max-side --shard --shard-costs --strict --seed --solvers -s --all -a --battery --no-share --device --from --output -o --append --profile --repeat -r --warmup --filter-outliers --outlier-k --sort --top --project --budget --what-if --threshold --runs --jobs -j --timeout --max-steps --max-memory --mode --safe --json --force --color --help -h"
            ;;
        eval)
            words="--vectors --program -p --function --grid -g --samples --candidate --timeout --max-steps --max-memory --mode --safe --profile --profile-out --json --force --color --help -h"
            ;;
        lint)
            words="--types --order --tasks --safe --profile --profile-out --mode --json --force --color --help -h"
            ;;
        prims)
            words="--json --color --help -h"
            ;;
        score)
            words="--challenges --tasks --json --color --help -h"
            ;;
        submission)
            words="--json --force --color --help -h"
            ;;
        synth)
            words="--family -f --count -n --pairs --tests --seed --output -o --solvers-out --list -l --json --force --color --help -h"
            ;;
        card)
            words="--solvers -s --count -n --seed --freeze --scored --differs --output -o --store --jobs -j --profile --profile-out --stats --json --force --color --help -h"
            ;;
        learn)
            words="--output -o --vocabulary --store --new --force --color --help -h"
            ;;
        store)
            words="--best -k --count -n --solved --score --calls --mode --text --output -o --partial --json --force --color --help -h"
            ;;
        devices)
            words="--measure --json --color --help -h"
            ;;
        bench)
            words="--vectors --rounds --slice --dialect --baseline --passes --profile --programs --path --kind --mix --python --budgets --steps --own-time --solo --without --net --set --save --against --report --repeat -r --attempts --jobs -j --max-memory --ids --half --sample --seed --shard --shard-costs --merge --device --json --force --color --help -h"
            ;;
        help)
            words="--man --completion --examples --color --help -h"
            ;;
        esac
    fi
    [ -n "$words" ] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _batt batt
