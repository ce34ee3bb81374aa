#include "harness/device/mistake.h"

#include "harness/compile/compile_job.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LET_KERNELS_WRITE                                                                                              \
    "let a kernel write to it directly, or copy a kernel's results to it on the device with cudaMemcpyDeviceToDevice"

#define MISTAKE(constant, words) words,
static const char *const all_words[MISTAKE_KINDS] = {
#include "harness/device/mistake.def"
};
#undef MISTAKE

Mistake mistake_at(MistakeKind kind, const char *file, int line)
{
    const char *slash = file == NULL ? NULL : strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    bool own = name != NULL && strcmp(name, COMPILE_SOURCE_NAME) == 0;
    return (Mistake){.kind = kind, .line = own && line > 0 ? line : 0};
}

const char *mistake_words(MistakeKind kind)
{
    bool known = kind >= 0 && kind < MISTAKE_KINDS;
    return all_words[known ? kind : MISTAKE_OTHER];
}
