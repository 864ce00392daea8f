/* Counts results by folder; see groups.h. */
#include "tools/cli/groups.h"

#include "base/alloc.h"
#include "tools/display/table.h"

#include <stdlib.h>
#include <string.h>

typedef struct Group {
    const char *name; /* "": for files that were named directly, or are directly in a named folder */
    size_t tasks, known, solved, fits;
} Group;

typedef struct Groups {
    Group *items;
    size_t count, room;
} Groups;

static Group *find(Groups *g, const char *name, size_t *last) {
    if (*last < g->count && strcmp(g->items[*last].name, name) == 0) {
        return &g->items[*last];
    }
    for (*last = 0; *last < g->count; (*last)++) {
        if (strcmp(g->items[*last].name, name) == 0) {
            return &g->items[*last];
        }
    }
    if (!MEM_ROOM(g->items, g->count, g->room, 32)) {
        return NULL;
    }
    g->items[g->count] = (Group){.name = name};
    return &g->items[g->count++];
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const Group *)a)->name, ((const Group *)b)->name);
}

static bool count(Groups *g, const Data *data, GroupJudge *judge, const void *user) {
    size_t last = 0;
    for (size_t k = 0; k < data->n_tasks; k++) {
        const char *name = data->tasks[k]->group;
        Group *group = find(g, name != NULL ? name : "", &last);
        if (group == NULL) {
            return false;
        }
        unsigned went = judge(user, k);
        group->tasks++;
        group->known += (went & GROUP_KNOWN) != 0;
        group->solved += (went & GROUP_SOLVED) != 0;
        group->fits += (went & GROUP_FITS) != 0;
    }
    if (g->count > 1) {
        qsort(g->items, g->count, sizeof *g->items, by_name);
    }
    return true;
}

void groups_write(Out *out, const TermStyle *style, const Data *data, GroupJudge *judge, const void *user) {
    Groups g = {0};
    out->failed |= !count(&g, data, judge, user);
    if (g.count > 1) {
        Table table;
        table_begin(&table, "group", ">tasks", ">fit all pairs", ">solved");
        for (size_t k = 0; k < g.count; k++) {
            const Group *group = &g.items[k];
            table_colored(&table, term_attr(style, ATTR_NAME), *group->name ? group->name : ".");
            table_fmt(&table, "%zu", group->tasks);
            table_fmt(&table, "%zu", group->fits);
            if (group->known > 0) {
                table_fmt(&table, "%zu of %zu", group->solved, group->known);
            } else {
                table_cell(&table, "unknown");
            }
        }
        table_end(&table, out, style);
        out_char(out, '\n');
    }
    mem_free(g.items);
}

void groups_json(Json *json, const Data *data, GroupJudge *judge, const void *user) {
    Groups g = {0};
    bool good = count(&g, data, judge, user);
    json_key(json, "groups");
    json_begin_array(json);
    for (size_t k = 0; good && g.count > 1 && k < g.count; k++) {
        json_begin_object(json);
        json_kv_string(json, "name", g.items[k].name);
        json_kv_uint(json, "tasks", g.items[k].tasks);
        json_kv_uint(json, "fit", g.items[k].fits);
        json_kv_uint(json, "known", g.items[k].known);
        json_kv_uint(json, "solved", g.items[k].solved);
        json_end_object(json);
    }
    json_end_array(json);
    mem_free(g.items);
}
