# Completion of batt for bash. Written by `make docs` from the tables of src/cli; do not edit.
# shellcheck shell=bash
_batt() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "help --help --version" -- "$word")
        return
    fi
    case $command:$before in
    *:--color)
        words="auto never always"
        ;;
    esac
    if [ -z "$words" ] && [[ $word == -* ]]; then
        case $command in
        help)
            words="--man --completion --examples --color --help -h"
            ;;
        esac
    fi
    [ -n "$words" ] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _batt batt
