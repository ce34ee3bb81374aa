#include "harness/device/cuda_driver.h"

#include "base/tests/unit.h"

#include <stdbool.h>
#include <string.h>

static void an_entry_of_a_list_is_found(void **state)
{
    static const struct {
        const char *list;
        int gpus, ordinal;
        const char *entry; /* NULL: there is none */
    } cases[] = {
        {NULL, 4, 0, "0"},          {NULL, 4, 3, "3"},
        {NULL, 4, 4, NULL},         {NULL, 0, 0, NULL}, /* the host does not say how many it has */
        {"2,GPU-0a1b", 4, 0, "2"},  {"2,GPU-0a1b", 4, 1, "GPU-0a1b"},
        {"2,GPU-0a1b", 4, 2, NULL}, {"", 4, 0, NULL},
        {"0,,1", 4, 1, NULL},       {"MIG-of-a-name-that-has-more-room-than-there-is", 4, 0, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char entry[40] = "";
        const bool found = cuda_visible_entry(cases[i].list, cases[i].gpus, cases[i].ordinal, entry, sizeof entry);
        if (found != (cases[i].entry != NULL) || strcmp(entry, found ? cases[i].entry : "") != 0)
            fail_test("row %zu: %d, '%s'", i, found, entry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_of_a_list_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
