#include "grader/check/wrong_output.h"

#define WRONG_PLACE(constant, words) words,
static const char *const places[WRONG_PLACES] = {
#include "grader/check/wrong_output.def"
};
#undef WRONG_PLACE

#define WRONG_NATURE(constant, words) words,
static const char *const natures[WRONG_NATURES] = {
#include "grader/check/wrong_output.def"
};
#undef WRONG_NATURE

const char *wrong_place_words(WrongPlace place)
{
    return places[place];
}

const char *wrong_nature_words(WrongNature nature)
{
    return natures[nature];
}
