/* Compares what kernels read through textures with values that are computed here in whole numbers: coordinates are
 * multiples of a 256th of a texel, and texels are small integers.  */
#include "simgpu/tests/texture_kernels.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_THREADS = 1024 };

/* ---- addressing and filtering ------------------------------------------------------------------------------------ */

enum { WIDTH = 8, HEIGHT = 4, DEPTH = 2, TEXELS = WIDTH * HEIGHT * DEPTH, BORDER = 77 };
static const int extents[] = {WIDTH, HEIGHT, DEPTH};

static int floor_quotient(int a, int b)
{
    return a / b - (a % b < 0);
}

/* Walks back into the texture; -1: it ends at the border. */
static int walk_back(int texel, int extent, SimAddressMode mode)
{
    while (texel < 0 || texel >= extent)
        switch (mode) {
        case SIM_ADDRESS_WRAP: texel += texel < 0 ? extent : -extent; break;
        case SIM_ADDRESS_CLAMP: texel += texel < 0 ? 1 : -1; break;
        case SIM_ADDRESS_MIRROR: texel = texel < 0 ? -1 - texel : 2 * extent - 1 - texel; break;
        default: return -1;
        }
    return texel;
}

static int texel_value(const int texel[3])
{
    return (texel[0] * 37 + texel[1] * 101 + texel[2] * 59) % 251 - 100;
}

static void fill_texels(float texels[TEXELS])
{
    for (int i = 0; i < TEXELS; i++)
        texels[i] = (float)texel_value((int[]){i % WIDTH, i / WIDTH % HEIGHT, i / WIDTH / HEIGHT});
}

/* The weighted sum over the neighbours, for places in 256ths of a texel. */
static float expected_value(const int place[3], int dimensions, SimAddressMode mode, bool filters)
{
    int64_t sum = 0, scale = 1;
    int corners = filters ? 1 << dimensions : 1;
    for (int i = 0; filters && i < dimensions; i++)
        scale *= 256;
    for (int corner = 0; corner < corners; corner++) {
        int texel[3] = {0}, weight = 1;
        bool is_border = false;
        for (int i = 0; i < dimensions; i++) {
            int from = place[i] - (filters ? 128 : 0), second = corner >> i & 1, first = floor_quotient(from, 256);
            int share = from - 256 * first;
            weight *= !filters ? 1 : second ? share : 256 - share;
            texel[i] = walk_back(first + second, extents[i], mode);
            is_border |= texel[i] < 0;
        }
        sum += (int64_t)weight * (is_border ? BORDER : texel_value(texel));
    }
    return (float)((double)sum / (double)scale);
}

/* Places all over the texture and more than its own size around it. */
static void choose_place(uint32_t seed, int dimensions, int place[3])
{
    for (int i = 0; i < dimensions; i++) {
        seed = seed * 1664525 + 1013904223;
        int span = 4 * extents[i] * 256;
        place[i] = (int)((seed >> 8) % (uint32_t)span) - 3 * span / 8;
        if (seed >> 29 == 0)
            place[i] = place[i] / 128 * 128; /* on edges and in centres */
    }
}

static void check_fetches(int dimensions, SimAddressMode mode, bool filters, bool normalized, const float *texels)
{
    static const char *const kernels[] = {"", "fetch_1d", "fetch_2d", "fetch_3d"};
    static Four places[MOST_THREADS], values[MOST_THREADS];
    static int asked[MOST_THREADS][3];
    SimTexture is = array_of(texels, (uint32_t)dimensions, WIDTH, dimensions > 1 ? HEIGHT : 1,
                             dimensions > 2 ? DEPTH : 1);
    is.filters = filters;
    is.normalized = normalized;
    is.border[0] = BORDER;
    for (int i = 0; i < 3; i++)
        is.address_mode[i] = mode;
    uint64_t texture = made(&is);
    for (uint32_t i = 0; i < MOST_THREADS; i++) {
        choose_place(i * 977, dimensions, asked[i]);
        for (int j = 0; j < dimensions; j++)
            places[i].number[j] = (float)asked[i][j] / 256 / (float)(normalized ? extents[j] : 1);
    }
    fetch_well(kernels[dimensions], texture, places, values, MOST_THREADS);
    bool has_mode = normalized || mode == SIM_ADDRESS_BORDER;
    for (uint32_t i = 0; i < MOST_THREADS; i++) {
        float expected = expected_value(asked[i], dimensions, has_mode ? mode : SIM_ADDRESS_CLAMP, filters);
        if (values[i].number[0] != expected)
            fail_test("%dD, mode %d%s%s: at (%g, %g, %g) texels: %g, expected %g", dimensions, mode,
                      filters ? ", filtered" : "", normalized ? ", normalized" : "", asked[i][0] / 256.0,
                      asked[i][1] / 256.0, asked[i][2] / 256.0, (double)values[i].number[0], (double)expected);
    }
    discard(texture, &is);
}

static void places_lead_to_their_texels(void **state)
{
    float texels[TEXELS];
    fill_texels(texels);
    for (int dimensions = 1; dimensions <= 3; dimensions++)
        for (int mode = 0; mode < SIM_ADDRESS_MODES; mode++)
            for (int i = 0; i < 4; i++)
                check_fetches(dimensions, (SimAddressMode)mode, i & 1, i >> 1 & 1, texels);
}

/* Worked out by hand from the formulas of the CUDA C++ Programming Guide, "Linear Filtering": the second of two texels,
 * 0 and 1024, weighs as many 256ths as its share. */
static void weights_have_8_bits_of_fraction(void **state)
{
    static const struct {
        float place, value;
    } rows[] = {
        {0.5f, 0},
        {1.5f, 1024},
        {1, 512},
        {0.75f, 256},
        {0.5f + 1 / 256.0f, 4},
        {0.5f + 1.4f / 256, 4},
        {0.5f + 1.6f / 256, 8},
        {0.5f + 0.4f / 256, 0},
        {1.5f - 0.4f / 256, 1024},
        {1.5f - 0.6f / 256, 1020},
    };
    static const float texels[] = {0, 1024};
    Four places[COUNT_OF(rows)] = {0}, values[COUNT_OF(rows)];
    SimTexture is = array_of(texels, 1, 2, 1, 1);
    is.filters = true;
    uint64_t texture = made(&is);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        places[i].number[0] = rows[i].place;
    fetch_well("fetch_1d", texture, places, values, COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (values[i].number[0] != rows[i].value)
            fail_test("at %g: %g, expected %g", (double)rows[i].place, (double)values[i].number[0],
                      (double)rows[i].value);
    discard(texture, &is);
}

static void no_place_is_too_far(void **state)
{
    static const uint32_t bits[] = {
        0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0xFF7FFFFF, 0x4F000000,
        0xCF000000, 0x5F000000, 0x00000001, 0x80000001, 0x3F7FFFFF, 0x3F800000,
    };
    static const float texels[] = {1, 2, 3};
    for (int i = 0; i < 2 * 2 * SIM_ADDRESS_MODES; i++) {
        Four places[COUNT_OF(bits)] = {0}, values[COUNT_OF(bits)];
        SimTexture is = array_of(texels, 1, 3, 1, 1);
        is.filters = i & 1;
        is.normalized = i >> 1 & 1;
        is.address_mode[0] = (SimAddressMode)(i >> 2);
        is.border[0] = 2;
        uint64_t texture = made(&is);
        for (size_t j = 0; j < COUNT_OF(bits); j++)
            places[j].bits[0] = bits[j];
        fetch_well("fetch_1d", texture, places, values, COUNT_OF(bits));
        for (size_t j = 0; j < COUNT_OF(bits); j++)
            if (!(values[j].number[0] >= 1 && values[j].number[0] <= 3))
                fail_test("texture %d, place %zu: %g", i, j, (double)values[j].number[0]);
        discard(texture, &is);
    }
}

/* ---- what texels hold -------------------------------------------------------------------------------------------- */

static const struct {
    SimTexelType type;
    bool as_integer;
    uint32_t channels;
    unsigned char bytes[16];
    Four expected;
} formats[] = {
    {SIM_TEXEL_U8, true, 1, {200}, {.bits = {200}}},
    {SIM_TEXEL_U8, true, 4, {1, 2, 3, 255}, {.bits = {1, 2, 3, 255}}},
    {SIM_TEXEL_S8, true, 2, {0x80, 0x7F}, {.bits = {0xFFFFFF80, 0x7F}}},
    {SIM_TEXEL_U16, true, 1, {0x34, 0x92}, {.bits = {0x9234}}},
    {SIM_TEXEL_S16, true, 2, {0x34, 0x92, 0xFF, 0xFF}, {.bits = {0xFFFF9234, 0xFFFFFFFF}}},
    {SIM_TEXEL_U32, true, 1, {1, 2, 3, 0x84}, {.bits = {0x84030201}}},
    {SIM_TEXEL_S32, false, 2, {1, 2, 3, 0x84, 5}, {.bits = {0x84030201, 5}}}, /* 32 bits stay integers */
    {SIM_TEXEL_U8, false, 4, {0, 51, 255, 1}, {.number = {0, 0.2f, 1, 1 / 255.0f}}},
    {SIM_TEXEL_S8, false, 4, {0x80, 0x81, 0x7F, 0x40}, {.number = {-1, -1, 1, 64 / 127.0f}}},
    {SIM_TEXEL_U16, false, 2, {0xFF, 0xFF, 0x33, 0x33}, {.number = {1, 0.2f}}},
    {SIM_TEXEL_S16, false, 4, {0x00, 0x80, 0x01, 0x80, 0xFF, 0x7F, 0, 0}, {.number = {-1, -1, 1, 0}}},
    {SIM_TEXEL_F16, true, 2, {0, 0x3C, 0, 0xC0}, {.number = {1, -2}}},
    {SIM_TEXEL_F16, false, 2, {1, 0, 0, 0x7C}, {.bits = {0x33800000, 0x7F800000}}},
    {SIM_TEXEL_F32, true, 2, {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0}, {.number = {1, -2}}},
    {SIM_TEXEL_F32, false, 1, {0, 0, 0x40, 0x40}, {.number = {3}}},
};

/* The texel stands in the second row, in the third column of rows that are a bit longer than they need be. */
static void channels_are_read_as_their_format_says(void **state)
{
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        static const uint32_t channel_bytes[] = {1, 2, 4, 1, 2, 4, 2, 4};
        uint32_t element = channel_bytes[formats[i].type] * formats[i].channels;
        unsigned char memory[2 * 96];
        memset(memory, 0xEE, sizeof memory);
        memcpy(memory + 96 + 2 * element, formats[i].bytes, element);
        SimTexture is = {.layout = SIM_TEXTURE_PITCH,
                         .address = machine_array(gpu, memory, sizeof memory),
                         .type = formats[i].type,
                         .channels = formats[i].channels,
                         .dimensions = 2,
                         .extent = {5, 2, 1},
                         .pitch = 96,
                         .as_integer = formats[i].as_integer};
        uint64_t texture = made(&is);
        Four place = {.number = {2.75f, 1.25f}}, value;
        fetch_well("fetch_2d_integers", texture, &place, &value, 1);
        if (memcmp(&value, &formats[i].expected, sizeof value) != 0)
            fail_test("row %zu: %#x %#x %#x %#x", i, value.bits[0], value.bits[1], value.bits[2], value.bits[3]);
        discard(texture, &is);
    }
}

static void mapped_integers_are_filtered(void **state)
{
    static const unsigned char texels[] = {0, 100, 255, 50};
    SimTexture is = {.layout = SIM_TEXTURE_PITCH,
                     .type = SIM_TEXEL_U8,
                     .channels = 2,
                     .dimensions = 2,
                     .pitch = 32,
                     .extent = {2, 1, 1},
                     .filters = true,
                     .address = machine_array(gpu, texels, sizeof texels)};
    uint64_t texture = made(&is);
    Four place = {.number = {0.75f, 0.5f}}, value;
    fetch_well("fetch_2d", texture, &place, &value, 1);
    assert_true(value.number[0] == 0.25f);
    assert_true(value.number[1] == (float)(0.75 * (100 / 255.0f) + 0.25 * (50 / 255.0f)));
    assert_true(value.bits[2] == 0 && value.bits[3] == 0);
    discard(texture, &is);
}

static void linear_memory_is_indexed(void **state)
{
    float numbers[200];
    Four places[256], values[256];
    for (int i = 0; i < 200; i++)
        numbers[i] = (float)(i + 1);
    SimTexture is = {.layout = SIM_TEXTURE_LINEAR,
                     .type = SIM_TEXEL_F32,
                     .channels = 2,
                     .dimensions = 1,
                     .extent = {100, 1, 1},
                     .filters = true,
                     .address_mode = {SIM_ADDRESS_BORDER},
                     .border = {5, 5, 5, 5},
                     .address = machine_array(gpu, numbers, sizeof numbers)};
    uint64_t texture = made(&is);
    for (int i = 0; i < 256; i++)
        places[i].bits[0] = (uint32_t)(i - 78);
    fetch_well("fetch_index", texture, places, values, 256);
    for (int i = 0; i < 256; i++) {
        int index = i - 78;
        bool inside = index >= 0 && index < 100;
        assert_true(values[i].number[0] == (float)(inside ? 2 * index + 1 : 0));
        assert_true(values[i].number[1] == (float)(inside ? 2 * index + 2 : 0));
    }
    discard(texture, &is);
}

/* ---- kinds of fetches -------------------------------------------------------------------------------------------- */

static void level_and_gradients_change_nothing(void **state)
{
    float texels[TEXELS];
    Four places[16], values[16];
    fill_texels(texels);
    SimTexture is = array_of(texels, 2, WIDTH, HEIGHT, 1);
    uint64_t texture = made(&is);
    for (int i = 0; i < 16; i++)
        places[i] = (Four){.number = {(float)(i % WIDTH) + 0.5f, (float)(i / WIDTH) + 0.5f, (float)(i - 5)}};
    static const char *const kernels[] = {"fetch_2d_level", "fetch_2d_gradient"};
    for (size_t kernel = 0; kernel < COUNT_OF(kernels); kernel++) {
        fetch_well(kernels[kernel], texture, places, values, 16);
        for (int i = 0; i < 16; i++)
            assert_true(values[i].number[0] == texels[i]);
    }
    discard(texture, &is);
}

/* PTX ISA 9.0, tld4: counter-clockwise from the lower left. */
static void a_gather_gives_four_texels(void **state)
{
    float texels[2 * WIDTH * HEIGHT];
    for (int i = 0; i < 2 * WIDTH * HEIGHT; i++)
        texels[i] = (float)i;
    SimTexture is = {.layout = SIM_TEXTURE_ARRAY,
                     .type = SIM_TEXEL_F32,
                     .channels = 2,
                     .dimensions = 2,
                     .extent = {WIDTH, HEIGHT, 1},
                     .pitch = WIDTH * 2 * sizeof *texels,
                     .address_mode = {SIM_ADDRESS_BORDER, SIM_ADDRESS_BORDER},
                     .border = {-1, -2},
                     .address = machine_array(gpu, texels, sizeof texels)};
    uint64_t texture = made(&is);
    Four places[] = {{.number = {3.2f, 2.1f}}, {.number = {0.25f, 4}}}, red[2], green[2];
    fetch_well("gather_red", texture, places, red, 2);
    fetch_well("gather_green", texture, places, green, 2);
    const float expected[] = {2 * (2 * WIDTH + 2), 2 * (2 * WIDTH + 3), 2 * (1 * WIDTH + 3), 2 * (1 * WIDTH + 2)};
    for (int i = 0; i < 4; i++) {
        assert_true(red[0].number[i] == expected[i]);
        assert_true(green[0].number[i] == expected[i] + 1);
    }
    assert_true(green[1].number[0] == -2 && green[1].number[1] == -2 && green[1].number[3] == -2);
    assert_true(green[1].number[2] == 2 * 3 * WIDTH + 1);
    discard(texture, &is);
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */

/* A filter stays within its layer, and layers that do not exist are the last one. */
static void layers_are_chosen_by_number(void **state)
{
    static const float texels[] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23};
    static const struct {
        const char *kernel;
        float x, y, layer, value;
    } rows[] = {
        {"fetch_2d_layer", 0.5f, 0.5f, 0, 0}, {"fetch_2d_layer", 1.5f, 1.5f, 2, 23}, {"fetch_2d_layer", 1, 1, 1, 11.5f},
        {"fetch_2d_layer", 1, 9, 1, 12.5f},   {"fetch_2d_layer", 1.5f, 0.5f, 7, 21}, {"fetch_1d_layer", 0.5f, 0, 1, 2},
        {"fetch_1d_layer", 1, 0, 2, 10.5f},   {"fetch_1d_layer", 1, 0, 5, 22.5f},
    };
    SimTexture is = array_of(texels, 3, 2, 2, 3);
    is.dimensions = 2;
    is.extent[2] = 1;
    is.layers = 3;
    is.filters = true;
    SimTexture line = is;
    line.dimensions = line.extent[1] = 1;
    line.layers = 6;
    line.slice_bytes = 8;
    uint64_t layers = made(&is), lines = made(&line);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Four place = {.number = {rows[i].x, rows[i].y, rows[i].layer}};
        Four value;
        fetch_well(rows[i].kernel, strstr(rows[i].kernel, "2d") != NULL ? layers : lines, &place, &value, 1);
        if (value.number[0] != rows[i].value)
            fail_test("row %zu: %g", i, (double)value.number[0]);
    }
    assert_true(simgpu_texture_free(gpu, lines));
    discard(layers, &is);
}

static void what_cannot_be_a_texture_is_none(void **state)
{
    static const float texels[64];
    SimTexture good = array_of(texels, 2, 8, 8, 1);
    good.layout = SIM_TEXTURE_PITCH;
    SimTexture bad[20];
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        bad[i] = good;
    bad[0].address += 4;
    bad[1].address += 512; /* the last texel is no longer inside */
    bad[2].channels = 3;
    bad[3].channels = 0;
    bad[4].type = SIM_TEXEL_TYPES;
    bad[5].dimensions = 4;
    bad[6].dimensions = 1; /* of rows */
    bad[7].extent[0] = 0;
    bad[8].extent[0] = 9; /* a row longer than the pitch */
    bad[9].extent[1] = 9;
    bad[10].extent[2] = 2;
    bad[11].pitch = 40; /* no multiple of 32 */
    bad[12].pitch = UINT64_MAX / 32 * 32;
    bad[13].extent[1] = UINT32_MAX;
    bad[14] = (SimTexture){.layout = SIM_TEXTURE_ARRAY,
                           .address = good.address,
                           .type = SIM_TEXEL_F32,
                           .channels = 1,
                           .dimensions = 3,
                           .extent = {2, 2, 2},
                           .pitch = 8,
                           .slice_bytes = UINT64_MAX / 2 + 9};
    bad[15].type = SIM_TEXEL_S32; /* integers cannot be filtered */
    bad[15].filters = true;
    bad[16].layers = 2; /* of rows in plain memory */
    bad[17].is_surface = true;
    bad[18].layout = bad[19].layout = SIM_TEXTURE_ARRAY;
    bad[18].layers = 2049;
    bad[19].layers = 2; /* that lie on each other */
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (simgpu_texture_new(gpu, &bad[i]) != 0)
            fail_test("texture %zu", i);
    discard(made(&good), &good);
}

static void pitched_memory_has_few_rows(void **state)
{
    enum { ROWS = 65001 };
    static const float texels[8 * ROWS];
    SimTexture is = array_of(texels, 2, 8, ROWS, 1);
    is.layout = SIM_TEXTURE_PITCH;
    assert_true(simgpu_texture_new(gpu, &is) == 0);
    is.extent[1] = ROWS - 1;
    discard(made(&is), &is);
}

static void a_level_of_detail_stays_within_the_levels_and_the_limits(void **state)
{
    static const struct {
        float asked, bias, least, most, level;
    } rows[] = {{0, 0, 0, 9, 0},   {1.25f, 0, 0, 9, 1.25f}, {1, 0.5f, 0, 9, 1.5f}, {7, 0, 0, 9, 2},
                {-1, 0, 0, 9, 0},  {2, 0, 0, 1, 1},         {0, 0, 1, 9, 1},       {2, 0, 0, 0, 0},
                {NAN, 0, 0, 9, 0}, {INFINITY, 0, 0, 9, 2}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const SimTexture texture = {
            .levels = 3, .level_bias = rows[i].bias, .least_level = rows[i].least, .most_level = rows[i].most};
        if (texture_level(&texture, rows[i].asked) != rows[i].level)
            fail_test("row %zu: %g", i, texture_level(&texture, rows[i].asked));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pitched_memory_has_few_rows),
        cmocka_unit_test(places_lead_to_their_texels),
        cmocka_unit_test(weights_have_8_bits_of_fraction),
        cmocka_unit_test(no_place_is_too_far),
        cmocka_unit_test(channels_are_read_as_their_format_says),
        cmocka_unit_test(mapped_integers_are_filtered),
        cmocka_unit_test(linear_memory_is_indexed),
        cmocka_unit_test(level_and_gradients_change_nothing),
        cmocka_unit_test(a_gather_gives_four_texels),
        cmocka_unit_test(layers_are_chosen_by_number),
        cmocka_unit_test(a_level_of_detail_stays_within_the_levels_and_the_limits),
        cmocka_unit_test(what_cannot_be_a_texture_is_none),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
