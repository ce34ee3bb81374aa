#include "base/tests/unit.h"

#include "base/text.h"
#include "simgpu/cost/hardware_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char shipped[] = "simgpu/profiles";

static void h200_is_read(void **state)
{
    HardwareProfile profile;
    Message why = {0};
    if (hardware_profile_read(shipped, "h200", &profile, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_string_equal(profile.name, "h200");
    assert_string_equal(profile.title, "NVIDIA H200");
    assert_int_equal(profile.compute_major, 9);
    assert_int_equal(profile.multiprocessors, 132);
    assert_int_equal(profile.max_block[2], 64);
    assert_int_equal(profile.max_grid[0], 2147483647);
    assert_int_equal(profile.shared_bytes_per_block_optin, 227 * 1024);
    assert_true(profile.memory_bytes > 130ull << 30);
    assert_true(profile.clock_hz == 1.98e9);
}

static void only_what_was_measured_is_calibrated(void **state)
{
    static const struct {
        const char *name;
        int compute, multiprocessors;
        bool calibrated;
    } rows[] = {{"a100", 80, 108, false}, {"h200", 90, 132, true}, {"rtx3060", 86, 28, false}, {"t4", 75, 40, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        HardwareProfile profile;
        Message why = {0};
        if (hardware_profile_read(shipped, rows[i].name, &profile, &why) != STATUS_OK)
            fail_test("%s", why.text);
        assert_int_equal(10 * profile.compute_major + profile.compute_minor, rows[i].compute);
        assert_int_equal(profile.multiprocessors, rows[i].multiprocessors);
        assert_true(profile.calibrated == rows[i].calibrated);
    }
}

static void the_peak_is_that_of_the_lanes(void **state)
{
    HardwareProfile profile;
    Message why;
    assert_int_equal(hardware_profile_read(shipped, "h200", &profile, &why), STATUS_OK);
    double peak = profile.multiprocessors * profile.fp32_lanes * 2 * profile.clock_hz;
    assert_true(profile.fma_flops_per_s > 0.99 * peak && profile.fma_flops_per_s < 1.01 * peak);
}

static void the_names_are_listed(void **state)
{
    char names[100], cut[3];
    hardware_profile_names(shipped, names, sizeof names);
    assert_string_equal(names, "a100, h200, rtx3060, t4");
    hardware_profile_names(shipped, cut, sizeof cut);
    assert_string_equal(cut, "a1");
    hardware_profile_names("/no/such/folder", names, sizeof names);
    assert_string_equal(names, "(none)");
}

static void an_unknown_name_lists_the_known_ones(void **state)
{
    static const char *const names[] = {"h100",
                                        "",
                                        "H200",
                                        "../profiles/h200",
                                        "h200.json",
                                        "/etc/passwd",
                                        "a-name-that-has-thirty-two-bytes",
                                        "a-name-that-is-longer-than-the-thirty-one-bytes-of-a-name"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        HardwareProfile profile;
        Message why = {0};
        assert_int_equal(hardware_profile_read(shipped, names[i], &profile, &why), STATUS_NOT_FOUND);
        assert_non_null(strstr(why.text, "expected one of: a100, h200, rtx3060, t4"));
    }
}

/* A replacement in the text of the shipped file, and a part of the message that refuses it. */
static const struct {
    const char *old, *new, *message;
} slips[] = {
    {"\"schema\": 1", "\"schema\": 2", "broken.json:2: schema: expected a whole number from 1 to 1"},
    {"\"title\": \"NVIDIA H200\"", "\"title\": 7", "broken.json:3: title: expected a string"},
    {"\"multiprocessors\": 132", "\"multiprocessors\": 132,\n \"multiprocessors\": 132",
     "broken.json:9: multiprocessors: this key is repeated"},
    {"\"multiprocessors\": 132", "\"multiprocessors\": 132, \"colour\": 1", "broken.json:8: colour: unknown key"},
    {"  \"multiprocessors\": 132,\n", "", "the key \"multiprocessors\" is missing"},
    {"    \"epoch\": \"counted", "    \"epoc\": \"counted", "epoc: unknown key"},
    {"    \"epoch\": \"counted here\",\n", "", "the key \"epoch\" is missing"},
    {"\"multiprocessors\": 132", "\"multiprocessors\": 0", "multiprocessors: expected a whole number from 1 to 10000"},
    {"\"multiprocessors\": 132", "\"multiprocessors\": 131.5", "multiprocessors: expected a whole number"},
    {"\"clock_hz\": 1980000000.0", "\"clock_hz\": 1.98", "clock_hz: expected a number from 100000000 to"},
    {"\"clock_hz\": 1980000000.0", "\"clock_hz\": 1e999", "clock_hz: expected a number"},
    {"[1024, 1024, 64]", "[1024, 1024]", "max_block: expected 3 numbers"},
    {"[1024, 1024, 64]", "[1024, 1024, \"64\"]", "expected a whole number from 1 to 65536"},
    {"[1024, 1024, 64]", "64", "max_block: expected an array"},
    {"\"max_threads_per_multiprocessor\": 2048", "\"max_threads_per_multiprocessor\": 512",
     "max_threads_per_block: expected at most max_threads_per_multiprocessor"},
    {"\"shared_bytes_per_block_optin\": 232448", "\"shared_bytes_per_block_optin\": 1024",
     "shared_bytes_per_block: expected at most"},
    {"\"shared_bytes_per_block_optin\": 232448", "\"shared_bytes_per_block_optin\": 233472",
     "shared_bytes_per_block_optin: expected to fit into a multiprocessor together with the reserved bytes"},
    {"\"NVIDIA H200\"", "\"a title that needs more room than the sixty-three bytes which a profile has for it\"",
     "title: expected at most 63 bytes"},
};

static void write_replaced(const char *path, const Text *good, const char *old, const char *new)
{
    Text bad = {0};
    Message why;
    const char *at = strstr(good->data, old);
    if (at == NULL)
        fail_test("the shipped profile does not hold '%s'", old);
    text_append(&bad, good->data, (size_t)(at - good->data));
    text_add(&bad, new);
    text_add(&bad, at + strlen(old));
    assert_int_equal(text_write_file(path, &bad, &why), STATUS_OK);
    text_free(&bad);
}

static void slips_are_refused_with_line_and_key(void **state)
{
    char folder[] = "/tmp/test_profile.XXXXXX", path[100];
    Text good = {0};
    Message why = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/broken.json", folder);
    assert_int_equal(text_read_file("simgpu/profiles/h200.json", 1 << 20, &good, &why), STATUS_OK);
    for (size_t i = 0; i < COUNT_OF(slips); i++) {
        HardwareProfile profile;
        write_replaced(path, &good, slips[i].old, slips[i].new);
        Status status = hardware_profile_read(folder, "broken", &profile, &why);
        if (status != STATUS_BAD_INPUT || strstr(why.text, slips[i].message) == NULL)
            fail_test("row %zu: status %d, \"%s\" does not hold \"%s\"", i, status, why.text, slips[i].message);
    }
    text_free(&good);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(h200_is_read),
        cmocka_unit_test(only_what_was_measured_is_calibrated),
        cmocka_unit_test(the_peak_is_that_of_the_lanes),
        cmocka_unit_test(the_names_are_listed),
        cmocka_unit_test(an_unknown_name_lists_the_known_ones),
        cmocka_unit_test(slips_are_refused_with_line_and_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
