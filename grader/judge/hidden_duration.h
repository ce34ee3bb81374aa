/* hidden_duration.h - hides how long the hidden cases took.
 *
 * A submission can wait for as long as it likes, up to the limits, and could tell its author a number in that way. The
 * step of the hidden cases therefore ends only at certain times after its beginning: a quarter of a second, half a
 * second, one second, and so on, each twice the one before. What an author can learn from it is one of few numbers.  */
#ifndef GRADER_JUDGE_HIDDEN_DURATION_H
#define GRADER_JUDGE_HIDDEN_DURATION_H

/* The duration that is shown of a step that took so long. */
double hidden_duration(double seconds);

/* The longest of these durations that is at most `more_s` longer than the one that would be shown of `seconds`. */
double hidden_duration_extended(double seconds, double more_s);

/* Waits until a step that began at `start_s` (now_s()) has taken one of these durations, and returns it. */
double hidden_duration_wait(double start_s);

#endif
