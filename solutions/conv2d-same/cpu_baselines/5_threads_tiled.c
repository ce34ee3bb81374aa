// problem: conv2d-same
// sweep: THREADS=1,2,4,8 TILE=128,256,512
//
// POSIX threads and tiles: each thread computes a share of the rows, as many as the others have, in strips of TILE
// columns; see 3_serial_tiled.c.
#include <pthread.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 0 // as many as there are processors
#endif
#ifndef TILE
#define TILE 256
#endif
#define MAX_THREADS 256

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

typedef struct Share { // of one thread
    Image image;
    int first_row, end_row;
} Share;

static void* convolve_share(void* argument)
{
    const Share* share = argument;
    for (int tile = 0; tile < share->image.width; tile += TILE)
        for (int row = share->first_row; row < share->end_row; row++)
            convolve_part(&share->image, row, tile);
    return NULL;
}

static int thread_count(int most)
{
    long count = THREADS > 0 ? THREADS : sysconf(_SC_NPROCESSORS_ONLN);
    count = count < MAX_THREADS ? count : MAX_THREADS;
    return (int)(count < most ? count : most);
}

void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    pthread_t threads[MAX_THREADS];
    Share shares[MAX_THREADS];
    int count = thread_count(height), started = 1;
    for (int i = 0; i < count; i++)
        shares[i] = (Share){{input, filter, output, width, height, radius}, (int)((long)height * i / count),
                            (int)((long)height * (i + 1) / count)};
    while (started < count && pthread_create(&threads[started], NULL, convolve_share, &shares[started]) == 0)
        started++;
    convolve_share(&shares[0]);
    for (int i = started; i < count; i++) // what no thread could be started for
        convolve_share(&shares[i]);
    for (int i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
}
