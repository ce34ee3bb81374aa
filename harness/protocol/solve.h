/* solve.h - how a process calls solve() of a compiled object.
 *
 * The compiler adds a function SOLVE_SYMBOL to every object (harness/compile). It takes one word for each parameter of
 * solve(): an address, a sign-extended int, or the bits of a float.  */
#ifndef HARNESS_PROTOCOL_SOLVE_H
#define HARNESS_PROTOCOL_SOLVE_H

#define SOLVE_SYMBOL "convjudge_call"

enum { SOLVE_MAX_WORDS = 16 };

typedef void SolveCall(const unsigned long long *words);

#endif
