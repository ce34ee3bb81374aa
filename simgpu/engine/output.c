/* Formats and arguments come from the kernel and are not trusted: each byte of a string is checked before it is read,
 * and the host's printf gets one conversion at a time, with a type that is chosen here.
 *
 * Source   CUDA C++ Programming Guide 13.0, Formatted Output; the arguments lie in memory as in a C struct.  */

#include "simgpu/block/active.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/block/special_registers.h"
#include "simgpu/engine/interpreter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void output_add(Output *output, const char *text, size_t length)
{
    pthread_mutex_lock(&output->lock);
    if (length <= OUTPUT_BYTES - output->length) {
        memcpy(output->text + output->length, text, length);
        output->length += length;
    } else {
        output->lost += length;
    }
    pthread_mutex_unlock(&output->lock);
}

size_t output_take(Output *output, char *buffer, size_t size, uint64_t *lost)
{
    pthread_mutex_lock(&output->lock);
    size_t taken = output->length < size ? output->length : size;
    memcpy(buffer, output->text, taken);
    if (lost != NULL)
        *lost = output->lost + output->length - taken;
    output->length = 0;
    output->lost = 0;
    pthread_mutex_unlock(&output->lock);
    return taken;
}

enum { LINE_BYTES = 4096, MOST_WIDTH = 500 };

typedef struct OutputLine {
    char text[LINE_BYTES];
    size_t length;
} OutputLine;

static void add(OutputLine *line, const char *text, size_t length)
{
    size_t room = LINE_BYTES - line->length;
    length = length < room ? length : room;
    memcpy(line->text + line->length, text, length);
    line->length += length;
}

/* The host address of `bytes` at a generic address of one lane; NULL where they are not all in one allocation. */
static const void *generic_pointer(Worker *worker, uint32_t lane, uint64_t address, uint64_t bytes)
{
    PtxSpace space = space_at(address);
    uint64_t offset = address % SHARED_WINDOW, size;
    const char *base;
    if (space == PTX_NO_SPACE) {
        int index = memory_find(worker->launch->memory, address);
        if (index < 0)
            return NULL;
        const Allocation *allocation = &worker->launch->memory->allocations[index];
        return allocation->address + allocation->bytes - address >= bytes ? (const void *)address : NULL;
    }
    switch (space) {
    case PTX_SHARED:
        base = (const char *)worker->shared;
        size = worker->launch->shared_bytes;
        break;
    case PTX_LOCAL:
        base = worker->local + (size_t)lane * worker->frame_stride;
        size = worker->calls != NULL ? worker->calls->highest : worker->code->frame_bytes;
        break;
    default: base = worker->launch->request->parameters; size = worker->launch->parameter_bytes;
    }
    return offset < size && size - offset >= bytes ? base + offset : NULL;
}

/* Copies a string of the kernel, cut at `size` and at the end of its memory. */
static size_t copy_string(Worker *worker, uint32_t lane, uint64_t address, char *to, size_t size)
{
    size_t length = 0;
    const char *c;
    while (length + 1 < size && (c = generic_pointer(worker, lane, address + length, 1)) != NULL && *c != '\0')
        to[length++] = *c;
    to[length] = '\0';
    return length;
}

typedef struct PrintArguments {
    Worker *worker;
    uint32_t lane;
    uint64_t at;   /* generic address of the next argument */
    int32_t taken; /* arguments taken so far */
} PrintArguments;

static uint64_t next_argument(PrintArguments *arguments, uint32_t bytes)
{
    uint64_t value = 0;
    arguments->at = (arguments->at + bytes - 1) / bytes * bytes;
    const void *at = generic_pointer(arguments->worker, arguments->lane, arguments->at, bytes);
    if (at != NULL)
        memcpy(&value, at, bytes);
    arguments->at += bytes;
    arguments->taken++;
    return value;
}

typedef struct PrintConversion { /* such as "%-8.3f" */
    char flags[6];
    int width, precision; /* precision -1: none */
    uint32_t bytes;       /* of an integer */
    char type;            /* '\0': the format ends within the conversion */
} PrintConversion;

/* Reads a width or a precision: digits, or "*" for the next argument. It is limited to MOST_WIDTH, because the host's
 * printf would fill gigabytes. */
static int next_number(const char **format, PrintArguments *arguments)
{
    int32_t number = 0;
    if (**format == '*') {
        (*format)++;
        number = (int32_t)next_argument(arguments, 4);
    } else {
        for (; isdigit((unsigned char)**format); (*format)++)
            number = number < MOST_WIDTH ? 10 * number + (**format - '0') : number;
    }
    return number > MOST_WIDTH ? MOST_WIDTH : number < -MOST_WIDTH ? -MOST_WIDTH : number;
}

/* `format` points behind the percent sign; the result points at the type. */
static const char *read_conversion(const char *format, PrintArguments *arguments, PrintConversion *conversion)
{
    size_t flags = strspn(format, "-+ #0");
    *conversion = (PrintConversion){.precision = -1, .bytes = 4};
    memcpy(conversion->flags, format, flags < sizeof conversion->flags ? flags : sizeof conversion->flags - 1);
    format += flags;
    conversion->width = next_number(&format, arguments);
    if (*format == '.') {
        format++;
        conversion->precision = next_number(&format, arguments);
    }
    for (; *format != '\0' && strchr("hlLqjzt", *format) != NULL; format++)
        conversion->bytes = *format == 'h' ? 4 : 8;
    conversion->type = *format;
    return format;
}

/* Lets the host print the next argument; returns what snprintf() returns. */
static int print_argument(const PrintConversion *conversion, PrintArguments *arguments, char *text, size_t size)
{
    char type = conversion->type, like[20], string[512];
    const char *length = strchr("diouxX", type) != NULL ? "ll" : "";
    int width = conversion->width, precision = conversion->precision;
    snprintf(like, sizeof like, "%%%s*.*%s%c", conversion->flags, length, type);
    if (type == 'd' || type == 'i') {
        uint64_t value = next_argument(arguments, conversion->bytes);
        long long wide = conversion->bytes == 4 ? (long long)(int32_t)value : (long long)value;
        return snprintf(text, size, like, width, precision, wide);
    }
    if (strchr("ouxX", type) != NULL)
        return snprintf(text, size, like, width, precision,
                        (unsigned long long)next_argument(arguments, conversion->bytes));
    if (type == 'c')
        return snprintf(text, size, like, width, precision, (int)next_argument(arguments, conversion->bytes));
    if (strchr("eEfFgGaA", type) != NULL) {
        uint64_t bits = next_argument(arguments, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        return snprintf(text, size, like, width, precision, value);
    }
    if (type == 's') {
        copy_string(arguments->worker, arguments->lane, next_argument(arguments, 8), string, sizeof string);
        return snprintf(text, size, like, width, precision, string);
    }
    if (type == 'p')
        return snprintf(text, size, "0x%llx", (unsigned long long)next_argument(arguments, 8));
    return snprintf(text, size, "%c", type);
}

/* Prints one conversion, from its percent sign on; the result points behind it. */
static const char *convert(const char *format, PrintArguments *arguments, OutputLine *line)
{
    char text[600];
    PrintConversion conversion;
    format = read_conversion(format + 1, arguments, &conversion);
    if (conversion.type == '\0')
        return format;
    int length = print_argument(&conversion, arguments, text, sizeof text);
    if (length > 0)
        add(line, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    return format + 1;
}

/* Returns what printf returns on the device: the number of arguments. */
static int32_t print_lane(Worker *worker, uint32_t lane, uint64_t format_address, uint64_t arguments_address)
{
    char format[LINE_BYTES];
    OutputLine line = {.length = 0};
    PrintArguments arguments = {.worker = worker, .lane = lane, .at = arguments_address};
    copy_string(worker, lane, format_address, format, sizeof format);
    for (const char *c = format; *c != '\0';) {
        const char *percent = strchrnul(c, '%');
        add(&line, c, (size_t)(percent - c));
        if (*percent == '\0')
            break;
        c = convert(percent, &arguments, &line);
    }
    output_add(worker->launch->output, line.text, line.length);
    return arguments.taken;
}

bool execute_print(Worker *worker, const Instruction *instruction, Active *active)
{
    int32_t *taken = (int32_t *)register_write(worker, active, instruction->results[0], 0) - active->first;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active_has(active, lane))
            taken[lane] = print_lane(worker, lane, register_value(worker, instruction->sources[0], lane),
                                     register_value(worker, instruction->sources[1], lane));
    register_written(worker, active, instruction->results[0], 0);
    return true;
}

bool execute_assert(Worker *worker, const Instruction *instruction, Active *active)
{
    char message[120], file[200];
    uint32_t lane = active->first;
    copy_string(worker, lane, register_value(worker, instruction->sources[0], lane), message, sizeof message);
    copy_string(worker, lane, register_value(worker, instruction->sources[1], lane), file, sizeof file);
    const char *slash = strrchr(file, '/');
    return worker_fault(worker, SIM_TRAP, instruction->file, instruction->line, lane,
                        "fails an assertion: %s (%s, line %u)", message, slash != NULL ? slash + 1 : file,
                        (unsigned)register_value(worker, instruction->sources[2], lane));
}
