/* class_answers.h - assignments with their deadlines, and the sources of others.  */
#ifndef SERVICE_API_CLASS_ANSWERS_H
#define SERVICE_API_CLASS_ANSWERS_H

#include "service/api/service.h"

void class_answer_assignments(Visit *visit);
void class_answer_sources(Visit *visit);
void class_answer_source(Visit *visit);

#endif
