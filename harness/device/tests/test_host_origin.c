/* host_origin.c: what the host has put into device memory. */
#include "base/tests/unit.h"
#include "harness/device/host_origin.h"

#include <stdlib.h>
#include <string.h>

enum { SPAN = 256, BASE = 1000 };

/* What is at `address` according to the ranges: the host's byte, or -1. */
static int host_byte_at(const HostOrigin *origin, uint64_t address)
{
    size_t i = host_origin_find(origin, address);
    if (i == origin->count || origin->ranges[i].begin > address)
        return -1;
    HostRange one = origin->ranges[i];
    one.offset += address - one.begin;
    one.begin = address;
    one.end = address + 1;
    for (int value = 1; value < 256; value++) {
        const uint8_t byte = (uint8_t)value;
        if (host_origin_compare(origin, &one, BASE, 1, &byte) != ORIGIN_UNKNOWN)
            return value;
    }
    return 0;
}

/* Random operations on the ranges, and on a plain array that says the same byte by byte. */
static void ranges_say_the_same_as_bytes(void **state)
{
    HostOrigin origin = {0};
    int plain[SPAN], moved[SPAN];
    uint8_t data[SPAN];
    srand(7);
    for (int i = 0; i < SPAN; i++)
        plain[i] = -1;
    for (int round = 0; round < 3000; round++) {
        int bytes = 1 + rand() % 40, to = rand() % (SPAN - bytes), from = rand() % (SPAN - bytes), value = rand() % 3;
        int kind = rand() % 5;
        for (int i = 0; i < bytes; i++)
            data[i] = (uint8_t)(rand() % 256);
        memcpy(moved, plain, sizeof moved);
        for (int i = 0; i < bytes; i++)
            plain[to + i] = kind < 2    ? data[i]
                            : kind == 2 ? moved[from + i]
                            : kind == 3 ? (value == 0 ? -1 : value)
                                        : -1;
        if (kind < 2)
            assert_true(host_origin_write(&origin, BASE + (uint64_t)to, data, (uint64_t)bytes));
        else if (kind == 2)
            assert_true(host_origin_copy(&origin, BASE + (uint64_t)to, BASE + (uint64_t)from, (uint64_t)bytes));
        else if (kind == 3)
            assert_true(host_origin_fill(&origin, BASE + (uint64_t)to, (uint8_t)value, (uint64_t)bytes));
        else
            host_origin_forget(&origin, BASE + (uint64_t)to, (uint64_t)bytes);
        for (int i = 0; i < SPAN; i++)
            if (host_byte_at(&origin, BASE + (uint64_t)i) != plain[i])
                fail_test("round %d, kind %d: byte %d is %d, expected %d", round, kind, i,
                          host_byte_at(&origin, BASE + (uint64_t)i), plain[i]);
        for (size_t i = 1; i < origin.count; i++)
            assert_true(origin.ranges[i - 1].end <= origin.ranges[i].begin);
    }
    host_origin_free(&origin);
}

static void pieces_behind_each_other_are_one_range(void **state)
{
    HostOrigin origin = {0};
    for (uint64_t i = 0; i < 100000; i++)
        assert_true(host_origin_write(&origin, BASE + 4 * i, &(uint32_t){(uint32_t)i + 1}, 4));
    assert_int_equal(origin.count, 1);
    origin.kernels++;
    assert_true(host_origin_write(&origin, BASE + 400000, "x", 1));
    assert_int_equal(origin.count, 2);
    host_origin_free(&origin);
}

/* Programs fill memory with an element by copying what is filled already behind itself. */
static void copies_of_an_element_behind_each_other_are_one_range(void **state)
{
    HostOrigin origin = {0};
    const float one = 1.0f, now[3] = {1.0f, 1.0f, 1.0f};
    assert_true(host_origin_write(&origin, BASE, &one, 4));
    for (uint64_t done = 4; done < 4 << 20; done *= 2)
        assert_true(host_origin_copy(&origin, BASE + done, BASE, done));
    assert_int_equal(origin.count, 1);
    assert_int_equal(origin.ranges[0].end, BASE + (4 << 20));
    assert_int_equal(origin.held_bytes, 4);
    HostRange part = origin.ranges[0];
    part.begin += 40000;
    part.offset += 40000;
    part.end = part.begin + sizeof now;
    assert_int_equal(host_origin_compare(&origin, &part, BASE, 4, (const uint8_t *)now), ORIGIN_HOST);
    assert_int_equal(host_origin_compare(&origin, &part, BASE, 4, (const uint8_t[12]){0}), ORIGIN_UNKNOWN);
    host_origin_free(&origin);
}

/* Whole words are compared at once, parts of elements byte by byte: ranges that begin anywhere, bytes that come again. */
static void words_are_compared_as_bytes_are(void **state)
{
    enum { BYTES = 90 };
    uint8_t data[BYTES], now[BYTES];
    srand(11);
    for (int round = 0; round < 2000; round++) {
        const int bytes = 1 + rand() % BYTES, begin = rand() % 8,
                  written_bytes = round % 2 ? bytes : 1 + rand() % bytes;
        uint64_t not_zero = 0, same = 0;
        HostOrigin origin = {0};
        for (int i = 0; i < written_bytes; i++)
            data[i] = (uint8_t)(rand() % 2);
        assert_true(host_origin_write(&origin, BASE + (uint64_t)begin, data, (uint64_t)written_bytes));
        HostRange range = origin.ranges[0];
        range.end = range.begin + (uint64_t)bytes;
        for (int i = 0; i < bytes; i++)
            now[i] = rand() % 8 == 0 ? 7 : data[i % written_bytes];
        for (int i = 0, next; i < bytes; i = next) {
            bool is_zero = true, is_same = true;
            for (next = i; next < bytes && (next == i || (begin + next) % 4 != 0); next++) {
                is_zero = is_zero && data[next % written_bytes] == 0;
                is_same = is_same && data[next % written_bytes] == now[next];
            }
            not_zero += !is_zero;
            same += !is_zero && is_same;
        }
        assert_int_equal(host_origin_compare(&origin, &range, BASE, 4, now), same > 0 ? ORIGIN_HOST : ORIGIN_UNKNOWN);
        origin.kernels++;
        assert_int_equal(host_origin_compare(&origin, &range, BASE, 4, now),
                         2 * same > not_zero ? ORIGIN_LIKE_HOST : ORIGIN_UNKNOWN);
        host_origin_free(&origin);
    }
}

static void rows_that_are_written_again_take_their_own_place(void **state)
{
    HostOrigin origin = {0};
    for (uint64_t row = 0; row < 20000; row++)
        assert_true(host_origin_write(&origin, BASE + row % 10000 * 8, "rows", 4));
    assert_int_equal(origin.count, 10000);
    assert_int_equal(origin.held_bytes, 40000);
    host_origin_free(&origin);
}

static void there_are_not_too_many_ranges(void **state)
{
    HostOrigin origin = {0};
    uint64_t i = 0;
    while (i < 2 * HOST_ORIGIN_MOST && host_origin_write(&origin, BASE + 2 * i, "x", 1))
        i++;
    assert_in_range(i, HOST_ORIGIN_MOST - 2, HOST_ORIGIN_MOST);
    assert_false(host_origin_copy(&origin, 0, BASE, 10));
    host_origin_forget(&origin, BASE, 2 * i);
    assert_int_equal(origin.count, 0);
    assert_int_equal(origin.held_bytes, 0);
    host_origin_free(&origin);
}

static const struct {
    const char *what;
    float host[4], now[4];
    bool kernel_since;
    ContentOrigin origin;
} rows[] = {
    {"the host's own", {1, 2, 3, 4}, {1, 2, 3, 4}, false, ORIGIN_HOST},
    {"a kernel after it changed nothing", {1, 2, 3, 4}, {1, 2, 3, 4}, true, ORIGIN_LIKE_HOST},
    {"a kernel after it changed most", {1, 2, 3, 4}, {9, 9, 3, 9}, true, ORIGIN_UNKNOWN},
    {"zeros alone", {0, 0, 0, 0}, {0, 0, 0, 0}, false, ORIGIN_UNKNOWN},
    {"zeros and a kernel's sums", {0, 0, 0, 0}, {0, 5, 0, 6}, true, ORIGIN_UNKNOWN},
    {"one value among zeros", {0, 2, 0, 0}, {0, 2, 0, 0}, false, ORIGIN_HOST},
    {"bytes that agree in other numbers", {1, 1.5f, 1.25f, 3}, {1.75f, 1, 1, 2}, true, ORIGIN_UNKNOWN},
};

static void contents_are_compared_by_element(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        HostOrigin origin = {0};
        assert_true(host_origin_write(&origin, BASE, rows[i].host, sizeof rows[i].host));
        origin.kernels += rows[i].kernel_since;
        ContentOrigin got = host_origin_compare(&origin, &origin.ranges[0], BASE, 4, (const uint8_t *)rows[i].now);
        if (got != rows[i].origin)
            fail_test("%s: %d", rows[i].what, got);
        host_origin_free(&origin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_say_the_same_as_bytes),
        cmocka_unit_test(pieces_behind_each_other_are_one_range),
        cmocka_unit_test(copies_of_an_element_behind_each_other_are_one_range),
        cmocka_unit_test(words_are_compared_as_bytes_are),
        cmocka_unit_test(rows_that_are_written_again_take_their_own_place),
        cmocka_unit_test(there_are_not_too_many_ranges),
        cmocka_unit_test(contents_are_compared_by_element),
    };
    return cmocka_run_group_tests_name("host_origin", tests, NULL, NULL);
}
