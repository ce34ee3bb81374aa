#include "base/tests/unit.h"

#include "base/tensor.h"
#include "base/text.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test_tensor.XXXXXX";
static char path[64];
static const Tensor wanted = {ELEMENT_FLOAT32, 2, {2, 3}, NULL};

/* `text`: a .npy header, `data`: what follows it. */
static void write_npy(int version, const char *text, const void *data, size_t bytes)
{
    Text file = {0};
    size_t length = strlen(text);
    const unsigned char start[12] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)version, 0, (unsigned char)length, (unsigned char)(length >> 8)};
    text_append(&file, (const char *)start, version == 1 ? 10 : 12);
    text_add(&file, text);
    text_append(&file, data, bytes);
    Message why;
    snprintf(path, sizeof path, "%s/a.npy", folder);
    assert_int_equal(text_write_file(path, &file, &why), STATUS_OK);
    text_free(&file);
}

static void write_file(const char *name, const char *bytes, size_t count)
{
    Text file = {0};
    Message why;
    text_append(&file, bytes, count);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(text_write_file(path, &file, &why), STATUS_OK);
    text_free(&file);
}

static void arrays_of_numpy_are_read(void **state)
{
    const float values[6] = {1, -2, 0.5f, 3, 4, 1e-20f};
    for (int version = 1; version <= 3; version++) {
        Tensor tensor;
        Message why;
        write_npy(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", values, sizeof values);
        assert_int_equal(tensor_read(path, &wanted, &tensor, &why), STATUS_OK);
        assert_int_equal(tensor.type, ELEMENT_FLOAT32);
        assert_int_equal(tensor.rank, 2);
        assert_int_equal(tensor.shape[0], 2);
        assert_int_equal(tensor.shape[1], 3);
        assert_int_equal(tensor_count(&tensor), 6);
        assert_memory_equal(tensor.data, values, sizeof values);
        tensor_free(&tensor);
    }
}

static void one_extent_is_written_with_a_comma(void **state)
{
    const int32_t values[2] = {-7, 1 << 30};
    Tensor tensor;
    Message why;
    write_npy(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }\n", values, sizeof values);
    assert_int_equal(tensor_read(path, &wanted, &tensor, &why), STATUS_OK);
    assert_int_equal(tensor.type, ELEMENT_INT32);
    assert_int_equal(tensor.rank, 1);
    assert_memory_equal(tensor.data, values, sizeof values);
    tensor_free(&tensor);
}

static void pictures_are_rows_of_bytes(void **state)
{
    Tensor tensor;
    Message why;
    write_file("a.pgm", "P5\n# made by hand\n3 2\n255\nabcdef", 32);
    assert_int_equal(tensor_read(path, &wanted, &tensor, &why), STATUS_OK);
    assert_int_equal(tensor.rank, 2);
    assert_int_equal(tensor.shape[0], 2);
    assert_int_equal(tensor.shape[1], 3);
    assert_memory_equal(tensor.data, "abcdef", 6);
    tensor_free(&tensor);

    write_file("a.ppm", "P6 2 1 255\nabcdef", 17);
    assert_int_equal(tensor_read(path, &wanted, &tensor, &why), STATUS_OK);
    assert_int_equal(tensor.rank, 3);
    assert_int_equal(tensor.shape[0], 1);
    assert_int_equal(tensor.shape[1], 2);
    assert_int_equal(tensor.shape[2], 3);
    tensor_free(&tensor);
}

/* Each text is read as numbers 1, 2, ... of this shape. */
static const struct {
    const char *name, *text;
    int rank;
    size_t shape[2];
} texts[] = {
    {"a.raw", "3\n1\n2\n3\n", 1, {3}},
    {"a.dat", "3 1 2 3", 1, {3}},
    {"a.raw", "2 2\r\n1 2 3\r\n4\r\n", 2, {2, 2}},
    {"a.dat", "6\n1.0 2e0, 3;4 5\t6", 2, {2, 3}}, /* as wanted: a count alone is no shape */
    {"a.csv", "1,2,3,4\n5,6,7,8\n", 2, {2, 4}},
    {"a.csv", "1,2\n3,4\n5,6\n", 2, {3, 2}}, /* six are wanted: 1 x 2 are no extents */
    {"a.csv", "\n1, 2, 3\n\n", 1, {3}},
    {"a.TXT", "1\n2\n3", 1, {3}},
};

static void text_is_read_by_its_count_its_extents_or_as_a_table(void **state)
{
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Tensor tensor;
        Message why = {0};
        write_file(texts[i].name, texts[i].text, strlen(texts[i].text));
        if (tensor_read(path, &wanted, &tensor, &why) != STATUS_OK)
            fail_test("%s", why.text);
        assert_int_equal(tensor.rank, texts[i].rank);
        for (int k = 0; k < tensor.rank; k++)
            assert_int_equal(tensor.shape[k], texts[i].shape[k]);
        for (size_t k = 0; k < tensor_count(&tensor); k++)
            assert_true(element_load(tensor.type, tensor.data, k) == (double)(k + 1));
        tensor_free(&tensor);
        unlink(path);
    }
}

/* Pictures of 2 rows and 3 columns, by libpng itself. */
static void pictures_of_libpng_have_the_channels_that_they_were_written_with(void **state)
{
    static const struct {
        png_uint_32 format;
        int rank;
        size_t channels;
    } rows[] = {{PNG_FORMAT_GRAY, 2, 1}, {PNG_FORMAT_RGB, 3, 3}, {PNG_FORMAT_RGBA, 3, 4}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t levels[24];
        Tensor tensor;
        Message why = {0};
        png_image image = {.version = PNG_IMAGE_VERSION, .width = 3, .height = 2, .format = rows[i].format};
        for (size_t k = 0; k < sizeof levels; k++)
            levels[k] = (uint8_t)(k % 4 == 3 ? 255 - k : 10 * k);
        write_file("a.png", "", 0);
        assert_true(png_image_write_to_file(&image, path, 0, levels, 0, NULL));
        if (tensor_read(path, &wanted, &tensor, &why) != STATUS_OK)
            fail_test("%s", why.text);
        assert_int_equal(tensor.type, ELEMENT_UINT8);
        assert_int_equal(tensor.rank, rows[i].rank);
        assert_int_equal(tensor.shape[0], 2);
        assert_int_equal(tensor.shape[1], 3);
        assert_int_equal(tensor_count(&tensor), 6 * rows[i].channels);
        assert_memory_equal(tensor.data, levels, 6 * rows[i].channels);
        tensor_free(&tensor);
    }
}

static void a_picture_of_16_bits_is_refused(void **state)
{
    const uint16_t levels[6] = {1, 2, 3, 4, 5, 6};
    Tensor tensor;
    Message why = {0};
    png_image image = {.version = PNG_IMAGE_VERSION, .width = 3, .height = 2, .format = PNG_FORMAT_LINEAR_Y};
    write_file("a.png", "", 0);
    assert_true(png_image_write_to_file(&image, path, 0, levels, 0, NULL));
    assert_int_equal(tensor_read(path, &wanted, &tensor, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "a.png: expected 8 bits for each channel, found 16"));
}

static void a_picture_of_more_than_a_gibibyte_is_refused_by_its_header(void **state)
{
    static const char picture[] = /* 40000 x 40000 levels, by its header */
        "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\234\100\000\000\234\100\010\000"
        "\000\000\000\164\147\121\331\000\000\000\010\111\104\101\124\170\234\003\000\000\000\000\001\110\006\211\322";
    Tensor tensor;
    Message why = {0};
    write_file("a.png", picture, sizeof picture - 1);
    assert_int_equal(tensor_read(path, &wanted, &tensor, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "a.png: the picture is too large"));
}

static void elements_alone_are_read_as_the_wanted_ones(void **state)
{
    const float values[6] = {1, -2, 0.5f, 3, 4, 1e-20f};
    static const char *const names[] = {"a.bin", "a.raw"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Tensor tensor;
        Message why = {0};
        write_file(names[i], (const char *)values, sizeof values);
        if (tensor_read(path, &wanted, &tensor, &why) != STATUS_OK)
            fail_test("%s", why.text);
        assert_int_equal(tensor.rank, 2);
        assert_memory_equal(tensor.data, values, sizeof values);
        tensor_free(&tensor);
    }
}

static void elements_are_loaded_as_they_were_stored(void **state)
{
    static const struct {
        ElementType type;
        double value;
    } rows[] = {{ELEMENT_FLOAT32, -2.5}, {ELEMENT_INT32, INT32_MIN}, {ELEMENT_UINT8, 0}, {ELEMENT_UINT8, 255}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t array[3] = {0};
        element_store(rows[i].type, array, 2, rows[i].value);
        assert_true(element_load(rows[i].type, array, 2) == rows[i].value);
        assert_true(element_load(rows[i].type, array, 1) == 0);
        double all[3] = {-1, -1, -1};
        element_load_all(rows[i].type, array, 1, 2, all);
        assert_true(all[0] == 0 && all[1] == rows[i].value && all[2] == -1);
    }
}

/* Each row is refused with this message. */
static const struct {
    const char *name, *text, *message;
} bad_pictures[] = {
    {"a.jpg", "x", "ends in .npy, .pgm, .ppm, .png, .csv, .dat, .txt, .bin or .raw"},
    {"a.pgm", "", "expected the file to begin with \"P5\""},
    {"a.pgm", "P6 1 1 255\nabc", "begin with \"P5\""},
    {"a.pgm", "P5 2", "expected the height"},
    {"a.pgm", "P5 0 1 255\n", "expected the width, a number from 1 to 1048576, in the header"},
    {"a.pgm", "P5 -2 1 255\n", "expected the width"},
    {"a.pgm", "P5 99999999999999999999 1 255\n", "expected the width"},
    {"a.pgm", "P5 1 1 65535\nab", "expected the largest value"},
    {"a.pgm", "P5 1 1 255", "expected one white-space character after the header"},
    {"a.pgm", "P5 2 2 255\nabc", "expected 4 bytes of elements, as its shape says, found 3"},
    {"a.pgm", "P5 2 2 255\nabcde", "expected 4 bytes of elements, as its shape says, found 5"},
    {"a.pgm", "P5 #", "expected the width"},
    {"a.png", "P5 1 1 255\nx", "libpng says: "},
    {"a.png", "", "libpng says: "},
    {"a.bin", "12345", "expected 24 bytes of elements, as its shape says, found 5"},
    {"a.raw", "2\n1 2\001", "expected 24 bytes of elements"},
    {"a.csv", "1,2\n3,x4\n", "line 2: expected a number, found 'x4'"},
    {"a.csv", "1,2\n3\n",
     "in the first line, and so many numbers after it; or lines of equal length; found 3 numbers, 2 of them in the first "
     "line"},
    {"a.dat", "3\n1 2\n", "expected the count of the numbers, or 1 to 4 extents, in the first line"},
    {"a.dat", "", "found 0 numbers"},
    {"a.txt", "1\n1e99\n", "element 0: expected a number of type float, found 1e+99"},
    {"a.txt", "2\n1 nan\n", "element 1: expected a number of type float, found nan"},
    {"a.txt", "2\n1 2px\n", "line 2: expected a number, found '2px'"},
    {"a.npy", "NUMPY", "version 1, 2 or 3, as numpy.save() writes it"},
    {"a.npy", "\x93NUMPY\x01 \xff\xff{'descr': '<f4'", "ends inside its header"},
};

static const struct {
    const char *header, *message;
} bad_arrays[] = {
    {"", "expected elements of one of the types '<f4', '<i4', '|u1', '<f8', '|i1', '<i2', '<u2', '<u4', '<i8', '<u8', "
         "'<f2', found none; numpy converts them: a.astype(numpy.float32)"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "found '<c8'; numpy converts them"},
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "found '>f4'; numpy converts them"},
    {"{'descr': '<f", "found '<f; numpy converts them"},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}",
     "expected rows one after the other ('fortran_order': False); numpy arranges them: numpy.ascontiguousarray(a)"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "expected a shape of 1 to 4 extents"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1)}", "a shape of 1 to 4"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1", "a shape of 1 to 4"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "a shape of 1 to 4"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "expected 8 bytes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (999999999,999999999,999999999)}", "the shape is too large"},
};

static void assert_refused(const char *message)
{
    Tensor tensor;
    Message why = {0};
    assert_int_equal(tensor_read(path, &wanted, &tensor, &why), STATUS_BAD_INPUT);
    assert_null(tensor.data);
    if (strstr(why.text, message) == NULL)
        fail_test("\"%s\" does not hold \"%s\"", why.text, message);
}

static void broken_files_are_refused(void **state)
{
    for (size_t i = 0; i < COUNT_OF(bad_pictures); i++) {
        write_file(bad_pictures[i].name, bad_pictures[i].text, strlen(bad_pictures[i].text));
        assert_refused(bad_pictures[i].message);
    }
    for (size_t i = 0; i < COUNT_OF(bad_arrays); i++) {
        write_npy(1, bad_arrays[i].header, "abcd", 4);
        assert_refused(bad_arrays[i].message);
    }
}

/* The compiler's own half precision says what is right. */
static void halves_are_read_and_rounded_as_the_processor_does(void **state)
{
    for (uint32_t bits = 0; bits < 1 << 16; bits++) {
        const uint16_t half = (uint16_t)bits;
        _Float16 number;
        memcpy(&number, &half, sizeof number);
        const double value = element_load(ELEMENT_FLOAT16, &half, 0);
        if (value == value)
            assert_true(value == (double)number);
        else
            assert_true(number != number);
        const double bf16 = element_load(ELEMENT_BFLOAT16, &half, 0);
        uint16_t back = 0;
        element_store(ELEMENT_BFLOAT16, &back, 0, bf16);
        if (bf16 == bf16 && bf16 != 0)
            assert_int_equal(back, half);
    }
    for (double value = 1e-9; value < 1e5; value *= 1.0007) {
        uint16_t half = 0;
        const _Float16 rounded = (_Float16)value;
        uint16_t expected;
        memcpy(&expected, &rounded, sizeof expected);
        element_store(ELEMENT_FLOAT16, &half, 0, value);
        assert_int_equal(half, expected);
        element_store(ELEMENT_FLOAT16, &half, 0, -value);
        assert_int_equal(half, expected | 0x8000);
    }
}

static void bfloat16_is_rounded_to_the_nearest_even(void **state)
{
    static const struct {
        double value;
        uint16_t bits;
    } rows[] = {{1, 0x3F80},           {1 + 0x1p-8, 0x3F80}, {1 + 0x3p-8, 0x3F82}, {1 + 0x1.1p-8, 0x3F81},
                {-1 - 0x3p-8, 0xBF82}, {0x1.FEp127, 0x7F7F}, {0x1p128, 0x7F80},    {0x1p-133, 0x0001},
                {0x1p-134, 0x0000},    {0x1.8p-134, 0x0001}, {INFINITY, 0x7F80},   {-1e300, 0xFF80}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint16_t bits = 0;
        element_store(ELEMENT_BFLOAT16, &bits, 0, rows[i].value);
        if (bits != rows[i].bits)
            fail_test("%a: 0x%04X, expected 0x%04X", rows[i].value, bits, rows[i].bits);
    }
}

static void each_type_holds_its_ends_and_no_more(void **state)
{
    for (ElementType type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        const ElementTraits *traits = &element_traits[type];
        uint64_t room = 0;
        assert_true(element_holds(type, traits->lowest) && element_holds(type, traits->highest));
        assert_int_equal(element_holds(type, 0.5), !element_is_whole(type));
        assert_false(element_holds(type, NAN) || element_holds(type, INFINITY));
        if (element_is_whole(type))
            assert_false(element_holds(type, traits->highest + 1) || element_holds(type, traits->lowest - 1));
        element_store(type, &room, 0, traits->highest);
        assert_true(element_load(type, &room, 0) == traits->highest);
        element_store(type, &room, 0, traits->lowest);
        assert_true(element_load(type, &room, 0) == traits->lowest);
    }
}

static int make_folder(void **state)
{
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a.npy", "a.pgm", "a.ppm", "a.txt", "a.png",
                                        "a.csv", "a.dat", "a.bin", "a.raw", "a.jpg"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_numpy_are_read),
        cmocka_unit_test(one_extent_is_written_with_a_comma),
        cmocka_unit_test(pictures_are_rows_of_bytes),
        cmocka_unit_test(text_is_read_by_its_count_its_extents_or_as_a_table),
        cmocka_unit_test(pictures_of_libpng_have_the_channels_that_they_were_written_with),
        cmocka_unit_test(a_picture_of_16_bits_is_refused),
        cmocka_unit_test(a_picture_of_more_than_a_gibibyte_is_refused_by_its_header),
        cmocka_unit_test(elements_alone_are_read_as_the_wanted_ones),
        cmocka_unit_test(elements_are_loaded_as_they_were_stored),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(halves_are_read_and_rounded_as_the_processor_does),
        cmocka_unit_test(bfloat16_is_rounded_to_the_nearest_even),
        cmocka_unit_test(each_type_holds_its_ends_and_no_more),
    };
    return cmocka_run_group_tests_name("tensor", tests, make_folder, remove_folder);
}
