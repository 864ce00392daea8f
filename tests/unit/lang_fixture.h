/* What the tests of the language share: parse a text, evaluate a line, compare texts. */
#ifndef BATT_TEST_LANG_FIXTURE_H
#define BATT_TEST_LANG_FIXTURE_H

#include "engine/eval/eval.h"
#include "engine/language/build.h"
#include "engine/language/hash.h"
#include "engine/language/infer.h"
#include "engine/language/names.h"
#include "engine/language/parse.h"
#include "engine/language/print.h"
#include "engine/language/value_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

typedef struct Fixture {
    Lang *lang;
    Types *types;
    Ctx ctx;
    Diags diags;
    ProgList programs;
    Out out;
} Fixture;

static inline int fixture_open(void **state) {
    Fixture *f = calloc(1, sizeof *f);
    f->lang = lang_open();
    f->types = types_open();
    diags_init(&f->diags);
    out_init(&f->out);
    *state = f;
    return f->lang && f->types && prim_open(&f->ctx, MODE_CORE, false, NULL) ? 0 : 1;
}

static inline int fixture_close(void **state) {
    Fixture *f = *state;
    lang_close(f->lang);
    types_close(f->types);
    prim_close(&f->ctx);
    diags_free(&f->diags);
    progs_free(&f->programs);
    out_free(&f->out);
    free(f);
    return 0;
}

/* Forgets what was parsed before, then parses; the diagnostics as text are in f->out. Returns the number of
 * programs. */
static inline size_t fixture_parse(Fixture *f, const char *text, size_t length, ParseOptions options) {
    Source source = source_of("t.py", text, length);
    progs_free(&f->programs);
    diags_clear(&f->diags);
    out_clear(&f->out);
    assert_true(lang_parse(f->lang, &source, &options, &f->programs, &f->diags));
    diags_write(&f->out, &source, &f->diags);
    return f->programs.count;
}

/* the one program of an impeccable file */
static inline const Program *fixture_file(Fixture *f, const char *text) {
    size_t count = fixture_parse(f, text, strlen(text), PARSE_OPTIONS_FILE);
    if (count != 1 || f->diags.errors + f->diags.warnings != 0) {
        fail_msg("%zu programs from:\n%s\n%s", count, text, f->out.data);
    }
    return f->programs.items[0];
}

static inline Val fixture_eval(Fixture *f, const char *line, Mode mode, bool safe) {
    ParseOptions options = {PARSE_LINE, (int)mode, -1};
    if (fixture_parse(f, line, strlen(line), options) != 1) {
        fail_msg("%s\n%s", line, f->out.data);
    }
    prim_bind(&f->ctx, mode, safe);
    ctx_reset(&f->ctx);
    return eval_program(&f->ctx, f->programs.items[0], NULL);
}

#define assert_value(f, line, text)                       \
    do {                                                  \
        Val v_ = fixture_eval(f, line, MODE_CORE, false); \
        out_clear(&(f)->out);                             \
        text_value(&(f)->out, v_);                        \
        assert_string_equal((f)->out.data, text);         \
    } while (0)

#endif
