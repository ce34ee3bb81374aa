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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_that_calls_nvcc_leads_to_the_toolkit),
        cmocka_unit_test(a_program_that_is_no_nvcc_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
