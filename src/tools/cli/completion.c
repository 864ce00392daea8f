/* Completion for bash, zsh and fish from the commands' tables: options (in zsh and fish with their help), the
 * words of choices, files where an option takes one; ids of tasks, primitives and topics as batt itself lists
 * them. */
#include "base/out.h"
#include "tools/cli/cli.h"

#include <string.h>

/* Text for use inside single quotes: quotes are escaped; for zsh also brackets and colons. */
static void quoted(Out *out, const char *text, bool zsh) {
    for (; *text; text++) {
        if (*text == '\'') {
            out_str(out, zsh ? "'\\''" : "\\'");
        } else if (zsh && (*text == '[' || *text == ']' || *text == ':')) {
            out_fmt(out, "\\%c", *text);
        } else if (!zsh && *text == '\\') {
            out_str(out, "\\\\");
        } else {
            out_char(out, *text);
        }
    }
}

/* Whether its argument is the id of a task. */
static bool takes_id(const CliOption *option) {
    return strcmp(option->name, "id") == 0;
}

static void words_of(Out *out, const char *words) {
    for (; *words; words++) {
        out_char(out, *words == '|' ? ' ' : *words);
    }
}

/* ---- bash ---- */

static void bash_options(Out *out, const CliOption *options) {
    for (const CliOption *option = cli_first_option(options); option; option = cli_next_option(option)) {
        out_fmt(out, " --%s", option->name);
        if (option->letter) {
            out_fmt(out, " -%c", option->letter);
        }
    }
}

/* A case per option whose argument is one of a few words. */
static void bash_choices(Out *out, const char *command, const CliOption *options) {
    for (const CliOption *option = cli_first_option(options); option; option = cli_next_option(option)) {
        if (option->kind != CLI_KIND_CHOICE) {
            continue;
        }
        out_fmt(out, "    %s:--%s)\n        words=\"", command, option->name);
        words_of(out, option->value);
        out_str(out, "\"\n        ;;\n");
    }
}

void cli_help_completion(Out *out) {
    out_str(out, "# Completion of batt for bash. Written by `batt help --completion` from the tables of "
                 "src/tools/cli.\n"
                 "# shellcheck shell=bash\n"
                 "_batt() {\n"
                 "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
                 "command=${COMP_WORDS[1]} words=\n"
                 "    COMPREPLY=()\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                 "        mapfile -t COMPREPLY < <(compgen -W \"");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        out_fmt(out, "%s ", entry->name);
    }
    out_str(out, "--help --version\" -- \"$word\")\n"
                 "        return\n"
                 "    fi\n"
                 "    case $command:$before in\n");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        bash_choices(out, entry->name, entry->command->options);
    }
    bash_choices(out, "*", cli_common_options(NULL));
    out_str(out,
            "    *:--id)\n"
            "        local name files=()\n"
            "        for name in \"${COMP_WORDS[@]:2}\"; do [ ! -e \"$name\" ] || files+=(\"$name\"); done\n"
            "        words=$(batt help --words ids \"${files[@]}\" 2>/dev/null)\n"
            "        ;;\n");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        if (entry->command->completes) {
            out_fmt(out,
                    "    %s:*)\n        [[ $word == -* ]] || words=$(batt help --words %s)\n        ;;\n",
                    entry->name, entry->command->completes);
        }
        if (!entry->command->words) {
            continue;
        }
        out_fmt(out, "    %s:%s)\n        words=\"", entry->name, entry->name);
        words_of(out, entry->command->words);
        out_str(out, "\"\n        ;;\n");
    }
    out_str(out, "    esac\n"
                 "    if [ -z \"$words\" ] && [[ $word == -* ]]; then\n"
                 "        case $command in\n");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        out_fmt(out, "        %s)\n            words=\"", entry->name);
        Out list;
        out_init(&list);
        bash_options(&list, entry->command->options);
        bash_options(&list, cli_common_options(entry->command));
        out_str(out, *list.data ? list.data + 1 : "");
        out->failed |= list.failed;
        out_free(&list);
        out_str(out, "\"\n            ;;\n");
    }
    out_str(out, "        esac\n"
                 "    fi\n"
                 "    [ -n \"$words\" ] && mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                 "}\n"
                 "complete -o default -F _batt batt\n");
}

/* ---- zsh ---- */

static void zsh_form(Out *out, const CliOption *option, const char *name, bool is_letter) {
    out_str(out, " \\\n            '");
    if (option->kind == CLI_KIND_LIST) {
        out_char(out, '*');
    }
    out_fmt(out, "%s%s", is_letter ? "-" : "--", name);
    out_char(out, '[');
    quoted(out, option->help, true);
    out_char(out, ']');
    if (option->kind == CLI_KIND_CHOICE) {
        out_fmt(out, ":%s:(", option->name);
        words_of(out, option->value);
        out_char(out, ')');
    } else if (takes_id(option)) {
        out_str(out, ":task:{compadd -- $(batt help --words ids ${(M)words:#*/*} 2>/dev/null)}");
    } else if (option->kind != CLI_KIND_FLAG) {
        out_fmt(out, ":%s:%s", option->value, option->role == CLI_ROLE_NONE ? " " : "_files");
    }
    out_char(out, '\'');
}

static void zsh_options(Out *out, const CliOption *options) {
    for (const CliOption *option = cli_first_option(options); option; option = cli_next_option(option)) {
        char letter[2] = {option->letter, '\0'};
        zsh_form(out, option, option->name, false);
        if (option->letter) {
            zsh_form(out, option, letter, true);
        }
    }
}

void cli_help_completion_zsh(Out *out) {
    out_str(out, "#compdef batt\n"
                 "# Completion of batt for zsh. Written by `batt help --completion` from the tables of "
                 "src/tools/cli.\n"
                 "_batt() {\n"
                 "    if (( CURRENT == 2 )); then\n"
                 "        local -a commands=(");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        out_fmt(out, "\n            '%s:", entry->name);
        quoted(out, entry->summary, true);
        out_char(out, '\'');
    }
    out_str(out, ")\n"
                 "        _describe command commands\n"
                 "        return\n"
                 "    fi\n"
                 "    local command=$words[2]\n"
                 "    shift words\n"
                 "    (( CURRENT-- ))\n"
                 "    case $command in\n");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        out_fmt(out, "    %s)\n        _arguments -s", entry->name);
        zsh_options(out, entry->command->options);
        zsh_options(out, cli_common_options(entry->command));
        if (entry->command->words) {
            out_str(out, " \\\n            '1:word:(");
            words_of(out, entry->command->words);
            out_str(out, ")'");
        }
        if (entry->command->completes) {
            out_fmt(out, " \\\n            '*:name:{compadd -- $(batt help --words %s)}'\n        ;;\n",
                    entry->command->completes);
        } else {
            out_str(out, " \\\n            '*:file:_files'\n        ;;\n");
        }
    }
    out_str(out, "    esac\n}\n_batt \"$@\"\n");
}

/* ---- fish ---- */

static void fish_options(Out *out, const char *command, const CliOption *options) {
    for (const CliOption *option = cli_first_option(options); option; option = cli_next_option(option)) {
        out_fmt(out, "complete -c batt -n '__fish_seen_subcommand_from %s' -l %s", command, option->name);
        if (option->letter) {
            out_fmt(out, " -s %c", option->letter);
        }
        if (option->kind == CLI_KIND_CHOICE) {
            out_str(out, " -x -a '");
            words_of(out, option->value);
            out_char(out, '\'');
        } else if (takes_id(option)) {
            out_str(out, " -x -a '(batt help --words ids)'");
        } else if (option->kind != CLI_KIND_FLAG) {
            out_str(out, option->role == CLI_ROLE_NONE ? " -x" : " -r");
        }
        out_str(out, " -d '");
        quoted(out, option->help, false);
        out_str(out, "'\n");
    }
}

void cli_help_completion_fish(Out *out) {
    out_str(out, "# Completion of batt for fish. Written by `batt help --completion` from the tables of "
                 "src/tools/cli.\n");
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        out_fmt(out, "complete -c batt -n __fish_use_subcommand -f -a %s -d '", entry->name);
        quoted(out, entry->summary, false);
        out_str(out, "'\n");
    }
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        if (entry->command->words) {
            out_fmt(out, "complete -c batt -n '__fish_seen_subcommand_from %s' -a '", entry->name);
            words_of(out, entry->command->words);
            out_str(out, "'\n");
        }
        if (entry->command->completes) {
            out_fmt(out,
                    "complete -c batt -n '__fish_seen_subcommand_from %s' -f -a '(batt help --words %s)'\n",
                    entry->name, entry->command->completes);
        }
        fish_options(out, entry->name, entry->command->options);
        fish_options(out, entry->name, cli_common_options(entry->command));
    }
}
