/* version.h - the version of the judge, which every run records and --version shows.  */
#ifndef GRADER_RESULT_VERSION_H
#define GRADER_RESULT_VERSION_H

#define CONVJUDGE_VERSION "0.1.0"

#endif
