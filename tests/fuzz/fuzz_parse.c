/* Any bytes as program text: no crash, places inside the text, and what was read survives printing: the
 * printed text parses to a program with the same hash, and prints the same again. The first byte chooses the
 * form. */
#include "base/alloc.h"
#include "engine/language/build.h"
#include "engine/language/hash.h"
#include "engine/language/infer.h"
#include "engine/language/module.h"
#include "engine/language/parse.h"
#include "engine/language/print.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good) {
    if (!good) {
        abort();
    }
}

static void ignore(void *user, const TypeFinding *finding) {
    Out text;
    out_init(&text);
    types_finding_text(&text, user, finding);
    check(text.len > 5);
    out_free(&text);
}

static void check_program(Lang *lang, Types *types, const Program *p) {
    Out first, second;
    Diags diags;
    ProgList again = {0};
    out_init(&first);
    out_init(&second);
    diags_init(&diags);
    print_program(&first, p, "f");
    Source source = source_of("printed", first.data, first.len);
    ParseOptions options = {p->nparams ? PARSE_FILE : PARSE_LINE, p->mode, p->nparams ? -1 : 0};
    check(lang_parse(lang, &source, &options, &again, &diags));
    check(diags.errors == 0 && again.count == 1);
    check(prog_hash_eq(again.items[0]->hash, p->hash));
    print_program(&second, again.items[0], "f");
    check(strcmp(first.data, second.data) == 0);

    Program *stripped = prog_strip(p);
    check(stripped != NULL && prog_hash_eq(stripped->hash, p->hash) && stripped->nops <= p->nops);
    prog_free(stripped);
    TypeId *slots = mem_array(prog_slots(p), sizeof *slots);
    check(slots != NULL);
    types_of_program(types, p, slots, ignore, types);
    mem_free(slots);
    progs_free(&again);
    diags_free(&diags);
    out_free(&first);
    out_free(&second);
}

/* The same bytes as a generated battery, too: all steps or nothing, and slots inside the program. */
static void check_module(Lang *lang, Types *types, const Source *source) {
    Module m;
    Diags diags;
    diags_init(&diags);
    check(lang_parse_module(lang, source, &m, &diags));
    check((m.program != NULL) == (diags.errors == 0));
    for (size_t k = 0; k < m.n_outputs; k++) {
        check(m.outputs[k].slot < prog_slots(m.program));
    }
    for (size_t k = 0; k < m.n_scores; k++) {
        check(m.scores[k].slot < prog_slots(m.program) && m.scores[k].output < (int64_t)m.n_outputs);
    }
    if (m.program != NULL) {
        m.program->own_names = false; /* to be printed as any program */
        check_program(lang, types, m.program);
    }
    module_free(&m);
    diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Lang *lang; /* kept: opening one costs more than parsing a small text */
    static Types *types;
    if (lang == NULL) {
        lang = lang_open();
        types = types_open();
        check(lang != NULL && types != NULL);
    }
    if (size == 0) {
        return 0;
    }
    static const ParseOptions forms[] = {{PARSE_FILE, PARSE_MODE_AUTO, -1}, {PARSE_LINE, PARSE_MODE_AUTO, -1},
                                         {PARSE_LINE, MODE_BATT, 0},        {PARSE_LITERAL, MODE_CORE, 0},
                                         {PARSE_FILE, MODE_BATT, -1},       {PARSE_LINE, MODE_CORE, 1}};
    const ParseOptions *options = &forms[data[0] % (sizeof forms / sizeof *forms)];
    Source source = source_of("fuzz", (const char *)data + 1, size - 1);
    ProgList programs = {0};
    Diags diags;
    Out out;
    diags_init(&diags);
    out_init(&out);
    check(lang_parse(lang, &source, options, &programs, &diags));
    check(programs.count != 0 || diags.errors != 0 || options->form == PARSE_FILE);
    diags_write(&out, &source, &diags);
    for (size_t k = 0; k < diags.count; k++) {
        const Diag *diag = &diags.items[k];
        check(diag->line >= 1 && diag->column >= 1 && diag->offset <= source.length);
        check(diags_message(&diags, diag)[0] != '\0');
    }
    for (size_t k = 0; k < programs.count; k++) {
        check_program(lang, types, programs.items[k]);
    }
    check_module(lang, types, &source);
    progs_free(&programs);
    diags_free(&diags);
    out_free(&out);
    return 0;
}
