/* Reading decision trees, and making their branches; see decision.h. */
#include "engine/features/decision.h"

/* Adds a node and those below it; -1: it is none. */
static int16_t read_node(Decision *d, const DecisionReader *reader, Val v, int depth) {
    enum { MAX_DEPTH = 8 };
    if (d->count == DECISION_MAX_NODES || depth > MAX_DEPTH || !val_is_tuple(v)) {
        return -1;
    }
    int16_t at = d->count++;
    DecisionNode *node = &d->nodes[at];
    *node = (DecisionNode){.leaf = val_len(v) != 5};
    if (node->leaf) {
        return reader->read_leaf(reader->user, at, v) ? at : -1;
    }
    Val attribute = val_at(v, 0), test = val_at(v, 1), number = val_at(v, 2);
    if (!val_is_int(attribute) || !reader->is_attribute(attribute.i) || !val_is_int(test) || test.i < 0 ||
        test.i >= reader->tests || !val_is_int(number) ||
        (decision_compares((unsigned)test.i) && !reader->is_attribute(number.i)) ||
        (test.i == RULE_AMONG && !feature_begins_directions(attribute.i))) {
        return -1;
    }
    node->attribute = attribute.i;
    node->test = (uint8_t)test.i;
    node->number = number.i;
    node->yes = read_node(d, reader, val_at(v, 3), depth + 1);
    node->no = node->yes >= 0 ? read_node(d, reader, val_at(v, 4), depth + 1) : -1;
    return node->no >= 0 ? at : -1;
}

bool decision_read(Decision *to, const DecisionReader *reader, Val value) {
    to->count = 0;
    return read_node(to, reader, value, 0) >= 0;
}

Val decision_branch(Ctx *ctx, int64_t attribute, unsigned test, int64_t number, Val yes, Val no) {
    if (val_failed(yes) || val_failed(no)) {
        return val_failed(yes) ? yes : no;
    }
    Val *fields = val_buffer(ctx, 5);
    if (fields == NULL) {
        return val_fail_budget(ctx);
    }
    fields[0] = val_int(attribute);
    fields[1] = val_int(test);
    fields[2] = val_int(number);
    fields[3] = yes;
    fields[4] = no;
    return val_tuple(ctx, fields, 5);
}
