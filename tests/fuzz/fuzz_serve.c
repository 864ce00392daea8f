/* Any bytes as a request to batt serve: no crash, a status that HTTP knows, and a JSON document (or the page)
 * as its answer. The first line is method and path, whose first `T` stands for the token; the rest is the
 * body. */
#include "tools/serve/serve.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good) {
    if (!good) {
        abort();
    }
}

static Serve *open_once(void) {
    static const char task[] = "{\"train\": [{\"input\": [[1, 2], [0, 0]], \"output\": [[2, 1], [0, 0]]}], "
                               "\"test\": [{\"input\": [[3, 0], [0, 4]]}]}";
    static TaskSet *set;
    static const Task *first;
    static Serve *serve;
    if (serve == NULL) {
        char why[256];
        set = task_load_bytes("one.json", task, sizeof task - 1, NULL);
        check(set != NULL && set->n_tasks > 0);
        first = &set->tasks[0];
        ServeOptions options = {.tasks = &first, .n_tasks = 1, .max_seconds = 1};
        serve = serve_open(&options, why, sizeof why);
        check(serve != NULL);
        serve_set_port(serve, 8000);
    }
    check(set->n_tasks == 1); /* and so the sanitizer sees who holds it */
    return serve;
}

static void check_reply(ServeReply *reply) {
    check(reply->status == 200 || (reply->status >= 400 && reply->status < 600));
    if (strcmp(reply->type, "application/json") == 0) {
        json_t *root = json_loadb(reply->body.data, reply->body.len, 0, NULL);
        check(json_is_object(root));
        check(reply->status == 200 || json_is_string(json_object_get(root, "error")));
        json_decref(root);
    } else {
        check(reply->status == 200 && strstr(reply->body.data, "</html>") != NULL);
    }
    out_free(&reply->body);
}

static void ask(const char *method, const char *path, const char *body, size_t length) {
    static uint64_t now = 1;
    Serve *serve = open_once();
    ServeReply reply;
    now += 1000000000; /* within the rate */
    ServeRequest request = {.method = method,
                            .path = path,
                            .host = "127.0.0.1:8000",
                            .type = "application/json",
                            .body = body,
                            .length = length};
    serve_answer(serve, &request, now, &reply);
    check_reply(&reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *newline = memchr(data, '\n', size);
    char line[256] = "", method[16] = "", rest[200] = "", path[300];
    size_t head = newline != NULL ? (size_t)(newline - (const char *)data) : size;
    memcpy(line, data, head < sizeof line ? head : sizeof line - 1);
    sscanf(line, "%15s %199[^\n]", method, rest);
    const char *token = serve_token(open_once()), *after = strncmp(rest, "/T/", 3) == 0 ? rest + 3 : NULL;
    snprintf(path, sizeof path, "%s%s%s%s", after != NULL ? "/" : "", after != NULL ? token : "",
             after != NULL ? "/" : "", after != NULL ? after : rest);
    ask(method, path, (const char *)data + (newline != NULL ? head + 1 : size),
        newline != NULL ? size - head - 1 : 0);
    if (after != NULL && strcmp(after, "search") == 0) { /* one that was begun */
        snprintf(path, sizeof path, "/%s/stop", token);
        ask("POST", path, NULL, 0);
    }
    return 0;
}
