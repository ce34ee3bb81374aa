/* scores_csv.h - scores as a table for spreadsheets.  */
#ifndef SERVICE_SCORES_SCORES_CSV_H
#define SERVICE_SCORES_SCORES_CSV_H

#include "service/scores/scores.h"

/* RFC 4180, with a row for each person, assignment and problem. A cell that a spreadsheet would take for a formula begins with an
 * apostrophe. */
void scores_csv(const Scores *scores, Arena *arena, Text *text);

#endif
