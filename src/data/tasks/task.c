/* Operations on loaded tasks: finding, hashing, printing; see task.h. */
#include "data/tasks/task.h"

#include "base/alloc.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static int compare_id(const void *id, const void *task) {
    return strcmp(id, ((const Task *)task)->id);
}

const Task *task_find(const TaskSet *set, const char *id) {
    return set->n_tasks > 0 ? bsearch(id, set->tasks, set->n_tasks, sizeof *set->tasks, compare_id) : NULL;
}

void task_set_free(TaskSet *set) {
    if (set != NULL) {
        slab_free(&set->slab);
        mem_free(set);
    }
}

static uint64_t mix_image(uint64_t hash, Image image) {
    uint64_t seed = hash ^ ((uint64_t)(uint32_t)image.h << 32 | (uint32_t)image.w);
    return XXH3_64bits_withSeed(image.cells, (size_t)image.h * (size_t)image.w, seed * 0x9E3779B97F4A7C15u);
}

uint64_t task_content_hash(const Task *task) {
    uint64_t hash = (uint64_t)(uint32_t)task->n_train << 32 | (uint32_t)task->n_test;
    for (int32_t i = 0; i < task->n_train + task->n_test; i++) {
        const TaskPair *pair = i < task->n_train ? &task->train[i] : &task->test[i - task->n_train];
        hash = mix_image(hash, pair->in);
        hash = mix_image(hash, pair->out);
    }
    return hash;
}

uint64_t task_data_hash(const Task *const *tasks, size_t n_tasks) {
    uint64_t hash = n_tasks;
    for (size_t i = 0; i < n_tasks; i++) {
        hash = XXH3_64bits_withSeed(tasks[i]->id, strlen(tasks[i]->id), hash);
        uint64_t bytes = htole64(tasks[i]->hash); /* the same on machines of either byte order */
        hash = XXH3_64bits_withSeed(&bytes, sizeof bytes, hash);
    }
    return hash;
}

int task_error_format(const TaskError *error, char *text, size_t room) {
    const char *task = error->id ? "task " : "", *id = error->id ? error->id : "",
               *colon = error->id ? ": " : "";
    if (error->line == 0) {
        return snprintf(text, room, "%s: %s%s%s%s", error->file, task, id, colon, error->reason);
    }
    return snprintf(text, room, "%s:%u:%u: %s%s%s%s", error->file, error->line, error->column, task, id,
                    colon, error->reason);
}

bool task_image_equal(Image a, Image b) {
    return a.h == b.h && a.w == b.w && (a.h == 0 || memcmp(a.cells, b.cells, (size_t)a.h * (size_t)a.w) == 0);
}

bool task_image_valid(Image image, int32_t max_side) {
    if (image.h < 1 || image.w < 1 || image.h > max_side || image.w > max_side) {
        return false;
    }
    for (int32_t i = 0; i < image.h * image.w; i++) {
        if (image.cells[i] < 0 || image.cells[i] >= TASK_COLORS) {
            return false;
        }
    }
    return true;
}

void task_write_grid(Out *out, Image grid) {
    char row[TASK_MAX_SIDE * 2 + 2];
    for (int32_t i = 0; i < grid.h; i++) {
        const int8_t *cells = grid.cells + (size_t)i * (size_t)grid.w;
        char *p = row;
        *p++ = i == 0 ? '[' : ',';
        for (int32_t j = 0; j < grid.w; j++) {
            *p++ = j == 0 ? '[' : ',';
            *p++ = (char)('0' + cells[j]);
        }
        *p++ = ']';
        out_bytes(out, row, (size_t)(p - row));
    }
    out_char(out, ']');
}

static void write_pairs(Out *out, const TaskPair *pairs, int32_t n_pairs) {
    for (int32_t i = 0; i < n_pairs; i++) {
        out_str(out, i == 0 ? "{\"input\":" : ",{\"input\":");
        task_write_grid(out, pairs[i].in);
        if (pairs[i].has_output) {
            out_str(out, ",\"output\":");
            task_write_grid(out, pairs[i].out);
        }
        out_char(out, '}');
    }
}

void task_write_json(Out *out, const Task *task) {
    out_str(out, "{\"train\":[");
    write_pairs(out, task->train, task->n_train);
    out_str(out, "],\"test\":[");
    write_pairs(out, task->test, task->n_test);
    out_str(out, "]}\n");
}
