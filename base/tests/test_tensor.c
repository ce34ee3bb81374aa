#include "base/tests/unit.h"

#include "base/tensor.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test_tensor.XXXXXX";
static char path[64];

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
        assert_int_equal(tensor_read(path, &tensor, &why), STATUS_OK);
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
    assert_int_equal(tensor_read(path, &tensor, &why), STATUS_OK);
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
    assert_int_equal(tensor_read(path, &tensor, &why), STATUS_OK);
    assert_int_equal(tensor.rank, 2);
    assert_int_equal(tensor.shape[0], 2);
    assert_int_equal(tensor.shape[1], 3);
    assert_memory_equal(tensor.data, "abcdef", 6);
    tensor_free(&tensor);

    write_file("a.ppm", "P6 2 1 255\nabcdef", 17);
    assert_int_equal(tensor_read(path, &tensor, &why), STATUS_OK);
    assert_int_equal(tensor.rank, 3);
    assert_int_equal(tensor.shape[0], 1);
    assert_int_equal(tensor.shape[1], 2);
    assert_int_equal(tensor.shape[2], 3);
    tensor_free(&tensor);
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
    {"a.txt", "x", "ends in .npy, .pgm or .ppm"},
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
    {"a.npy", "NUMPY", "version 1, 2 or 3, as numpy.save() writes it"},
    {"a.npy", "\x93NUMPY\x01 \xff\xff{'descr': '<f4'", "ends inside its header"},
};

static const struct {
    const char *header, *message;
} bad_arrays[] = {
    {"",
     "expected elements of one of the types '<f4', '<i4', '|u1', '<f8', '|i1', '<i2', '<u2', '<u4', '<f2', found none; "
     "numpy converts them: a.astype(numpy.float32)"},
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
    assert_int_equal(tensor_read(path, &tensor, &why), STATUS_BAD_INPUT);
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
    static const char *const names[] = {"a.npy", "a.pgm", "a.ppm", "a.txt"};
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
        cmocka_unit_test(elements_are_loaded_as_they_were_stored),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(halves_are_read_and_rounded_as_the_processor_does),
        cmocka_unit_test(bfloat16_is_rounded_to_the_nearest_even),
        cmocka_unit_test(each_type_holds_its_ends_and_no_more),
    };
    return cmocka_run_group_tests_name("tensor", tests, make_folder, remove_folder);
}
