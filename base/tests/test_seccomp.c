#include "base/tests/refusal.h"

#include "base/sandbox.h"

static Status make_filter_without_a_file(Message *why)
{
    int descriptor;
    refuse_call(SYS_memfd_create, EMFILE);
    return seccomp_filter(true, &descriptor, why);
}

static void a_filter_that_cannot_be_made_is_named(void **state)
{
    assert_string_equal(said_by_child(make_filter_without_a_file),
                        "the sandbox: its filter of system calls cannot be made: Too many open files");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filter_that_cannot_be_made_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
