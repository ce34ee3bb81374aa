/* The part of the lab's support library that this lab uses. Where the library reads files, this header hands out the
 * testcase's data, and wbSolution() takes the answer: the program is the same as on the lab's own machines. */
#ifndef WB_H
#define WB_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct wbArg_t {
    int argc;
    char** argv;
};

enum wbType { wbImportKind_Vector };
enum wbTime { Generic, GPU, Compute, Copy };
enum wbLevel { TRACE, ERROR };

/* What the files hold; driver.cu fills them in. */
struct wbFile {
    const char* name;
    float* data;
    int length;
};
extern wbFile wbFiles[2];
void wbTake(const float* output, int length);

inline wbArg_t wbArg_read(int argc, char** argv)
{
    return {argc, argv};
}

inline const char* wbArg_getInputFile(wbArg_t args, int which)
{
    return args.argv[1 + which];
}

/* The caller frees the data. */
inline void* wbImport(const char* name, int* length)
{
    for (const wbFile& file : wbFiles)
        if (std::strcmp(file.name, name) == 0) {
            void* copy = std::malloc(file.length * sizeof(float));
            std::memcpy(copy, file.data, file.length * sizeof(float));
            *length = file.length;
            return copy;
        }
    std::fprintf(stderr, "wbImport: there is no file %s\n", name);
    std::exit(1);
}

inline void wbSolution(wbArg_t, const float* output, int length)
{
    wbTake(output, length);
}

#define wbLog(level, ...) ((void)0)
#define wbTime_start(kind, ...) ((void)0)
#define wbTime_stop(kind, ...) ((void)0)

#endif
