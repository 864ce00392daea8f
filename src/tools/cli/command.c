/* batt_command: a command of the command line, in this process. It prints into memory. */
#include "base/alloc.h"
#include "base/callstack.h"
#include "tools/api/own.h"
#include "tools/cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Command {
    Cli cli;
    char **arguments;
    int n, status;
} Command;

typedef struct Page { /* what is printed */
    FILE *stream;
    char *text;
    size_t size;
} Page;

static bool page_open(Page *page) {
    page->stream = open_memstream(&page->text, &page->size);
    return page->stream != NULL;
}

/* Moves the text into `out`. False: out of memory. */
static bool page_close(Page *page, Out *out) {
    bool good = page->stream != NULL && ferror(page->stream) == 0;
    good = page->stream != NULL && fclose(page->stream) == 0 && good;
    if (good) {
        out_bytes(out, page->text, page->size);
    }
    free(page->text);
    return good && !out->failed;
}

static void execute(void *arg) {
    Command *command = arg;
    cli_restyle(&command->cli);
    command->status = cli_execute(&command->cli, command->n, command->arguments);
}

/* The strings are copied: reading options moves them. NULL: out of memory. */
static char **copies_of(const char *const *arguments, size_t n) {
    char **copies = mem_zalloc(n + 1, sizeof *copies);
    for (size_t k = 0; k < n && copies != NULL; k++) {
        copies[k] = mem_strdup(arguments[k]);
        if (copies[k] == NULL) {
            while (k > 0) {
                mem_free(copies[--k]);
            }
            mem_free(copies);
            return NULL;
        }
    }
    return copies;
}

/* What the caller gets. */
static char *outcome(batt_context *c, Command *command, Out *printed, Out *said, char **messages) {
    if (command->status == EXIT_BAD) {
        while (said->len > 0 && said->data[said->len - 1] == '\n') {
            said->data[--said->len] = '\0';
        }
        return api_fault(c, BATT_BAD_ARGUMENT, "%s", said->len > 0 ? said->data : "the command failed");
    }
    char *text = api_text(c, printed);
    if (text != NULL && messages != NULL) {
        *messages = api_text(c, said);
        if (*messages == NULL) {
            batt_text_free(text);
            return NULL;
        }
    }
    return text;
}

static char *run(batt_context *c, Command *command, char **messages) {
    Page printed = {0}, said = {0};
    Out out, err;
    out_init(&out);
    out_init(&err);
    bool started = page_open(&printed) && page_open(&said);
    command->cli.out = printed.stream;
    command->cli.err = said.stream;
    started = started && callstack_run(execute, command);
    bool good = page_close(&printed, &out);
    good = page_close(&said, &err) && good;
    char *text = started && good ? outcome(c, command, &out, &err, messages) : api_no_memory(c);
    out_free(&out);
    out_free(&err);
    return text;
}

/* Not: a server that runs until a signal, what measures batt itself, and the manual. */
static bool offered(const char *name) {
    return strcmp(name, "serve") != 0 && strcmp(name, "bench") != 0 && strcmp(name, "help") != 0;
}

char *batt_command(batt_context *c, const char *const *arguments, size_t n, const volatile int *stop,
                   char **messages, int *status) {
    if (!api_begin(c)) {
        return NULL;
    }
    bool good = arguments != NULL && n > 0 && n < INT_MAX;
    for (size_t k = 0; k < n && good; k++) {
        good = arguments[k] != NULL;
    }
    if (!good) {
        return api_fault(c, BATT_BAD_ARGUMENT, "no command is named");
    }
    atomic_int saving = 0;
    Command command = {.cli = {.stop = (const Stop *)stop, .saving = &saving, .own = own_prims(c)},
                       .n = (int)n - 1,
                       .status = EXIT_BAD};
    command.cli.term_options.color = TERM_NEVER;
    command.cli.entry = cli_find(arguments[0]);
    if (command.cli.entry == NULL || !offered(arguments[0])) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the library has no command '%s'", arguments[0]);
    }
    command.arguments = copies_of(arguments + 1, n - 1);
    if (command.arguments == NULL) {
        return api_no_memory(c);
    }
    char **owned = mem_array(n, sizeof *owned);
    char *text = NULL;
    if (owned != NULL) {
        memcpy(owned, command.arguments, n * sizeof *owned);
        text = run(c, &command, messages);
    } else {
        api_no_memory(c);
    }
    for (size_t k = 0; k + 1 < n; k++) {
        mem_free(owned != NULL ? owned[k] : command.arguments[k]);
    }
    mem_free(owned);
    mem_free(command.arguments);
    if (status != NULL) {
        *status = command.status;
    }
    return text;
}
