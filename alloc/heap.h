/*
 * heap.h - an indexed binary min-heap over small numbers.
 *
 *     slot[]   0: the first of all        where[item] = its slot, so that an item whose key
 *             / \                         changed is found in O(1) and sifted in O(log n)
 *            1   2
 *
 * The heap owns nothing: the caller lends both arrays and says which of two items comes first. That relation
 * must be a strict total order. Keys change one item at a time, each change followed by heap_update() for that item.
 * `where` may be shared by heaps that never hold the same item.
 */
#ifndef ALLOT_ALLOC_HEAP_H
#define ALLOT_ALLOC_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#define HEAP_NOWHERE UINT32_MAX

typedef bool heap_before(const void *context, uint32_t a, uint32_t b);

struct heap {
    uint32_t *slot;
    uint32_t *where; /* HEAP_NOWHERE for an item that is in no heap */
    uint32_t count;
    heap_before *before;
    const void *context;
    uint64_t comparisons; /* made so far: what the cost tests count */
};

void heap_init(struct heap *heap, uint32_t *slot, uint32_t *where, heap_before *before, const void *context);

/* Fills an empty heap with the items 0 to count - 1, in O(count). */
void heap_fill(struct heap *heap, uint32_t count);

void heap_push(struct heap *heap, uint32_t item);
void heap_remove(struct heap *heap, uint32_t item);

/* The key of `item` changed: restores the order around it. */
void heap_update(struct heap *heap, uint32_t item);

/* The first item; the heap must not be empty. */
uint32_t heap_first(const struct heap *heap);

#endif
