/*
 * What the annotations of a container ask for, and how what is wrong with them is said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/request.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

#define NAME_OF_CONTAINERD "io.kubernetes.cri.container-name"
#define NAME_OF_CRIO       "io.kubernetes.container.name"
#define TYPE_OF_CONTAINERD "io.kubernetes.cri.container-type"
#define TYPE_OF_CRIO       "io.kubernetes.cri-o.ContainerType"
#define POD_NAMESPACE      "io.kubernetes.pod.namespace"
#define SANDBOX_NAMESPACE  "io.kubernetes.cri.sandbox-namespace"

#define LETTERS_63 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"

static const char *const default_queue_from[] = {POD_NAMESPACE, SANDBOX_NAMESPACE, "allot.gpu/queue"};

/* As a node has it without configuration: DESIGN.md section 10. */
static const struct request_rules rules = {
    .unit = {.amount = {{1000, 1ULL << 30, 1}}, .named = {true, true, true}},
    .policy = POLICY_SPREAD,
    .allow_override = true,
    .default_wait_ms = 0,
    .max_wait_ms = 90 * 1000,
    .queue_from = default_queue_from,
    .queue_from_count = ROWS(default_queue_from),
};

static const struct container_limits unlimited = {0};

/* Annotations as an argument and its count. */
#define LIST(...)                                                                                            \
    (const struct annotation[]){__VA_ARGS__},                                                                \
        sizeof((const struct annotation[]){__VA_ARGS__}) / sizeof(struct annotation)

struct answer {
    int result;
    bool asked;
    struct request request;
    struct error err;
};

static const struct answer *ask_by(const struct request_rules *by, const struct container_limits *limits,
                                   const struct annotation *annotations, size_t count)
{
    static struct answer answer;

    memset(&answer, 0x5a, sizeof(answer));
    answer.result =
        request_from_annotations(annotations, count, limits, by, &answer.request, &answer.asked, &answer.err);
    return &answer;
}

static const struct answer *ask(const struct annotation *annotations, size_t count)
{
    return ask_by(&rules, &unlimited, annotations, count);
}

/* The request that it must be. */
static const struct request *request_by(const struct request_rules *by, const struct container_limits *limits,
                                        const struct annotation *annotations, size_t count)
{
    const struct answer *answer = ask_by(by, limits, annotations, count);

    if (answer->result != 0)
        fail_msg("refused: %s", answer->err.text);
    assert_true(answer->asked);
    return &answer->request;
}

static const struct request *request_of(const struct annotation *annotations, size_t count)
{
    return request_by(&rules, &unlimited, annotations, count);
}

static void must_not_ask(const struct annotation *annotations, size_t count)
{
    const struct answer *answer = ask(annotations, count);

    if (answer->result != 0)
        fail_msg("refused: %s", answer->err.text);
    assert_false(answer->asked);
}

/* One line of printable ASCII. */
static void must_be_safe(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < ' ' || *at > '~')
            fail_msg("byte 0x%02x in: %s", (unsigned)(unsigned char)*at, text);
    }
}

/* Refused, by an error that names the annotation, its value and the reason. */
static const char *refusal_by(const struct request_rules *by, const struct annotation *annotations,
                              size_t count, const struct annotation *culprit, const char *reason)
{
    const struct answer *answer = ask_by(by, &unlimited, annotations, count);
    char key[QUOTE_SIZE];
    char value[QUOTE_SIZE];
    char named[2 * QUOTE_SIZE + 1];

    snprintf(named, sizeof(named), "%s=%s", text_quote(key, culprit->key, strlen(culprit->key)),
             text_quote(value, culprit->value, strlen(culprit->value)));
    if (answer->result != -1)
        fail_msg("%s is accepted", named);
    assert_int_equal(answer->err.kind, ERROR_INPUT);
    if (strstr(answer->err.text, named) == NULL || strstr(answer->err.text, reason) == NULL)
        fail_msg("%s, not because it %s: %s", named, reason, answer->err.text);
    must_be_safe(answer->err.text);
    return answer->err.text;
}

static const char *refusal(const char *key, const char *value, const char *reason)
{
    struct annotation culprit = {key, value};

    return refusal_by(&rules, &culprit, 1, &culprit, reason);
}

static void must_weigh(const struct request *request, uint64_t cpu_milli, uint64_t mem_bytes, uint64_t gpu)
{
    assert_int_equal(request->ask.of[RES_CPU], cpu_milli);
    assert_int_equal(request->ask.of[RES_MEM], mem_bytes);
    assert_int_equal(request->ask.of[RES_GPU], gpu);
}

/* --- whether anything is asked --- */

static void without_our_annotations_nothing_is_asked(void **state)
{
    static const char *const keys[] = {
        "app",
        "allot.gpu",
        "allot.gp/replicas",
        "allot.gpux/replicas",
        "Allot.gpu/replicas",
        "allot_gpu/replicas",
        " allot.gpu/replicas",
        "xallot.gpu/replicas",
        "x.allot.gpu/replicas",
        ".allot.gpu/replicas",
        "nvidia.com/gpu",
        "",
    };

    (void)state;
    must_not_ask(NULL, 0);
    for (size_t i = 0; i < ROWS(keys); i++)
        must_not_ask(LIST({keys[i], "not a number"}));
    must_not_ask(LIST({POD_NAMESPACE, "a"}, {NAME_OF_CONTAINERD, "web"}, {TYPE_OF_CONTAINERD, "container"}));
}

static void a_namespace_that_is_no_queue_does_not_matter_to_a_container_that_asks_for_nothing(void **state)
{
    (void)state;
    must_not_ask(LIST({POD_NAMESPACE, "no such/queue"}));
}

static void any_single_annotation_of_ours_is_a_request(void **state)
{
    static const struct annotation all[] = {
        {"allot.gpu/replicas", "1"},    {"allot.gpu/resreq", "cpu=1"}, {"allot.gpu/slots", "1"},
        {"allot.gpu/queue", "a"},       {"allot.gpu/priority", "0"},   {"allot.gpu/wait", "1s"},
        {"allot.gpu/policy", "packed"}, {"allot.gpu/devices", "0"},    {"allot.gpu/distinct", "true"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(all); i++)
        request_of(&all[i], 1);
}

static void a_sandbox_never_asks_for_anything(void **state)
{
    (void)state;
    must_not_ask(LIST({"allot.gpu/replicas", "1"}, {TYPE_OF_CONTAINERD, "sandbox"}));
    must_not_ask(LIST({TYPE_OF_CRIO, "sandbox"}, {"allot.gpu/replicas", "1"}));
    must_not_ask(LIST({TYPE_OF_CRIO, "sandbox"}, {"allot.gpu/replicas", "none"}));
    must_not_ask(LIST({TYPE_OF_CRIO, "sandbox"}, {"allot.gpu/unknown", ""}));
    request_of(LIST({"allot.gpu/replicas", "1"}, {TYPE_OF_CONTAINERD, "container"}));
    request_of(LIST({"allot.gpu/replicas", "1"}, {TYPE_OF_CRIO, "container"}));
    request_of(LIST({"allot.gpu/replicas", "1"}, {TYPE_OF_CRIO, "Sandbox"}));
    request_of(LIST({"allot.gpu/replicas", "1"}, {"io.kubernetes.container-type", "sandbox"}));
}

/* --- each annotation --- */

static void what_is_absent_has_its_default(void **state)
{
    const struct request *request = request_of(LIST({"allot.gpu/replicas", "2"}));

    (void)state;
    must_weigh(request, 0, 0, 2);
    assert_string_equal(request->queue, "default");
    assert_int_equal(request->priority, 0);
    assert_int_equal(request->policy, POLICY_SPREAD);
    assert_false(request->distinct);
    assert_false(request->wait);
    assert_int_equal(request->wait_ms, 0);
    assert_string_equal(request->devices, "");
}

static void the_configuration_has_the_defaults_of_wait_and_policy(void **state)
{
    struct request_rules by = rules;
    const struct request *request;

    (void)state;
    by.default_wait_ms = 5000;
    by.policy = POLICY_PACKED;
    request = request_by(&by, &unlimited, LIST({"allot.gpu/replicas", "2"}));
    assert_true(request->wait);
    assert_int_equal(request->wait_ms, 5000);
    assert_int_equal(request->policy, POLICY_PACKED);
}

static void replicas_are_counted_from_one_to_more_than_any_node_has(void **state)
{
    (void)state;
    must_weigh(request_of(LIST({"allot.gpu/replicas", "1"})), 0, 0, 1);
    must_weigh(request_of(LIST({"allot.gpu/replicas", "7"})), 0, 0, 7);
    must_weigh(request_of(LIST({"allot.gpu/replicas", "65536"})), 0, 0, REPLICAS_MAX);
    must_weigh(request_of(LIST({"allot.gpu/replicas", "4294967295"})), 0, 0, UINT32_MAX);
    refusal("allot.gpu/replicas", "4294967296", "is too large");
}

static void resreq_says_how_much_of_everything(void **state)
{
    (void)state;
    must_weigh(request_of(LIST({"allot.gpu/resreq", "cpu=4,mem=16g,gpu=2"})), 4000, 16ULL << 30, 2);
    must_weigh(request_of(LIST({"allot.gpu/resreq", " CPU = 0.5 "})), 500, 0, 0);
}

static void a_request_for_no_gpu_is_a_valid_one(void **state)
{
    (void)state;
    must_weigh(request_of(LIST({"allot.gpu/resreq", "cpu=1,gpu=0"})), 1000, 0, 0);
    must_weigh(request_of(LIST({"allot.gpu/resreq", "gpu=0"})), 0, 0, 0);
    must_weigh(request_of(LIST({"allot.gpu/resreq", "gpu=0"}, {"allot.gpu/slots", "3"})), 3000, 3ULL << 30,
               0);
}

static void slots_are_so_many_times_the_unit(void **state)
{
    (void)state;
    must_weigh(request_of(LIST({"allot.gpu/slots", "1"})), 1000, 1ULL << 30, 1);
    must_weigh(request_of(LIST({"allot.gpu/slots", "3"})), 3000, 3ULL << 30, 3);
    must_weigh(request_of(LIST({"allot.gpu/slots", "65536"})), 65536000, 1ULL << 46, REPLICAS_MAX);
}

static void slots_times_the_unit_stays_within_the_bounds(void **state)
{
    static const struct {
        struct resreq unit;
        bool fits;
    } rows[] = {
        {{{{0, 0, 65535}}, {false, false, true}}, true},
        {{{{0, 0, 65536}}, {false, false, true}}, false}, /* 2^32 */
        {{{{0, QUANTITY_MAX >> 16, 0}}, {false, true, false}}, true},
        {{{{0, (QUANTITY_MAX >> 16) + 1, 0}}, {false, true, false}}, false},
        {{{{0, QUANTITY_MAX, 0}}, {false, true, false}}, false}, /* 2^69 is 0 in 64 bits */
        {{{{QUANTITY_MAX >> 16, 0, 0}}, {true, false, false}}, true},
        {{{{(QUANTITY_MAX >> 16) + 1, 0, 0}}, {true, false, false}}, false},
    };
    static const struct annotation slots = {"allot.gpu/slots", "65536"};

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct request_rules by = rules;

        by.unit = rows[i].unit;
        if (rows[i].fits)
            request_by(&by, &unlimited, &slots, 1);
        else
            refusal_by(&by, &slots, 1, &slots, "is too large");
    }
}

static void a_priority_is_handed_on_to_be_judged_by_the_queue(void **state)
{
    static const struct {
        const char *value;
        int64_t priority;
    } rows[] = {{"0", 0}, {"-5", -5}, {"-1000", -1000}, {"1000", 1000}};

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_int_equal(request_of(LIST({"allot.gpu/priority", rows[i].value}))->priority, rows[i].priority);
    refusal("allot.gpu/priority", "1001", "is too large");
    refusal("allot.gpu/priority", "-1001", "is too small");
}

static void a_wait_is_capped_by_what_the_node_allows(void **state)
{
    static const struct {
        const char *value;
        uint64_t max_ms;
        uint64_t wait_ms;
    } rows[] = {
        {"30s", 90000, 30000}, {"0s", 90000, 0},      {"0ms", 90000, 0},
        {"90s", 90000, 90000}, {"91s", 90000, 90000}, {"8784h", 90000, 90000},
        {"1ms", 90000, 1},     {"5m", 0, 0},          {"5m", 600000, 300000},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct request_rules by = rules;
        const struct request *request;

        by.max_wait_ms = rows[i].max_ms;
        by.default_wait_ms = 7;
        request = request_by(&by, &unlimited, LIST({"allot.gpu/wait", rows[i].value}));
        assert_int_equal(request->wait_ms, rows[i].wait_ms);
        assert_int_equal(request->wait, rows[i].wait_ms > 0);
    }
}

static void a_policy_is_chosen_by_its_name(void **state)
{
    static const struct {
        const char *value;
        enum policy policy;
    } rows[] = {
        {"spread", POLICY_SPREAD},
        {"distributed", POLICY_SPREAD},
        {"scatter", POLICY_SCATTER},
        {"packed", POLICY_PACKED},
        {"least-request", POLICY_LEAST_REQUEST},
        {"round-robin", POLICY_ROUND_ROBIN},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_int_equal(request_of(LIST({"allot.gpu/policy", rows[i].value}))->policy, rows[i].policy);
}

static void where_no_override_is_allowed_only_the_configured_policy_may_be_named(void **state)
{
    static const struct annotation other = {"allot.gpu/policy", "packed"};
    struct request_rules by = rules;

    (void)state;
    by.allow_override = false;
    assert_int_equal(request_by(&by, &unlimited, LIST({"allot.gpu/slots", "1"}))->policy, POLICY_SPREAD);
    assert_int_equal(request_by(&by, &unlimited, LIST({"allot.gpu/policy", "spread"}))->policy,
                     POLICY_SPREAD);
    assert_int_equal(request_by(&by, &unlimited, LIST({"allot.gpu/policy", "distributed"}))->policy,
                     POLICY_SPREAD);
    refusal_by(&by, &other, 1, &other, "names another policy than the configured one");
    by.policy = POLICY_PACKED;
    assert_int_equal(request_by(&by, &unlimited, &other, 1)->policy, POLICY_PACKED);
}

static void devices_are_handed_on_as_they_are(void **state)
{
    static const char *const lists[] = {"0", "GPU-1", "0,2", "GPU-a-b,MIG-c/1/2,3", "x"};

    (void)state;
    for (size_t i = 0; i < ROWS(lists); i++)
        assert_string_equal(request_of(LIST({"allot.gpu/devices", lists[i]}))->devices, lists[i]);
}

static void distinct_is_true_or_false(void **state)
{
    (void)state;
    assert_true(request_of(LIST({"allot.gpu/distinct", "true"}))->distinct);
    assert_false(request_of(LIST({"allot.gpu/distinct", "false"}))->distinct);
}

/* --- what is wrong with a value --- */

static const struct {
    const char *key;
    const char *value;
    const char *reason;
} malformed[] = {
    {"allot.gpu/replicas", "", "is not a whole number"},
    {"allot.gpu/replicas", "0", "is not 1 or more"},
    {"allot.gpu/replicas", "000", "is not 1 or more"},
    {"allot.gpu/replicas", "-1", "is not a whole number"},
    {"allot.gpu/replicas", "+1", "is not a whole number"},
    {"allot.gpu/replicas", " 2", "is not a whole number"},
    {"allot.gpu/replicas", "2 ", "is not a whole number"},
    {"allot.gpu/replicas", "2\n", "is not a whole number"},
    {"allot.gpu/replicas", "1.5", "is not a whole number"},
    {"allot.gpu/replicas", "1e3", "is not a whole number"},
    {"allot.gpu/replicas", "0x2", "is not a whole number"},
    {"allot.gpu/replicas", "two", "is not a whole number"},
    {"allot.gpu/replicas", "\xd9\xa4", "is not a whole number"},
    {"allot.gpu/replicas", "9223372036854775808", "is too large"},
    {"allot.gpu/replicas", "18446744073709551616", "is too large"},
    {"allot.gpu/replicas", "18446744073709551617", "is too large"},
    {"allot.gpu/replicas", "1000000000000000000000000000000", "is too large"},
    {"allot.gpu/resreq", "", "is empty"},
    {"allot.gpu/resreq", " ", "is empty"},
    {"allot.gpu/resreq", "cpu=1,", "entry \"\" is empty"},
    {"allot.gpu/resreq", "4", "entry \"4\" has no '='"},
    {"allot.gpu/resreq", "cpu=4,vram=1g", "entry \"vram=1g\" has an unknown key"},
    {"allot.gpu/resreq", "cpu=4,mem=16 g", "entry \"mem=16 g\" is not a whole number of bytes"},
    {"allot.gpu/resreq", "gpu=4294967296", "entry \"gpu=4294967296\" is too large"},
    {"allot.gpu/slots", "", "is not a whole number"},
    {"allot.gpu/slots", "0", "is not 1 or more"},
    {"allot.gpu/slots", "-2", "is not a whole number"},
    {"allot.gpu/slots", "1.5", "is not a whole number"},
    {"allot.gpu/slots", "4294967296", "is too large"},
    {"allot.gpu/slots", "18446744073709551617", "is too large"},
    {"allot.gpu/queue", "", "is empty"},
    {"allot.gpu/queue", "-a", "does not start with a letter or digit"},
    {"allot.gpu/queue", "a b", "has a character that is not a letter"},
    {"allot.gpu/queue", "a/b", "has a character that is not a letter"},
    {"allot.gpu/queue", "a\n", "has a character that is not a letter"},
    {"allot.gpu/queue", LETTERS_63 "l", "is longer than 63 characters"},
    {"allot.gpu/priority", "", "is not a whole number"},
    {"allot.gpu/priority", "-", "is not a whole number"},
    {"allot.gpu/priority", "high", "is not a whole number"},
    {"allot.gpu/priority", "+5", "is not a whole number"},
    {"allot.gpu/priority", "5.0", "is not a whole number"},
    {"allot.gpu/priority", "--5", "is not a whole number"},
    {"allot.gpu/priority", "9223372036854775808", "is too large"},
    {"allot.gpu/priority", "-9223372036854775809", "is too small"},
    {"allot.gpu/priority", "18446744073709551616", "is too large"},
    {"allot.gpu/priority", "1000000000000000000000000000000", "is too large"},
    {"allot.gpu/wait", "", "is not a duration"},
    {"allot.gpu/wait", "30", "is not a duration"},
    {"allot.gpu/wait", "-5s", "is not a duration"},
    {"allot.gpu/wait", "1.5s", "is not a duration"},
    {"allot.gpu/wait", "1d", "is not a duration"},
    {"allot.gpu/wait", "forever", "is not a duration"},
    {"allot.gpu/wait", "18446744073709551616s", "is too large"},
    {"allot.gpu/policy", "", "is not a policy"},
    {"allot.gpu/policy", "Spread", "is not a policy"},
    {"allot.gpu/policy", "random", "is not a policy"},
    {"allot.gpu/policy", "spread ", "is not a policy"},
    {"allot.gpu/devices", "", "has an empty entry"},
    {"allot.gpu/devices", ",", "has an empty entry"},
    {"allot.gpu/devices", "0,", "has an empty entry"},
    {"allot.gpu/devices", ",0", "has an empty entry"},
    {"allot.gpu/devices", "0,,1", "has an empty entry"},
    {"allot.gpu/devices", "0, 1", "has a character that no UUID has"},
    {"allot.gpu/devices", "GPU-\xc3\xa4", "has a character that no UUID has"},
    {"allot.gpu/devices", "a\tb", "has a character that no UUID has"},
    {"allot.gpu/devices", "a\x7f", "has a character that no UUID has"},
    {"allot.gpu/distinct", "", "is neither true nor false"},
    {"allot.gpu/distinct", "True", "is neither true nor false"},
    {"allot.gpu/distinct", "yes", "is neither true nor false"},
    {"allot.gpu/distinct", "1", "is neither true nor false"},
    {"allot.gpu/distinct", "true ", "is neither true nor false"},
};

/* The example that an error ends in, as a copy. */
static const char *example_of(const char *text)
{
    static char example[ERROR_TEXT_SIZE];
    const char *found = strstr(text, "for example ");

    if (found == NULL)
        fail_msg("no example: %s", text);
    snprintf(example, sizeof(example), "%s", found + strlen("for example "));
    return example;
}

static void a_malformed_value_is_refused_with_its_reason_and_a_valid_example(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(malformed); i++) {
        const char *text = refusal(malformed[i].key, malformed[i].value, malformed[i].reason);

        request_of(LIST({malformed[i].key, example_of(text)}));
    }
}

static void an_unknown_annotation_of_ours_is_refused_with_the_known_ones(void **state)
{
    static const char *const keys[] = {
        "allot.gpu/",           "allot.gpu/replica",   "allot.gpu/replicass",
        "allot.gpu/Replicas",   "allot.gpu/replicas ", "allot.gpu/gpu",
        "allot.gpu/a/replicas", "allot.gpu//replicas", "allot.gpu/web.replicas",
        "allot.gpu/\n",
    };
    static const char *const known[] = {"replicas", "resreq", "slots",   "queue",   "priority",
                                        "wait",     "policy", "devices", "distinct"};

    (void)state;
    for (size_t i = 0; i < ROWS(keys); i++) {
        const char *text = refusal(keys[i], "some value", "is unknown; known are allot.gpu/");

        for (size_t k = 0; k < ROWS(known); k++)
            assert_non_null(strstr(text, known[k]));
    }
    assert_string_equal(example_of(refusal("allot.gpu/x", "", "is unknown")), "allot.gpu/replicas=2");
    request_of(LIST({"allot.gpu/replicas", "2"}));
}

static void an_unknown_annotation_is_refused_beside_known_ones_too(void **state)
{
    static const struct annotation unknown = {"allot.gpu/replcas", "2"};

    (void)state;
    refusal_by(&rules, LIST({"allot.gpu/resreq", "gpu=1"}, unknown), &unknown, "is unknown");
    refusal_by(&rules, LIST(unknown, {"allot.gpu/resreq", "gpu=1"}), &unknown, "is unknown");
}

/* --- lengths --- */

/* `length` bytes of `fill` with `head` in front and `tail` behind. */
static const char *padded(const char *head, char fill, const char *tail, size_t length)
{
    static char text[2 * ANNOTATION_SIZE_MAX];
    size_t at = strlen(head);

    assert_true(length < sizeof(text) && at + strlen(tail) <= length);
    memset(text, fill, length);
    memcpy(text, head, at);
    memcpy(text + length - strlen(tail), tail, strlen(tail) + 1);
    return text;
}

static void a_value_of_4096_bytes_is_read_and_one_of_4097_is_refused(void **state)
{
    static const struct {
        const char *key;
        const char *head;
        char fill;
        const char *tail;
    } rows[] = {
        {"allot.gpu/replicas", "0", '0', "1"}, {"allot.gpu/resreq", "gpu=1", ' ', ""},
        {"allot.gpu/slots", "0", '0', "2"},    {"allot.gpu/priority", "-0", '0', "5"},
        {"allot.gpu/wait", "0", '0', "5s"},    {"allot.gpu/devices", "GPU-", 'a', ""},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        request_of(LIST({rows[i].key, padded(rows[i].head, rows[i].fill, rows[i].tail, 4096)}));
        refusal(rows[i].key, padded(rows[i].head, rows[i].fill, rows[i].tail, 4097),
                "is longer than 4096 bytes");
        refusal(rows[i].key, padded(rows[i].head, rows[i].fill, rows[i].tail, 8000),
                "is longer than 4096 bytes");
    }
    assert_string_equal(request_of(LIST({"allot.gpu/devices", padded("0,", 'z', "", 4096)}))->devices,
                        padded("0,", 'z', "", 4096));
}

static void a_value_that_is_too_long_is_refused_for_every_annotation(void **state)
{
    static const char *const keys[] = {"allot.gpu/queue", "allot.gpu/policy", "allot.gpu/distinct"};

    (void)state;
    for (size_t i = 0; i < ROWS(keys); i++)
        refusal(keys[i], padded("a", 'a', "a", 4097), "is longer than 4096 bytes");
}

static void annotations_of_others_may_be_as_long_as_they_like(void **state)
{
    (void)state;
    request_of(LIST({"app", padded("a", 'a', "a", 8000)}, {"allot.gpu/replicas", "1"}));
}

/* --- in a pod --- */

static void the_form_with_the_name_of_the_container_wins(void **state)
{
    static const struct annotation forms[][2] = {
        {{"allot.gpu/replicas", "1"}, {"web.allot.gpu/replicas", "5"}},
        {{"web.allot.gpu/replicas", "5"}, {"allot.gpu/replicas", "1"}},
    };
    static const char *const name_keys[] = {NAME_OF_CONTAINERD, NAME_OF_CRIO};

    (void)state;
    for (size_t form = 0; form < ROWS(forms); form++) {
        for (size_t key = 0; key < ROWS(name_keys); key++) {
            must_weigh(request_of(LIST({name_keys[key], "web"}, forms[form][0], forms[form][1])), 0, 0, 5);
            must_weigh(request_of(LIST(forms[form][0], {name_keys[key], "web"}, forms[form][1])), 0, 0, 5);
            must_weigh(request_of(LIST(forms[form][0], forms[form][1], {name_keys[key], "web"})), 0, 0, 5);
        }
    }
}

static void every_annotation_has_a_form_with_the_name(void **state)
{
    const struct request *request = request_of(LIST(
        {NAME_OF_CONTAINERD, "web"}, {"allot.gpu/resreq", "cpu=1,gpu=1"}, {"allot.gpu/replicas", "1"},
        {"allot.gpu/queue", "a"}, {"allot.gpu/priority", "1"}, {"allot.gpu/wait", "1s"},
        {"allot.gpu/policy", "packed"}, {"allot.gpu/devices", "0"}, {"allot.gpu/distinct", "false"},
        {"allot.gpu/slots", "1"}, {"web.allot.gpu/resreq", "cpu=2,gpu=2"}, {"web.allot.gpu/replicas", "2"},
        {"web.allot.gpu/queue", "b"}, {"web.allot.gpu/priority", "2"}, {"web.allot.gpu/wait", "2s"},
        {"web.allot.gpu/policy", "scatter"}, {"web.allot.gpu/devices", "2"},
        {"web.allot.gpu/distinct", "true"}, {"web.allot.gpu/slots", "2"}));

    (void)state;
    must_weigh(request, 2000, 2ULL << 30, 2);
    assert_string_equal(request->queue, "b");
    assert_int_equal(request->priority, 2);
    assert_int_equal(request->wait_ms, 2000);
    assert_int_equal(request->policy, POLICY_SCATTER);
    assert_string_equal(request->devices, "2");
    assert_true(request->distinct);
}

static void what_the_form_with_the_name_does_not_say_the_pod_says(void **state)
{
    const struct request *request = request_of(
        LIST({NAME_OF_CRIO, "web"}, {"web.allot.gpu/replicas", "3"}, {"allot.gpu/priority", "-7"}));

    (void)state;
    must_weigh(request, 0, 0, 3);
    assert_int_equal(request->priority, -7);
}

static void a_container_may_have_dots_in_its_name(void **state)
{
    (void)state;
    must_weigh(request_of(LIST({NAME_OF_CRIO, "a.b"}, {"a.b.allot.gpu/replicas", "3"})), 0, 0, 3);
    must_not_ask(LIST({NAME_OF_CRIO, "a"}, {"a.b.allot.gpu/replicas", "3"}));
    must_not_ask(LIST({NAME_OF_CRIO, "b"}, {"a.b.allot.gpu/replicas", "3"}));
}

static void annotations_of_other_containers_are_theirs(void **state)
{
    static const char *const others[] = {
        "db.allot.gpu/replicas",  "webx.allot.gpu/replicas", "we.allot.gpu/replicas",
        "Web.allot.gpu/replicas", "web-allot.gpu/replicas",  "weballot.gpu/replicas",
        ".allot.gpu/replicas",    "web..allot.gpu/replicas", "web.web.allot.gpu/x",
        "db.allot.gpu/unknown",   "web.allot.gp/replicas",   "web.",
    };

    (void)state;
    for (size_t i = 0; i < ROWS(others); i++) {
        must_not_ask(LIST({NAME_OF_CONTAINERD, "web"}, {others[i], "malformed"}));
        must_weigh(request_of(LIST({NAME_OF_CONTAINERD, "web"}, {others[i], "malformed"},
                                   {"allot.gpu/replicas", "1"})),
                   0, 0, 1);
    }
    must_not_ask(LIST({"web.allot.gpu/replicas", "1"}));
    must_not_ask(LIST({NAME_OF_CONTAINERD, ""}, {".allot.gpu/replicas", "1"}));
}

static void an_unknown_annotation_with_the_name_is_refused(void **state)
{
    static const struct annotation unknown = {"web.allot.gpu/replica", "1"};

    (void)state;
    refusal_by(&rules, LIST({NAME_OF_CRIO, "web"}, unknown), &unknown, "is unknown");
}

static void what_is_malformed_is_refused_even_where_it_is_overruled(void **state)
{
    static const struct annotation good[] = {
        {"web.allot.gpu/replicas", "1"},    {"web.allot.gpu/resreq", "cpu=1"},
        {"web.allot.gpu/slots", "1"},       {"web.allot.gpu/queue", "a"},
        {"web.allot.gpu/priority", "0"},    {"web.allot.gpu/wait", "1s"},
        {"web.allot.gpu/policy", "packed"}, {"web.allot.gpu/devices", "0"},
        {"web.allot.gpu/distinct", "true"},
    };
    struct annotation list[ROWS(good) + 2] = {{NAME_OF_CRIO, "web"}};

    (void)state;
    memcpy(list + 1, good, sizeof(good));
    for (size_t i = 0; i < ROWS(malformed); i++) {
        struct annotation *last = &list[ROWS(list) - 1];

        *last = (struct annotation){malformed[i].key, malformed[i].value};
        refusal_by(&rules, list, ROWS(list), last, malformed[i].reason);
    }
}

static void a_policy_that_may_not_be_chosen_is_refused_even_where_it_is_overruled(void **state)
{
    static const struct annotation other = {"allot.gpu/policy", "packed"};
    struct request_rules by = rules;

    (void)state;
    by.allow_override = false;
    refusal_by(&by, LIST({NAME_OF_CRIO, "web"}, {"web.allot.gpu/policy", "spread"}, other), &other,
               "names another policy");
}

/* --- the queue --- */

static void the_queue_is_the_first_of_queue_from_that_is_there(void **state)
{
    static const char *const caller_first[] = {"allot.gpu/queue", POD_NAMESPACE};
    static const char *const engine_only[] = {POD_NAMESPACE, SANDBOX_NAMESPACE};
    static const char *const label[] = {"team", "allot.gpu/queue"};
    static const struct {
        const char *name;
        const char *const *queue_from;
        size_t count;
        struct annotation annotations[5];
        const char *queue;
    } rows[] = {
        {"none", default_queue_from, 3, {{NULL, NULL}}, "default"},
        {"the caller's", default_queue_from, 3, {{"allot.gpu/queue", "mine"}}, "mine"},
        {"the engine's", default_queue_from, 3, {{POD_NAMESPACE, "ns"}}, "ns"},
        {"the other engine's", default_queue_from, 3, {{SANDBOX_NAMESPACE, "sn"}}, "sn"},
        {"engine before caller",
         default_queue_from,
         3,
         {{"allot.gpu/queue", "mine"}, {POD_NAMESPACE, "ns"}},
         "ns"},
        {"first before second",
         default_queue_from,
         3,
         {{SANDBOX_NAMESPACE, "sn"}, {POD_NAMESPACE, "ns"}},
         "ns"},
        {"second before third",
         default_queue_from,
         3,
         {{"allot.gpu/queue", "mine"}, {SANDBOX_NAMESPACE, "sn"}},
         "sn"},
        {"caller before engine",
         caller_first,
         2,
         {{POD_NAMESPACE, "ns"}, {"allot.gpu/queue", "mine"}},
         "mine"},
        {"caller absent", caller_first, 2, {{POD_NAMESPACE, "ns"}}, "ns"},
        {"the caller is not asked", engine_only, 2, {{"allot.gpu/queue", "mine"}}, "default"},
        {"an annotation of the site", label, 2, {{"allot.gpu/queue", "mine"}, {"team", "red"}}, "red"},
        {"nobody is asked", NULL, 0, {{"allot.gpu/queue", "mine"}, {POD_NAMESPACE, "ns"}}, "default"},
        {"with the container's name",
         caller_first,
         2,
         {{NAME_OF_CRIO, "web"},
          {"allot.gpu/queue", "pod"},
          {"web.allot.gpu/queue", "mine"},
          {POD_NAMESPACE, "ns"}},
         "mine"},
        {"only with the container's name",
         default_queue_from,
         3,
         {{NAME_OF_CRIO, "web"}, {"web.allot.gpu/queue", "mine"}},
         "mine"},
        {"of another container",
         default_queue_from,
         3,
         {{NAME_OF_CRIO, "web"}, {"db.allot.gpu/queue", "theirs"}},
         "default"},
        {"the longest", default_queue_from, 3, {{"allot.gpu/queue", LETTERS_63}}, LETTERS_63},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct annotation list[6] = {{"allot.gpu/replicas", "1"}};
        struct request_rules by = rules;
        const struct request *request;
        size_t count = 1;

        by.queue_from = rows[i].queue_from;
        by.queue_from_count = rows[i].count;
        while (count < ROWS(list) && rows[i].annotations[count - 1].key != NULL) {
            list[count] = rows[i].annotations[count - 1];
            count++;
        }
        request = request_by(&by, &unlimited, list, count);
        if (strcmp(request->queue, rows[i].queue) != 0)
            fail_msg("%s: %s", rows[i].name, request->queue);
    }
}

static void an_annotation_that_names_the_queue_badly_is_refused_by_its_own_name(void **state)
{
    static const struct annotation bad = {POD_NAMESPACE, "my namespace"};
    static const struct annotation empty = {SANDBOX_NAMESPACE, ""};

    (void)state;
    refusal_by(&rules, LIST({"allot.gpu/replicas", "1"}, bad), &bad, "has a character that is not a letter");
    refusal_by(&rules, LIST({"allot.gpu/replicas", "1"}, empty), &empty, "is empty");
    assert_string_equal(example_of(refusal_by(&rules, LIST({"allot.gpu/replicas", "1"}, bad), &bad, "")),
                        "research");
}

static void an_annotation_of_others_that_is_not_needed_for_the_queue_may_be_anything(void **state)
{
    const struct request *request =
        request_of(LIST({"allot.gpu/replicas", "1"}, {SANDBOX_NAMESPACE, "no queue"}, {POD_NAMESPACE, "ns"}));

    (void)state;
    assert_string_equal(request->queue, "ns");
}

/* --- what it weighs --- */

static void each_resource_comes_from_the_first_that_names_it(void **state)
{
    static const struct resreq gpu_unit = {.amount = {{0, 0, 2}}, .named = {false, false, true}};
    static const struct container_limits limits = {150000, 100000, 3 << 20};
    static const struct {
        const char *name;
        const char *resreq;
        const char *slots;
        const char *replicas;
        bool gpu_unit;
        bool limited;
        uint64_t weight[RES_COUNT];
    } rows[] = {
        {"nothing but limits", NULL, NULL, NULL, false, true, {1500, 3 << 20, 0}},
        {"replicas and limits", NULL, NULL, "2", false, true, {1500, 3 << 20, 2}},
        {"resreq over limits", "cpu=4,mem=1g,gpu=1", NULL, NULL, false, true, {4000, 1 << 30, 1}},
        {"resreq over limits, in part", "cpu=4", NULL, NULL, false, true, {4000, 3 << 20, 0}},
        {"an explicit 0 over limits", "cpu=0,mem=0", NULL, NULL, false, true, {0, 0, 0}},
        {"slots over limits", NULL, "2", NULL, false, true, {2000, 2ULL << 30, 2}},
        {"slots over limits, in part", NULL, "2", NULL, true, true, {1500, 3 << 20, 4}},
        {"slots of a unit without cpu", NULL, "2", NULL, true, false, {0, 0, 4}},
        {"resreq over slots", "cpu=4,mem=8g,gpu=5", "2", NULL, false, true, {4000, 8ULL << 30, 5}},
        {"resreq over slots, in part", "mem=8g", "2", NULL, false, true, {2000, 8ULL << 30, 2}},
        {"an explicit 0 over slots", "gpu=0", "2", NULL, false, false, {2000, 2ULL << 30, 0}},
        {"replicas over slots", NULL, "2", "7", false, false, {2000, 2ULL << 30, 7}},
        {"all three", "cpu=4", "2", NULL, true, true, {4000, 3 << 20, 4}},
        {"all four", "cpu=4", "2", "1", true, true, {4000, 3 << 20, 1}},
        {"nobody names cpu and mem", "gpu=1", NULL, "1", false, false, {0, 0, 1}},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct annotation list[4] = {{"allot.gpu/priority", "0"}};
        struct request_rules by = rules;
        const struct request *request;
        size_t count = 1;

        if (rows[i].gpu_unit)
            by.unit = gpu_unit;
        if (rows[i].resreq != NULL)
            list[count++] = (struct annotation){"allot.gpu/resreq", rows[i].resreq};
        if (rows[i].slots != NULL)
            list[count++] = (struct annotation){"allot.gpu/slots", rows[i].slots};
        if (rows[i].replicas != NULL)
            list[count++] = (struct annotation){"allot.gpu/replicas", rows[i].replicas};
        request = request_by(&by, rows[i].limited ? &limits : &unlimited, list, count);
        for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
            if (request->ask.of[r] != rows[i].weight[r])
                fail_msg("%s: %s %llu", rows[i].name, resource_name(r),
                         (unsigned long long)request->ask.of[r]);
        }
    }
}

static void the_limits_of_the_container_weigh_what_it_may_use(void **state)
{
    static const struct {
        const char *name;
        struct container_limits limits;
        uint64_t cpu;
        uint64_t mem;
    } rows[] = {
        {"none", {0, 0, 0}, 0, 0},
        {"none, said with -1", {-1, 100000, -1}, 0, 0},
        {"two cpus", {200000, 100000, 0}, 2000, 0},
        {"half a cpu", {50000, 100000, 0}, 500, 0},
        {"the kernel's period", {50000, 0, 0}, 500, 0},
        {"another period", {10000, 5000, 0}, 2000, 0},
        {"a third, rounded up", {100000, 300000, 0}, 334, 0},
        {"very little, and not nothing", {1, 1000000, 0}, 1, 0},
        {"memory", {0, 0, 512 << 20}, 0, 512 << 20},
        {"the largest memory", {0, 0, (int64_t)QUANTITY_MAX}, 0, QUANTITY_MAX},
        {"memory beyond all bounds is no limit", {0, 0, (int64_t)QUANTITY_MAX + 1}, 0, 0},
        {"memory as engines say unlimited", {0, 0, INT64_MAX}, 0, 0},
        {"cpu beyond all bounds is no limit", {INT64_MAX, 1, 0}, 0, 0},
        {"cpu just beyond all bounds is no limit", {9007199254741, 1, 0}, 0, 0},
        {"the largest cpu", {9007199254740, 1, 0}, 9007199254740000, 0},
        {"the largest quota is no limit", {INT64_MAX, 100000, 0}, 0, 0},
        {"a very large quota", {INT64_MAX / 1000, 100000, 0}, 92233720368548, 0},
        {"the least of both", {INT64_MIN, UINT64_MAX, INT64_MIN}, 0, 0},
        {"the longest period", {INT64_MAX / 1000, UINT64_MAX, 0}, 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        const struct request *request =
            request_by(&rules, &rows[i].limits, LIST({"allot.gpu/resreq", "gpu=1"}));

        if (request->ask.of[RES_CPU] != rows[i].cpu || request->ask.of[RES_MEM] != rows[i].mem)
            fail_msg("%s: cpu %llu, mem %llu", rows[i].name, (unsigned long long)request->ask.of[RES_CPU],
                     (unsigned long long)request->ask.of[RES_MEM]);
    }
}

static void replicas_and_the_gpu_of_resreq_must_agree(void **state)
{
    static const struct {
        const char *resreq;
        const char *replicas;
        bool agree;
    } rows[] = {
        {"gpu=2", "2", true},  {"cpu=1,gpu=1", "1", true},
        {"cpu=1", "3", true},  {"gpu=2", "3", false},
        {"gpu=2", "1", false}, {"gpu=0", "1", false},
        {"cpu=2", "2", true},  {"mem=1g,gpu=65536", "65535", false},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct annotation replicas = {"allot.gpu/replicas", rows[i].replicas};
        struct annotation resreq = {"allot.gpu/resreq", rows[i].resreq};

        if (rows[i].agree)
            request_of(LIST(replicas, resreq));
        else
            example_of(
                refusal_by(&rules, LIST(resreq, replicas), &replicas, "does not agree with the gpu of"));
    }
}

static void it_is_what_speaks_for_the_container_that_must_agree(void **state)
{
    static const struct annotation other = {"web.allot.gpu/replicas", "3"};

    (void)state;
    refusal_by(&rules, LIST({NAME_OF_CRIO, "web"}, {"allot.gpu/resreq", "gpu=2"}, other), &other,
               "does not agree");
    must_weigh(request_of(LIST({NAME_OF_CRIO, "web"}, {"allot.gpu/resreq", "gpu=2"},
                               {"web.allot.gpu/resreq", "gpu=3"}, other)),
               0, 0, 3);
    must_weigh(request_of(LIST({NAME_OF_CRIO, "db"}, {"allot.gpu/resreq", "gpu=2"}, other)), 0, 0, 2);
}

/* --- hostile bytes --- */

static void no_byte_of_a_value_or_a_key_reaches_a_message_raw(void **state)
{
    static const char *const fields[] = {"replicas", "resreq", "slots",   "queue",    "priority",
                                         "wait",     "policy", "devices", "distinct", "\n\x1b[2J\xff"};
    static const char *const values[] = {
        "1\nallot: granted", "\x1b[31mred",    "\r",      "\x80\x81\xff", "a\"b\\c\t",
        "\x01\x02\x7f",      "\xe2\x80\xae=1", "cpu=1\n", "gpu=\x1b[0m",  "mem=1g,\x07=1",
    };

    (void)state;
    for (size_t f = 0; f < ROWS(fields); f++) {
        for (size_t v = 0; v < ROWS(values); v++) {
            char key[64];
            struct annotation culprit = {key, values[v]};

            snprintf(key, sizeof(key), "allot.gpu/%s", fields[f]);
            refusal_by(&rules, &culprit, 1, &culprit, "");
            snprintf(key, sizeof(key), "we\nb.allot.gpu/%s", fields[f]);
            refusal_by(&rules, LIST({NAME_OF_CRIO, "we\nb"}, culprit), &culprit, "");
        }
    }
}

static void a_long_hostile_value_is_cut_and_the_message_stays_one_line_with_its_example(void **state)
{
    static const char *const keys[] = {"allot.gpu/replicas", "allot.gpu/resreq",   "allot.gpu/slots",
                                       "allot.gpu/queue",    "allot.gpu/priority", "allot.gpu/wait",
                                       "allot.gpu/policy",   "allot.gpu/devices",  "allot.gpu/distinct"};

    (void)state;
    for (size_t i = 0; i < ROWS(keys); i++) {
        const char *text = refusal(keys[i], padded("cpu=", '\n', "", 4096), "...");

        assert_true(strlen(text) < ERROR_TEXT_SIZE - 1);
        request_of(LIST({keys[i], example_of(text)}));
        example_of(refusal(keys[i], padded("\x1b", '\x1b', "", 8000), "is longer than 4096 bytes"));
    }
}

static void a_long_hostile_key_is_cut_too(void **state)
{
    char key[5000];
    struct annotation culprit = {key, "\n"};

    (void)state;
    memset(key, '\n', sizeof(key));
    memcpy(key, "allot.gpu/", strlen("allot.gpu/"));
    key[sizeof(key) - 1] = '\0';
    example_of(refusal_by(&rules, &culprit, 1, &culprit, "is unknown"));
}

/* --- the id --- */

static void an_id_is_up_to_127_printable_characters(void **state)
{
    char long_id[ID_SIZE + 1];

    (void)state;
    memset(long_id, 'i', sizeof(long_id));
    assert_null(request_id_wrong("c", 1));
    assert_null(request_id_wrong("!~", 2));
    assert_null(request_id_wrong("k8s_web-1.2/3:4\"\\", 17));
    assert_null(request_id_wrong(long_id, 127));
    assert_string_equal(request_id_wrong(long_id, 128), "is longer than 127 characters");
    assert_string_equal(request_id_wrong("", 0), "is empty");
}

static void an_id_has_no_blank_no_control_and_no_foreign_character(void **state)
{
    static const struct {
        const char *id;
        size_t length;
    } rows[] = {{" ", 1}, {"a b", 3}, {"a\n", 2}, {"a\0b", 3}, {"\x7f", 1}, {"\xc3\xa4", 2}, {"\x1b", 1}};

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_string_equal(request_id_wrong(rows[i].id, rows[i].length),
                            "has a character that is not printable ASCII");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_our_annotations_nothing_is_asked),
        cmocka_unit_test(a_namespace_that_is_no_queue_does_not_matter_to_a_container_that_asks_for_nothing),
        cmocka_unit_test(any_single_annotation_of_ours_is_a_request),
        cmocka_unit_test(a_sandbox_never_asks_for_anything),
        cmocka_unit_test(what_is_absent_has_its_default),
        cmocka_unit_test(the_configuration_has_the_defaults_of_wait_and_policy),
        cmocka_unit_test(replicas_are_counted_from_one_to_more_than_any_node_has),
        cmocka_unit_test(resreq_says_how_much_of_everything),
        cmocka_unit_test(a_request_for_no_gpu_is_a_valid_one),
        cmocka_unit_test(slots_are_so_many_times_the_unit),
        cmocka_unit_test(slots_times_the_unit_stays_within_the_bounds),
        cmocka_unit_test(a_priority_is_handed_on_to_be_judged_by_the_queue),
        cmocka_unit_test(a_wait_is_capped_by_what_the_node_allows),
        cmocka_unit_test(a_policy_is_chosen_by_its_name),
        cmocka_unit_test(where_no_override_is_allowed_only_the_configured_policy_may_be_named),
        cmocka_unit_test(devices_are_handed_on_as_they_are),
        cmocka_unit_test(distinct_is_true_or_false),
        cmocka_unit_test(a_malformed_value_is_refused_with_its_reason_and_a_valid_example),
        cmocka_unit_test(an_unknown_annotation_of_ours_is_refused_with_the_known_ones),
        cmocka_unit_test(an_unknown_annotation_is_refused_beside_known_ones_too),
        cmocka_unit_test(a_value_of_4096_bytes_is_read_and_one_of_4097_is_refused),
        cmocka_unit_test(a_value_that_is_too_long_is_refused_for_every_annotation),
        cmocka_unit_test(annotations_of_others_may_be_as_long_as_they_like),
        cmocka_unit_test(the_form_with_the_name_of_the_container_wins),
        cmocka_unit_test(every_annotation_has_a_form_with_the_name),
        cmocka_unit_test(what_the_form_with_the_name_does_not_say_the_pod_says),
        cmocka_unit_test(a_container_may_have_dots_in_its_name),
        cmocka_unit_test(annotations_of_other_containers_are_theirs),
        cmocka_unit_test(an_unknown_annotation_with_the_name_is_refused),
        cmocka_unit_test(what_is_malformed_is_refused_even_where_it_is_overruled),
        cmocka_unit_test(a_policy_that_may_not_be_chosen_is_refused_even_where_it_is_overruled),
        cmocka_unit_test(the_queue_is_the_first_of_queue_from_that_is_there),
        cmocka_unit_test(an_annotation_that_names_the_queue_badly_is_refused_by_its_own_name),
        cmocka_unit_test(an_annotation_of_others_that_is_not_needed_for_the_queue_may_be_anything),
        cmocka_unit_test(each_resource_comes_from_the_first_that_names_it),
        cmocka_unit_test(the_limits_of_the_container_weigh_what_it_may_use),
        cmocka_unit_test(replicas_and_the_gpu_of_resreq_must_agree),
        cmocka_unit_test(it_is_what_speaks_for_the_container_that_must_agree),
        cmocka_unit_test(no_byte_of_a_value_or_a_key_reaches_a_message_raw),
        cmocka_unit_test(a_long_hostile_value_is_cut_and_the_message_stays_one_line_with_its_example),
        cmocka_unit_test(a_long_hostile_key_is_cut_too),
        cmocka_unit_test(an_id_is_up_to_127_printable_characters),
        cmocka_unit_test(an_id_has_no_blank_no_control_and_no_foreign_character),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
