/* Contexts, and the faults that calls on them report. */
#include "base/alloc.h"
#include "engine/language/print.h"
#include "tools/api/api_internal.h"

#include <stdarg.h>
#include <string.h>

const char *batt_version(void) {
    return BATT_VERSION_TEXT;
}

void batt_text_free(char *text) {
    mem_free(text);
}

batt_context *batt_open(void) {
    batt_context *c = mem_zalloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    out_init(&c->error);
    out_init(&c->file);
    out_init(&c->fault_text);
    c->lang = lang_open();
    if (c->lang == NULL || !prim_open(&c->ctx, MODE_CORE, false, NULL)) {
        lang_close(c->lang);
        mem_free(c);
        return NULL;
    }
    out_init(&c->own_message);
    c->ctx.owner = c;
    return c;
}

void batt_close(batt_context *c) {
    if (c != NULL && !c->busy) {
        prim_close(&c->ctx);
        lang_close(c->lang);
        out_free(&c->error);
        out_free(&c->file);
        out_free(&c->fault_text);
        out_free(&c->own_message);
        arena_release(c->own_arena);
        mem_free(c->borrowed.items);
        mem_free(c);
    }
}

void batt_set_budget(batt_context *c, uint64_t steps, uint64_t bytes, uint64_t nanoseconds) {
    if (!api_begin(c)) {
        return;
    }
    Budget budget = BUDGET_DEFAULT;
    budget.steps = steps ? steps : budget.steps;
    budget.bytes = bytes ? bytes : budget.bytes;
    budget.time_ns = nanoseconds;
    ctx_set_budget(&c->ctx, &budget);
}

void batt_set_safe(batt_context *c, int safe) {
    if (api_begin(c)) {
        c->safe = safe != 0;
    }
}

/* ---- errors ---- */

static const batt_fault no_context = {BATT_BAD_ARGUMENT, "", 0, 0, "the context is NULL"};
static const batt_fault no_memory = {BATT_NO_MEMORY, "", 0, 0, MEM_NONE};
static const batt_fault in_a_call = {BATT_BUSY, "", 0, 0, "the context is in the middle of a call"};

bool api_begin(batt_context *c) {
    if (c == NULL || c->busy) {
        return false;
    }
    if (UNLIKELY(c->fault.code != BATT_FINE)) {
        out_clear(&c->error);
        out_clear(&c->file);
        out_clear(&c->fault_text);
        c->fault = (batt_fault){0};
    }
    return true;
}

void *api_fault_at(batt_context *c, int code, const char *file, uint32_t line, uint32_t column,
                   const char *text) {
    if (c == NULL || c->busy) {
        return NULL;
    }
    bool whole = c->error.len == 0; /* otherwise a parser has already said more */
    out_clear(&c->file);
    out_str(&c->file, file);
    out_clear(&c->fault_text);
    out_str(&c->fault_text, text);
    if (whole && *file != '\0') {
        out_fmt(&c->error, "%s:", file);
        if (line != 0) {
            out_fmt(&c->error, "%u:%u:", line, column);
        }
        out_char(&c->error, ' ');
    }
    if (whole) {
        out_str(&c->error, text);
    }
    c->fault = (batt_fault){code, c->file.data, line, column, c->fault_text.data};
    if (c->error.failed || c->file.failed || c->fault_text.failed) {
        c->fault = no_memory;
    }
    return NULL;
}

void *api_fault(batt_context *c, int code, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return api_fault_at(c, code, "", 0, 0, text);
}

void *api_no_memory(batt_context *c) {
    if (c != NULL) {
        c->fault = no_memory;
    }
    return NULL;
}

char *api_text(batt_context *c, Out *out) {
    if (out->failed) {
        out_free(out);
        return api_no_memory(c);
    }
    char *text = mem_strndup(out->data, out->len);
    out_free(out);
    return text != NULL ? text : api_no_memory(c);
}

const char *api_program_text(_Atomic(char *) *text, const Program *program) {
    char *made = atomic_load(text);
    if (made != NULL) {
        return made;
    }
    Out out;
    out_init(&out);
    print_program(&out, program, NULL);
    char *mine = out.failed ? NULL : mem_strdup(out.data), *none = NULL;
    out_free(&out);
    if (mine != NULL && !atomic_compare_exchange_strong(text, &none, mine)) {
        mem_free(mine);
        return none; /* another thread was first */
    }
    return mine != NULL ? mine : "";
}

const batt_fault *batt_fault_of(const batt_context *c) {
    return c == NULL ? &no_context : c->busy ? &in_a_call : &c->fault;
}

const char *batt_error(const batt_context *c) {
    const batt_fault *fault = batt_fault_of(c);
    if (fault->code == BATT_FINE) {
        return "";
    }
    bool own = fault != &no_context && fault != &in_a_call && fault->code != BATT_NO_MEMORY;
    return own ? c->error.data : fault->text;
}
