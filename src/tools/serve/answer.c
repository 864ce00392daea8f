/* Requests and replies; see serve.h. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/language/names.h"
#include "tools/display/page.h"
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

/* What an earlier session has kept counts as solved. */
static bool mark_solved(void *context, const StoreRow *row) {
    Serve *s = context;
    const StoreResult *r = &row->result;
    if (r->train_exact == r->train_total && r->test_exact == r->test_total) {
        task_list_solved(s->tasks, r->task);
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
                (s->types = types_open()) != NULL && (s->search_job = search_job_open(s)) != NULL &&
                (s->tasks = task_list_open(options->tasks, options->n_tasks)) != NULL;
    if (good && !draw_token(s->token)) {
        snprintf(why, room, "no random numbers available");
        good = false;
    }
    if (good && options->store != NULL) {
        char error[STORE_ERROR_MAX];
        s->store = store_open(options->store, STORE_WRITE | STORE_CREATE, error);
        good = s->store != NULL && store_best(s->store, NULL, 1, mark_solved, s);
        snprintf(why, room, "%s", s->store != NULL ? store_error(s->store) : error);
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
    task_list_close(s->tasks);
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
    char summary[64], nonce[SERVE_TOKEN + 1];
    if (!draw_token(nonce)) {
        refuse(reply, 500, "no random numbers available");
        return;
    }
    snprintf(summary, sizeof summary, "%zu tasks", s->options.n_tasks);
    page_begin_live(&page, &reply->body, nonce, "batt", summary, s->options.palette, ASSET_SERVE_CSS,
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
    *asked = (RequestBody){.task = task_list_find(s->tasks, json_string_value(json_object_get(root, "task"))),
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

typedef enum ProgramRequest { ASK_STEPS, ASK_PAIRS, ASK_KEEP } ProgramRequest;

/* Answers requests about a program, which is parsed first. */
static void with_program(Serve *s, const RequestBody *asked, ProgramRequest what, ServeReply *reply) {
    Json json = json_on(&reply->body, 0);
    Diags diags;
    char why[STORE_ERROR_MAX];
    diags_init(&diags);
    Program *program = steps_parse(s, asked->task, asked->program, asked->length, &diags);
    json_begin_object(&json);
    steps_write_errors(&json, &diags);
    bool good = true, kept = true;
    if (program != NULL && what == ASK_KEEP) {
        kept = diags.errors == 0 && steps_keep(s, &s->ctx, asked->task, program, why, sizeof why);
        json_kv_bool(&json, "kept", kept);
    } else if (program != NULL && what == ASK_PAIRS) {
        if (steps_write_pairs(s, &json, asked->task, program)) {
            task_list_solved(s->tasks, asked->task->id);
        }
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

static void add_tasks(Serve *s, json_t *root, ServeReply *reply) {
    const char *name = json_string_value(json_object_get(root, "name"));
    json_t *text = json_object_get(root, "text");
    char why[512] = "\"name\" and \"text\" must be texts";
    Json json = json_on(&reply->body, 0);
    json_begin_object(&json);
    bool good = name != NULL && json_is_string(text) &&
                task_list_add(s->tasks, name, json_string_value(text), json_string_length(text), &json, why,
                              sizeof why);
    if (!good) {
        refuse(reply, 400, why);
        return;
    }
    json_end_object(&json);
}

static void post(Serve *s, const char *what, const char *body, size_t length, ServeReply *reply) {
    static const char *const about_program[] = {
        [ASK_STEPS] = "steps", [ASK_PAIRS] = "pairs", [ASK_KEEP] = "keep"};
    bool search = strcmp(what, "search") == 0, tasks = strcmp(what, "tasks") == 0;
    int program = ASK_KEEP;
    while (program >= 0 && strcmp(what, about_program[program]) != 0) {
        program--;
    }
    if (strcmp(what, "stop") == 0) {
        search_job_stop(s->search_job);
        out_str(&reply->body, "{}");
        return;
    }
    if (program < 0 && !search && !tasks) {
        refuse(reply, 404, "nothing here");
        return;
    }
    json_error_t error;
    json_t *root = json_loadb(body != NULL ? body : "", length, JSON_REJECT_DUPLICATES, &error);
    RequestBody asked;
    if (!json_is_object(root)) {
        refuse(reply, 400, root == NULL ? error.text : "expected an object");
    } else if (tasks) {
        add_tasks(s, root, reply);
    } else if (read_asked(s, root, !search, &asked, reply)) {
        if (search) {
            begin_search(s, &asked, reply);
        } else {
            with_program(s, &asked, (ProgramRequest)program, reply);
        }
    }
    json_decref(root);
}

static void get(Serve *s, const char *what, ServeReply *reply) {
    Json json = json_on(&reply->body, 0);
    const Task *task = strncmp(what, "task/", 5) == 0 ? task_list_find(s->tasks, what + 5) : NULL;
    if (*what == '\0') {
        write_page(s, reply);
        return;
    }
    json_begin_object(&json);
    if (task != NULL) {
        task_list_write_task(&json, task);
    } else if (strcmp(what, "words") == 0) {
        write_words(&json);
    } else if (strcmp(what, "tasks") == 0) {
        task_list_write(s->tasks, &json);
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

void serve_set_port(Serve *s, unsigned port) {
    s->port = port;
}

/* Guards against DNS rebinding: a foreign page whose host name was made to point here sends that name.
 * `before` is what comes before the name: "http://" in an Origin. */
static bool names_us(const Serve *s, const char *text, const char *before) {
    static const char *const names[] = {"127.0.0.1", "localhost"};
    unsigned port = s->port;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char ours[64];
        snprintf(ours, sizeof ours, "%s%s:%u", before, names[k], port);
        if (strcmp(text, ours) == 0) {
            return true;
        }
        ours[strlen(before) + strlen(names[k])] = '\0';
        if (port == 80 && strcmp(text, ours) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_json(const char *type) {
    static const char wanted[] = "application/json";
    size_t length = sizeof wanted - 1;
    return type != NULL && strncmp(type, wanted, length) == 0 &&
           (type[length] == '\0' || type[length] == ';' || type[length] == ' ');
}

bool serve_admits(const Serve *s, const ServeRequest *r, ServeReply *reply) {
    *reply = (ServeReply){.status = 200, .type = "application/json"};
    out_init(&reply->body);
    bool posts = strcmp(r->method, "POST") == 0;
    if (!token_fits(s, r->path) || r->host == NULL || !names_us(s, r->host, "")) {
        refuse(reply, 403, "open the address that batt serve printed");
    } else if (!posts && strcmp(r->method, "GET") != 0) {
        refuse(reply, 405, "GET or POST");
    } else if (posts && ((r->origin != NULL && !names_us(s, r->origin, "http://")) ||
                         (r->site != NULL && strcmp(r->site, "same-origin") != 0))) {
        refuse(reply, 403, "the request comes from another page");
    } else if (posts && !is_json(r->type)) { /* what a form of another page cannot send */
        refuse(reply, 415, "the body must be application/json");
    }
    return reply->status == 200;
}

static bool adds_tasks(const ServeRequest *r) {
    return strcmp(r->method, "POST") == 0 && strcmp(r->path + SERVE_TOKEN + 2, "tasks") == 0;
}

void serve_answer(Serve *s, const ServeRequest *r, uint64_t now_ns, ServeReply *reply) {
    if (!serve_admits(s, r, reply)) {
        return;
    }
    if (!within_rate(s, now_ns)) {
        refuse(reply, 429, "too many requests");
    } else if (r->length > (adds_tasks(r) ? SERVE_MAX_FILE : SERVE_MAX_BODY)) {
        refuse(reply, 413,
               adds_tasks(r) ? "a dropped file may have 4 MB; name it to batt serve instead"
                             : "a request may have 65536 bytes");
    } else if (strcmp(r->method, "GET") == 0) {
        get(s, r->path + SERVE_TOKEN + 2, reply);
    } else {
        post(s, r->path + SERVE_TOKEN + 2, r->body, r->length, reply);
    }
    if (reply->body.failed) {
        refuse(reply, 500, "out of memory");
    }
}
