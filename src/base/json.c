/* The JSON writer: for each open level, it keeps whether a member was written before. */
#include "base/json.h"

#include "base/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Json json_on(Out *out, int indent) {
    return (Json){.out = out, .indent = indent};
}

static void new_line(Json *json, int depth) {
    if (!json->indent || json->flat[depth]) {
        return;
    }
    out_char(json->out, '\n');
    out_repeat(json->out, " ", (size_t)(json->indent * depth));
}

/* Comma and line break before a value or a key. */
static void separate(Json *json) {
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    ASSERT(json->depth > 0 || !json->any[0], "a second value at the top");
    bool *any = &json->any[json->depth];
    if (*any) {
        out_str(json->out, json->indent && json->flat[json->depth] ? ", " : ",");
    }
    *any = true;
    if (json->depth) {
        new_line(json, json->depth);
    }
}

static void value(Json *json) {
    ASSERT(json->after_key || !json->depth || json->array[json->depth], "a member without a key");
    separate(json);
}

static void begin(Json *json, char bracket, bool flat) {
    value(json);
    out_char(json->out, bracket);
    ASSERT(json->depth + 1 < JSON_MAX_DEPTH, "%d brackets", json->depth);
    bool inherited = json->flat[json->depth];
    json->depth++;
    json->any[json->depth] = false;
    json->flat[json->depth] = flat || inherited;
    json->array[json->depth] = bracket == '[';
}

static void end(Json *json, char bracket) {
    ASSERT(json->depth > 0 && !json->after_key && json->array[json->depth] == (bracket == ']'),
           "'%c' closes nothing", bracket);
    if (json->any[json->depth] && json->indent && !json->flat[json->depth]) {
        out_char(json->out, '\n');
        out_repeat(json->out, " ", (size_t)(json->indent * (json->depth - 1)));
    }
    json->depth--;
    out_char(json->out, bracket);
    if (!json->depth && json->indent) {
        out_char(json->out, '\n');
    }
}

void json_begin_object(Json *json) {
    begin(json, '{', false);
}

void json_begin_report(Json *json, const char *schema) {
    json_begin_object(json);
    json_kv_string(json, "schema", schema);
}

void json_end_object(Json *json) {
    end(json, '}');
}

void json_begin_array(Json *json) {
    begin(json, '[', false);
}

void json_begin_row(Json *json) {
    begin(json, '[', true);
}

void json_end_array(Json *json) {
    end(json, ']');
}

void json_key(Json *json, const char *key) {
    ASSERT(json->depth > 0 && !json->array[json->depth] && !json->after_key, "no place for the key %s", key);
    separate(json);
    out_json_string(json->out, key);
    out_str(json->out, json->indent ? ": " : ":");
    json->after_key = true;
}

void json_text(Json *json, const char *text) {
    if (!text) {
        json_none(json);
        return;
    }
    value(json);
    out_json_string(json->out, text);
}

void json_int(Json *json, int64_t number) {
    value(json);
    out_fmt(json->out, "%" PRId64, number);
}

void json_uint(Json *json, uint64_t number) {
    value(json);
    out_fmt(json->out, "%" PRIu64, number);
}

/* A locale may use a decimal comma; JSON allows only the point. */
static void number_text(Json *json, char *text) {
    char *comma = strchr(text, ',');
    if (comma) {
        *comma = '.';
    }
    out_str(json->out, text);
}

void json_double(Json *json, double number) {
    value(json);
    if (!isfinite(number)) {
        out_str(json->out, "null");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) { /* the shortest text that reads back as the same number */
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    number_text(json, text);
}

void json_fixed(Json *json, double number, int digits) {
    value(json);
    if (!isfinite(number)) {
        out_str(json->out, "null");
        return;
    }
    char text[400]; /* the largest double has 309 digits before the point */
    snprintf(text, sizeof text, "%.*f", digits < 0 ? 0 : digits > 60 ? 60 : digits, number);
    number_text(json, text);
}

static void json_bool(Json *json, bool truth) {
    value(json);
    out_str(json->out, truth ? "true" : "false");
}

void json_none(Json *json) {
    value(json);
    out_str(json->out, "null");
}

void json_raw(Json *json, const char *text) {
    value(json);
    out_str(json->out, text);
}

void json_kv_string(Json *json, const char *key, const char *text) {
    json_key(json, key);
    json_text(json, text);
}

void json_kv_int(Json *json, const char *key, int64_t number) {
    json_key(json, key);
    json_int(json, number);
}

void json_kv_uint(Json *json, const char *key, uint64_t number) {
    json_key(json, key);
    json_uint(json, number);
}

void json_kv_double(Json *json, const char *key, double number) {
    json_key(json, key);
    json_double(json, number);
}

void json_kv_fixed(Json *json, const char *key, double number, int digits) {
    json_key(json, key);
    json_fixed(json, number, digits);
}

void json_kv_bool(Json *json, const char *key, bool truth) {
    json_key(json, key);
    json_bool(json, truth);
}

void json_image(Json *json, Image image, bool one_line) {
    if (image.cells == NULL) {
        json_none(json);
        return;
    }
    (one_line ? json_begin_row : json_begin_array)(json);
    for (int32_t i = 0; i < image.h; i++) {
        json_begin_row(json);
        for (int32_t j = 0; j < image.w; j++) {
            json_int(json, image.cells[i * image.w + j]);
        }
        json_end_array(json);
    }
    json_end_array(json);
}
