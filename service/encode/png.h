/* png.h - a small picture as the text of a data: URL, for <img src="...">.
 *
 * Source   Portable Network Graphics (PNG) Specification, second edition, W3C, 2003; RFC 1950 and 1951 (the data is stored, not
 *          compressed); RFC 2397 (data:), RFC 4648 (base64).  */
#ifndef SERVICE_ENCODE_PNG_H
#define SERVICE_ENCODE_PNG_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

/* `pixels` has 4 bytes for each of width * height pixels, at most 65,535 bytes in all with one more for each row: red,
 * green, blue, opacity. */
void png_data_url(Text *page, const uint8_t *pixels, size_t width, size_t height);

#endif
