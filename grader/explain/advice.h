/* advice.h - one piece of advice: what to change in a submission, in plain words.  */
#ifndef GRADER_EXPLAIN_ADVICE_H
#define GRADER_EXPLAIN_ADVICE_H

#include <stdint.h>

typedef struct Advice {
    const char *id;  /* "uncoalesced", "bank_conflicts", ...: docs/explain.md lists them */
    uint32_t kernel; /* index in the explanation; the first one where the advice is about the call as a whole */
    int line;        /* of the submission's own file; 0: not known */
    double gain;     /* share of the call's modelled time that it saves, 0 to 1 */
    char text[500];  /* one sentence, without the line */
} Advice;

/* Sets the line and the sentence. */
__attribute__((format(printf, 3, 4))) void advice_say(Advice *advice, int line, const char *format, ...);

#endif
