/* limiter.h - what the cost model calls the unit that limits a kernel, in words.  */
#ifndef GRADER_REPORT_LIMITER_H
#define GRADER_REPORT_LIMITER_H

/* Names of simgpu/cost/cost.h: "lsu" is "load/store units". An unknown one stays as it is. */
const char *limiter_words(const char *limiter);

#endif
