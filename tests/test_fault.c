/* test_fault.c - --fault: what it understands, when it fires, what it does. */
#include <check.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev/gpu/fault.h"
#include "dev/gpu/known.h"
#include "gpu_world.h"

/* --- what is understood ----------------------------------------------------------------------- */

static enum ay_status parse(const char *text, struct ay_faults **out, struct ay_error *err)
{
    return ay_faults_parse(&text, 1, out, err);
}

static void must_reject(const char *text, const char *saying)
{
    struct ay_faults *f;
    struct ay_error err;
    ck_assert_msg(parse(text, &f, &err) == AY_USAGE, "%s is accepted", text);
    ck_assert_ptr_null(f);
    ck_assert_msg(strstr(err.text, saying) != NULL, "%s: \"%s\" lacks \"%s\"", text, err.text,
                  saying);
}

START_TEST(a_wrong_fault_is_named_with_what_would_be_right)
{
    must_reject("cuMemAloc@1=2", "cuMemAlloc");
    must_reject("nvmlDeviceGetTemprature@1=3", "nvmlDeviceGetTemperature");
    must_reject("@1=2", "entry point is missing");
    must_reject("", "entry point is missing");
    must_reject("cuMemAlloc", "cuMemAlloc@1=2");
    must_reject("cuMemAlloc=2", "cuMemAlloc@1=2");
    must_reject("cuMemAlloc@1", "=hang");
    must_reject("cuMemAlloc@0=2", "count from 1");
    must_reject("cuMemAlloc@-1=2", "count from 1");
    must_reject("cuMemAlloc@x=2", "count from 1");
    must_reject("cuMemAlloc@=2", "count from 1");
    must_reject("cuMemAlloc@1=", "nothing");
    must_reject("cuMemAlloc@1=CUDA_ERROR_NONSENSE", "CUDA_ERROR_NONSENSE");
    must_reject("cuMemAlloc@1=-2", "-2");
    must_reject("cuMemAlloc@1=0", "corrupt");
    must_reject("cuMemAlloc@1=12345678901", "12345678901");
}
END_TEST

START_TEST(every_form_of_the_manual_is_understood)
{
    static const char *const texts[] = {
        "cuMemAlloc@1=2", "cuMemAlloc_v2@3=hang", "cuMemcpyDtoH_v2_ptds@*=corrupt",
        "cuInit@1=CUDA_ERROR_SYSTEM_NOT_READY", "nvmlDeviceGetTemperature@*=3",
        "nvmlInit_v2@1=NVML_ERROR_UNKNOWN", "nvmlDeviceGetCurrentClocksThrottleReasons@2=999",
        "cuMemPrefetchBatchAsync@1=1", "nvmlDeviceGetFanSpeed@1=3",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct ay_faults *f;
        struct ay_error err = {.text = ""};
        ck_assert_msg(parse(texts[i], &f, &err) == AY_OK, "%s: %s", texts[i], err.text);
        ay_faults_close(f);
    }
}
END_TEST

static bool is_word_of(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && at[n] == ' ') return true;
    return false;
}

START_TEST(every_entry_of_the_table_is_one_that_headers_know)
{
    for (int e = 0; e < AY_N_ENTRIES; e++) {
        const char *name = ay_entry_name((enum ay_entry)e);
        const bool is_nvml = !strncmp(name, "nvml", 4);
        ck_assert_msg(is_nvml || !strncmp(name, "cu", 2), "entry %d is %s", e, name);
        ck_assert_msg(is_nvml ? is_word_of(ay_known_nvml, name + 4)
                              : is_word_of(ay_known_cuda, name + 2),
                      "no header knows %s", name);
        for (int other = 0; other < e; other++)
            ck_assert_str_ne(name, ay_entry_name((enum ay_entry)other));
    }
    ck_assert_str_eq(ay_entry_name(AY_N_ENTRIES), "?");
}
END_TEST

/* --- when it fires ---------------------------------------------------------------------------- */

struct bed {
    struct fake fake;
    struct ay_driver d;
    struct ay_faults *faults;
};

static void set_up(struct bed *w, const char *const *texts, size_t n)
{
    struct ay_error err = {.text = ""};
    fake_init(&w->fake);
    fake_driver(&w->fake, &w->d);
    ck_assert_msg(ay_faults_parse(texts, n, &w->faults, &err) == AY_OK, "%s", err.text);
    ck_assert_int_eq(ay_faults_wrap(&w->d, w->faults, &err), AY_OK);
}

static void set_up_1(struct bed *w, const char *text)
{
    set_up(w, &text, text != NULL);
}

static void tear_down(struct bed *w)
{
    ay_driver_close(&w->d);
    ay_faults_close(w->faults);
    ck_assert_uint_eq(w->fake.n_closed, 1);
}

START_TEST(a_fault_fires_at_its_call_and_never_again)
{
    struct bed w;
    set_up_1(&w, "cuInit@3=804");
    const CUresult want[] = {0, 0, 804, 0, 0};
    for (int i = 0; i < 5; i++) ck_assert_int_eq(w.d.Init(w.d.self, 0), want[i]);
    tear_down(&w);
}
END_TEST

START_TEST(a_star_fires_at_each_call)
{
    struct bed w;
    set_up_1(&w, "cuInit@*=CUDA_ERROR_UNKNOWN");
    for (int i = 0; i < 3; i++) ck_assert_int_eq(w.d.Init(w.d.self, 0), CUDA_ERROR_UNKNOWN);
    tear_down(&w);
}
END_TEST

START_TEST(counts_go_on_in_the_next_worker)
{
    struct bed w;
    set_up_1(&w, "cuInit@3=804");
    ck_assert_int_eq(w.d.Init(w.d.self, 0), 0);
    ck_assert_int_eq(w.d.Init(w.d.self, 0), 0);
    json_t *counts = ay_faults_counts(w.faults);
    ck_assert_uint_eq(json_object_size(counts), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(counts, "cuInit")), 2);
    tear_down(&w);
    set_up_1(&w, "cuInit@3=804");
    ay_faults_set_counts(w.faults, counts);
    ck_assert_int_eq(w.d.Init(w.d.self, 0), 804);
    json_decref(counts);
    tear_down(&w);
}
END_TEST

START_TEST(counts_that_are_nonsense_count_as_none)
{
    struct bed w;
    set_up_1(&w, "cuInit@1=804");
    json_t *counts = json_pack("{s:i, s:s, s:i}", "cuInit", -7, "cuMemAlloc", "x", "nobody", 4);
    ay_faults_set_counts(w.faults, counts);
    ay_faults_set_counts(w.faults, NULL);
    ck_assert_int_eq(w.d.Init(w.d.self, 0), 804);
    json_decref(counts);
    tear_down(&w);
}
END_TEST

START_TEST(faults_that_were_never_reached_are_listed_as_typed)
{
    static const char *const texts[] = {"cuInit@1=3", "cuMemAlloc_v2@1=2",
                                        "cuMemPrefetchBatchAsync@1=1"};
    struct bed w;
    set_up(&w, texts, 3);
    const char *unused[2];
    ck_assert_uint_eq(ay_faults_unused(w.faults, unused, 2), 3);
    ck_assert_int_eq(w.d.Init(w.d.self, 0), 3);
    ck_assert_uint_eq(ay_faults_unused(w.faults, unused, 2), 2);
    ck_assert_str_eq(unused[0], "cuMemAlloc_v2");
    ck_assert_str_eq(unused[1], "cuMemPrefetchBatchAsync");
    tear_down(&w);
}
END_TEST

/* Each entry point is called with zeros alone, which only works where the call goes no further. */
typedef int (*bare)(void *, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                    uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                    uintptr_t, uintptr_t);

static int poke(void (*entry)(void), void *self)
{
    return ((bare)entry)(self, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void poke_all(const char *effect, int want)
{
    struct ay_driver d;
    struct ay_faults *f;
    struct ay_error err;
    char text[128];
    int n = 0;
#define POKE(field, name)                                                   \
    ay_standin_open(&d);                                                    \
    snprintf(text, sizeof text, "%s@1=%s", name, effect);                   \
    ck_assert_int_eq(parse(text, &f, &err), AY_OK);                         \
    ck_assert_int_eq(ay_faults_wrap(&d, f, &err), AY_OK);                   \
    ck_assert_msg(poke((void (*)(void))d.field, d.self) == want, "%s", text); \
    ck_assert_uint_eq(ay_faults_unused(f, NULL, 0), 0);                     \
    ay_driver_close(&d);                                                    \
    ay_faults_close(f);                                                     \
    n++;
#define X(name, version, need, params, args, outs) POKE(name, "cu" #name)
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs) POKE(nvml##name, "nvml" #name)
#include "dev/gpu/nvml.def"
#undef X
    ck_assert_int_eq(n, AY_N_ENTRIES);
}

START_TEST(every_entry_can_be_made_to_fail)
{
    poke_all("998", 998);
}
END_TEST

START_TEST(every_entry_can_be_made_to_do_nothing)
{
    poke_all("corrupt", 0);
}
END_TEST

/* --- what it does ----------------------------------------------------------------------------- */

START_TEST(a_corrupt_query_repeats_its_last_answer)
{
    struct bed w;
    set_up_1(&w, "cuDeviceGetName@2=corrupt");
    char name[64] = "";
    ck_assert_int_eq(w.d.DeviceGetName(w.d.self, name, sizeof name, 8), 0);
    ck_assert_str_eq(name, "Fake GPU 1");
    memset(name, 'x', sizeof name);
    ck_assert_int_eq(w.d.DeviceGetName(w.d.self, name, sizeof name, 7), 0);
    ck_assert_str_eq(name, "Fake GPU 1");
    ck_assert_int_eq(w.d.DeviceGetName(w.d.self, name, sizeof name, 7), 0);
    ck_assert_str_eq(name, "Fake GPU 0");
    tear_down(&w);
}
END_TEST

START_TEST(a_corrupt_query_of_two_answers_repeats_both)
{
    struct bed w;
    set_up_1(&w, "cuMemGetInfo@2=corrupt");
    size_t n_free = 0, total = 0;
    ck_assert_int_eq(w.d.MemGetInfo(w.d.self, &n_free, &total), 0);
    ck_assert_uint_eq(n_free, 3u << 30);
    n_free = total = 1;
    ck_assert_int_eq(w.d.MemGetInfo(w.d.self, &n_free, &total), 0);
    ck_assert_uint_eq(n_free, 3u << 30);
    ck_assert_uint_eq(total, (size_t)1 << 32);
    tear_down(&w);
}
END_TEST

START_TEST(a_corrupt_copy_leaves_its_target_as_it_was)
{
    struct bed w;
    set_up_1(&w, "cuMemcpyDtoHAsync@1=corrupt");
    uint32_t source = 5, target = 9;
    const CUdeviceptr from = (CUdeviceptr)(uintptr_t)&source;
    ck_assert_int_eq(w.d.MemcpyDtoHAsync(w.d.self, &target, from, 4, NULL), 0);
    ck_assert_uint_eq(target, 9);
    ck_assert_int_eq(w.d.MemcpyDtoHAsync(w.d.self, &target, from, 4, NULL), 0);
    ck_assert_uint_eq(target, 5);
    tear_down(&w);
}
END_TEST

START_TEST(a_corrupt_launch_does_not_run_and_a_corrupt_allocation_gives_nothing)
{
    static const char *const texts[] = {"cuLaunchKernel@1=corrupt", "cuMemAlloc@1=corrupt"};
    struct bed w;
    set_up(&w, texts, 2);
    ck_assert_int_eq(
        w.d.LaunchKernel(w.d.self, NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
    ck_assert_uint_eq(w.fake.n_launches, 0);
    CUdeviceptr at = 77;
    ck_assert_int_eq(w.d.MemAlloc(w.d.self, &at, 16), 0);
    ck_assert_uint_eq(at, 0);
    tear_down(&w);
}
END_TEST

START_TEST(a_hang_blocks_and_the_watched_word_says_where)
{
    volatile uint32_t *where = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne((void *)(uintptr_t)where, MAP_FAILED);
    const pid_t child = fork();
    if (child == 0) {
        struct bed w;
        set_up_1(&w, "cuMemFree@1=hang");
        ay_faults_watch(w.faults, where);
        if (w.d.Init(w.d.self, 0) != CUDA_SUCCESS || *where != 0) _exit(1);
        w.d.MemFree(w.d.self, 0);
        _exit(0);
    }
    ck_assert_int_gt(child, 0);
    int how = 0;
    pid_t ended = 0;
    while (*where != 1 + AY_ENTRY_cuMemFree && !(ended = waitpid(child, &how, WNOHANG))) continue;
    ck_assert_msg(ended == 0, "the child left with %d", how);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    ck_assert_msg(WIFSIGNALED(how), "the child did not hang");
    munmap((void *)(uintptr_t)where, 4096);
}
END_TEST

START_TEST(what_the_provider_last_said_is_not_about_an_injected_result)
{
    struct bed w;
    set_up_1(&w, "cuInit@2=999");
    w.fake.reason = "opcode x is not simulated";
    ck_assert_int_eq(w.d.Init(w.d.self, 0), 0);
    ck_assert_str_eq(w.d.last_reason(w.d.self), "opcode x is not simulated");
    ck_assert_int_eq(w.d.Init(w.d.self, 0), 999);
    ck_assert_ptr_null(w.d.last_reason(w.d.self));
    tear_down(&w);
}
END_TEST

START_TEST(what_the_provider_lacks_stays_missing)
{
    struct fake fake;
    struct ay_driver d;
    struct ay_faults *f;
    struct ay_error err;
    fake_init(&fake);
    fake_driver(&fake, &d);
    d.GraphUpload = NULL;
    d.nvmlDeviceGetTemperature = NULL;
    ck_assert_int_eq(ay_faults_parse(NULL, 0, &f, &err), AY_OK);
    ck_assert_int_eq(ay_faults_wrap(&d, f, &err), AY_OK);
    ck_assert(d.GraphUpload == NULL);
    ck_assert(d.nvmlDeviceGetTemperature == NULL);
    ck_assert(d.GraphLaunch != NULL);
    ck_assert_uint_eq(d.now_ns(d.self), 1234);
    ck_assert_str_eq(d.origin, "/opt/fake/libcuda.so.1");
    ay_driver_close(&d);
    ay_faults_close(f);
}
END_TEST

START_TEST(only_faults_of_the_start_want_the_stand_in)
{
    static const struct {
        const char *text;
        bool wants;
    } cases[] = {{"cuInit@1=3", true},
                 {"cuDriverGetVersion@1=3", true},
                 {"cuDeviceGetCount@1=corrupt", true},
                 {"cuMemAlloc@1=2", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ay_faults *f;
        struct ay_error err;
        ck_assert_int_eq(parse(cases[i].text, &f, &err), AY_OK);
        ck_assert_int_eq(ay_faults_want_standin(f), cases[i].wants);
        ay_faults_close(f);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_wrong_fault_is_named_with_what_would_be_right,
        every_form_of_the_manual_is_understood,
        every_entry_of_the_table_is_one_that_headers_know,
        a_fault_fires_at_its_call_and_never_again,
        a_star_fires_at_each_call,
        counts_go_on_in_the_next_worker,
        counts_that_are_nonsense_count_as_none,
        faults_that_were_never_reached_are_listed_as_typed,
        every_entry_can_be_made_to_fail,
        every_entry_can_be_made_to_do_nothing,
        a_corrupt_query_repeats_its_last_answer,
        a_corrupt_query_of_two_answers_repeats_both,
        a_corrupt_copy_leaves_its_target_as_it_was,
        a_corrupt_launch_does_not_run_and_a_corrupt_allocation_gives_nothing,
        a_hang_blocks_and_the_watched_word_says_where,
        what_the_provider_last_said_is_not_about_an_injected_result,
        what_the_provider_lacks_stays_missing,
        only_faults_of_the_start_want_the_stand_in,
    };
    return gpu_world_run("fault", tests, sizeof tests / sizeof tests[0]);
}
