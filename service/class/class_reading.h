/* class_reading.h - what the readers of the parts of class.json share.  */
#ifndef SERVICE_CLASS_CLASS_READING_H
#define SERVICE_CLASS_CLASS_READING_H

#include "base/json.h"
#include "service/class/class_file.h"

typedef struct ClassReading {
    const JsonFile *file;
    ClassFile *class;
    Message *why;
} ClassReading;

/* A text that ends up on pages and terminals: 1 to 256 bytes without control characters. */
MUST_USE Status class_read_name(const ClassReading *reading, const cJSON *item, const char **name);

#endif
