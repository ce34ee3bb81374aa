/* scores_json.h - scores for other programs.  */
#ifndef SERVICE_SCORES_SCORES_JSON_H
#define SERVICE_SCORES_SCORES_JSON_H

#include "service/scores/scores.h"

/* The object that docs/formats.md describes. */
void scores_json(const Scores *scores, Arena *arena, Text *text);

#endif
