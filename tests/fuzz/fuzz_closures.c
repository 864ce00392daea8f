/* Compiled closures against closures called call by call; tests/closures.h makes them of the bytes. */
#include "../closures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Closures closures;
    if (closures.values.base == NULL && !closures_open(&closures)) {
        abort();
    }
    if (closures_try(&closures, data, size) != NULL) {
        abort();
    }
    return 0;
}
