/* Writes a case of conv1d for naive.cu: random input and filter between 0 and 1, and the expected output.
 *
 * Usage: make_case FOLDER INPUT_SIZE KERNEL_SIZE  */
#include <stdio.h>
#include <stdlib.h>

static void write_array(const char *folder, const char *name, const float *array, size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.bin", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(array, sizeof *array, count, file) != count || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

static float *random_array(size_t count)
{
    float *array = malloc(count * sizeof *array);
    for (size_t i = 0; array != NULL && i < count; i++)
        array[i] = (float)rand() / (float)RAND_MAX;
    return array;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    size_t input_size = strtoul(argv[2], NULL, 10), kernel_size = strtoul(argv[3], NULL, 10);
    size_t output_size = input_size - kernel_size + 1;
    float *input = random_array(input_size), *kernel = random_array(kernel_size), *output = random_array(output_size);
    if (input == NULL || kernel == NULL || output == NULL)
        return 2;
    for (size_t i = 0; i < output_size; i++) {
        double sum = 0;
        for (size_t k = 0; k < kernel_size; k++)
            sum += (double)input[i + k] * kernel[k];
        output[i] = (float)sum;
    }
    write_array(argv[1], "input", input, input_size);
    write_array(argv[1], "kernel", kernel, kernel_size);
    write_array(argv[1], "expected", output, output_size);
    return 0;
}
