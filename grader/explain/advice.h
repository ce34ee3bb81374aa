/* advice.h - one piece of advice: what to change in a submission, in plain words and as a sketch of the new code.  */
#ifndef GRADER_EXPLAIN_ADVICE_H
#define GRADER_EXPLAIN_ADVICE_H

#include <stdint.h>

typedef struct Advice {
    const char *id;   /* "uncoalesced", "bank_conflicts", ...: docs/explain.md lists them */
    uint32_t kernel;  /* index in the explanation; the first one where the advice is about the call as a whole */
    int line;         /* of the submission's own file; 0: not known */
    double after_s;   /* modelled time of the call after this change alone */
    double gain;      /* share of the call's modelled time that it saves, 0 to 1 */
    char name[64];    /* of the array or variable that it is about, as the source writes it; "": none */
    char text[500];   /* one sentence, without the line */
    char sketch[800]; /* two to six lines of new code, in the names of this kernel; "": none */
} Advice;

/* Sets the line and the sentence. */
__attribute__((format(printf, 3, 4))) void advice_say(Advice *advice, int line, const char *format, ...);
/* Sets the name. One that does not fit is cut. */
void advice_name(Advice *advice, const char *name);
/* Adds a line to the sketch. A line that does not fit is left out. */
__attribute__((format(printf, 2, 3))) void advice_sketch(Advice *advice, const char *format, ...);

#endif
