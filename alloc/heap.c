#include "alloc/heap.h"

#include <assert.h>
#include <stddef.h>

void heap_init(struct heap *heap, uint32_t *slot, uint32_t *where, heap_before *before, const void *context)
{
    *heap = (struct heap){.slot = slot, .where = where, .before = before, .context = context};
}

static bool comes_before(struct heap *heap, uint32_t a, uint32_t b)
{
    heap->comparisons++;
    return heap->before(heap->context, a, b);
}

static void put(struct heap *heap, uint32_t at, uint32_t item)
{
    heap->slot[at] = item;
    heap->where[item] = at;
}

/* Moves `item` from the hole at `at` towards the root; returns where it came to rest. */
static uint32_t sift_up(struct heap *heap, uint32_t at, uint32_t item)
{
    while (at > 0) {
        uint32_t parent = (at - 1) / 2;

        if (!comes_before(heap, item, heap->slot[parent]))
            break;
        put(heap, at, heap->slot[parent]);
        at = parent;
    }
    put(heap, at, item);
    return at;
}

static void sift_down(struct heap *heap, uint32_t at, uint32_t item)
{
    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && comes_before(heap, heap->slot[child + 1], heap->slot[child]))
            child++;
        if (!comes_before(heap, heap->slot[child], item))
            break;
        put(heap, at, heap->slot[child]);
        at = child;
    }
    put(heap, at, item);
}

void heap_fill(struct heap *heap, uint32_t count)
{
    assert(heap->count == 0);
    heap->count = count;
    for (uint32_t i = 0; i < count; i++)
        put(heap, i, i);
    for (uint32_t at = count / 2; at > 0; at--)
        sift_down(heap, at - 1, heap->slot[at - 1]);
}

void heap_push(struct heap *heap, uint32_t item)
{
    assert(heap->where[item] == HEAP_NOWHERE);
    heap->count++;
    sift_up(heap, heap->count - 1, item);
}

void heap_update(struct heap *heap, uint32_t item)
{
    uint32_t at = heap->where[item];

    assert(at < heap->count && heap->slot[at] == item);
    if (sift_up(heap, at, item) == at)
        sift_down(heap, at, item);
}

void heap_remove(struct heap *heap, uint32_t item)
{
    uint32_t at = heap->where[item];
    uint32_t last;

    assert(at < heap->count && heap->slot[at] == item);
    heap->count--;
    last = heap->slot[heap->count];
    heap->where[item] = HEAP_NOWHERE;
    if (last != item) {
        put(heap, at, last);
        heap_update(heap, last);
    }
}

uint32_t heap_first(const struct heap *heap)
{
    assert(heap->count > 0);
    return heap->slot[0];
}
