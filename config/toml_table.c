/*
 * toml_table.c - the tree of values.
 *
 * A table keeps its members twice: in a list, for the order of the file, and in an AA tree, for looking them
 * up. An AA tree is a binary tree in which each node has a level; two rules, that no left child is on its
 * parent's level and no right grandchild is, keep it about as low as a tree of its size can be. skew() and
 * split() mend one breach each with one rotation. So a megabyte of keys, in whatever order and however alike,
 * takes n log n.
 */
#include <assert.h>
#include <string.h>

#include "config/toml_internal.h"

/* Any total order will do. Length first decides most cases without looking at the bytes. */
static int compare_names(struct toml_span a, struct toml_span b)
{
    if (a.length != b.length)
        return a.length < b.length ? -1 : 1;
    return memcmp(a.text, b.text, a.length);
}

static struct toml_span name_of(const struct toml_node *node)
{
    return (struct toml_span){.text = node->value.key, .length = node->value.key_length};
}

/* A left child on the same level becomes the top. */
static struct toml_node *skew(struct toml_node *top)
{
    struct toml_node *left = top->left;

    if (left == NULL || left->level != top->level)
        return top;
    top->left = left->right;
    left->right = top;
    return left;
}

/* Of three in a row on the same level the middle one becomes the top, a level higher. */
static struct toml_node *split(struct toml_node *top)
{
    struct toml_node *right = top->right;

    if (right == NULL || right->right == NULL || right->right->level != top->level)
        return top;
    top->right = right->left;
    right->left = top;
    right->level++;
    return right;
}

/* Recursion is as deep as the tree is high: twice the logarithm of its size. */
static struct toml_node *insert(struct toml_node *top, struct toml_node *node)
{
    int order;

    if (top == NULL)
        return node;
    order = compare_names(name_of(node), name_of(top));
    assert(order != 0);
    if (order < 0)
        top->left = insert(top->left, node);
    else
        top->right = insert(top->right, node);
    return split(skew(top));
}

struct toml_node *toml_table_find(const struct toml_node *table, struct toml_span name)
{
    struct toml_node *node = table->members;

    while (node != NULL) {
        int order = compare_names(name, name_of(node));

        if (order == 0)
            break;
        node = order < 0 ? node->left : node->right;
    }
    return node;
}

static void append(struct toml_node *parent, struct toml_node *node)
{
    if (parent->last == NULL)
        parent->value.first = &node->value;
    else
        parent->last->value.next = &node->value;
    parent->last = node;
    parent->value.count++;
}

struct toml_node *toml_node_add(struct toml_reader *reader, struct toml_node *parent,
                                const struct toml_key *key)
{
    struct toml_node *node = toml_alloc(reader, sizeof(*node));

    if (node == NULL)
        return NULL;
    assert((key != NULL) == (parent->value.type == TOML_TABLE));
    node->depth = parent->depth + 1;
    node->level = 1;
    node->value.line = reader->line;
    append(parent, node);
    if (key != NULL) {
        node->value.line = key->line;
        node->value.key = key->name.text;
        node->value.key_length = key->name.length;
        parent->members = insert(parent->members, node);
    }
    return node;
}

int toml_node_open(struct toml_reader *reader, struct toml_node *node, enum toml_type type,
                   enum toml_origin origin)
{
    if (node->depth > TOML_DEPTH_MAX)
        return toml_fail(reader, reader->line, "tables and arrays may be nested %d deep, not deeper",
                         TOML_DEPTH_MAX);
    node->value.type = type;
    node->origin = origin;
    return 0;
}
