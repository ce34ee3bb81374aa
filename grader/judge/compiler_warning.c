#include "grader/judge/compiler_warning.h"

#include "base/text.h"
#include "grader/result/wording.h"

#include <stdlib.h>
#include <string.h>

/* A line such as `x.cu(12): warning #549-D: variable "sum" is used before its value is set`. */
static void tell_of_line(Result *result, const Submission *submission, const char *line, size_t length)
{
    static const char what[] = " is used before its value is set", name_is[] = ": variable \"";
    size_t name_length = strlen(submission->file_name);
    const char *end = memmem(line, length, what, strlen(what)), *name = memmem(line, length, name_is, strlen(name_is));
    if (end == NULL || name == NULL || name > end || length <= name_length || line[name_length] != '(' ||
        strncmp(line, submission->file_name, name_length) != 0)
        return;
    Text place = {0};
    name += strlen(name_is) - 1;
    wording_add_place(&place, submission, strtol(line + name_length + 1, NULL, 10));
    if (place.length > 0)
        result_warn(result, "the compiler warns that variable %.*s%s%s", (int)(end - name), name, what, place.data);
    text_free(&place);
}

void compiler_warning_tell(Result *result, const Submission *submission)
{
    const char *line = result->compiled.diagnostics.data;
    while (line != NULL && *line != '\0') {
        size_t length = strcspn(line, "\n");
        tell_of_line(result, submission, line, length);
        line += length + (line[length] == '\n');
    }
}
