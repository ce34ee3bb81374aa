#include "base/html.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- characters -------------------------------------------------------------------------------------------------- */

typedef struct CodepointRange {
    uint32_t first, last;
} CodepointRange;

/* Characters that change how others are shown, or that are not shown at all. The two joiners (U+200C, U+200D) are not among
 * them, since names in Persian and Hindi need them. Source: Unicode 15, the properties Bidi_Control and Default_Ignorable_Code_Point.
 */
static const CodepointRange hidden[] = {
    {0x0080, 0x009F}, {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x061C, 0x061C},   {0x115F, 0x1160},
    {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x200B, 0x200B},   {0x200E, 0x200F},   {0x2028, 0x202E},
    {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

static bool is_hidden(uint32_t character)
{
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (character >= hidden[i].first && character <= hidden[i].last)
            return true;
    return false;
}

/* The length of the UTF-8 character at `bytes`; 0: these bytes are not one. */
static size_t decode(const unsigned char *bytes, size_t length, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t count = bytes[0] < 0x80   ? 1
                   : bytes[0] < 0xC0 ? 0
                   : bytes[0] < 0xE0 ? 2
                   : bytes[0] < 0xF0 ? 3
                   : bytes[0] < 0xF8 ? 4
                                     : 0;
    if (count == 0 || count > length)
        return 0;
    *character = count == 1 ? bytes[0] : bytes[0] & (0xFFu >> (count + 1));
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3F);
    }
    bool is_surrogate = *character >= 0xD800 && *character <= 0xDFFF;
    return *character < least[count] || is_surrogate || *character > 0x10FFFF ? 0 : count;
}

/* What a page shows as it is, and needs no look at more than one byte. */
static bool is_plain(unsigned char c)
{
    switch (c) {
    case '\n':
    case '\t': return true;
    case '&':
    case '<':
    case '>':
    case '"':
    case '\'': return false;
    default: return c >= 0x20 && c < 0x7F;
    }
}

static void add_ascii(Text *page, unsigned char c)
{
    switch (c) {
    case '&': text_add(page, "&amp;"); break;
    case '<': text_add(page, "&lt;"); break;
    case '>': text_add(page, "&gt;"); break;
    case '"': text_add(page, "&quot;"); break;
    case '\'': text_add(page, "&#39;"); break;
    case 0x7F: text_add(page, "\xE2\x90\xA1"); break;
    default: text_append(page, (const char[]){'\xE2', '\x90', (char)(0x80 + c)}, 3); /* U+2400 to U+241F */
    }
}

void html_bytes(Text *page, const char *bytes, size_t length)
{
    for (size_t at = 0, count; at < length; at += count) {
        const unsigned char *here = (const unsigned char *)bytes + at;
        uint32_t character = 0;
        for (count = 0; at + count < length && is_plain(here[count]);)
            count++;
        if (count > 0) {
            text_append(page, (const char *)here, count);
            continue;
        }
        count = decode(here, length - at, &character);
        if (count == 0) {
            text_printf(page, "[0x%02X]", *here);
            count = 1;
        } else if (character == '\r' && at + 1 < length && here[1] == '\n') {
            continue;
        } else if (character < 0x80) {
            add_ascii(page, *here);
        } else if (is_hidden(character)) {
            text_printf(page, "[U+%04" PRIX32 "]", character);
        } else {
            text_append(page, (const char *)here, count);
        }
    }
}

void html_text(Text *page, const char *text)
{
    html_bytes(page, text, strlen(text));
}

void html_code(Text *page, const char *sentence)
{
    for (bool in_code = false;; in_code = !in_code) {
        size_t length = strcspn(sentence, "`");
        bool is_last = sentence[length] == '\0' || strchr(sentence + length + 1, in_code ? '\0' : '`') == NULL;
        html_bytes(page, sentence, length);
        sentence += length;
        if (*sentence == '\0')
            return;
        if (is_last) { /* a mark without its other one */
            html_text(page, sentence);
            return;
        }
        text_add(page, in_code ? "</code>" : "<code>");
        sentence++;
    }
}

/* ---- source ------------------------------------------------------------------------------------------------------ */

/* clang-format off */

static const char *const words[] = {
    "alignas", "auto", "bool", "break", "case", "catch", "char", "class", "const", "constexpr", "continue",
    "decltype", "default", "delete", "do", "double", "else", "enum", "explicit", "extern", "false", "float",
    "float2", "float4", "for", "goto", "half", "half2", "if", "inline", "int", "int2", "int4", "int8_t", "int16_t",
    "int32_t", "int64_t", "long", "namespace", "new", "nullptr", "operator", "private", "public", "register",
    "return", "short", "signed", "size_t", "sizeof", "static", "static_cast", "reinterpret_cast", "const_cast",
    "struct", "switch", "template", "this", "true", "try", "typedef", "typename", "uchar4", "uint8_t", "uint16_t",
    "uint32_t", "uint64_t", "union", "unsigned", "using", "virtual", "void", "volatile", "while", "dim3", "uint2",
    "uint3", "uint4", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "__global__", "__device__",
    "__host__", "__shared__", "__constant__", "__managed__", "__restrict__", "__launch_bounds__", "__forceinline__",
    "__noinline__", "__align__", "__syncthreads", "__syncwarp", "__ldg"};

/* clang-format on */

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_known_word(const char *text, size_t length)
{
    char word[32];
    const int count = snprintf(word, sizeof word, "%.*s", (int)length, text);
    return (size_t)count < sizeof word && text_is_among(word, words, sizeof words / sizeof *words);
}

/* A comment, from within, up to its end if that is here. */
static size_t comment_length(const char *at, size_t left, bool *in_comment)
{
    const char *end = memmem(at, left, "*/", 2);
    *in_comment = end == NULL;
    return end == NULL ? left : (size_t)(end - at) + 2;
}

static size_t quoted_length(const char *at, size_t left)
{
    size_t length = 1;
    while (length < left && at[length] != at[0] && at[length] != '\n')
        length += at[length] == '\\' && length + 1 < left ? 2 : 1;
    return length < left && at[length] == at[0] ? length + 1 : length;
}

static size_t line_length(const char *at, size_t left)
{
    const char *end = memchr(at, '\n', left);
    return end == NULL ? left : (size_t)(end - at);
}

/* The length of what begins here, and its class; 0: none. */
static size_t token_at(const char *at, size_t left, bool is_first, char *class, bool *in_comment)
{
    const bool is_slash = at[0] == '/' && left > 1;
    size_t length = 0;
    *class = 0;
    if (is_slash && (at[1] == '/' || at[1] == '*')) {
        *class = 'c';
        return at[1] == '/' ? line_length(at, left) : 2 + comment_length(at + 2, left - 2, in_comment);
    }
    if (at[0] == '"' || at[0] == '\'') {
        *class = 'n';
        return quoted_length(at, left);
    }
    if (at[0] == '#' && is_first) {
        *class = 'p';
        length = 1 + strspn(at + 1, " \t");
        while (length < left && is_of_word(at[length]))
            length++;
        return length;
    }
    const bool is_number = (at[0] >= '0' && at[0] <= '9') || (at[0] == '.' && left > 1 && at[1] >= '0' && at[1] <= '9');
    while (length < left &&
           (is_of_word(at[length]) || (is_number && strchr(".'", at[length]) != NULL && at[length] != 0)))
        length++;
    *class = is_number ? 'n' : is_known_word(at, length) ? 'k' : 0;
    return length == 0 ? 1 : length;
}

void html_source(Text *page, const char *source, size_t length, bool *in_comment)
{
    bool is_first = true; /* on its line */
    for (size_t at = 0, count, plain = 0; at < length || plain > 0; at += count) {
        char class = 0;
        count = 0;
        if (at < length && *in_comment) {
            class = 'c';
            count = comment_length(source + at, length - at, in_comment);
        } else if (at < length) {
            count = token_at(source + at, length - at, is_first, &class, in_comment);
        }
        is_first = at < length && (source[at] == '\n' || (is_first && strchr(" \t\r", source[at]) != NULL));
        if (class == 0 && at < length) {
            plain += count;
            continue;
        }
        if (page != NULL) {
            html_bytes(page, source + at - plain, plain);
            if (class != 0)
                text_printf(page, "<span class=\"%c\">", class);
            html_bytes(page, source + at, count);
            text_add(page, class != 0 ? "</span>" : "");
        }
        plain = 0;
    }
}

void html_name(Text *page, const char *name)
{
    while (*name != '\0') {
        size_t length = strcspn(name, "_-.");
        length += name[length] != '\0';
        html_bytes(page, name, length);
        name += length;
        if (*name != '\0')
            text_add(page, "<wbr>");
    }
}

void html_raw(Text *page, const char *markup)
{
    text_add(page, markup);
}

void html_url_part(Text *page, const char *part)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (; *part != '\0'; part++) {
        if (strchr(plain, *part) != NULL)
            text_append(page, part, 1);
        else
            text_printf(page, "%%%02X", (unsigned char)*part);
    }
}

void html_add(Text *page, const char *markup, ...)
{
    va_list arguments;
    va_start(arguments, markup);
    text_add_escaped(page, html_bytes, markup, arguments);
    va_end(arguments);
}
