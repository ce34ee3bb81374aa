/* CUDA's headers include <cmath>. From C++17 on, libstdc++'s <cmath> includes the special functions (std::beta,
 * std::hermite), and with them <limits>, iterators and algorithms: two fifths of the cost of compiling a file of 20
 * lines. All of it lies in namespace std. So if the word `std` does not occur in a source, <bits/specfun.h> is
 * skipped by defining its include guard, which is the same in gcc 7 to 15; with another guard nothing would change.
 * Headers that the source includes itself are not affected, and NVIDIA's headers do not rely on <cmath> for any of
 * this, since in C++14 it does not include it. A source that names std is compiled with everything, because much
 * working code gets its std::min only in this way.  */
#include "harness/compile/compile_library.h"

#include "base/text.h"

#include <stddef.h>

const char *compile_library_flag(const char *source)
{
    return text_find_word(source, "std") == NULL ? "-D_GLIBCXX_BITS_SPECFUN_H=1" : NULL;
}
