/* texture_refusals.h - texture and surface functions: using one is an error that says that it needs nvcc.  */
#ifndef CONVJUDGE_TEXTURE_REFUSALS_H
#define CONVJUDGE_TEXTURE_REFUSALS_H

#include "host_defines.h"

#define REFUSED(name)                                                                                                  \
    template <class T = float, class... Arguments>                                                                     \
    __device__ T name(Arguments...)                                                                                    \
        __attribute__((unavailable("textures and surfaces need nvcc: clang compiles a subset of CUDA without them")));
REFUSED(tex1D)
REFUSED(tex1Dfetch)
REFUSED(tex1DGrad)
REFUSED(tex1DLayered)
REFUSED(tex1DLayeredGrad)
REFUSED(tex1DLayeredLod)
REFUSED(tex1DLod)
REFUSED(tex2D)
REFUSED(tex2Dgather)
REFUSED(tex2DGrad)
REFUSED(tex2DLayered)
REFUSED(tex2DLayeredGrad)
REFUSED(tex2DLayeredLod)
REFUSED(tex2DLod)
REFUSED(tex3D)
REFUSED(tex3DGrad)
REFUSED(tex3DLod)
REFUSED(texCubemap)
REFUSED(texCubemapLayered)
REFUSED(surf1DLayeredread)
REFUSED(surf1DLayeredwrite)
REFUSED(surf1Dread)
REFUSED(surf1Dwrite)
REFUSED(surf2DLayeredread)
REFUSED(surf2DLayeredwrite)
REFUSED(surf2Dread)
REFUSED(surf2Dwrite)
REFUSED(surf3Dread)
REFUSED(surf3Dwrite)
REFUSED(surfCubemapread)
REFUSED(surfCubemapwrite)
#undef REFUSED

#endif
