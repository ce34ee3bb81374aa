/* version.h - of the judge: recorded with every run, shown by --version.  */
#ifndef GRADER_RESULT_VERSION_H
#define GRADER_RESULT_VERSION_H

#define CONVJUDGE_VERSION "0.1.0"

#endif
