/* Calls of the kernel that the C library had no symbols for before 2.33; python/old_glibc.py renames them. On
 * 64-bit Linux the kernel's struct stat is the C library's, and its struct stat64. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int batt_fstatat(int folder, const char *path, struct stat *to, int flags) {
    return (int)syscall(SYS_newfstatat, folder, path, to, flags);
}

int batt_stat(const char *path, struct stat *to) {
    return batt_fstatat(AT_FDCWD, path, to, 0);
}

int batt_lstat(const char *path, struct stat *to) {
    return batt_fstatat(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}

int batt_fstat(int file, struct stat *to) {
    return (int)syscall(SYS_fstat, file, to);
}

__typeof__(batt_fstatat) batt_fstatat64 __attribute__((alias("batt_fstatat")));
__typeof__(batt_stat) batt_stat64 __attribute__((alias("batt_stat")));
__typeof__(batt_lstat) batt_lstat64 __attribute__((alias("batt_lstat")));
__typeof__(batt_fstat) batt_fstat64 __attribute__((alias("batt_fstat")));

pid_t batt_gettid(void) {
    return (pid_t)syscall(SYS_gettid);
}
