/*
 * fuzz_resreq.c - libFuzzer on the reader of `cpu=4,mem=16g,gpu=2`.
 *
 * A crash is found by the sanitizers. Beyond that: a refusal is one printable line with an example at its end and
 * leaves nothing behind, and what is accepted is within its bounds and prints as it reads.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/limits.h"
#include "alloc/resource.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(statement)                                                                                   \
    do {                                                                                                     \
        if (!(statement))                                                                                    \
            abort();                                                                                         \
    } while (0)

static void check_refusal(const struct error *err)
{
    static const char example[] = "; for example cpu=4,mem=16g,gpu=2";
    size_t length = strlen(err->text);

    REQUIRE(err->kind == ERROR_INPUT);
    REQUIRE(length > strlen(example) && strcmp(err->text + length - strlen(example), example) == 0);
    for (size_t i = 0; i < length; i++)
        REQUIRE(err->text[i] >= ' ' && err->text[i] <= '~');
}

static void check_same(const struct resreq *a, const struct resreq *b)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++)
        REQUIRE(a->named[r] == b->named[r] && a->amount.of[r] == b->amount.of[r]);
}

static void check_accepted(const struct resreq *req)
{
    char printed[RESREQ_TEXT_SIZE];
    char reprinted[RESREQ_TEXT_SIZE];
    struct resreq again;
    struct error err;
    bool any = false;

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        REQUIRE(req->amount.of[r] <= (r == RES_GPU ? GPU_QUANTITY_MAX : QUANTITY_MAX));
        REQUIRE(req->named[r] || req->amount.of[r] == 0);
        any = any || req->named[r];
    }
    REQUIRE(any);
    resreq_format(req, printed);
    REQUIRE(resreq_parse(printed, strlen(printed), &again, &err) == 0);
    check_same(req, &again);
    REQUIRE(strcmp(printed, resreq_format(&again, reprinted)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct resreq untouched;
    struct resreq req;
    struct error err;

    memset(&untouched, 0, sizeof(untouched));
    untouched.amount.of[RES_MEM] = 77;
    memcpy(&req, &untouched, sizeof(req));
    if (resreq_parse((const char *)data, size, &req, &err) == 0) {
        check_accepted(&req);
        return 0;
    }
    check_refusal(&err);
    check_same(&req, &untouched);
    return 0;
}
