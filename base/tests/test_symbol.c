#include "base/tests/unit.h"

#include "base/elf.h"

/* Mangled by g++ 12 and nvcc 13.0. */
static void names_are_what_the_programmer_wrote(void **state)
{
    static const struct {
        const char *mangled, *name;
    } rows[] = {
        {"_Z4blurPKfPf", "blur"},
        {"_ZL4blurPKf", "blur"},
        {"_Z4blurILi3EEvPf", "blur<3>"},
        {"_Z4blurILin3ELj16EEvPf", "blur<-3, 16>"},
        {"_Z4blurIfLi3EEvPT_", "blur<...>"},
        {"_ZN3one3twoEPf", "one::two"},
        {"_ZN12_GLOBAL__N_14blurEPf", "blur"},
        {"_ZZ4blurPKfPfE4tile", "tile"},
        {"_ZZ4blurILi3EEvPfE4TILE", "TILE"},
        {"_ZZ4blurPKfPfE4tile_0", "tile"},
        {"_ZZN3one3twoEPfE5cache", "cache"},
        {"_ZZ4blurPf", "_ZZ4blurPf"},
        {"blur", "blur"},
        {"_Z", "_Z"},
        {"_Z99short", "_Z99short"},
        {"_Z0", "_Z0"},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char name[64];
        symbol_name(rows[i].mangled, name, sizeof name);
        assert_string_equal(name, rows[i].name);
    }
}

static void a_long_name_is_cut(void **state)
{
    char name[4];
    symbol_name("_Z8convolvePf", name, sizeof name);
    assert_string_equal(name, "con");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_what_the_programmer_wrote),
        cmocka_unit_test(a_long_name_is_cut),
    };
    return cmocka_run_group_tests_name("symbol", tests, NULL, NULL);
}
