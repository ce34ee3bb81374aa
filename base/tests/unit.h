/* unit.h - what every unit test includes first: cmocka, and the headers that cmocka wants before it.  */
#ifndef BASE_TESTS_UNIT_H
#define BASE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka's fail() and fail_msg() would hide the fail() of base/status.h. */
#undef fail
#undef fail_msg
#define fail_test(...)                                                                                                 \
    do {                                                                                                               \
        print_error(__VA_ARGS__);                                                                                      \
        print_error("\n");                                                                                             \
        _fail(__FILE__, __LINE__);                                                                                     \
    } while (0)

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
