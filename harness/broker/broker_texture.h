/* broker_texture.h - requests about CUDA arrays, textures and surfaces, and copies of boxes.  */
#ifndef HARNESS_BROKER_BROKER_TEXTURE_H
#define HARNESS_BROKER_BROKER_TEXTURE_H

#include "harness/broker/broker_request.h"

Serve serve_copy_box, serve_copy_away, serve_turn, serve_fill_rows, serve_array_new, serve_array_free,
    serve_texture_new, serve_texture_free, serve_surface_new, serve_surface_free;

#endif
