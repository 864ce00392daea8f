/* Printing values; see value_text.h. */
#include "engine/language/value_text.h"

#include "engine/language/own.h"
#include "engine/primitives/prim.h"

#include <string.h>

typedef struct TextWriter {
    Out *out;
    size_t limit; /* of out->len */
    bool truth;
    unsigned depth;
    bool cut;
} TextWriter;

static void write_value(TextWriter *w, Val v);

static void write_int(Out *out, int64_t i) {
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (i < 0) {
        *--at = '-';
    }
    out_bytes(out, at, (size_t)(digits + sizeof digits - at));
}

static void write_elements(TextWriter *w, Val v) {
    bool tuple = val_is_tuple(v);
    uint32_t n = val_len(v);
    out_char(w->out, tuple ? '(' : '{');
    for (uint32_t k = 0; k < n; k++) {
        if (k > 0) {
            out_bytes(w->out, ", ", 2);
        }
        if (w->out->len > w->limit || w->out->failed) {
            w->cut = true;
            out_str(w->out, "...");
            break;
        }
        write_value(w, val_at(v, k));
    }
    out_str(w->out, tuple ? n == 1 ? ",)" : ")" : "}");
}

static void write_closure(TextWriter *w, const Closure *f) {
    static const char *const makers[] = {"compose", "chain", "matcher", "rbind",   "lbind",
                                         "power",   "fork",  "default", "function"};
    static const unsigned parts[] = {2, 3, 2, 2, 2, 2, 3, 0, 0};
    const char *own = own_name((Val){.kind = VAL_CLOSURE, .f = f});
    if (own != NULL) {
        out_str(w->out, own);
        return;
    }
    out_fmt(w->out, "%s(", makers[f->op]);
    for (unsigned k = 0; k < parts[f->op]; k++) {
        out_str(w->out, k ? ", " : "");
        write_value(w, f->part[k]);
    }
    out_char(w->out, ')');
}

static void write_value(TextWriter *w, Val v) {
    static const char *const atoms[] = {"None", "-inf", "inf", "nan"};
    if (w->depth == TEXT_DEPTH || w->out->len > w->limit) {
        w->cut = true;
        out_str(w->out, "...");
        return;
    }
    w->depth++;
    if (v.kind == VAL_INT) {
        if (w->truth && (v.i == 0 || v.i == 1)) {
            out_char(w->out, v.i ? 'T' : 'F');
        } else {
            write_int(w->out, v.i);
        }
    } else if (val_is_container(v)) {
        write_elements(w, v);
    } else if (v.kind == VAL_PRIM) {
        out_str(w->out, prim_table[v.n].name);
    } else if (v.kind == VAL_CLOSURE) {
        write_closure(w, v.f);
    } else {
        out_str(w->out, v.kind == VAL_ATOM ? atoms[v.w] : "!");
    }
    w->depth--;
}

static bool write_text(Out *out, Val value, bool truth) {
    TextWriter w = {.out = out, .limit = out->len + TEXT_LIMIT, .truth = truth};
    write_value(&w, value);
    return !w.cut;
}

bool text_value(Out *out, Val value) {
    return write_text(out, value, false);
}

bool text_value_bool(Out *out, Val value) {
    return write_text(out, value, true);
}

void text_failure(Out *out, Val failed) {
    out_fmt(out, "failed: %s", reason_name((Reason)failed.w));
    const char *where = own_failed_in(NULL, failed.n);
    if (where[0] != '\0') {
        out_fmt(out, " in %s", where);
    }
    if (failed.i != 0) {
        out_fmt(out, ", line %lld", (long long)failed.i);
    }
}

void text_elided(Out *out, const char *text, size_t length, size_t room) {
    if (length <= room) {
        out_bytes(out, text, length);
        return;
    }
    size_t side = room > 5 ? (room - 5) / 2 : 0;
    out_bytes(out, text, side);
    out_str(out, " ... ");
    out_bytes(out, text + length - side, side);
}
