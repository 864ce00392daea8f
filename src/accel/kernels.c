/* Takes the kernels in with the assembler's .incbin, as display/assets.c does with its files. */
#include "accel/kernels.h"

#define TAKE_IN(symbol, file)                                                  \
    __asm__(".pushsection .rodata\n"                                           \
            ".globl " #symbol "\n.hidden " #symbol "\n" #symbol ":\n"          \
            ".incbin \"src/accel/kernels/" file "\"\n.byte 0\n.popsection\n"); \
    extern const char symbol[] __attribute__((visibility("hidden")));

TAKE_IN(kernel_common_cl, "common.cl")
TAKE_IN(kernel_rules_cl, "rules.cl")
TAKE_IN(kernel_layers_cl, "layers.cl")
TAKE_IN(kernel_grids_cl, "grids.cl")
TAKE_IN(kernel_parts_cl, "parts.cl")

const char *kernel_source(Kernel which) {
    static const char *const texts[] = {
        [KERNEL_COMMON] = kernel_common_cl, [KERNEL_RULES] = kernel_rules_cl,
        [KERNEL_LAYERS] = kernel_layers_cl, [KERNEL_GRIDS] = kernel_grids_cl,
        [KERNEL_PARTS] = kernel_parts_cl,
    };
    return texts[which];
}
