/* lower_texture.h - fetches from textures, loads and stores through surfaces.  */
#ifndef SIMGPU_LOWER_LOWER_TEXTURE_H
#define SIMGPU_LOWER_LOWER_TEXTURE_H

#include "simgpu/lower/lowering.h"

void lower_texture(Lowering *l, const OpcodeModifiers *parts);
void lower_gather(Lowering *l, const OpcodeModifiers *parts);
void lower_surface_load(Lowering *l, const OpcodeModifiers *parts);
void lower_surface_store(Lowering *l, const OpcodeModifiers *parts);

#endif
