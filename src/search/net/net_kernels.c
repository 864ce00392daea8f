/* Embeds the kernels of nets with the assembler's .incbin, as backends/devices/kernels.c does with
 * the others. */
#include "search/net/net_kernels.h"

#define FILE_TEXT(file) ".incbin \"src/search/net/kernels/" file "\"\n"

__asm__(".pushsection .rodata\n"
        ".globl net_kernels_cl\n.hidden net_kernels_cl\nnet_kernels_cl:\n" /* each needs those before it */
        FILE_TEXT("tiling.h") FILE_TEXT("bits.h") FILE_TEXT("base.cl") FILE_TEXT("share.cl")
            FILE_TEXT("soft.cl") FILE_TEXT("mixing.cl") FILE_TEXT("stream.cl") FILE_TEXT("rays.cl")
                FILE_TEXT("sums.cl") FILE_TEXT("code.cl") FILE_TEXT("loss.cl") ".byte 0\n.popsection\n");
