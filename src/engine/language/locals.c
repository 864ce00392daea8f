/* The variables of the function that is being read; see parse_internal.h. */
#include "base/alloc.h"
#include "engine/language/parse_internal.h"

#include <string.h>

static Local *find(const Lang *lang, const char *text, uint32_t length, uint32_t hash, uint32_t *at) {
    for (uint32_t k; (k = map_next(&lang->local_map, map_hash32(hash), at)) != MAP_NONE;) {
        Local *local = &lang->locals[k];
        if (local->length == length && memcmp(local->text, text, length) == 0) {
            return local;
        }
    }
    return NULL;
}

/* t1, t2, ..: the number, or 0. */
static uint32_t step_number(const char *text, uint32_t length) {
    uint32_t number = 0;
    if (length < 2 || length > 7 || text[0] != 't' || text[1] == '0') {
        return 0;
    }
    for (uint32_t k = 1; k < length; k++) {
        uint32_t digit = (uint32_t)(unsigned char)text[k] - '0';
        if (digit > 9) {
            return 0;
        }
        number = number * 10 + digit;
    }
    return number;
}

static bool step_set(Lang *lang, uint32_t number, const Local *local) {
    if (number >= lang->steps_room) {
        uint32_t room = lang->steps_room > 0 ? lang->steps_room : 512;
        while (room <= number) {
            room *= 2;
        }
        uint32_t *steps = mem_grow(lang->steps, room, sizeof *steps);
        if (steps == NULL) {
            return false;
        }
        memset(steps + lang->steps_room, 0, (room - lang->steps_room) * sizeof *steps);
        lang->steps = steps;
        lang->steps_room = room;
    }
    if (lang->steps[number] == 0) {
        lang->steps[number] = ++lang->locals_count;
    }
    lang->locals[lang->steps[number] - 1] = *local;
    return true;
}

const ParseNode *local_find(const Lang *lang, const Token *name) {
    uint32_t number = step_number(name->at, name->length);
    if (number != 0) {
        uint32_t place = number < lang->steps_room ? lang->steps[number] : 0;
        return place != 0 ? &lang->locals[place - 1].node : NULL;
    }
    if (lang->local_map.size == 0) {
        return NULL;
    }
    uint32_t at = map_start(&lang->local_map, map_hash32(name->hash));
    const Local *local = find(lang, name->at, name->length, name->hash, &at);
    return local != NULL ? &local->node : NULL;
}

bool local_set(Lang *lang, const char *text, uint32_t length, uint32_t hash, ParseNode node) {
    uint32_t number = step_number(text, length);
    if (!MEM_ROOM(lang->locals, lang->locals_count, lang->locals_room, 128)) {
        return false;
    }
    if (number != 0) {
        return step_set(lang, number, &(Local){text, length, number, node});
    }
    if (!map_reserve(&lang->local_map, 1, 256)) {
        return false;
    }
    uint32_t at = map_start(&lang->local_map, map_hash32(hash));
    Local *local = find(lang, text, length, hash, &at);
    if (local == NULL) {
        map_put(&lang->local_map, map_hash32(hash), at, lang->locals_count);
        local = &lang->locals[lang->locals_count++];
    }
    *local = (Local){text, length, 0, node};
    return true;
}

void locals_clear(Lang *lang) {
    for (uint32_t k = 0; k < lang->locals_count; k++) {
        if (lang->locals[k].number != 0) {
            lang->steps[lang->locals[k].number] = 0;
        }
    }
    lang->locals_count = 0;
    map_clear(&lang->local_map);
}
