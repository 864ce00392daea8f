/* Requests and replies; see serve.h. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/language/names.h"
#include "tools/display/page.h"
#include "tools/display/picture.h"
#include "tools/display/task_drawing.h"
#include "tools/serve/serve_internal.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* What one evaluation may spend; small, since people are typing and see the result after every letter. */
static const Budget budget = {
    .steps = 5000000, .bytes = (uint64_t)64 << 20, .time_ns = 250000000, .depth = 500};

static bool draw_token(char token[SERVE_TOKEN + 1]) {
    unsigned char bytes[SERVE_TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        return false;
    }
    for (size_t k = 0; k < sizeof bytes; k++) {
        snprintf(token + 2 * k, 3, "%02x", bytes[k]);
    }
    return true;
}

Serve *serve_open(const ServeOptions *options, char *why, size_t room) {
    snprintf(why, room, "out of memory");
    Serve *s = mem_zalloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->options = *options;
    s->allowance = SERVE_BURST;
    pthread_mutex_init(&s->keeping, NULL);
    bool good = prim_open(&s->ctx, MODE_CORE, false, &budget) && (s->lang = lang_open()) != NULL &&
                (s->types = types_open()) != NULL && (s->search_job = search_job_open(s)) != NULL;
    if (good && !draw_token(s->token)) {
        snprintf(why, room, "no random numbers available");
        good = false;
    }
    if (good && options->store != NULL) {
        char error[STORE_ERROR_MAX];
        s->store = store_open(options->store, STORE_WRITE | STORE_CREATE, error);
        good = s->store != NULL;
        snprintf(why, room, "%s", error);
    }
    if (!good) {
        serve_close(s);
        return NULL;
    }
    return s;
}

void serve_close(Serve *s) {
    if (s == NULL) {
        return;
    }
    char error[STORE_ERROR_MAX];
    search_job_close(s->search_job);
    store_close(s->store, error);
    if (s->types != NULL) {
        types_close(s->types);
    }
    if (s->lang != NULL) {
        lang_close(s->lang);
    }
    prim_close(&s->ctx);
    pthread_mutex_destroy(&s->keeping);
    mem_free(s);
}

const char *serve_token(const Serve *s) {
    return s->token;
}

/* ---- replies ---- */

static void refuse(ServeReply *reply, unsigned status, const char *text) {
    out_clear(&reply->body);
    Json json = json_on(&reply->body, 0);
    json_begin_object(&json);
    json_kv_string(&json, "error", text);
    json_end_object(&json);
    reply->status = status;
}

static void write_page(Serve *s, ServeReply *reply) {
    Page page;
    char summary[64];
    snprintf(summary, sizeof summary, "%zu tasks", s->options.n_tasks);
    page_begin_live(&page, &reply->body, "batt", summary, s->options.palette, ASSET_SERVE_CSS,
                    ASSET_SERVE_HTML, ASSET_SERVE_JS);
    json_kv_bool(&page.json, "store", s->store != NULL);
    json_kv_uint(&page.json, "max_seconds", s->options.max_seconds);
    page_end(&page);
    reply->type = "text/html; charset=utf-8";
}

static void write_words(Json *json) {
    json_key(json, "primitives");
    json_begin_array(json);
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        const PrimInfo *prim = &prim_table[k];
        json_begin_object(json);
        json_kv_string(json, "name", prim->name);
        json_kv_string(json, "signature", prim->signature);
        json_kv_string(json, "doc", prim->doc);
        json_end_object(json);
    }
    json_end_array(json);
    json_key(json, "constants");
    json_begin_array(json);
    for (size_t k = 0; k < CONSTANT_COUNT; k++) {
        json_text(json, lang_constants[k].name);
    }
    json_end_array(json);
}

static void write_tasks(const Serve *s, Json *json) {
    json_key(json, "tasks");
    json_begin_array(json);
    for (size_t k = 0; k < s->options.n_tasks; k++) {
        json_text(json, s->options.tasks[k]->id);
    }
    json_end_array(json);
}

static const Task *task_named(const Serve *s, const char *id) {
    for (size_t k = 0; id != NULL && k < s->options.n_tasks; k++) {
        if (strcmp(s->options.tasks[k]->id, id) == 0) {
            return s->options.tasks[k];
        }
    }
    return NULL;
}

static void write_task(const Serve *s, Json *json, const Task *task) {
    enum { COLUMN = 520 }; /* width on the page; scaling a picture would make its lines uneven */
    TaskView view;
    Out svg;
    out_init(&svg);
    json_kv_string(json, "id", task->id);
    json_kv_int(json, "train", task->n_train);
    json_kv_int(json, "test", task->n_test);
    if (task_view_make(&view, &task, 1, false)) {
        Picture picture = {
            .strips = view.strips, .count = view.count, .palette = s->options.palette, .width = COLUMN};
        picture_to_svg(&svg, &picture);
        json_kv_string(json, "svg", svg.data);
        task_view_free(&view);
    } else {
        json->out->failed = true;
    }
    json->out->failed |= svg.failed;
    out_free(&svg);
}

/* ---- requests with a body ---- */

typedef struct RequestBody { /* the contents of a request body */
    const Task *task;
    const char *program;
    size_t length;
    json_int_t sample, seconds;
} RequestBody;

/* Reads the members that all bodies share; false after refusing the request. */
static bool read_asked(const Serve *s, json_t *root, bool program, RequestBody *asked, ServeReply *reply) {
    json_t *text = json_object_get(root, "program"), *sample = json_object_get(root, "sample"),
           *seconds = json_object_get(root, "seconds");
    *asked = (RequestBody){.task = task_named(s, json_string_value(json_object_get(root, "task"))),
                           .program = json_string_value(text),
                           .length = json_string_length(text),
                           .sample = sample != NULL ? json_integer_value(sample) : 0,
                           .seconds = seconds != NULL ? json_integer_value(seconds) : 5};
    if (asked->task == NULL) {
        refuse(reply, 404, "no such task");
    } else if (program && asked->program == NULL) {
        refuse(reply, 400, "\"program\" must be a text");
    } else if ((sample != NULL && !json_is_integer(sample)) || asked->sample < 0 ||
               asked->sample >= asked->task->n_train + asked->task->n_test) {
        refuse(reply, 400, "\"sample\" must be the number of a pair");
    } else if ((seconds != NULL && !json_is_integer(seconds)) || asked->seconds < 1 ||
               asked->seconds > (json_int_t)s->options.max_seconds) {
        refuse(reply, 400, "\"seconds\" must be a number that the page offers");
    } else {
        return true;
    }
    return false;
}

/* Answers `steps` and `keep`, which parse a program first. */
static void with_program(Serve *s, const RequestBody *asked, bool keep, ServeReply *reply) {
    Json json = json_on(&reply->body, 0);
    Diags diags;
    char why[STORE_ERROR_MAX];
    diags_init(&diags);
    Program *program = steps_parse(s, asked->task, asked->program, asked->length, &diags);
    json_begin_object(&json);
    steps_write_errors(&json, &diags);
    bool good = true, kept = true;
    if (program != NULL && keep) {
        kept = diags.errors == 0 && steps_keep(s, &s->ctx, asked->task, program, why, sizeof why);
        json_kv_bool(&json, "kept", kept);
    } else if (program != NULL) {
        good = steps_write(s, &json, asked->task, program, (uint32_t)asked->sample);
    }
    json_end_object(&json);
    if (!kept && diags.errors == 0) {
        refuse(reply, s->store == NULL ? 409 : 500, why);
    }
    reply->body.failed |= !good;
    prog_free(program);
    diags_free(&diags);
}

static void begin_search(Serve *s, const RequestBody *asked, ServeReply *reply) {
    if (!search_job_begin(s->search_job, asked->task, (unsigned)asked->seconds)) {
        refuse(reply, 500, "cannot start a thread");
        return;
    }
    out_str(&reply->body, "{}");
}

static void post(Serve *s, const char *what, const char *body, size_t length, ServeReply *reply) {
    bool steps = strcmp(what, "steps") == 0, keep = strcmp(what, "keep") == 0,
         search = strcmp(what, "search") == 0;
    if (strcmp(what, "stop") == 0) {
        search_job_stop(s->search_job);
        out_str(&reply->body, "{}");
        return;
    }
    if (!steps && !keep && !search) {
        refuse(reply, 404, "nothing here");
        return;
    }
    json_error_t error;
    json_t *root = json_loadb(body != NULL ? body : "", length, JSON_REJECT_DUPLICATES, &error);
    RequestBody asked;
    if (!json_is_object(root)) {
        refuse(reply, 400, root == NULL ? error.text : "expected an object");
    } else if (read_asked(s, root, !search, &asked, reply)) {
        if (search) {
            begin_search(s, &asked, reply);
        } else {
            with_program(s, &asked, keep, reply);
        }
    }
    json_decref(root);
}

static void get(Serve *s, const char *what, ServeReply *reply) {
    Json json = json_on(&reply->body, 0);
    const Task *task = strncmp(what, "task/", 5) == 0 ? task_named(s, what + 5) : NULL;
    if (*what == '\0') {
        write_page(s, reply);
        return;
    }
    json_begin_object(&json);
    if (task != NULL) {
        write_task(s, &json, task);
    } else if (strcmp(what, "words") == 0) {
        write_words(&json);
    } else if (strcmp(what, "tasks") == 0) {
        write_tasks(s, &json);
    } else if (strcmp(what, "search") == 0) {
        search_job_write(s->search_job, &json);
    } else {
        refuse(reply, 404, "nothing here");
        return;
    }
    json_end_object(&json);
}

/* ---- who may ask, and how often ---- */

/* Compares in constant time, so that timing reveals nothing about the token. */
static bool token_fits(const Serve *s, const char *path) {
    if (strnlen(path, SERVE_TOKEN + 2) < SERVE_TOKEN + 2) {
        return false;
    }
    unsigned differ = (unsigned)(path[0] ^ '/') | (unsigned)(path[SERVE_TOKEN + 1] ^ '/');
    for (size_t k = 0; k < SERVE_TOKEN; k++) {
        differ |= (unsigned)(path[k + 1] ^ s->token[k]);
    }
    return differ == 0;
}

static bool within_rate(Serve *s, uint64_t now_ns) {
    if (s->seen_ns != 0 && now_ns > s->seen_ns) {
        s->allowance += (double)(now_ns - s->seen_ns) * 1e-9 * SERVE_RATE;
    }
    s->allowance = s->allowance < SERVE_BURST ? s->allowance : SERVE_BURST;
    s->seen_ns = now_ns;
    if (s->allowance < 1) {
        return false;
    }
    s->allowance -= 1;
    return true;
}

void serve_answer(Serve *s, const char *method, const char *path, const char *body, size_t length,
                  uint64_t now_ns, ServeReply *reply) {
    *reply = (ServeReply){.status = 200, .type = "application/json"};
    out_init(&reply->body);
    if (!within_rate(s, now_ns)) {
        refuse(reply, 429, "too many requests");
    } else if (!token_fits(s, path)) {
        refuse(reply, 403, "open the address that batt serve printed");
    } else if (length > SERVE_MAX_BODY) {
        refuse(reply, 413, "a request may have 65536 bytes");
    } else if (strcmp(method, "GET") == 0) {
        get(s, path + SERVE_TOKEN + 2, reply);
    } else if (strcmp(method, "POST") == 0) {
        post(s, path + SERVE_TOKEN + 2, body, length, reply);
    } else {
        refuse(reply, 405, "GET or POST");
    }
    if (reply->body.failed) {
        refuse(reply, 500, "out of memory");
    }
}
