/* Trees node by node, and as values; see tree.h. */
#include "search/learning/tree.h"

static int16_t add_node(Tree *tree, TreeNode node) {
    ASSERT(tree->count < TREE_MAX_NODES, "%d nodes", tree->count);
    tree->nodes[tree->count] = node;
    return tree->count++;
}

int16_t tree_add_leaf(Tree *tree, int16_t leaf) {
    return add_node(tree, (TreeNode){leaf, -1, -1, -1});
}

int16_t tree_add_branch(Tree *tree, uint32_t question, int16_t yes, int16_t no) {
    return add_node(tree, (TreeNode){-1, (int16_t)question, yes, no});
}

int16_t tree_add_fork(Tree *tree, uint32_t question, int16_t yes_leaf, int16_t no_leaf) {
    int16_t yes = tree_add_leaf(tree, yes_leaf), no = tree_add_leaf(tree, no_leaf);
    return tree_add_branch(tree, question, yes, no);
}

TreeList tree_list_with(const TreeList *list, uint32_t question, int16_t leaf, bool settles_yes) {
    TreeList longer = *list;
    ASSERT(longer.n < TREE_LONGEST_LIST, "%u questions", longer.n);
    longer.asked[longer.n++] = (struct TreeAsked){question, leaf, settles_yes};
    return longer;
}

void tree_close(Tree *tree, const TreeList *list, int16_t node) {
    for (uint32_t k = list->n; k-- > 0;) {
        const struct TreeAsked *a = &list->asked[k];
        int16_t leaf = tree_add_leaf(tree, a->leaf);
        node = tree_add_branch(tree, a->question, a->settles_yes ? leaf : node, a->settles_yes ? node : leaf);
    }
    tree->root = node;
}

void tree_keep(Tree *trees, uint32_t *count, uint32_t max, const Tree *tree) {
    if (*count == max && (max == 0 || trees[max - 1].cost <= tree->cost)) {
        return;
    }
    uint32_t at = *count < max ? (*count)++ : max - 1;
    for (; at > 0 && trees[at - 1].cost > tree->cost; at--) {
        trees[at] = trees[at - 1];
    }
    trees[at] = *tree;
}

int16_t tree_decide(const Tree *tree, const TreeQuestions *q, uint32_t item) {
    const TreeNode *node = &tree->nodes[tree->root];
    while (node->leaf < 0) {
        node = &tree->nodes[bits_has(q->list[node->question].yes, item) ? node->yes : node->no];
    }
    return node->leaf;
}

static Val value_at(const Tree *tree, const TreeQuestions *q, TreeLeafValue *leaf, void *owner, int16_t at) {
    Ctx *ctx = q->search->ctx;
    const TreeNode *node = &tree->nodes[at];
    if (node->leaf >= 0) {
        return leaf(owner, node->leaf);
    }
    const TreeQuestion *asked = &q->list[node->question];
    int64_t number = decision_compares(asked->test) ? q->attributes[asked->number].number : asked->number;
    Val yes = value_at(tree, q, leaf, owner, node->yes), no = value_at(tree, q, leaf, owner, node->no);
    return decision_branch(ctx, q->attributes[asked->attribute].number, asked->test, number, yes, no);
}

Val tree_value(const Tree *tree, const TreeQuestions *questions, TreeLeafValue *leaf, void *owner) {
    return value_at(tree, questions, leaf, owner, tree->root);
}
