/* opcode_cases.h - reads the cases of opcode_rows.h: "a b c -> result; ...".  */
#ifndef SIMGPU_TESTS_OPCODE_CASES_H
#define SIMGPU_TESTS_OPCODE_CASES_H

#include "simgpu/tests/opcode_kernel.h"

#include <math.h>
#include <stdlib.h>

static int result_bits(const char *instructions)
{
    switch (result_kind(instructions)) {
    case 'p': return 1;
    case 'h': return 16;
    case 'r':
    case 'f': return 32;
    default: return 64;
    }
}

typedef enum ValueKind { VALUE_BITS, VALUE_ANYTHING, VALUE_NAN, VALUE_NEAR } ValueKind;

typedef struct Value {
    ValueKind kind;
    bool is_float, is_double;
    uint64_t bits;
    double number, tolerance;
} Value;

static uint64_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static Value value_of_float(const char *word)
{
    Value value = {.kind = strncmp(word, "nan", 3) == 0 ? VALUE_NAN : VALUE_BITS};
    size_t length = strcspn(word, "~");
    value.is_double = word[length - 1] == 'd';
    value.is_float = !value.is_double;
    value.number = value.is_double ? strtod(word, NULL) : (double)strtof(word, NULL);
    value.bits = value.is_double ? bits_of_double(value.number) : bits_of_float((float)value.number);
    if (value.kind == VALUE_NAN)
        value.bits = value.is_double ? 0x7ff8000000000000 : 0x7fc00000;
    if (word[length] == '~') {
        value.kind = VALUE_NEAR;
        value.tolerance = strtod(word + length + 1, NULL);
    }
    return value;
}

static Value value_of(const char *word)
{
    if (strcmp(word, "*") == 0)
        return (Value){.kind = VALUE_ANYTHING};
    bool hexadecimal = strstr(word, "0x") != NULL && strchr(word, 'p') == NULL;
    size_t length = strcspn(word, "~");
    if (!hexadecimal && (word[length - 1] == 'f' || word[length - 1] == 'd'))
        return value_of_float(word);
    bool negative = word[0] == '-';
    uint64_t magnitude = strtoull(word + negative, NULL, 0);
    return (Value){.bits = negative ? -magnitude : magnitude};
}

typedef struct Case {
    Slot operands;
    Value expected;
    char text[120]; /* as it stands in the table */
} Case;

static Case case_of(const char *text, size_t length)
{
    Case found = {0};
    uint64_t *operands[] = {&found.operands.a, &found.operands.b, &found.operands.c};
    int count = 0;
    bool result = false;
    memcpy(found.text, text, length);
    char *words = strndup(text, length), *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        if (strcmp(word, "->") == 0)
            result = true;
        else if (result)
            found.expected = value_of(word);
        else
            *operands[count++] = value_of(word).bits;
    free(words);
    return found;
}

/* Splits "...; ..." and returns how many cases there are. */
static int cases_of(const char *text, Case *cases)
{
    int count = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, ";");
        cases[count++] = case_of(text, length);
        text += length;
        text += strspn(text, "; ");
    }
    return count;
}

static bool agrees(const Value *expected, uint64_t got, int bits)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    float single;
    double number;
    memcpy(&single, &got, sizeof single);
    memcpy(&number, &got, sizeof number);
    if (expected->is_float)
        number = single;
    switch (expected->kind) {
    case VALUE_ANYTHING: return true;
    case VALUE_NAN: return isnan(number);
    case VALUE_NEAR: return fabs(number - expected->number) <= expected->tolerance;
    case VALUE_BITS: break;
    }
    return got == (expected->bits & mask);
}

#endif
