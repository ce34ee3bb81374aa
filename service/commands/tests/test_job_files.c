#include "base/tests/unit.h"

#include "service/commands/worker_job.h"

#include <string.h>

static void a_source_keeps_its_name_unless_that_is_dangerous(void **state)
{
    const char *kept[] = {"mine.cu", "my kernel (2).cu", "Zo\xC3\xAB.cu", "result.json", "x", "a.c.cu", "$(x).cu"};
    const char *replaced[] = {"x.patch", "",  "../x.cu", "a/b.cu",     "/x.cu", "-x.cu",
                              "--help",  ".", "..",      ".hidden.cu", "x.c"};
    char longest[300];
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        assert_string_equal(job_file_name(kept[i]), kept[i]);
    for (size_t i = 0; i < COUNT_OF(replaced); i++)
        assert_string_equal(job_file_name(replaced[i]), "submission.cu");
    memset(longest, 'x', sizeof longest);
    longest[201] = '\0';
    assert_string_equal(job_file_name(longest), "submission.cu");
    assert_string_equal(job_file_name(longest + 1), longest + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_keeps_its_name_unless_that_is_dangerous),
    };
    return cmocka_run_group_tests_name("job_files", tests, NULL, NULL);
}
