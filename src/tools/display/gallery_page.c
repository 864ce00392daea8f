/* Writes tasks and results as the data of the gallery page; see html.h. */
#include "tools/display/marks.h"
#include "tools/display/page.h"

void gallery_begin(Page *page, Out *out, const char *title, const char *summary, const Palette *palette) {
    page_begin(page, out, title, summary, palette, ASSET_GALLERY_CSS, ASSET_GALLERY_HTML, ASSET_GALLERY_JS);
    json_key(&page->json, "tasks");
    json_begin_array(&page->json);
}

/* Keys are one letter, since they occur thousands of times in a page. Most results are right, which is
 * written as `true`. */
static void write_pair(Page *page, const GalleryPair *pair) {
    Json *json = &page->json;
    json_begin_object(json);
    json_kv_string(json, "l", pair->label);
    if (pair->test) {
        json_kv_bool(json, "t", true);
    }
    page_grid(page, "i", &pair->input);
    page_grid(page, "e", &pair->expected);
    if (pair->ran) {
        MarksDiff diff = marks_compare(&pair->expected, &pair->got);
        if (pair->expected.cells && pair->got.cells && diff.same_size && !diff.wrong) {
            json_kv_bool(json, "g", true);
        } else {
            page_grid(page, "g", &pair->got);
        }
        page_text(page, "n", pair->note);
    }
    json_end_object(json);
}

void gallery_task(Page *page, const GalleryTask *task) {
    Json *json = &page->json;
    out_char(page->out, '\n'); /* one line per task: so that the page can be searched with grep */
    json_begin_object(json);
    json_kv_string(json, "id", task->id);
    json_kv_string(json, "status", task->status);
    page_text(page, "note", task->note);
    page_text(page, "program", task->program);
    json_key(json, "pairs");
    json_begin_array(json);
    for (size_t i = 0; i < task->count; i++) {
        write_pair(page, &task->pairs[i]);
    }
    json_end_array(json);
    json_end_object(json);
}

void gallery_end(Page *page) {
    json_end_array(&page->json);
    page_end(page);
}
