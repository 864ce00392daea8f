/* Programs as bytes; see program_wire.h. */
#include "backends/ranks/program_wire.h"

#include "base/alloc.h"
#include "engine/language/hash.h"
#include "engine/language/print.h"

enum { TEXT_MAX = 1 << 20 };

void program_pack(Out *out, const Program *p) {
    Out text;
    out_init(&text);
    print_program(&text, p, NULL);
    wire_u8(out, p->mode);
    wire_u64(out, p->hash.hi);
    wire_u64(out, p->hash.lo);
    wire_block(out, text.data, text.len);
    out->failed |= text.failed;
    out_free(&text);
}

Program *program_unpack(Lang *lang, Wire *wire) {
    uint8_t mode = wire_get_u8(wire);
    ProgHash hash = {0};
    size_t length;
    hash.hi = wire_get_u64(wire);
    hash.lo = wire_get_u64(wire);
    const char *text = wire_get_block(wire, &length);
    Program *program = NULL;
    if (wire->bad || mode > MODE_BATT || length > TEXT_MAX) {
        wire->bad = true;
        return NULL;
    }
    char *copy = mem_strndup(text, length);
    Source source = source_of("message", copy != NULL ? copy : "", copy != NULL ? length : 0);
    ParseOptions how = {PARSE_FILE, mode, -1};
    ProgList list = {0};
    Diags diags;
    diags_init(&diags);
    if (lang_parse(lang, &source, &how, &list, &diags) && diags.errors == 0 && list.count == 1 &&
        prog_hash_eq(list.items[0]->hash, hash)) {
        program = list.items[0];
        list.count = 0;
    }
    progs_free(&list);
    diags_free(&diags);
    mem_free(copy);
    wire->bad |= program == NULL;
    return program;
}
