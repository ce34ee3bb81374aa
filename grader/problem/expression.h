/* expression.h - arithmetic over named values: of size parameters, as problem.json writes it,
 * "4 * (input_size - kernel_size + 1)", or of measured facts, as a ladder writes it, "spilled_bytes > 0 or warps < 0.5".
 *
 *   condition  = comparison { ("and" | "or") comparison }                   1 or 0; from left to right
 *   comparison = sum [ ("<=" | "<" | ">=" | ">" | "==" | "!=") sum ]        1 or 0
 *   sum        = product { ("+" | "-") product }
 *   product    = unary { ("*" | "/" | "%") unary }                          "/" rounds towards zero
 *   unary      = "-" unary | number | name | "(" condition ")"
 *
 * An expression is compiled once, to postfix code, and evaluated for many sizes.
 *
 * Values of sizes are 64-bit integers; an overflow or a division by zero is an error, never a wrapped number. Those of
 * facts are double, and numbers may have a fraction, "0.5"; one that is not known is NaN, for which no comparison but "!="
 * holds.
 * Messages name the expression and the position in it.  */
#ifndef GRADER_PROBLEM_EXPRESSION_H
#define GRADER_PROBLEM_EXPRESSION_H

#include "base/arena.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum ExpressionOperation {
    EXPRESSION_NUMBER, /* pushes `operand` */
    EXPRESSION_VALUE,  /* pushes the value with the index `operand` */
    EXPRESSION_NEGATE,
    EXPRESSION_ADD, /* these and all that follow replace the two topmost values by their result */
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_REMAINDER,
    EXPRESSION_AT_MOST,
    EXPRESSION_LESS,
    EXPRESSION_AT_LEAST,
    EXPRESSION_GREATER,
    EXPRESSION_EQUAL,
    EXPRESSION_DIFFERENT,
    EXPRESSION_AND,
    EXPRESSION_OR
} ExpressionOperation;

typedef struct ExpressionStep {
    ExpressionOperation operation;
    int position; /* in the text, from 0 */
    int64_t operand;
    double fraction; /* of a number, beyond `operand` */
} ExpressionStep;

typedef struct Expression { /* text and steps live in the arena that it was compiled into */
    const char *text;
    const ExpressionStep *steps;
    size_t step_count;
} Expression;

/* `names[i]` is the name of value number i; NULL: the value has no name. `names` may be NULL if `count` is 0. */
MUST_USE Status expression_compile(const char *text, const char *const *names, size_t count, Arena *arena,
                                   Expression *expression, Message *why);

/* The same of facts: numbers may have a fraction. */
MUST_USE Status expression_compile_facts(const char *text, const char *const *names, size_t count, Arena *arena,
                                         Expression *expression, Message *why);

MUST_USE Status expression_evaluate(const Expression *expression, const int64_t *values, int64_t *result, Message *why);
double expression_evaluate_facts(const Expression *expression, const double *values);

#endif
