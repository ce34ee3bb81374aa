/* class_problem_read.h - reads what a problem of an assignment gives points for, and holds it against the problem: its cases
 * and its reference solutions exist.  */
#ifndef SERVICE_CLASS_CLASS_PROBLEM_READ_H
#define SERVICE_CLASS_CLASS_PROBLEM_READ_H

#include "service/class/class_reading.h"

MUST_USE Status class_problem_read(const ClassReading *reading, const cJSON *item, ClassProblem *problem);

#endif
