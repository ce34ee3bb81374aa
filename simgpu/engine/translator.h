/* translator.h - when kernels are translated.  */
#ifndef SIMGPU_ENGINE_TRANSLATOR_H
#define SIMGPU_ENGINE_TRANSLATOR_H

typedef enum SimTranslate {
    SIM_TRANSLATE_WHERE_IT_PAYS,
    SIM_TRANSLATE_ALWAYS,  /* each kernel, before it begins; for tests */
    SIM_TRANSLATE_COMPARED /* besides, each launch is interpreted first, from the same memory, and must come out the
                             * same to the last bit: else SIM_ENGINES_DIFFER */
} SimTranslate;

#endif
