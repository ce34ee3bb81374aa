#include "grader/explain/padding.h"

#include <math.h>
#include <stdbool.h>

enum { WARP = 32, BANKS = 32 };

static int64_t word_of(WarpWalk walk, uint32_t block_x, int64_t row_elements, uint32_t lane)
{
    int64_t x = lane % block_x, y = lane / block_x;
    return walk == WALK_ROWS ? y * row_elements + x : x * row_elements + y;
}

int padding_wavefronts(WarpWalk walk, uint32_t block_x, int64_t row_elements)
{
    int most = 0;
    for (int bank = 0; bank < BANKS; bank++) {
        int64_t words[WARP] = {0};
        int count = 0;
        for (uint32_t lane = 0; lane < WARP; lane++) {
            int64_t word = word_of(walk, block_x, row_elements, lane);
            bool known = word % BANKS != bank;
            for (int i = 0; i < count && !known; i++)
                known = words[i] == word;
            if (!known)
                words[count++] = word;
        }
        most = count > most ? count : most;
    }
    return most;
}

int padding_of(uint32_t block_x, int64_t row_elements, double wavefronts)
{
    if (block_x == 0 || row_elements <= 0)
        return -1;
    int rows = padding_wavefronts(WALK_ROWS, block_x, row_elements);
    int columns = padding_wavefronts(WALK_COLUMNS, block_x, row_elements);
    WarpWalk walk = fabs(rows - wavefronts) <= fabs(columns - wavefronts) ? WALK_ROWS : WALK_COLUMNS;
    int now = walk == WALK_ROWS ? rows : columns, best = now, padding = -1;
    if (fabs(now - wavefronts) > 0.5 * wavefronts)
        return -1;
    for (int more = 1; more < BANKS; more++) {
        int after = padding_wavefronts(walk, block_x, row_elements + more);
        if (after < best) {
            best = after;
            padding = more;
        }
    }
    return padding;
}
