/* `assay --worker`: the process that opens devices. Its parent is another assay. */
#include <sys/mman.h>

#include "cli/cli.h"
#include "cli/open.h"

enum { JOBS_FD = 3, ANSWERS_FD = 4, WORD_FD = 5, PAGE_BYTES = 4096 };

int ay_cmd_worker(int argc, char **argv)
{
    struct ay_opener *opener;
    struct ay_error err;
    (void)argc;
    (void)argv;
    void *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, WORD_FD, 0);
    if (ay_opener_new(page == MAP_FAILED ? NULL : page, &opener, &err) != AY_OK) return 1;
    const struct ay_backends backends = ay_backends_of(opener);
    const int code = ay_worker(&backends, JOBS_FD, ANSWERS_FD);
    ay_opener_close(opener);
    return code;
}
