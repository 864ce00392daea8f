/* The data of the page of batt net; see net_page.h. */
#include "tools/display/net_page.h"

#include "tools/display/page.h"

#include <stdio.h>

void net_page_begin(Page *page, Out *out, const char *title, const char *summary, const Palette *palette) {
    page_begin(page, out, title, summary, palette, ASSET_NET_CSS, ASSET_NET_HTML, ASSET_NET_JS);
    json_key(&page->json, "tasks");
    json_begin_array(&page->json);
}

static void write_pairs(Page *page, const char *key, const TaskPair *pairs, int32_t count) {
    json_key(&page->json, key);
    json_begin_array(&page->json);
    for (int32_t k = 0; k < count; k++) {
        static const Image unknown = {0, 0, NULL};
        json_begin_object(&page->json);
        page_grid(page, "input", &pairs[k].in);
        page_grid(page, "output", pairs[k].has_output ? &pairs[k].out : &unknown);
        json_end_object(&page->json);
    }
    json_end_array(&page->json);
}

void net_page_task(Page *page, const Task *task, const char *refused) {
    json_begin_object(&page->json);
    json_kv_string(&page->json, "id", task->id);
    page_text(page, "refused", refused);
    write_pairs(page, "train", task->train, task->n_train);
    write_pairs(page, "test", task->test, task->n_test);
    json_key(&page->json, "answers");
    json_begin_array(&page->json);
}

/* All grids of an answer: a list of them. */
static void write_grids(Page *page, const NetAnswers *answers, uint32_t number) {
    json_key(&page->json, "grids");
    json_begin_array(&page->json);
    for (uint32_t test = 0; test < answers->shape->n_test; test++) {
        Image grid = net_answer_grid(answers, number, test);
        json_begin_object(&page->json);
        page_grid(page, "grid", &grid);
        json_end_object(&page->json);
    }
    json_end_array(&page->json);
}

void net_page_answer(Page *page, const NetAnswers *answers, uint32_t number, double share) {
    json_begin_object(&page->json);
    json_kv_fixed(&page->json, "share", share, 5);
    json_kv_uint(&page->json, "times", answers->answers[number].count);
    json_kv_uint(&page->json, "first", answers->answers[number].first);
    write_grids(page, answers, number);
    json_end_object(&page->json);
}

void net_page_runs(Page *page) {
    json_end_array(&page->json);
    json_key(&page->json, "runs");
    json_begin_array(&page->json);
}

/* A moment has its grids only where the answer is another one than before. */
void net_page_run(Page *page, uint64_t seed, const NetCurve *curve, const NetAnswers *answers) {
    Json *json = &page->json;
    uint32_t last = UINT32_MAX;
    json_begin_object(json);
    json_kv_uint(json, "seed", seed);
    json_key(json, "moments");
    json_begin_array(json);
    for (uint32_t k = 0; k < curve->count; k++) {
        const NetMoment *m = &curve->moments[k];
        json_begin_object(json);
        json_kv_uint(json, "step", m->step);
        json_kv_fixed(json, "kl", m->kl, 2);
        json_kv_fixed(json, "rec", m->rec, 3);
        if (m->answer != last && m->answer < answers->count) {
            write_grids(page, answers, m->answer);
            last = m->answer;
        }
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

void net_page_task_end(Page *page) {
    json_end_array(&page->json);
    json_end_object(&page->json);
}

void net_page_end(Page *page) {
    json_end_array(&page->json);
    page_end(page);
}
