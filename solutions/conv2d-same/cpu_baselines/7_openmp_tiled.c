// problem: conv2d-same
// sweep: THREADS=1,2,4,8 TILE=128,256,512
//
// OpenMP and tiles: the compiler shares out strips of TILE columns and, as there may be few of them, bands of ROWS
// rows; see 3_serial_tiled.c.
#include <omp.h>

#ifndef THREADS
#define THREADS 0 // as many as there are processors
#endif
#ifndef TILE
#define TILE 256
#endif
#define ROWS 64

typedef struct Image {
    const float *input, *filter;
    float* output;
    int width, height, radius;
} Image;

/* Up to TILE outputs of a row: for each tap, the columns whose neighbour lies inside. */
static void convolve_part(const Image* image, int row, int tile)
{
    const int radius = image->radius, side = 2 * radius + 1;
    const int tile_end = tile + TILE < image->width ? tile + TILE : image->width;
    float sums[TILE] = {0.0f};
    for (int r = 0; r < side; r++) {
        int y = row + r - radius;
        if (y < 0 || y >= image->height)
            continue;
        const float* line = image->input + (long)y * image->width;
        for (int s = 0; s < side; s++) {
            int shift = s - radius;
            int first = tile + shift < 0 ? -shift : tile;
            int end = tile_end + shift > image->width ? image->width - shift : tile_end;
            float weight = image->filter[r * side + s];
            for (int col = first; col < end; col++)
                sums[col - tile] += line[col + shift] * weight;
        }
    }
    for (int col = tile; col < tile_end; col++)
        image->output[(long)row * image->width + col] = sums[col - tile];
}

void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    int threads = THREADS > 0 ? THREADS : omp_get_max_threads();
    const Image image = {input, filter, output, width, height, radius};
#pragma omp parallel for collapse(2) num_threads(threads)
    for (int tile = 0; tile < width; tile += TILE)
        for (int band = 0; band < height; band += ROWS)
            for (int row = band; row < band + ROWS && row < height; row++)
                convolve_part(&image, row, tile);
}
