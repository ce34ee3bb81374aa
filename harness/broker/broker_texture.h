/* broker_texture.h - requests about CUDA arrays and textures, and copies of boxes.  */
#ifndef HARNESS_BROKER_BROKER_TEXTURE_H
#define HARNESS_BROKER_BROKER_TEXTURE_H

#include "harness/broker/broker_request.h"

Serve serve_copy_box, serve_copy_away, serve_turn, serve_fill_rows, serve_array_new, serve_array_free,
    serve_texture_new, serve_texture_free;

#endif
