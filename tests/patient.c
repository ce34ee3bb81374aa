/* patient.c - makes a convjudge of its own of what it is linked with: a grading waits long for its second opinion, since a
 * test's machine may be busy.  */
#include "grader/judge/opinion.h"

double opinion_most_s = 60;
