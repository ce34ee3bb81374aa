/* toolkit.c: where the CUDA toolkit is. */
#include "base/tests/unit.h"
#include "harness/toolkit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Toolkit found_at(const char *nvcc)
{
    Toolkit toolkit;
    Message why;
    setenv("CONVJUDGE_NVCC", nvcc, 1);
    if (toolkit_find(&toolkit, &why) != STATUS_OK)
        fail_test("%s", why.text);
    unsetenv("CONVJUDGE_NVCC");
    return toolkit;
}

/* Debian and many sites put a script of one line on PATH that calls the compiler elsewhere. */
static void a_script_that_calls_nvcc_leads_to_the_toolkit(void **state)
{
    char folder[] = "/tmp/convjudge-toolkit-XXXXXX", path[PATH_MAX];
    Toolkit direct, toolkit;
    Message why;
    if (toolkit_find(&direct, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/nvcc", folder);
    FILE *script = fopen(path, "w");
    fprintf(script, "#!/bin/sh\nexec %s \"$@\"\n", direct.nvcc);
    fclose(script);
    chmod(path, 0700);
    toolkit = found_at(path);
    unlink(path);
    rmdir(folder);
    assert_string_equal(toolkit.root, direct.root);
    assert_string_equal(toolkit.nvcc, direct.nvcc);
    assert_string_equal(toolkit.version, direct.version);
}

static void a_program_that_is_no_nvcc_is_named(void **state)
{
    Toolkit toolkit;
    Message why;
    setenv("CONVJUDGE_NVCC", "/bin/true", 1);
    assert_int_equal(toolkit_find(&toolkit, &why), STATUS_NOT_FOUND);
    unsetenv("CONVJUDGE_NVCC");
    assert_non_null(strstr(why.text, "/true: does not tell where its toolkit is"));
}

static int chosen_for(const Toolkit *toolkit, int compute)
{
    char option[80];
    Message why;
    int architecture;
    assert_int_equal(toolkit_gencode(toolkit, compute, &architecture, option, sizeof option, &why), STATUS_OK);
    return architecture;
}

static void a_device_gets_the_newest_code_that_it_can_run(void **state)
{
    const Toolkit toolkit = {.version = "13.0.88", .architectures = {75, 80, 90, 110, 103}, .architecture_count = 5};
    Message why;
    char option[80];
    int architecture;
    assert_int_equal(chosen_for(&toolkit, 90), 90);
    assert_int_equal(chosen_for(&toolkit, 89), 80);
    assert_int_equal(chosen_for(&toolkit, 130), 110); /* newer than the compiler: from PTX */
    assert_int_equal(toolkit_gencode(&toolkit, 70, &architecture, option, sizeof option, &why), STATUS_UNSUPPORTED);
    assert_non_null(strstr(why.text, "7.0 is older than nvcc 13.0.88"));
    assert_int_equal(toolkit_gencode(&toolkit, 90, &architecture, option, sizeof option, &why), STATUS_OK);
    assert_string_equal(option, "arch=compute_90,code=[sm_90,compute_90]");
}

static void the_toolkit_here_makes_code_for_the_h200(void **state)
{
    Toolkit toolkit;
    Message why;
    if (toolkit_find(&toolkit, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(chosen_for(&toolkit, 90), 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_that_calls_nvcc_leads_to_the_toolkit),
        cmocka_unit_test(a_program_that_is_no_nvcc_is_named),
        cmocka_unit_test(a_device_gets_the_newest_code_that_it_can_run),
        cmocka_unit_test(the_toolkit_here_makes_code_for_the_h200),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
