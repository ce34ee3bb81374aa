/* board_answer.h - a problem's board, as JSON (docs/api.md) or as CSV (RFC 4180) for a table of marks.  */
#ifndef SERVICE_API_BOARD_ANSWER_H
#define SERVICE_API_BOARD_ANSWER_H

#include "service/api/service.h"

void board_answer(Visit *visit);
void board_answer_csv(Visit *visit);

#endif
