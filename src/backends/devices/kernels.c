/* Embeds the kernels with the assembler's .incbin, as tools/display/assets.c does with its files. */
#include "backends/devices/kernels.h"

#define FILE_TEXT(file) ".incbin \"src/backends/devices/kernels/" file "\"\n"
#define EMBED(symbol, files)                                                                           \
    __asm__(".pushsection .rodata\n"                                                                   \
            ".globl " #symbol "\n.hidden " #symbol "\n" #symbol ":\n" files ".byte 0\n.popsection\n"); \
    extern const char symbol[] __attribute__((visibility("hidden")));

EMBED(kernel_common_cl, FILE_TEXT("common.cl"))
EMBED(kernel_rules_cl, FILE_TEXT("rules.cl"))
EMBED(kernel_layers_cl, FILE_TEXT("layers.cl"))
EMBED(kernel_levels_cl,
      FILE_TEXT("level_ops.h") FILE_TEXT("levels.h") FILE_TEXT("levels.cl") FILE_TEXT("level_stamps.cl")
          FILE_TEXT("level_objects.cl") FILE_TEXT("level_calls.cl"))
EMBED(kernel_grids_cl, FILE_TEXT("grids.cl"))

const char *kernel_source(KernelSource which) {
    static const char *const texts[] = {
        [KERNEL_COMMON] = kernel_common_cl, [KERNEL_RULES] = kernel_rules_cl,
        [KERNEL_LAYERS] = kernel_layers_cl, [KERNEL_LEVELS] = kernel_levels_cl,
        [KERNEL_GRIDS] = kernel_grids_cl,
    };
    return texts[which];
}
