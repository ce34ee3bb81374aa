/* expression.h - arithmetic over size parameters, as problem.json writes it: "4 * (input_size - kernel_size + 1)".
 *
 *   comparison = sum [ ("<=" | "<" | ">=" | ">" | "==" | "!=") sum ]        1 or 0
 *   sum        = product { ("+" | "-") product }
 *   product    = unary { ("*" | "/" | "%") unary }                          "/" rounds towards zero
 *   unary      = "-" unary | number | name | "(" comparison ")"
 *
 * Values are 64-bit integers; an overflow or a division by zero is an error, never a wrapped number.  */
#ifndef GRADER_PROBLEM_EXPRESSION_H
#define GRADER_PROBLEM_EXPRESSION_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* `names` may be NULL when count is 0. Messages name the expression and the position in it. */
MUST_USE Status expression_evaluate(const char *expression, const char *const *names, const int64_t *values,
                                    size_t count, int64_t *result, Message *why);

#endif
