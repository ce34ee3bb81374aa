/* points_answer.h - GET /api/v1/submissions/N/points: what one submission gives points for, part by part, if it counts.
 *
 * Nothing is taken off for being late, and no other submission is looked at: the whole is told by `convjudge scores`.  */
#ifndef SERVICE_API_POINTS_ANSWER_H
#define SERVICE_API_POINTS_ANSWER_H

#include "service/api/service.h"

void points_answer(Visit *visit);

#endif
