/*
 * fuzz_annotations.c - libFuzzer on what the annotations of a container ask for.
 *
 * The input is one byte that chooses the rules and the container's own limits, then keys and values in turn, each ended
 * by a NUL. A crash is found by the sanitizers. Beyond that: whoever has an annotation of ours asks or is refused, a
 * refusal is one printable line with an example, a request is within its bounds, and the order does not matter.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/cleanup.h"
#include "alloc/queue.h"
#include "alloc/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(statement)                                                                                   \
    do {                                                                                                     \
        if (!(statement))                                                                                    \
            abort();                                                                                         \
    } while (0)

#define ANNOTATIONS_MAX 64

struct list {
    struct annotation item[ANNOTATIONS_MAX];
    size_t count;
};

static const char *const queue_from[] = {"io.kubernetes.pod.namespace", "io.kubernetes.cri.sandbox-namespace",
                                         "allot.gpu/queue"};

static const struct container_limits limits[] = {
    {0, 0, 0},
    {150000, 100000, 1 << 30},
    {-1, 0, -1},
    {INT64_MAX, 1, INT64_MAX},
    {INT64_MIN, UINT64_MAX, INT64_MIN},
    {1, UINT64_MAX, 1},
    {INT64_MAX / 1000 + 1, 1000, (int64_t)QUANTITY_MAX},
    {50000, 0, (int64_t)QUANTITY_MAX + 1},
};

static struct request_rules rules_of(uint8_t choice)
{
    return (struct request_rules){
        .unit = {.amount = {{choice & 1 ? 1000 : QUANTITY_MAX, 1 << 30, 1}},
                 .named = {true, choice & 1, true}},
        .policy = choice & 2 ? POLICY_SPREAD : POLICY_PACKED,
        .allow_override = choice & 4,
        .default_wait_ms = choice & 8 ? 1000 : 0,
        .max_wait_ms = 90 * 1000,
        .queue_from = queue_from,
        .queue_from_count = choice & 16 ? 3 : 2,
    };
}

/* Keys and values in turn; what is not ended, or has no value, is left out. */
static void split(const char *text, size_t size, struct list *out)
{
    const char *key = NULL;

    out->count = 0;
    while (out->count < ANNOTATIONS_MAX) {
        const char *end = memchr(text, '\0', size);

        if (end == NULL)
            return;
        if (key != NULL)
            out->item[out->count++] = (struct annotation){key, text};
        key = key == NULL ? text : NULL;
        size -= (size_t)(end - text) + 1;
        text = end + 1;
    }
}

static bool has(const struct list *list, const char *key, const char *value)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->item[i].key, key) == 0 && strcmp(list->item[i].value, value) == 0)
            return true;
    }
    return false;
}

static bool is_ours(const struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strncmp(list->item[i].key, "allot.gpu/", strlen("allot.gpu/")) == 0)
            return true;
    }
    return false;
}

/* An object of JSON has every key once. */
static bool has_each_key_once(const struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(list->item[i].key, list->item[j].key) == 0)
                return false;
        }
    }
    return true;
}

static void check_printable(const char *text)
{
    for (; *text != '\0'; text++)
        REQUIRE(*text >= ' ' && *text <= '~');
}

static void check_request(const struct request *request, const struct request_rules *rules)
{
    REQUIRE(request->ask.of[RES_CPU] <= QUANTITY_MAX);
    REQUIRE(request->ask.of[RES_MEM] <= QUANTITY_MAX);
    REQUIRE(request->ask.of[RES_GPU] <= GPU_QUANTITY_MAX);
    REQUIRE(queue_name_wrong(request->queue, strnlen(request->queue, QUEUE_NAME_SIZE)) == NULL);
    REQUIRE(request->priority >= INT32_MIN && request->priority <= INT32_MAX);
    REQUIRE(request->wait_ms <= rules->max_wait_ms);
    REQUIRE(request->wait == (request->wait_ms > 0));
    REQUIRE((unsigned)request->policy < POLICY_COUNT);
    REQUIRE(rules->allow_override || request->policy == rules->policy);
    REQUIRE(strnlen(request->devices, sizeof(request->devices)) <= ANNOTATION_SIZE_MAX);
    check_printable(request->devices);
    REQUIRE(request->id[0] == '\0');
}

static void check_refusal(const struct error *err)
{
    REQUIRE(err->kind == ERROR_INPUT);
    REQUIRE(strncmp(err->text, "annotation \"", strlen("annotation \"")) == 0);
    REQUIRE(strstr(err->text, "for example ") != NULL);
    check_printable(err->text);
}

static void check_same(const struct request *a, const struct request *b)
{
    REQUIRE(memcmp(&a->ask, &b->ask, sizeof(a->ask)) == 0);
    REQUIRE(strcmp(a->queue, b->queue) == 0 && strcmp(a->devices, b->devices) == 0);
    REQUIRE(a->priority == b->priority && a->wait_ms == b->wait_ms && a->policy == b->policy);
    REQUIRE(a->distinct == b->distinct);
}

static void check_list(const struct list *list, uint8_t choice)
{
    const struct container_limits *own = &limits[choice >> 5];
    const struct request_rules rules = rules_of(choice);
    struct list reversed = {.count = list->count};
    struct request request;
    struct request again;
    struct error err;
    bool asked;
    bool asked_again;
    int result = request_from_annotations(list->item, list->count, own, &rules, &request, &asked, &err);

    if (result < 0)
        check_refusal(&err);
    else if (asked)
        check_request(&request, &rules);
    else
        REQUIRE(!is_ours(list) || has(list, "io.kubernetes.cri.container-type", "sandbox") ||
                has(list, "io.kubernetes.cri-o.ContainerType", "sandbox"));
    if (!has_each_key_once(list))
        return;
    for (size_t i = 0; i < list->count; i++)
        reversed.item[i] = list->item[list->count - 1 - i];
    REQUIRE(request_from_annotations(reversed.item, reversed.count, own, &rules, &again, &asked_again,
                                     &err) == result);
    if (result == 0) {
        REQUIRE(asked == asked_again);
        check_same(&request, &again);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct list list;

    if (size == 0)
        return 0;
    split((const char *)data + 1, size - 1, &list);
    check_list(&list, data[0]);
    return 0;
}
