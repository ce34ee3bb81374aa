#include "grader/ranking/person.h"

#include "base/text.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

/* Besides control characters, this refuses marks that reverse the direction of text, which would garble the table. */
static bool is_printable(const char *name)
{
    mbstate_t state = {0};
    size_t bytes;
    for (; *name != '\0'; name += bytes) {
        wchar_t wide;
        bytes = mbrtowc(&wide, name, strlen(name), &state);
        if (bytes == (size_t)-1 || bytes == (size_t)-2)
            return false;
        if (!iswprint((wint_t)wide) || (wide >= 0x200B && wide <= 0x200F) || (wide >= 0x2028 && wide <= 0x202E) ||
            (wide >= 0x2066 && wide <= 0x2069) || wide == 0xFEFF)
            return false;
    }
    return true;
}

Status person_check(const char *name, Message *why)
{
    size_t length = strlen(name);
    if (length == 0)
        return fail(STATUS_BAD_INPUT, why, "the name is empty, expected 1 to %d bytes of text", PERSON_MAX_BYTES);
    if (length > PERSON_MAX_BYTES)
        return fail(STATUS_BAD_INPUT, why, "the name has %zu bytes, expected at most %d", length, PERSON_MAX_BYTES);
    if (!text_is_utf8(name, length, NULL) || !is_printable(name))
        return fail(STATUS_BAD_INPUT, why,
                    "the name contains characters that cannot be printed, expected plain UTF-8 text");
    if (name[0] == ' ' || name[length - 1] == ' ')
        return fail(STATUS_BAD_INPUT, why, "the name begins or ends with a space");
    return STATUS_OK;
}

void person_login(char name[PERSON_MAX_BYTES + 1])
{
    const struct passwd *entry = getpwuid(getuid());
    if (entry != NULL && person_check(entry->pw_name, NULL) == STATUS_OK)
        strcpy(name, entry->pw_name);
    else
        snprintf(name, PERSON_MAX_BYTES + 1, "uid %u", getuid());
}

Status person_choose(const char *given, char name[PERSON_MAX_BYTES + 1], Message *why)
{
    if (given == NULL) {
        person_login(name);
        return STATUS_OK;
    }
    TRY(person_check(given, why));
    strcpy(name, given);
    return STATUS_OK;
}
