/* How much of the C++ library a submission is compiled with.
 *
 * CUDA's headers include <cmath>, and from C++17 on libstdc++'s <cmath> brings the special functions along (std::beta,
 * std::hermite), and with them <limits> and the iterators and algorithms that they are made of: two fifths of what it
 * costs to compile a file of 20 lines. All of it is named in namespace std. So where the word `std` does not stand in a
 * source, <bits/specfun.h> is passed over, by having its include guard defined, which is the same in gcc 7 to 15; were
 * it another, nothing would change. What a source includes itself it gets as ever, and NVIDIA's headers do not count
 * on <cmath> for it: in C++14 it brings none of this. A source that names std is compiled with all of it, since much
 * code that works has its std::min by no other way.  */
#include "harness/compile/compile_library.h"

#include "base/text.h"

#include <stddef.h>

const char *compile_library_flag(const char *source)
{
    return text_find_word(source, "std") == NULL ? "-D_GLIBCXX_BITS_SPECFUN_H=1" : NULL;
}
