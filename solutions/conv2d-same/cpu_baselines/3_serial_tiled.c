// problem: conv2d-same
// sweep: TILE=64,128,256,512,1024
//
// serial, tiled: strips of TILE columns, from top to bottom. The TILE sums, and the 2 radius + 1 pieces of rows that
// they are made of, stay in the nearest cache from one row to the next, however wide the image is.
#ifndef TILE
#define TILE 256
#endif

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
    const Image image = {input, filter, output, width, height, radius};
    for (int tile = 0; tile < width; tile += TILE)
        for (int row = 0; row < height; row++)
            convolve_part(&image, row, tile);
}
