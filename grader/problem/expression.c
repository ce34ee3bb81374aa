#include "grader/problem/expression.h"

#include <ctype.h>
#include <string.h>

/* Parentheses and minus signs recurse; this keeps a hostile expression from using up the stack. */
enum { MAX_DEPTH = 50 };

typedef struct Parser {
    const char *expression, *at;
    const char *const *names;
    const int64_t *values;
    size_t count;
    int depth;
    Message *why;
} Parser;

static Status complain(const Parser *parser, const char *text)
{
    return fail(STATUS_BAD_INPUT, parser->why, "\"%s\": at character %td: %s", parser->expression,
                parser->at - parser->expression + 1, text);
}

/* Moves beyond white space and `token`, if that is next. */
static int accept(Parser *parser, const char *token)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
    if (strncmp(parser->at, token, strlen(token)) != 0)
        return 0;
    parser->at += strlen(token);
    return 1;
}

static Status parse_comparison(Parser *parser, int64_t *result);

static Status parse_number(Parser *parser, int64_t *result)
{
    *result = 0;
    for (; isdigit((unsigned char)*parser->at); parser->at++)
        if (__builtin_mul_overflow(*result, 10, result) || __builtin_add_overflow(*result, *parser->at - '0', result))
            return complain(parser, "a number beyond 64 bits");
    return STATUS_OK;
}

static Status parse_name(Parser *parser, int64_t *result)
{
    size_t length = 0;
    while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')
        length++;
    for (size_t i = 0; i < parser->count; i++)
        if (parser->names[i] != NULL && strlen(parser->names[i]) == length &&
            memcmp(parser->names[i], parser->at, length) == 0) {
            parser->at += length;
            *result = parser->values[i];
            return STATUS_OK;
        }
    return complain(parser, "a name that is no size parameter");
}

/* unary = "-" unary | number | name | "(" comparison ")" */
static Status parse_unary(Parser *parser, int64_t *result)
{
    Status status;
    if (++parser->depth > MAX_DEPTH)
        return complain(parser, "too many parentheses");
    if (accept(parser, "-")) {
        status = parse_unary(parser, result);
        if (status == STATUS_OK && __builtin_sub_overflow((int64_t)0, *result, result))
            status = complain(parser, "the result is beyond 64 bits");
    } else if (accept(parser, "(")) {
        status = parse_comparison(parser, result);
        if (status == STATUS_OK && !accept(parser, ")"))
            status = complain(parser, "expected \")\"");
    } else if (isdigit((unsigned char)*parser->at)) {
        status = parse_number(parser, result);
    } else if (isalpha((unsigned char)*parser->at) || *parser->at == '_') {
        status = parse_name(parser, result);
    } else {
        status = complain(parser, "expected a number, a name or \"(\"");
    }
    parser->depth--;
    return status;
}

static Status apply(const Parser *parser, char operator, int64_t right, int64_t *result)
{
    int overflow = 0;
    if ((operator== '/' || operator== '%') && right == 0)
        return complain(parser, "division by zero");
    switch (operator) {
    case '+': overflow = __builtin_add_overflow(*result, right, result); break;
    case '-': overflow = __builtin_sub_overflow(*result, right, result); break;
    case '*': overflow = __builtin_mul_overflow(*result, right, result); break;
    case '/': /* by -1 as a subtraction: the least number has no opposite */
        overflow = right == -1 && __builtin_sub_overflow((int64_t)0, *result, result);
        *result = right == -1 ? *result : *result / right;
        break;
    case '%': *result = right == -1 ? 0 : *result % right; break;
    }
    return overflow ? complain(parser, "the result is beyond 64 bits") : STATUS_OK;
}

/* product = unary { ("*" | "/" | "%") unary } */
static Status parse_product(Parser *parser, int64_t *result)
{
    Status status = parse_unary(parser, result);
    while (status == STATUS_OK) {
        char operator= accept(parser, "*") ? '*' : accept(parser, "/") ? '/' : accept(parser, "%") ? '%' : 0;
        int64_t right;
        if (operator== 0)
            break;
        status = parse_unary(parser, &right);
        if (status == STATUS_OK)
            status = apply(parser, operator, right, result);
    }
    return status;
}

/* sum = product { ("+" | "-") product } */
static Status parse_sum(Parser *parser, int64_t *result)
{
    Status status = parse_product(parser, result);
    while (status == STATUS_OK) {
        char operator= accept(parser, "+") ? '+' : accept(parser, "-") ? '-' : 0;
        int64_t right;
        if (operator== 0)
            break;
        status = parse_product(parser, &right);
        if (status == STATUS_OK)
            status = apply(parser, operator, right, result);
    }
    return status;
}

/* comparison = sum [ ("<=" | "<" | ">=" | ">" | "==" | "!=") sum ] */
static Status parse_comparison(Parser *parser, int64_t *result)
{
    static const char *const comparisons[] = {"<=", "<", ">=", ">", "==", "!="}; /* the longer one first */
    Status status = parse_sum(parser, result);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < 6; i++) {
        int64_t left = *result, right;
        if (!accept(parser, comparisons[i]))
            continue;
        status = parse_sum(parser, &right);
        if (status != STATUS_OK)
            return status;
        const int outcomes[] = {left <= right, left<right, left >= right, left> right, left == right, left != right};
        *result = outcomes[i];
        break;
    }
    return STATUS_OK;
}

Status expression_evaluate(const char *expression, const char *const *names, const int64_t *values, size_t count,
                           int64_t *result, Message *why)
{
    Parser parser = {expression, expression, names, values, count, 0, why};
    Status status = parse_comparison(&parser, result);
    if (status == STATUS_OK && (accept(&parser, ""), *parser.at != '\0'))
        status = complain(&parser, "expected an operator or the end");
    return status;
}
