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

typedef struct OutsideWords {
    const char *verb, *array, *kind;
} OutsideWords;

#define MISTAKE(constant, words)
#define OUTSIDE(constant, verb, array, kind) [MISTAKE_##constant] = {verb, array, kind},
static const OutsideWords outside_words[MISTAKE_KINDS] = {
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

void mistake_add(Text *out, const Mistake *mistake)
{
    static const char *const sides[MISTAKE_SIDES] = {"outside", "before the start", "past the end"};
    bool known = mistake->kind >= 0 && mistake->kind < MISTAKE_KINDS && mistake->side < MISTAKE_SIDES;
    const OutsideWords *words = known ? &outside_words[mistake->kind] : NULL;
    if (words == NULL || words->verb == NULL) {
        text_add(out, mistake_words(mistake->kind));
        return;
    }
    text_printf(out, "a kernel %s %s of ", words->verb, sides[mistake->side]);
    if (mistake->array[0] != '\0')
        text_printf(out, "%s '%s'", words->kind, mistake->array);
    else
        text_add(out, words->array);
}
