/*
 * `cpu=4,mem=16g,gpu=2`: what it means, what is refused and in which words, and that it prints as it reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "alloc/cleanup.h"
#include "alloc/limits.h"
#include "alloc/resource.h"
#include "tests/support/dice.h"

#define ROWS(table)   (sizeof(table) / sizeof(table[0]))
#define TEXT(literal) (literal), sizeof(literal) - 1

#define EXAMPLE      "cpu=4,mem=16g,gpu=2"
#define EXAMPLE_TAIL "; for example " EXAMPLE

#define NOT_SAID UINT64_MAX /* the case says nothing about this amount */

/* From memory that ends where the text ends. */
static int parse(const char *text, size_t length, struct resreq *out, struct error *err)
{
    CLEAN_FREE char *exact = malloc(length > 0 ? length : 1);

    assert_non_null(exact);
    memcpy(exact, text, length);
    return resreq_parse(length > 0 ? exact : exact + 1, length, out, err);
}

static void must_parse(const char *text, struct resreq *out)
{
    struct error err = {0};

    memset(out, 0x5a, sizeof(*out));
    if (parse(text, strlen(text), out, &err) != 0)
        fail_msg("\"%s\" %s", text, err.text);
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (!out->named[r] && out->amount.of[r] != 0)
            fail_msg("\"%s\" does not name %s, but it is not 0", text, resource_name(r));
    }
}

static bool ends_in(const char *text, const char *tail)
{
    return strlen(text) >= strlen(tail) && strcmp(text + strlen(text) - strlen(tail), tail) == 0;
}

/* Refused as bad input, with the example at the end and `out` as it was. */
static void must_refuse(const char *text, size_t length, struct error *err)
{
    struct resreq untouched;
    struct resreq out;

    memset(&untouched, 0x5a, sizeof(untouched));
    memset(&out, 0x5a, sizeof(out));
    if (parse(text, length, &out, err) != -1)
        fail_msg("\"%s\" is read", text);
    if (err->kind != ERROR_INPUT || !ends_in(err->text, EXAMPLE_TAIL))
        fail_msg("\"%s\" is refused with kind %d: %s", text, (int)err->kind, err->text);
    assert_memory_equal(&out, &untouched, sizeof(out));
}

/* --- the cases that parsers of this grammar agreed upon --- */

struct case_ok {
    const char *input;
    uint64_t amount[RES_COUNT];
};

static const struct case_ok cases_ok[] = {
    {"cpu=1,mem=256", {1000, 256, NOT_SAID}},
    {"cpu=1,mem=1k", {1000, 1024, NOT_SAID}},
    {"cpu=1,memory=1m", {1000, 1048576, NOT_SAID}},
    {"cpu=1,memory=1g", {1000, 1073741824, NOT_SAID}},
    {"cpu=1,mem=16Gi,gpu=0", {NOT_SAID, 17179869184, NOT_SAID}},
    {"mem=2T", {NOT_SAID, 2199023255552, NOT_SAID}},
    {"mem=2Ti", {NOT_SAID, 2199023255552, NOT_SAID}},
    {"mem=1PB", {NOT_SAID, 1125899906842624, NOT_SAID}},
    {"mem=1Pi", {NOT_SAID, 1125899906842624, NOT_SAID}},
    {"cpu=4,mem=16g", {4000, 17179869184, NOT_SAID}},
    {"cpu=4,mem=16g,gpu=2", {4000, 17179869184, 2}},
    {"cpu=8", {8000, 0, 0}},
    {"memory=1024k", {NOT_SAID, 1048576, NOT_SAID}},
    {"mem=512m", {NOT_SAID, 536870912, NOT_SAID}},
    {"mem=8g", {NOT_SAID, 8589934592, NOT_SAID}},
    {"mem=8Gi", {NOT_SAID, 8589934592, NOT_SAID}},
    {"mem=2TB", {NOT_SAID, 2199023255552, NOT_SAID}},
    {"memory=1048576", {NOT_SAID, 1048576, NOT_SAID}},
    {"  cpu = 2 , mem = 4g , gpu = 1 ", {2000, 4294967296, 1}},
    {"CPU=4,MEM=16G", {4000, 17179869184, 0}},
    {"mem=512B", {0, 512, 0}},
    {"cpu=0.5", {500, 0, 0}},
    {"cpu=1.125,gpu=1", {1125, 0, 1}},
    {"mem=1kib", {0, 1024, 0}},
};

static const char *const cases_bad[] = {
    "",
    "   ",
    "512X",
    "abcM",
    "cpu=1,",
    "cpu=abc",
    "foo=1",
    "gpu=",
    "mem=bogus",
    ",",
    "cpu",
    "=1",
    "cpu==1",
    "cpu=1=2",
    "cpu=1,,gpu=1",
    "cpu=1,cpu=2",
    "mem=1g,memory=2g",
    "cpu=-4",
    "gpu=-1",
    "mem=-1g",
    "cpu=+4",
    "cpu=1_000",
    "mem=16 g",
    "mem=1.5g",
    "mem=g",
    "mem=1e3",
    "cpu=0x10",
    "gpu=1.5",
    "cpu=1.2345",
    "mem=17179869184g",
    "mem=99999999999p",
    "cpu=18446744073709551616",
    "gpu=4294967296",
    "cpu=\xd9\xa4",
    "cpu=1;gpu=1",
    "vram=1g",
};

static void must_match(const char *input, const uint64_t amount[static RES_COUNT])
{
    struct resreq req;

    must_parse(input, &req);
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (amount[r] != NOT_SAID && req.amount.of[r] != amount[r])
            fail_msg("\"%s\" has %s %llu", input, resource_name(r), (unsigned long long)req.amount.of[r]);
    }
}

static void the_agreed_cases_are_read_as_agreed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(cases_ok); i++)
        must_match(cases_ok[i].input, cases_ok[i].amount);
}

static void the_agreed_bad_cases_are_refused(void **state)
{
    struct error err;

    (void)state;
    for (size_t i = 0; i < ROWS(cases_bad); i++)
        must_refuse(cases_bad[i], strlen(cases_bad[i]), &err);
}

/* The list of cases where it is at hand; NULL where the project stands alone. */
static struct json_object *read_vectors(void)
{
    const char *shared = getenv("ALLOT_SHARED");
    char path[4096];

    snprintf(path, sizeof(path), "%s/vectors/resreq.json", shared != NULL ? shared : "../shared");
    if (access(path, F_OK) != 0)
        return NULL;
    return json_object_from_file(path);
}

static struct json_object *array_of(struct json_object *vectors, const char *key)
{
    struct json_object *array = json_object_object_get(vectors, key);

    assert_true(json_object_is_type(array, json_type_array));
    assert_true(json_object_array_length(array) > 0);
    return array;
}

static uint64_t amount_in(struct json_object *row, const char *key)
{
    struct json_object *amount = json_object_object_get(row, key);

    return amount != NULL ? json_object_get_uint64(amount) : NOT_SAID;
}

static bool copied_ok(const char *input, const uint64_t amount[static RES_COUNT])
{
    for (size_t i = 0; i < ROWS(cases_ok); i++) {
        if (strcmp(cases_ok[i].input, input) == 0)
            return memcmp(cases_ok[i].amount, amount, sizeof(cases_ok[i].amount)) == 0;
    }
    return false;
}

static bool copied_bad(const char *input)
{
    for (size_t i = 0; i < ROWS(cases_bad); i++) {
        if (strcmp(cases_bad[i], input) == 0)
            return true;
    }
    return false;
}

static void check_good_vectors(struct json_object *array)
{
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        struct json_object *row = json_object_array_get_idx(array, i);
        const char *input = json_object_get_string(json_object_object_get(row, "input"));
        uint64_t amount[RES_COUNT] = {amount_in(row, "cpu_milli"), amount_in(row, "mem_bytes"),
                                      amount_in(row, "gpu")};

        must_match(input, amount);
        if (!copied_ok(input, amount))
            fail_msg("\"%s\" is missing in this file's own cases", input);
    }
}

static void check_bad_vectors(struct json_object *array)
{
    struct error err;

    for (size_t i = 0; i < json_object_array_length(array); i++) {
        const char *input = json_object_get_string(json_object_array_get_idx(array, i));

        must_refuse(input, strlen(input), &err);
        if (!copied_bad(input))
            fail_msg("\"%s\" is missing in this file's own cases", input);
    }
}

static void the_list_of_agreed_cases_is_kept_and_is_in_this_file(void **state)
{
    struct json_object *vectors = read_vectors();

    (void)state;
    if (vectors == NULL) {
        print_message("# ../shared/vectors/resreq.json is not there\n");
        skip();
    }
    check_good_vectors(array_of(vectors, "upstream_ok"));
    check_good_vectors(array_of(vectors, "ours_ok"));
    check_bad_vectors(array_of(vectors, "upstream_bad"));
    check_bad_vectors(array_of(vectors, "ours_bad"));
    json_object_put(vectors);
}

/* --- what is read --- */

static void what_is_not_named_is_remembered_as_such(void **state)
{
    static const char *const inputs[] = {
        "cpu=1", "mem=1", "gpu=1", "cpu=1,mem=1", "cpu=1,gpu=1", "mem=1,gpu=1", "cpu=1,mem=1,gpu=1"};

    (void)state;
    for (size_t i = 0; i < ROWS(inputs); i++) {
        struct resreq req;

        must_parse(inputs[i], &req);
        for (enum resource r = RES_CPU; r < RES_COUNT; r++)
            assert_int_equal(req.named[r], strstr(inputs[i], resource_name(r)) != NULL);
    }
}

static void zero_is_an_amount_like_any_other(void **state)
{
    struct resreq req;

    (void)state;
    must_parse("cpu=0,mem=0,gpu=0", &req);
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        assert_true(req.named[r]);
        assert_int_equal(req.amount.of[r], 0);
    }
}

static void order_case_and_blanks_do_not_matter(void **state)
{
    static const char *const inputs[] = {
        "cpu=1.5,mem=2g,gpu=3",           "gpu=3,mem=2g,cpu=1.5",
        "MEM=2G,GPU=3,CPU=1.5",           "Memory=2gIb,Cpu=1.5,gPU=3",
        " cpu=1.5,mem=2g,gpu=3 ",         "cpu =1.5,mem= 2g,gpu = 3",
        "\tcpu\t=\t1.5\t,\tmem=2g,gpu=3", "   cpu=1.50  ,   MEMORY  =  2048mb   ,  gpu=3",
    };
    static const uint64_t wanted[RES_COUNT] = {1500, 2ULL << 30, 3};

    (void)state;
    for (size_t i = 0; i < ROWS(inputs); i++)
        must_match(inputs[i], wanted);
}

static void gpu_goes_beyond_the_replicas_of_any_node_so_that_it_never_fits(void **state)
{
    static const char *const beyond[] = {"gpu=4294967296",           "gpu=9007199254740992",
                                         "gpu=9007199254740993",     "gpu=9223372036854775808",
                                         "gpu=18446744073709551615", "gpu=18446744073709551616",
                                         "gpu=18446744073709551617", "gpu=1000000000000000000000000000000"};
    struct resreq req;
    struct error err;

    (void)state;
    must_parse("gpu=4294967295", &req);
    assert_int_equal(req.amount.of[RES_GPU], UINT32_MAX);
    for (size_t i = 0; i < ROWS(beyond); i++) {
        must_refuse(beyond[i], strlen(beyond[i]), &err);
        assert_non_null(strstr(err.text, "is too large"));
    }
}

/* --- what is refused, and in which words --- */

static void every_error_names_the_entry_and_says_what_is_wrong_with_it(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *message; /* before the example */
    } rows[] = {
        {TEXT(""), "is empty"},
        {TEXT("   "), "is empty"},
        {TEXT("\t"), "is empty"},
        {TEXT(","), "entry \"\" is empty"},
        {TEXT("cpu=1,"), "entry \"\" is empty"},
        {TEXT(",cpu=1"), "entry \"\" is empty"},
        {TEXT("cpu=1, ,gpu=1"), "entry \" \" is empty"},
        {TEXT("cpu"), "entry \"cpu\" has no '='"},
        {TEXT("gpu=1,cpu 4"), "entry \"cpu 4\" has no '='"},
        {TEXT("512X"), "entry \"512X\" has no '='"},
        {TEXT("cpu==1"), "entry \"cpu==1\" has a second '='"},
        {TEXT("cpu=1=2"), "entry \"cpu=1=2\" has a second '='"},
        {TEXT("cpu=1="), "entry \"cpu=1=\" has a second '='"},
        {TEXT("=1"), "entry \"=1\" has an unknown key; cpu, mem (or memory) and gpu are known"},
        {TEXT("vram=1g"), "entry \"vram=1g\" has an unknown key; cpu, mem (or memory) and gpu are known"},
        {TEXT("c pu=1"), "entry \"c pu=1\" has an unknown key; cpu, mem (or memory) and gpu are known"},
        {TEXT("cpus=1"), "entry \"cpus=1\" has an unknown key; cpu, mem (or memory) and gpu are known"},
        {TEXT("me=1"), "entry \"me=1\" has an unknown key; cpu, mem (or memory) and gpu are known"},
        {TEXT("cpu=1\n,gpu=1"), "entry \"cpu=1\\x0a\" is not a number with up to three decimals"},
        {TEXT("\xd1\x81pu=1"),
         "entry \"\\xd1\\x81pu=1\" has an unknown key; cpu, mem (or memory) and gpu are known"},
        {TEXT("cpu=1,cpu=2"), "entry \"cpu=2\" names its resource a second time"},
        {TEXT("cpu=1,CPU=1"), "entry \"CPU=1\" names its resource a second time"},
        {TEXT("mem=1g,memory=2g"), "entry \"memory=2g\" names its resource a second time"},
        {TEXT("gpu="), "entry \"gpu=\" has no value"},
        {TEXT("cpu= ,gpu=1"), "entry \"cpu= \" has no value"},
        {TEXT("cpu=-4"), "entry \"cpu=-4\" is not a number with up to three decimals"},
        {TEXT("cpu=+4"), "entry \"cpu=+4\" is not a number with up to three decimals"},
        {TEXT("cpu=\xd9\xa4"), "entry \"cpu=\\xd9\\xa4\" is not a number with up to three decimals"},
        {TEXT("cpu=1;gpu=1"), "entry \"cpu=1;gpu=1\" has a second '='"},
        {TEXT("gpu=-1"), "entry \"gpu=-1\" is not a whole number"},
        {TEXT("gpu=1.5"), "entry \"gpu=1.5\" is not a whole number"},
        {TEXT("gpu=1g"), "entry \"gpu=1g\" is not a whole number"},
        {TEXT("gpu=2\0"), "entry \"gpu=2\\x00\" is not a whole number"},
        {TEXT("mem=-1g"), "entry \"mem=-1g\" is not a whole number of bytes with an optional k, m, g, t or p "
                          "(then i, b or ib)"},
        {TEXT("cpu=4,mem=16 g"), "entry \"mem=16 g\" is not a whole number of bytes with an optional k, m, "
                                 "g, t or p (then i, b or ib)"},
        {TEXT("cpu=9007199254741"), "entry \"cpu=9007199254741\" is too large"},
        {TEXT("mem=17179869184g"), "entry \"mem=17179869184g\" is too large"},
        {TEXT("cpu=1,mem=9p,gpu=1"), "entry \"mem=9p\" is too large"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        char wanted[ERROR_TEXT_SIZE];
        struct error err;

        must_refuse(rows[i].text, rows[i].length, &err);
        snprintf(wanted, sizeof(wanted), "%s" EXAMPLE_TAIL, rows[i].message);
        assert_string_equal(err.text, wanted);
    }
}

static void the_first_wrong_entry_is_the_one_that_is_named(void **state)
{
    struct error err;

    (void)state;
    must_refuse(TEXT("gpu=1,mem=x,cpu=y"), &err);
    assert_non_null(strstr(err.text, "\"mem=x\""));
    assert_null(strstr(err.text, "\"cpu=y\""));
}

static void the_example_of_the_errors_is_a_valid_one(void **state)
{
    struct resreq req;

    (void)state;
    must_parse(EXAMPLE, &req);
}

static void a_long_entry_is_cut_in_the_message_and_the_example_still_ends_it(void **state)
{
    char text[4096] = "cpu=";
    struct error err;

    (void)state;
    memset(text + 4, '\x01', sizeof(text) - 4);
    must_refuse(text, sizeof(text), &err);
    assert_non_null(strstr(err.text, "...\" is not a number"));
    assert_true(strlen(err.text) < 2 * QUOTE_SIZE);
}

static void text_behind_the_given_length_is_not_read(void **state)
{
    struct error err = {0};
    struct resreq req;

    (void)state;
    assert_int_equal(resreq_parse("cpu=1,gpu=2,bad", 11, &req, &err), 0);
    assert_int_equal(req.amount.of[RES_GPU], 2);
    assert_int_equal(resreq_parse("cpu=16", 5, &req, &err), 0);
    assert_int_equal(req.amount.of[RES_CPU], 1000);
}

/* --- how it is printed --- */

static void one_amount_is_printed_as_a_person_writes_it(void **state)
{
    static const struct {
        enum resource resource;
        uint64_t amount;
        const char *text;
    } rows[] = {
        {RES_CPU, 0, "0"},
        {RES_CPU, 1, "0.001"},
        {RES_CPU, 10, "0.01"},
        {RES_CPU, 500, "0.5"},
        {RES_CPU, 1000, "1"},
        {RES_CPU, 1001, "1.001"},
        {RES_CPU, 1010, "1.01"},
        {RES_CPU, 1125, "1.125"},
        {RES_CPU, 10000, "10"},
        {RES_CPU, 100500, "100.5"},
        {RES_MEM, 0, "0"},
        {RES_MEM, 1, "1"},
        {RES_MEM, 1023, "1023"},
        {RES_MEM, 1024, "1k"},
        {RES_MEM, 1025, "1025"},
        {RES_MEM, 1536, "1536"},
        {RES_MEM, 16ULL << 30, "16g"},
        {RES_MEM, 1023ULL << 20, "1023m"},
        {RES_MEM, 1ULL << 40, "1t"},
        {RES_MEM, 1ULL << 50, "1p"},
        {RES_MEM, QUANTITY_MAX, "8p"},
        {RES_MEM, QUANTITY_MAX - 1, "9007199254740991"},
        {RES_GPU, 0, "0"},
        {RES_GPU, 2, "2"},
        {RES_GPU, 1024, "1024"},
        {RES_GPU, REPLICAS_MAX, "65536"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        char buffer[AMOUNT_TEXT_SIZE];

        assert_string_equal(amount_format(rows[i].resource, rows[i].amount, buffer), rows[i].text);
    }
}

static void only_named_amounts_are_printed(void **state)
{
    struct resreq req = {.amount = {{500, 1024, 2}}};
    char buffer[RESREQ_TEXT_SIZE];

    (void)state;
    assert_string_equal(resreq_format(&req, buffer), "");
    req.named[RES_GPU] = true;
    assert_string_equal(resreq_format(&req, buffer), "gpu=2");
    req.named[RES_CPU] = true;
    assert_string_equal(resreq_format(&req, buffer), "cpu=0.5,gpu=2");
    req.named[RES_MEM] = true;
    assert_string_equal(resreq_format(&req, buffer), "cpu=0.5,mem=1k,gpu=2");
    req.amount = (struct resources){{0, 0, 0}};
    assert_string_equal(resreq_format(&req, buffer), "cpu=0,mem=0,gpu=0");
}

static void of_plain_amounts_those_that_are_not_zero_are_printed(void **state)
{
    static const struct {
        struct resources amount;
        const char *text;
    } rows[] = {
        {{{0, 0, 0}}, "gpu=0"},
        {{{1000, 0, 0}}, "cpu=1"},
        {{{0, 1024, 0}}, "mem=1k"},
        {{{0, 0, 3}}, "gpu=3"},
        {{{4000, 16ULL << 30, 2}}, "cpu=4,mem=16g,gpu=2"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        char buffer[RESREQ_TEXT_SIZE];

        assert_string_equal(resources_format(&rows[i].amount, buffer), rows[i].text);
    }
}

/* Printed and read again it is the same, in each of the three ways of printing. */
static void must_survive_printing(const struct resreq *req)
{
    char named[RESREQ_TEXT_SIZE];
    char plain[RESREQ_TEXT_SIZE];
    struct resreq again;

    if (resreq_format(req, named)[0] != '\0') {
        must_parse(named, &again);
        for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
            if (again.named[r] != req->named[r] || (req->named[r] && again.amount.of[r] != req->amount.of[r]))
                fail_msg("%s %llu is printed as %s", resource_name(r), (unsigned long long)req->amount.of[r],
                         named);
        }
    }
    must_parse(resources_format(&req->amount, plain), &again);
    assert_memory_equal(&again.amount, &req->amount, sizeof(again.amount));
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        char amount[AMOUNT_TEXT_SIZE];
        char entry[RESREQ_TEXT_SIZE];

        snprintf(entry, sizeof(entry), "%s=%s", resource_name(r),
                 amount_format(r, req->amount.of[r], amount));
        must_parse(entry, &again);
        assert_int_equal(again.amount.of[r], req->amount.of[r]);
    }
}

static void what_is_printed_reads_back_the_same(void **state)
{
    struct dice dice = dice_new(dice_seed(__func__));

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct resreq req = {.amount = {{0}}};
        unsigned names = dice_below(&dice, 8);

        for (enum resource r = RES_CPU; r < RES_COUNT; r++)
            req.named[r] = names >> r & 1;
        /* Of every size, and near the powers of two and ten where the text changes its form. */
        req.amount.of[RES_CPU] = dice_roll(&dice) >> (12 + dice_below(&dice, 52));
        req.amount.of[RES_MEM] = (uint64_t)dice_below(&dice, 9) << dice_below(&dice, 50);
        req.amount.of[RES_MEM] += dice_below(&dice, 3);
        req.amount.of[RES_GPU] = dice_below(&dice, REPLICAS_MAX + 1) >> dice_below(&dice, 17);
        must_survive_printing(&req);
    }
}

static void what_is_printed_of_the_largest_amounts_reads_back_the_same(void **state)
{
    (void)state;
    for (uint64_t below = 0; below <= 1000; below++) {
        struct resreq req = {.amount = {{QUANTITY_MAX - below, QUANTITY_MAX - below, REPLICAS_MAX}},
                             .named = {true, true, true}};

        must_survive_printing(&req);
    }
}

/* --- the rest --- */

static void resources_have_their_names(void **state)
{
    (void)state;
    assert_string_equal(resource_name(RES_CPU), "cpu");
    assert_string_equal(resource_name(RES_MEM), "mem");
    assert_string_equal(resource_name(RES_GPU), "gpu");
}

static void a_sum_stops_at_the_largest_quantity(void **state)
{
    static const struct {
        uint64_t a;
        uint64_t b;
        uint64_t sum;
    } rows[] = {
        {0, 0, 0},
        {1, 2, 3},
        {QUANTITY_MAX, 0, QUANTITY_MAX},
        {QUANTITY_MAX - 1, 1, QUANTITY_MAX},
        {QUANTITY_MAX, 1, QUANTITY_MAX},
        {QUANTITY_MAX, QUANTITY_MAX, QUANTITY_MAX},
        {UINT64_MAX, 1, QUANTITY_MAX},
        {UINT64_MAX, UINT64_MAX, QUANTITY_MAX},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        assert_int_equal(quantity_add(rows[i].a, rows[i].b), rows[i].sum);
        assert_int_equal(quantity_add(rows[i].b, rows[i].a), rows[i].sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_agreed_cases_are_read_as_agreed),
        cmocka_unit_test(the_agreed_bad_cases_are_refused),
        cmocka_unit_test(the_list_of_agreed_cases_is_kept_and_is_in_this_file),
        cmocka_unit_test(what_is_not_named_is_remembered_as_such),
        cmocka_unit_test(zero_is_an_amount_like_any_other),
        cmocka_unit_test(order_case_and_blanks_do_not_matter),
        cmocka_unit_test(gpu_goes_beyond_the_replicas_of_any_node_so_that_it_never_fits),
        cmocka_unit_test(every_error_names_the_entry_and_says_what_is_wrong_with_it),
        cmocka_unit_test(the_first_wrong_entry_is_the_one_that_is_named),
        cmocka_unit_test(the_example_of_the_errors_is_a_valid_one),
        cmocka_unit_test(a_long_entry_is_cut_in_the_message_and_the_example_still_ends_it),
        cmocka_unit_test(text_behind_the_given_length_is_not_read),
        cmocka_unit_test(one_amount_is_printed_as_a_person_writes_it),
        cmocka_unit_test(only_named_amounts_are_printed),
        cmocka_unit_test(of_plain_amounts_those_that_are_not_zero_are_printed),
        cmocka_unit_test(what_is_printed_reads_back_the_same),
        cmocka_unit_test(what_is_printed_of_the_largest_amounts_reads_back_the_same),
        cmocka_unit_test(resources_have_their_names),
        cmocka_unit_test(a_sum_stops_at_the_largest_quantity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
