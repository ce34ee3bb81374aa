#include "service/encode/png.h"

#include <string.h>

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void add_byte(Text *bytes, unsigned value)
{
    const char byte = (char)value;
    text_append(bytes, &byte, 1);
}

static void add_big_endian(Text *bytes, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        add_byte(bytes, value >> shift & 0xFF);
}

static uint32_t crc_of(const char *bytes, size_t length)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

static uint32_t adler_of(const char *bytes, size_t length)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < length; i++) {
        a = (a + (unsigned char)bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void add_chunk(Text *file, const char type[4], const Text *data)
{
    add_big_endian(file, (uint32_t)data->length);
    size_t start = file->length;
    text_append(file, type, 4);
    if (data->length > 0)
        text_append(file, data->data, data->length);
    add_big_endian(file, crc_of(file->data + start, file->length - start));
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Eight bits for each of four channels, no interlace. */
static void add_header(Text *file, size_t width, size_t height)
{
    Text data = {0};
    add_big_endian(&data, (uint32_t)width);
    add_big_endian(&data, (uint32_t)height);
    text_append(&data, "\x08\x06\0\0\0", 5);
    add_chunk(file, "IHDR", &data);
    text_free(&data);
}

/* Each row begins with its filter, 0: none. All rows are one stored block of zlib. */
static void add_pixels(Text *file, const uint8_t *pixels, size_t width, size_t height)
{
    Text rows = {0}, data = {0};
    for (size_t y = 0; y < height; y++) {
        add_byte(&rows, 0);
        text_append(&rows, (const char *)pixels + 4 * width * y, 4 * width);
    }
    unsigned length = (unsigned)rows.length & 0xFFFF;
    text_append(&data, "\x78\x01\x01", 3);
    add_byte(&data, length & 0xFF);
    add_byte(&data, length >> 8);
    add_byte(&data, ~length & 0xFF);
    add_byte(&data, ~length >> 8 & 0xFF);
    text_append(&data, rows.data, rows.length);
    add_big_endian(&data, adler_of(rows.data, rows.length));
    add_chunk(file, "IDAT", &data);
    text_free(&data);
    text_free(&rows);
}

static void add_base64(Text *page, const Text *file)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < file->length; i += 3) {
        size_t left = file->length - i;
        const unsigned char *at = (const unsigned char *)file->data + i;
        uint32_t three = (uint32_t)at[0] << 16 | (left > 1 ? (uint32_t)at[1] << 8 : 0) | (left > 2 ? at[2] : 0);
        const char four[4] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                              left > 2 ? digits[three & 63] : '='};
        text_append(page, four, 4);
    }
}

void png_data_url(Text *page, const uint8_t *pixels, size_t width, size_t height)
{
    Text file = {0};
    const Text nothing = {0};
    text_append(&file, "\x89PNG\r\n\x1A\n", 8);
    add_header(&file, width, height);
    add_pixels(&file, pixels, width, height);
    add_chunk(&file, "IEND", &nothing);
    text_add(page, "data:image/png;base64,");
    add_base64(page, &file);
    text_free(&file);
}
