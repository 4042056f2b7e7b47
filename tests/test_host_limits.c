/* How much memory there is to take: files as kernels write them, in a folder of ours. */
#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bench_host.h"
#include "dev/host/limits.h"
#include "dev/host/memory.h"

/* A root with proc/ and sys/ under it; each test forks, so that a fixture may hold it. */
struct world {
    char root[64], proc[96], sys[96];
    struct ay_host_roots roots;
};

static void put(const struct world *w, const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", w->root, path);
    for (char *slash = full + strlen(w->root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        ck_assert(mkdir(full, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *f = fopen(full, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void make(struct world *w)
{
    strcpy(w->root, "/tmp/assay-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(w->root));
    snprintf(w->proc, sizeof w->proc, "%s/proc", w->root);
    snprintf(w->sys, sizeof w->sys, "%s/sys", w->root);
    w->roots = (struct ay_host_roots){ w->proc, w->sys };
    put(w, "proc/meminfo", "MemTotal:       16777216 kB\nMemFree:         1024 kB\n"
                           "MemAvailable:    8388608 kB\nHugePages_Free:        3\n"
                           "Hugepagesize:       2048 kB\n");
}

static int unlink_one(const char *path, const struct stat *s, int kind, struct FTW *f)
{
    (void)s, (void)kind, (void)f;
    return remove(path);
}

static void clear(const struct world *w)
{
    ck_assert_int_eq(nftw(w->root, unlink_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static const uint64_t GIB = UINT64_C(1) << 30;

START_TEST(without_cgroups_available_memory_is_the_limit)
{
    struct world w;
    make(&w);
    ck_assert_uint_eq(ay_host_free_bytes(&w.roots), 8 * GIB); /* not MemFree */
    ck_assert_uint_eq(ay_cgroup_limit_bytes(&w.roots), UINT64_MAX);
    clear(&w);
}
END_TEST

START_TEST(a_container_of_version_2_limits_what_meminfo_promises)
{
    struct world w;
    make(&w);
    put(&w, "proc/self/cgroup", "0::/\n"); /* a cgroup namespace: its own root */
    put(&w, "sys/fs/cgroup/memory.max", "3221225472\n");
    put(&w, "sys/fs/cgroup/memory.current", "1073741824\n");
    ck_assert_uint_eq(ay_host_free_bytes(&w.roots), 2 * GIB);
    ck_assert_uint_eq(ay_cgroup_limit_bytes(&w.roots), 3 * GIB);
    clear(&w);
}
END_TEST

START_TEST(the_word_max_is_no_limit)
{
    struct world w;
    make(&w);
    put(&w, "proc/self/cgroup", "0::/user.slice/a.scope\n");
    put(&w, "sys/fs/cgroup/user.slice/a.scope/memory.max", "max\n");
    put(&w, "sys/fs/cgroup/user.slice/a.scope/memory.current", "1073741824\n");
    ck_assert_uint_eq(ay_host_free_bytes(&w.roots), 8 * GIB);
    clear(&w);
}
END_TEST

START_TEST(an_ancestor_limits_its_descendants)
{
    struct world w;
    make(&w);
    put(&w, "proc/self/cgroup", "0::/a/b/c\n");
    put(&w, "sys/fs/cgroup/a/memory.max", "2147483648\n");
    put(&w, "sys/fs/cgroup/a/memory.current", "1610612736\n");
    put(&w, "sys/fs/cgroup/a/b/memory.max", "4294967296\n");
    put(&w, "sys/fs/cgroup/a/b/memory.current", "0\n");
    put(&w, "sys/fs/cgroup/a/b/c/memory.max", "max\n");
    ck_assert_uint_eq(ay_host_free_bytes(&w.roots), GIB / 2);
    clear(&w);
}
END_TEST

START_TEST(version_1_limits_too_and_its_huge_number_does_not)
{
    struct world w;
    make(&w);
    put(&w, "proc/self/cgroup", "9:name=systemd:/\n5:cpu,memory:/job\n4:memoryx:/no\n");
    put(&w, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put(&w, "sys/fs/cgroup/memory/memory.usage_in_bytes", "123\n");
    put(&w, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
    put(&w, "sys/fs/cgroup/memory/job/memory.usage_in_bytes", "536870912\n");
    ck_assert_uint_eq(ay_host_free_bytes(&w.roots), GIB / 2);
    clear(&w);
}
END_TEST

START_TEST(a_path_of_the_outer_machine_falls_back_to_the_mount)
{
    struct world w;
    make(&w);
    put(&w, "proc/self/cgroup", "0::/docker/0123456789abcdef/not-here\n");
    put(&w, "sys/fs/cgroup/memory.max", "1073741824\n");
    put(&w, "sys/fs/cgroup/memory.current", "0\n");
    ck_assert_uint_eq(ay_host_free_bytes(&w.roots), GIB);
    clear(&w);
}
END_TEST

START_TEST(more_used_than_allowed_leaves_nothing)
{
    struct world w;
    make(&w);
    put(&w, "proc/self/cgroup", "0::/\n");
    put(&w, "sys/fs/cgroup/memory.max", "1000000\n");
    put(&w, "sys/fs/cgroup/memory.current", "2000000\n");
    ck_assert_uint_eq(ay_host_free_bytes(&w.roots), 0);
    clear(&w);
}
END_TEST

START_TEST(memory_that_the_cgroup_forbids_is_not_asked_of_the_kernel)
{
    struct world w;
    make(&w);
    put(&w, "proc/self/cgroup", "0::/\n");
    put(&w, "sys/fs/cgroup/memory.max", "1048576\n");
    put(&w, "sys/fs/cgroup/memory.current", "0\n");
    const struct ay_host_facts facts = { .n_nodes = 1 };
    struct ay_mapping m;
    struct ay_error err;
    ck_assert_int_eq(ay_map_memory(NULL, &facts, &w.roots, 2 << 20, 0, AY_PAGES_SMALL, &m, &err),
                     AY_NOMEM);
    ck_assert_ptr_nonnull(strstr(err.text, "1048576"));
    ck_assert_int_eq(ay_map_memory(NULL, &facts, &w.roots, 1 << 20, 0, AY_PAGES_SMALL, &m, &err),
                     AY_OK);
    ay_unmap_memory(&m);
    clear(&w);
}
END_TEST

START_TEST(huge_pages_are_there_when_reserved_or_not_switched_off)
{
    struct world w;
    char why[96];
    make(&w);
    put(&w, "sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    ck_assert_str_eq(ay_no_huge_pages(&w.roots, why, sizeof why), ""); /* three reserved ones */
    put(&w, "proc/meminfo", "MemAvailable: 8388608 kB\nHugePages_Free: 0\n");
    ck_assert_ptr_nonnull(strstr(ay_no_huge_pages(&w.roots, why, sizeof why), "off"));
    put(&w, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    ck_assert_str_eq(ay_no_huge_pages(&w.roots, why, sizeof why), "");
    clear(&w);
}
END_TEST

START_TEST(a_ring_on_huge_pages_is_skipped_where_there_are_none)
{
    struct world w;
    make(&w);
    put(&w, "proc/meminfo", "MemAvailable: 8388608 kB\nHugePages_Free: 0\n");
    put(&w, "sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    const struct ay_host_facts facts = { .n_nodes = 1 };
    struct ay_mapping m;
    struct ay_error err;
    ck_assert_int_eq(ay_map_memory(NULL, &facts, &w.roots, 2 << 20, 0, AY_PAGES_HUGE, &m, &err),
                     AY_SKIP);
    ck_assert_ptr_nonnull(strstr(err.text, "no huge pages"));
    ck_assert_ptr_null(m.at);
    clear(&w);
}
END_TEST

START_TEST(pages_that_the_kernel_did_not_make_huge_are_not_taken_for_huge)
{
    struct world w;
    make(&w);
    put(&w, "proc/meminfo", "MemAvailable: 8388608 kB\nHugePages_Free: 0\n");
    put(&w, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    put(&w, "proc/self/smaps", "00000000-ffffffffffffffff rw-p 00000000 00:00 0\n"
                               "Size:               4096 kB\nAnonHugePages:      2048 kB\n");
    const struct ay_host_facts facts = { .n_nodes = 1 };
    struct ay_mapping m;
    struct ay_error err;
    ck_assert_int_eq(ay_map_memory(NULL, &facts, &w.roots, 4 << 20, 0, AY_PAGES_HUGE, &m, &err),
                     AY_SKIP);
    ck_assert_ptr_nonnull(strstr(err.text, "2 of 4 MiB"));
    clear(&w);
}
END_TEST

int main(void)
{
    TCase *t = tcase_create("limits");
    tcase_add_test(t, without_cgroups_available_memory_is_the_limit);
    tcase_add_test(t, a_container_of_version_2_limits_what_meminfo_promises);
    tcase_add_test(t, the_word_max_is_no_limit);
    tcase_add_test(t, an_ancestor_limits_its_descendants);
    tcase_add_test(t, version_1_limits_too_and_its_huge_number_does_not);
    tcase_add_test(t, a_path_of_the_outer_machine_falls_back_to_the_mount);
    tcase_add_test(t, more_used_than_allowed_leaves_nothing);
    tcase_add_test(t, memory_that_the_cgroup_forbids_is_not_asked_of_the_kernel);
    tcase_add_test(t, huge_pages_are_there_when_reserved_or_not_switched_off);
    tcase_add_test(t, a_ring_on_huge_pages_is_skipped_where_there_are_none);
    tcase_add_test(t, pages_that_the_kernel_did_not_make_huge_are_not_taken_for_huge);
    Suite *s = suite_create("host limits");
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    const int n_failed = srunner_ntests_failed(r);
    srunner_free(r);
    return n_failed != 0;
}
