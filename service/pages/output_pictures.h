/* output_pictures.h - a sample's wrong output beside the expected one, as pictures: where it is wrong, what was expected,
 * what came, and the difference.
 *
 * They are drawn from `output` of a case in result.json, which small outputs of two dimensions or of pictures have
 * (docs/formats.md).  */
#ifndef SERVICE_PAGES_OUTPUT_PICTURES_H
#define SERVICE_PAGES_OUTPUT_PICTURES_H

#include "base/text.h"

#include <cjson/cJSON.h>

/* Says what is missing where the case has no `output`, and nothing where the output has one dimension. */
void output_pictures(Text *page, const cJSON *item);

#endif
