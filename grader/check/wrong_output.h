/* wrong_output.h - the kinds of wrong output (wrong_output.def).  */
#ifndef GRADER_CHECK_WRONG_OUTPUT_H
#define GRADER_CHECK_WRONG_OUTPUT_H

#define WRONG_PLACE(constant, words) WRONG_PLACE_##constant,
typedef enum WrongPlace {
#include "grader/check/wrong_output.def"
    WRONG_PLACES
} WrongPlace;
#undef WRONG_PLACE

#define WRONG_NATURE(constant, words) WRONG_NATURE_##constant,
typedef enum WrongNature {
#include "grader/check/wrong_output.def"
    WRONG_NATURES
} WrongNature;
#undef WRONG_NATURE

typedef struct WrongOutput { /* all 0: nothing is wrong */
    WrongPlace place;
    WrongNature nature;
} WrongOutput;

const char *wrong_place_words(WrongPlace place);
const char *wrong_nature_words(WrongNature nature);

#endif
