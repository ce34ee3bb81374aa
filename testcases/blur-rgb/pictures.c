/* Draws the pictures of this folder, binary .ppm files, into the current one:
 *     cc -o /tmp/pictures testcases/blur-rgb/pictures.c && cd testcases/blur-rgb && /tmp/pictures
 * Whole numbers only, so that every machine draws the same bytes. */
#include <stdio.h>
#include <stdlib.h>

typedef struct Colour {
    unsigned char red, green, blue;
} Colour;

/* A sky that grows lighter towards the horizon, a sun, and hills. */
static Colour landscape(int x, int y, int width, int height)
{
    int sun_x = x - width / 4, sun_y = y - height / 4, hill = height / 2 + abs(x % 40 - 20);
    if (y > hill)
        return (Colour){(unsigned char)(40 + x % 7), (unsigned char)(150 - y), 30};
    if (sun_x * sun_x + sun_y * sun_y < 49)
        return (Colour){255, 240, 0};
    return (Colour){(unsigned char)(2 * y), (unsigned char)(100 + 2 * y), 255};
}

/* Rings that are black and white, with sharp edges: levels 0 and 255 beside one another. */
static Colour rings(int x, int y, int width, int height)
{
    int from_x = 2 * x - width, from_y = 2 * y - height;
    unsigned char level = (from_x * from_x + from_y * from_y) / 300 % 2 == 0 ? 255 : 0;
    return (Colour){level, level, level};
}

/* Stripes of pure red, green and blue, each one pixel wide: a kernel that mixes channels turns them grey. */
static Colour stripes(int x, int y, int width, int height)
{
    (void)width;
    int stripe = (x + (y < height / 2)) % 3;
    return (Colour){stripe == 0 ? 255 : 0, stripe == 1 ? 255 : 0, stripe == 2 ? 255 : 0};
}

static const struct {
    const char *name;
    int width, height;
    Colour (*draw)(int x, int y, int width, int height);
} pictures[] = {{"landscape.ppm", 97, 61, landscape}, {"rings.ppm", 64, 48, rings}, {"stripes.ppm", 33, 70, stripes}};

int main(void)
{
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        int width = pictures[i].width, height = pictures[i].height;
        FILE *file = fopen(pictures[i].name, "wb");
        if (file == NULL) {
            perror(pictures[i].name);
            return 1;
        }
        fprintf(file, "P6 %d %d 255\n", width, height);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                Colour colour = pictures[i].draw(x, y, width, height);
                fwrite(&colour, 3, 1, file);
            }
        if (fclose(file) != 0) {
            perror(pictures[i].name);
            return 1;
        }
    }
    return 0;
}
