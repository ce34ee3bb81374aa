/* loading.h - gets the submission into a runner: at the beginning, and again where a new runner is wanted.  */
#ifndef GRADER_JUDGE_LOADING_H
#define GRADER_JUDGE_LOADING_H

#include "grader/judge/judging.h"

/* Asks again for what is known of the device: more once it is open. */
MUST_USE Status loading_learn_device(Grading *judging, Message *why);
/* Times of a modelled device whose code clang compiled are those of another device. */
void loading_mark_times(Grading *judging);

/* Begins the budget of the grading and loads the submission, unless the judging has ended. A constructor that fails ends it. */
MUST_USE Status loading_begin(Grading *judging, Message *why);

/* Sees to it that nothing of an earlier call is left: neither memory of the host nor memory of the device. */
MUST_USE Status loading_renew_runner(Grading *judging, Message *why);

#endif
