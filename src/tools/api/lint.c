/* What type checking finds in programs, and which devices there are: as JSON. */
#include "backends/devices/device.h"
#include "base/alloc.h"
#include "base/json.h"
#include "engine/language/infer.h"
#include "tools/api/api_internal.h"

typedef struct Findings {
    Types *types;
    const Program *program;
    Out out, text;
    Json json;
} Findings;

static void write_finding(void *user, const TypeFinding *f) {
    Findings *all = user;
    const Program *p = all->program;
    out_clear(&all->text);
    types_finding_text(&all->text, all->types, f);
    json_begin_object(&all->json);
    json_kv_string(&all->json, "program", p->name);
    json_kv_int(&all->json, "line", p->ops[f->op].line);
    json_kv_bool(&all->json, "certain", f->certain && !f->vague && p->mode == MODE_CORE);
    json_kv_string(&all->json, "text", all->text.data);
    json_end_object(&all->json);
}

char *batt_programs_lint(batt_context *c, const batt_programs *programs) {
    Findings all = {0};
    if (!api_begin(c)) {
        return NULL;
    }
    if (programs == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the programs are NULL");
    }
    out_init(&all.out);
    out_init(&all.text);
    all.json = json_on(&all.out, 0);
    json_begin_report(&all.json, "batt.lint.findings/1");
    json_key(&all.json, "findings");
    json_begin_array(&all.json);
    bool good = (all.types = types_open()) != NULL;
    for (size_t k = 0; good && k < programs->list.count; k++) {
        all.program = programs->list.items[k];
        TypeId *types = mem_array(prog_slots(all.program), sizeof *types);
        good = types != NULL;
        if (good) {
            types_tidy(all.types);
            types_of_program(all.types, all.program, types, write_finding, &all);
        }
        mem_free(types);
    }
    json_end_array(&all.json);
    json_end_object(&all.json);
    types_close(all.types);
    good = good && !all.text.failed;
    out_free(&all.text);
    return good ? api_text(c, &all.out) : (out_free(&all.out), api_no_memory(c));
}

char *batt_devices(batt_context *c) {
    Out out;
    DeviceError why;
    if (!api_begin(c)) {
        return NULL;
    }
    out_init(&out);
    Json json = json_on(&out, 0);
    Devices *devices = devices_open(&why);
    json_begin_report(&json, "batt.devices/1");
    if (devices == NULL || devices->count == 0) {
        json_kv_string(&json, "why", devices == NULL ? why.text : devices_none(devices));
    }
    json_key(&json, "devices");
    json_begin_array(&json);
    for (unsigned k = 0; devices != NULL && k < devices->count; k++) {
        const DeviceInfo *d = &devices->infos[k];
        json_begin_object(&json);
        json_kv_uint(&json, "number", k);
        json_kv_string(&json, "name", d->name);
        json_kv_string(&json, "platform", d->platform);
        json_kv_string(&json, "version", d->version);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    devices_close(devices);
    return api_text(c, &out);
}
