#include "base/tests/unit.h"

#include "harness/compile/compiled.h"

#include <string.h>

static const struct {
    const char *mangled, *name; /* NULL: it is the submission's own */
} names[] = {
    {"_ZN3cub17CUB_300001_SM_9006detail6reduce18DeviceReduceKernelINS2_10policy_hubIfEEEEvT_",
     "cub::detail::reduce::DeviceReduceKernel"},
    {"_ZN6thrust23THRUST_300001_SM_900_NS8cuda_cub4core13_kernel_agentIfEEvT_",
     "thrust::cuda_cub::core::_kernel_agent"},
    {"_ZN4mine3cub6detail4scan16DeviceScanKernelIfEEvT_", "cub::detail::scan::DeviceScanKernel"}, /* wrapped */
    {"_Z8convolveIN3cub9BlockScanIiLi128EEEEvPKfPf", NULL},
    {"_ZN4mine8convolveIN3cub9BlockLoadIfLi128EEEEvPKf", NULL},
    {"_Z8convolvePKfS0_Pfii", NULL},
    {"_ZN3cu_8convolveEPf", NULL},
    {"convolve", NULL},
    {"_ZN99999999999cub", NULL},
    {"_ZN", NULL},
    {"", NULL},
};

static void kernels_of_libraries_are_told_by_their_namespace(void **state)
{
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char name[200];
        bool found = library_kernel_name(names[i].mangled, strlen(names[i].mangled), name, sizeof name);
        if (found != (names[i].name != NULL) || (found && strcmp(name, names[i].name) != 0))
            fail_test("%s: %s", names[i].mangled, found ? name : "none");
    }
}

static void a_long_name_is_cut(void **state)
{
    char name[12];
    assert_true(library_kernel_name("_ZN3cub6detail6KernelEv", 23, name, sizeof name));
    assert_string_equal(name, "cub::detail");
}

static void they_are_found_in_modules(void **state)
{
    static const char own[] = ".version 9.0\n.visible .entry _Z8convolvePf(\n)\n{ ret; }\n"
                              ".entry _ZN3cub6detail11EmptyKernelIvEEvv()\n{ ret; }\n";
    static const char other[] = ".entry _ZN3cub6detail18DeviceReduceKernelEv()\n{ ret; }\n.entry ";
    CompileModule modules[] = {{own, sizeof own - 1}, {other, sizeof other - 1}};
    Compiled compiled = {.modules = modules, .module_count = 1};
    char name[100];
    assert_false(library_kernel_find(&compiled, name, sizeof name));
    compiled.module_count = 2;
    assert_true(library_kernel_find(&compiled, name, sizeof name));
    assert_string_equal(name, "cub::detail::DeviceReduceKernel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_libraries_are_told_by_their_namespace),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(they_are_found_in_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
