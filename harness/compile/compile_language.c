/* Four choices depend on the source.
 *
 * Standard. C++17 with gcc's extensions, as nvcc alone takes it; a line "// standard: c++20" asks for the newer one, where
 * the compiler knows it. It is not for all: C++20's headers include more (unistd.h, with a function pause()), words such
 * as `requires` are no names there, and clang 16, 19 and 22 need 5 to 6 GB for solutions/blur-rgb/accepted/two_passes.cu.
 *
 * Extended lambdas. A lambda with an annotation, [=] __device__ (int i) { ... }, needs --extended-lambda. With it, nvcc
 * includes further headers, which cost 0.4 s of processor time. So it is given where the text has such a lambda, or
 * what looks like one; it changes no other code.
 *
 * Library. CUDA's headers include <cmath>. From C++17 on, libstdc++'s <cmath> includes the special functions (std::beta,
 * std::hermite), and with them <limits>, iterators and algorithms: two fifths of the cost of compiling a file of 20
 * lines. All of it lies in namespace std. So if the word `std` does not occur in a source, <bits/specfun.h> is
 * skipped by defining its include guard, which is the same in gcc 7 to 15; with another guard nothing would change.
 * Headers that the source includes itself are not affected, and NVIDIA's headers do not rely on <cmath> for any of
 * this, since in C++14 it does not include it. A source that names std is compiled with everything, because much
 * working code gets its std::min only in this way.
 *
 * Architecture. Some instructions of compute capability 9.0 exist on no later GPU. ptxas takes them only for sm_90a. A
 * source that names one of them is compiled for that; other code is the same for both.
 *
 * Source   PTX ISA 9.0, PTX Module Directives: .target; CUDA Compiler Driver NVCC, GPU Feature List.  */
#include "harness/compile/compile_language.h"

#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { FIRST_NVCC_WITH_CPP20 = 12, FIRST_NVCC_WITH_FEATURES = 12, FEATURES_OF_HOPPER = 90 };

/* Does a line of the source say that it is written in C++20? */
static bool asks_for_cpp20(const char *source)
{
    static const char line[] = "// standard: c++20";
    for (const char *at = source; (at = strstr(at, line)) != NULL; at += sizeof line - 1) {
        char behind = at[sizeof line - 1];
        if ((at == source || at[-1] == '\n') && (behind == '\0' || isspace((unsigned char)behind)))
            return true;
    }
    return false;
}

static const char *behind_space(const char *at)
{
    while (isspace((unsigned char)*at) || *at == '\\')
        at++;
    return at;
}

/* Is there a "]" with a name behind it, as in [=] __device__ or [=] HOST_DEVICE? */
static bool may_annotate_lambda(const char *source)
{
    for (const char *at = source; (at = strchr(at, ']')) != NULL; at++) {
        const char *behind = behind_space(at + 1);
        if (isalpha((unsigned char)*behind) || *behind == '_')
            return true;
    }
    return false;
}

/* cuda::ptx calls tensormap.replace by a name with an underscore. */
static bool names_feature_of_hopper(const char *source)
{
    static const char *const names[] = {"wgmma", "setmaxnreg", "tensormap.replace", "tensormap_replace"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(source, names[i]) != NULL)
            return true;
    return false;
}

const char *compile_features(const char *source, const Toolkit *toolkit, int compute)
{
    bool has_them = compute == FEATURES_OF_HOPPER && toolkit->major >= FIRST_NVCC_WITH_FEATURES;
    return has_them && names_feature_of_hopper(source) ? "a" : "";
}

static bool is_cpp20(const char *source, const Toolkit *toolkit)
{
    bool knows_it = toolkit->kind != TOOLKIT_NVCC || toolkit->major >= FIRST_NVCC_WITH_CPP20;
    return knows_it && asks_for_cpp20(source);
}

static size_t add(const char **argv, size_t count, const char *const *strings)
{
    for (; *strings != NULL; strings++)
        argv[count++] = *strings;
    return count;
}

/* nvcc gives -std=c++20 to gcc as well, which then knows no extensions; the last -std counts. Without any, both take
 * C++17 with extensions. */
static const char *const nvcc_cpp20[] = {"-std=c++20", "-Xcompiler", "-std=gnu++20", NULL};

size_t compile_language_flags(const char *source, const Toolkit *toolkit, const char **argv, size_t count)
{
    if (toolkit->kind == TOOLKIT_CLANG)
        argv[count++] = is_cpp20(source, toolkit) ? "-std=c++20" : "-std=c++17";
    else if (is_cpp20(source, toolkit))
        count = add(argv, count, nvcc_cpp20);
    if (toolkit->kind == TOOLKIT_NVCC && may_annotate_lambda(source))
        argv[count++] = "--extended-lambda";
    if (text_find_word(source, "std") == NULL)
        argv[count++] = "-D_GLIBCXX_BITS_SPECFUN_H=1";
    return count;
}

const char *compile_language_of_host(const char *source, const Toolkit *toolkit)
{
    return is_cpp20(source, toolkit) ? "-std=gnu++20" : "-std=gnu++17";
}
