#include "tests/support/vectors.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void vector_check_counts(const struct placement_vector *vector, const uint32_t *per_gpu)
{
    uint32_t distinct = 0;

    for (uint32_t gpu = 0; gpu < vector->gpu_count; gpu++) {
        distinct += per_gpu[gpu] > 0;
        if (vector->has_per_gpu)
            assert_int_equal(per_gpu[gpu], vector->per_gpu[gpu]);
        if (vector->max_per_gpu > 0)
            assert_true(per_gpu[gpu] <= vector->max_per_gpu);
        if (vector->min_per_gpu_nonzero > 0 && per_gpu[gpu] > 0)
            assert_true(per_gpu[gpu] >= vector->min_per_gpu_nonzero);
    }
    if (vector->distinct_gpus > 0)
        assert_int_equal(distinct, vector->distinct_gpus);
}

/* --- the shared files ---------------------------------------------------------------------------------------- */

static struct json_object *open_cases(const char *name, struct json_object **document)
{
    const char *folder = getenv("ALLOT_SHARED");
    char path[512];

    snprintf(path, sizeof(path), "%s/vectors/%s", folder != NULL ? folder : "../shared", name);
    *document = json_object_from_file(path);
    return *document != NULL ? json_object_object_get(*document, "cases") : NULL;
}

static uint32_t number_at(struct json_object *object, const char *key)
{
    return (uint32_t)json_object_get_int(json_object_object_get(object, key));
}

/* Which replicas are not available. */
static void read_taken(struct json_object *available, struct placement_vector *vector)
{
    if (!json_object_is_type(available, json_type_array))
        return; /* "all" */
    for (uint32_t gpu = 0; gpu < vector->gpu_count; gpu++) {
        for (uint32_t n = 0; n < vector->gpus[gpu].replicas; n++)
            vector->taken[gpu][n] = true;
    }
    for (size_t i = 0; i < json_object_array_length(available); i++) {
        const char *replica = json_object_get_string(json_object_array_get_idx(available, i));
        const char *mark = strstr(replica, "::");

        for (uint32_t gpu = 0; mark != NULL && gpu < vector->gpu_count; gpu++) {
            size_t length = strlen(vector->gpus[gpu].uuid);

            if (length == (size_t)(mark - replica) && memcmp(vector->gpus[gpu].uuid, replica, length) == 0)
                vector->taken[gpu][strtoul(mark + 2, NULL, 10) % PLACEMENT_VECTOR_REPLICAS] = false;
        }
    }
}

static void read_placement(struct json_object *json, struct placement_vector *vector)
{
    struct json_object *expect = json_object_object_get(json, "expect");
    struct json_object *per_gpu = json_object_object_get(expect, "per_gpu");
    const char *policy = json_object_get_string(json_object_object_get(json, "policy"));

    assert_true(policy_parse(policy, strlen(policy), &vector->policy));
    vector->name = json_object_get_string(json_object_object_get(json, "name"));
    json_object_object_foreach(json_object_object_get(json, "devices"), uuid, replicas)
    {
        struct gpu *gpu = &vector->gpus[vector->gpu_count++];

        assert_true(vector->gpu_count <= PLACEMENT_VECTOR_GPUS);
        snprintf(gpu->uuid, sizeof(gpu->uuid), "%s", uuid);
        gpu->replicas = (uint32_t)json_object_get_int(replicas);
        assert_true(gpu->replicas <= PLACEMENT_VECTOR_REPLICAS);
    }
    read_taken(json_object_object_get(json, "available"), vector);
    vector->size = number_at(json, "size");
    vector->error = json_object_get_boolean(json_object_object_get(expect, "error"));
    vector->has_per_gpu = per_gpu != NULL;
    for (uint32_t gpu = 0; gpu < vector->gpu_count; gpu++)
        vector->per_gpu[gpu] = number_at(per_gpu, vector->gpus[gpu].uuid);
    vector->distinct_gpus = number_at(expect, "distinct_gpus");
    vector->max_per_gpu = number_at(expect, "max_per_gpu");
    vector->min_per_gpu_nonzero = number_at(expect, "min_per_gpu_nonzero");
}

bool vectors_each_placement(void (*check)(const struct placement_vector *vector))
{
    struct json_object *document;
    struct json_object *cases = open_cases("placement.json", &document);

    if (cases == NULL)
        return false;
    for (size_t i = 0; i < json_object_array_length(cases); i++) {
        struct placement_vector vector = {0};

        read_placement(json_object_array_get_idx(cases, i), &vector);
        check(&vector);
    }
    assert_true(json_object_array_length(cases) > 0);
    json_object_put(document);
    return true;
}

static void read_amounts(struct json_object *array, uint64_t out[static RES_COUNT])
{
    for (size_t r = 0; r < json_object_array_length(array) && r < RES_COUNT; r++)
        out[r] = (uint64_t)json_object_get_int64(json_object_array_get_idx(array, r));
}

static void read_drf(struct json_object *json, struct drf_vector *vector)
{
    struct json_object *granted = json_object_object_get(json, "discrete");
    struct json_object *shares = json_object_object_get(json, "shares");
    struct json_object *weights = json_object_object_get(json, "weights");
    struct json_object *sequence = json_object_object_get(json, "sequence");
    int side = 0;

    if (granted == NULL)
        granted = json_object_object_get(json, "drf");
    if (sequence == NULL)
        sequence = json_object_object_get(json, "sequence_A_first");
    vector->name = json_object_get_string(json_object_object_get(json, "name"));
    vector->sequence = json_object_get_string(sequence);
    read_amounts(json_object_object_get(json, "capacity"), vector->capacity);
    json_object_object_foreach(json_object_object_get(json, "demand"), queue, demand)
    {
        assert_true(side < 2);
        vector->queue[side] = queue;
        read_amounts(demand, vector->demand[side]);
        vector->weight[side] = weights != NULL ? number_at(weights, queue) : 1;
        vector->granted[side] = number_at(granted, queue);
        vector->share[side] = json_object_get_string(json_object_object_get(shares, queue));
        side++;
    }
}

bool vectors_each_drf(void (*check)(const struct drf_vector *vector))
{
    struct json_object *document;
    struct json_object *cases = open_cases("drf.json", &document);

    if (cases == NULL)
        return false;
    for (size_t i = 0; i < json_object_array_length(cases); i++) {
        struct drf_vector vector = {0};

        read_drf(json_object_array_get_idx(cases, i), &vector);
        check(&vector);
    }
    assert_true(json_object_array_length(cases) > 0);
    json_object_put(document);
    return true;
}
