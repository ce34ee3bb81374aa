#include "grader/problem/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    MAX_DEPTH = 50, /* of parentheses and minus signs, which recurse: the text must not use up the stack */
    MAX_VALUES = 4 * (MAX_DEPTH + 1) /* at most a condition, a comparison, a sum and a product wait at each depth */
};

/* ---- compiling --------------------------------------------------------------------------------------------------- */

typedef struct ExpressionParser {
    const char *text, *at;
    const char *const *names;
    size_t count;
    ExpressionStep *steps; /* room for one step for each character */
    size_t step_count;
    int depth;
    bool of_facts;
    Message *why;
} ExpressionParser;

static Status complain(const char *text, int position, const char *what, Message *why)
{
    return fail(STATUS_BAD_INPUT, why, "\"%s\": at character %d: %s", text, position + 1, what);
}

static int position_of(const ExpressionParser *parser)
{
    return (int)(parser->at - parser->text);
}

static Status complain_here(const ExpressionParser *parser, const char *what)
{
    return complain(parser->text, position_of(parser), what, parser->why);
}

static void add_step(ExpressionParser *parser, ExpressionOperation operation, int position, int64_t operand)
{
    parser->steps[parser->step_count++] = (ExpressionStep){operation, position, operand, 0};
}

static void skip_space(ExpressionParser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

/* Moves beyond white space and `token`, if that is next. */
static bool accept(ExpressionParser *parser, const char *token)
{
    skip_space(parser);
    if (strncmp(parser->at, token, strlen(token)) != 0)
        return false;
    parser->at += strlen(token);
    return true;
}

typedef struct Operator {
    const char *token;
    ExpressionOperation operation;
} Operator;

/* Moves beyond the operator that is next; NULL if none of the list is. */
static const Operator *accept_operator(ExpressionParser *parser, const Operator *operators, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (accept(parser, operators[i].token))
            return &operators[i];
    return NULL;
}

static Status parse_condition(ExpressionParser *parser);

static Status parse_number(ExpressionParser *parser)
{
    int64_t number = 0;
    int position = position_of(parser);
    for (; isdigit((unsigned char)*parser->at); parser->at++)
        if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *parser->at - '0', &number))
            return complain(parser->text, position, "a number beyond 64 bits", parser->why);
    add_step(parser, EXPRESSION_NUMBER, position, number);
    if (parser->of_facts && *parser->at == '.') {
        const size_t digits = strspn(parser->at + 1, "0123456789");
        if (digits == 0)
            return complain_here(parser, "expected digits after the point");
        double unit = 1;
        for (size_t i = 1; i <= digits; i++)
            parser->steps[parser->step_count - 1].fraction += (parser->at[i] - '0') * (unit /= 10);
        parser->at += 1 + digits;
    }
    return STATUS_OK;
}

static Status parse_name(ExpressionParser *parser)
{
    size_t length = 0;
    while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')
        length++;
    for (size_t i = 0; i < parser->count; i++)
        if (parser->names[i] != NULL && strlen(parser->names[i]) == length &&
            memcmp(parser->names[i], parser->at, length) == 0) {
            add_step(parser, EXPRESSION_VALUE, position_of(parser), (int64_t)i);
            parser->at += length;
            return STATUS_OK;
        }
    return complain_here(parser, parser->of_facts ? "expected the name of a fact, as `convjudge facts` lists them"
                                                  : "expected the name of a size parameter");
}

static Status parse_negation(ExpressionParser *parser);

/* unary = "-" unary | number | name | "(" condition ")" */
static Status parse_unary(ExpressionParser *parser)
{
    Status status;
    if (++parser->depth > MAX_DEPTH)
        return complain_here(parser, "too many parentheses");
    if (accept(parser, "-")) {
        status = parse_negation(parser);
    } else if (accept(parser, "(")) {
        status = parse_condition(parser);
        if (status == STATUS_OK && !accept(parser, ")"))
            status = complain_here(parser, "expected \")\"");
    } else if (isdigit((unsigned char)*parser->at)) {
        status = parse_number(parser);
    } else if (isalpha((unsigned char)*parser->at) || *parser->at == '_') {
        status = parse_name(parser);
    } else {
        status = complain_here(parser, "expected a number, a name or \"(\"");
    }
    parser->depth--;
    return status;
}

static Status parse_negation(ExpressionParser *parser)
{
    int position = position_of(parser) - 1;
    TRY(parse_unary(parser));
    add_step(parser, EXPRESSION_NEGATE, position, 0);
    return STATUS_OK;
}

/* product = unary { ("*" | "/" | "%") unary } */
static Status parse_product(ExpressionParser *parser)
{
    static const Operator operators[] = {
        {"*", EXPRESSION_MULTIPLY}, {"/", EXPRESSION_DIVIDE}, {"%", EXPRESSION_REMAINDER}};
    Status status = parse_unary(parser);
    while (status == STATUS_OK) {
        const Operator *found = accept_operator(parser, operators, 3);
        int position = position_of(parser) - 1;
        if (found == NULL)
            break;
        status = parse_unary(parser);
        if (status == STATUS_OK)
            add_step(parser, found->operation, position, 0);
    }
    return status;
}

/* sum = product { ("+" | "-") product } */
static Status parse_sum(ExpressionParser *parser)
{
    static const Operator operators[] = {{"+", EXPRESSION_ADD}, {"-", EXPRESSION_SUBTRACT}};
    Status status = parse_product(parser);
    while (status == STATUS_OK) {
        const Operator *found = accept_operator(parser, operators, 2);
        int position = position_of(parser) - 1;
        if (found == NULL)
            break;
        status = parse_product(parser);
        if (status == STATUS_OK)
            add_step(parser, found->operation, position, 0);
    }
    return status;
}

/* comparison = sum [ ("<=" | "<" | ">=" | ">" | "==" | "!=") sum ] */
static Status parse_comparison(ExpressionParser *parser)
{
    static const Operator operators[] = {/* an operator that another one begins with comes after it */
                                         {"<=", EXPRESSION_AT_MOST},  {"<", EXPRESSION_LESS},
                                         {">=", EXPRESSION_AT_LEAST}, {">", EXPRESSION_GREATER},
                                         {"==", EXPRESSION_EQUAL},    {"!=", EXPRESSION_DIFFERENT}};
    TRY(parse_sum(parser));
    const Operator *found = accept_operator(parser, operators, 6);
    if (found == NULL)
        return STATUS_OK;
    int position = position_of(parser) - (int)strlen(found->token);
    TRY(parse_sum(parser));
    add_step(parser, found->operation, position, 0);
    return STATUS_OK;
}

/* condition = comparison { ("and" | "or") comparison } */
static Status parse_condition(ExpressionParser *parser)
{
    static const Operator operators[] = {{"and", EXPRESSION_AND}, {"or", EXPRESSION_OR}};
    Status status = parse_comparison(parser);
    while (status == STATUS_OK) {
        const Operator *found = accept_operator(parser, operators, 2);
        if (found == NULL)
            break;
        int position = position_of(parser) - (int)strlen(found->token);
        status = parse_comparison(parser);
        if (status == STATUS_OK)
            add_step(parser, found->operation, position, 0);
    }
    return status;
}

static Status compile(bool of_facts, const char *text, const char *const *names, size_t count, Arena *arena,
                      Expression *expression, Message *why)
{
    ExpressionParser parser = {
        .text = text, .at = text, .names = names, .count = count, .of_facts = of_facts, .why = why};
    parser.steps = arena_array(arena, strlen(text) + 1, sizeof *parser.steps);
    TRY(parse_condition(&parser));
    skip_space(&parser);
    if (*parser.at != '\0')
        return complain_here(&parser, "expected an operator or the end");
    *expression = (Expression){
        .text = arena_string(arena, text), .steps = parser.steps, .step_count = parser.step_count};
    return STATUS_OK;
}

Status expression_compile(const char *text, const char *const *names, size_t count, Arena *arena,
                          Expression *expression, Message *why)
{
    return compile(false, text, names, count, arena, expression, why);
}

Status expression_compile_facts(const char *text, const char *const *names, size_t count, Arena *arena,
                                Expression *expression, Message *why)
{
    return compile(true, text, names, count, arena, expression, why);
}

/* ---- evaluating -------------------------------------------------------------------------------------------------- */

/* NULL, or what went wrong. */
static const char *apply(ExpressionOperation operation, int64_t left, int64_t right, int64_t *result)
{
    bool overflow = false;
    if ((operation == EXPRESSION_DIVIDE || operation == EXPRESSION_REMAINDER) && right == 0)
        return "division by zero";
    switch (operation) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_VALUE: break;
    case EXPRESSION_NEGATE: overflow = __builtin_sub_overflow((int64_t)0, right, result); break;
    case EXPRESSION_ADD: overflow = __builtin_add_overflow(left, right, result); break;
    case EXPRESSION_SUBTRACT: overflow = __builtin_sub_overflow(left, right, result); break;
    case EXPRESSION_MULTIPLY: overflow = __builtin_mul_overflow(left, right, result); break;
    case EXPRESSION_DIVIDE: /* by -1 as a subtraction: the least number has no opposite */
        if (right == -1)
            overflow = __builtin_sub_overflow((int64_t)0, left, result);
        else
            *result = left / right;
        break;
    case EXPRESSION_REMAINDER: *result = right == -1 ? 0 : left % right; break;
    case EXPRESSION_AT_MOST: *result = left <= right; break;
    case EXPRESSION_LESS: *result = left < right; break;
    case EXPRESSION_AT_LEAST: *result = left >= right; break;
    case EXPRESSION_GREATER: *result = left > right; break;
    case EXPRESSION_EQUAL: *result = left == right; break;
    case EXPRESSION_DIFFERENT: *result = left != right; break;
    case EXPRESSION_AND: *result = left && right; break;
    case EXPRESSION_OR: *result = left || right; break;
    }
    return overflow ? "the result is beyond 64 bits" : NULL;
}

Status expression_evaluate(const Expression *expression, const int64_t *values, int64_t *result, Message *why)
{
    int64_t stack[MAX_VALUES] = {0};
    size_t count = 0;
    for (size_t i = 0; i < expression->step_count; i++) {
        const ExpressionStep *step = &expression->steps[i];
        if (step->operation == EXPRESSION_NUMBER || step->operation == EXPRESSION_VALUE) {
            stack[count++] = step->operation == EXPRESSION_NUMBER ? step->operand : values[step->operand];
            continue;
        }
        int64_t right = stack[--count], left = step->operation == EXPRESSION_NEGATE ? 0 : stack[--count];
        const char *trouble = apply(step->operation, left, right, &stack[count++]);
        if (trouble != NULL)
            return complain(expression->text, step->position, trouble, why);
    }
    *result = stack[0];
    return STATUS_OK;
}

static double apply_to_facts(ExpressionOperation operation, double left, double right)
{
    switch (operation) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_VALUE: break;
    case EXPRESSION_NEGATE: return -right;
    case EXPRESSION_ADD: return left + right;
    case EXPRESSION_SUBTRACT: return left - right;
    case EXPRESSION_MULTIPLY: return left * right;
    case EXPRESSION_DIVIDE: return left / right;
    case EXPRESSION_REMAINDER: return fmod(left, right);
    case EXPRESSION_AT_MOST: return left <= right;
    case EXPRESSION_LESS: return left < right;
    case EXPRESSION_AT_LEAST: return left >= right;
    case EXPRESSION_GREATER: return left > right;
    case EXPRESSION_EQUAL: return left == right;
    case EXPRESSION_DIFFERENT: return left != right;
    case EXPRESSION_AND: return left != 0 && right != 0;
    case EXPRESSION_OR: return left != 0 || right != 0;
    }
    return NAN;
}

double expression_evaluate_facts(const Expression *expression, const double *values)
{
    double stack[MAX_VALUES] = {0};
    size_t count = 0;
    for (size_t i = 0; i < expression->step_count; i++) {
        const ExpressionStep *step = &expression->steps[i];
        if (step->operation == EXPRESSION_NUMBER || step->operation == EXPRESSION_VALUE) {
            stack[count++] = step->operation == EXPRESSION_NUMBER ? (double)step->operand + step->fraction
                                                                  : values[step->operand];
            continue;
        }
        double right = stack[--count], left = step->operation == EXPRESSION_NEGATE ? 0 : stack[--count];
        stack[count++] = apply_to_facts(step->operation, left, right);
    }
    return stack[0];
}
