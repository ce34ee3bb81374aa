#include "base/tests/unit.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void allocated_memory_is_returned(void **state)
{
    char *memory = malloc(1);
    assert_ptr_equal(allocated(memory), memory);
    free(memory);
}

static void zero_elements_give_memory_too(void **state)
{
    static const char zeros[4 * 8];
    void *none = zeroed(0, 8), *some = zeroed(4, 8);
    assert_non_null(none);
    assert_memory_equal(some, zeros, sizeof zeros);
    free(none);
    free(some);
}

static void without_memory_the_program_ends(void **state)
{
    static const char expected[] = "out of memory\n";
    char said[64] = "";
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        allocated(NULL);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], said, sizeof said - 1), strlen(expected));
    assert_string_equal(said, expected);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocated_memory_is_returned),
        cmocka_unit_test(zero_elements_give_memory_too),
        cmocka_unit_test(without_memory_the_program_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
