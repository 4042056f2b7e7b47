/* test_gpu_start.c - drivers that are missing, wrong, old or shut: each has its own diagnosis. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dev/gpu/diagnose.h"
#include "dev/gpu/fault.h"
#include "dev/gpu/gpu.h"
#include "gpu_world.h"

/* --- codes ------------------------------------------------------------------------------------ */

static const struct {
    int code;
    const char *words[3];
} starts[] = {
    {3, {"CUDA_ERROR_NOT_INITIALIZED", "fork"}},
    {34, {"CUDA_ERROR_STUB_LIBRARY", "stub", "LD_LIBRARY_PATH"}},
    {35, {"cudaErrorInsufficientDriver", "older than"}},
    {36, {"CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "newer driver"}},
    {46, {"CUDA_ERROR_DEVICE_UNAVAILABLE", "compute mode", "prohibited"}},
    {100, {"CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES", "--gpus"}},
    {101, {"CUDA_ERROR_INVALID_DEVICE", "MIG"}},
    {802, {"CUDA_ERROR_SYSTEM_NOT_READY", "nvidia-fabricmanager"}},
    {803, {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "/usr/local/cuda/compat",
           "ldconfig -p | grep libcuda"}},
    {804, {"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility"}},
    {999, {"CUDA_ERROR_UNKNOWN", "nvidia_uvm", "/dev/nvidia-uvm"}},
};
enum { N_STARTS = sizeof starts / sizeof starts[0] };

/* Of a driver whose cuInit answers that. */
static void list_with(const char *fault, struct ay_error *err)
{
    struct fake fake;
    struct ay_driver d;
    struct ay_faults *f;
    struct ay_gpu_entry *gpus;
    size_t n;
    fake_init(&fake);
    fake_driver(&fake, &d);
    ck_assert_int_eq(ay_faults_parse(&fault, 1, &f, err), AY_OK);
    ck_assert_int_eq(ay_faults_wrap(&d, f, err), AY_OK);
    ck_assert_int_eq(ay_gpu_list(&d, &gpus, &n, err), AY_DEVICE);
    ck_assert_ptr_null(gpus);
    ay_driver_close(&d);
    ay_faults_close(f);
}

START_TEST(each_start_code_has_a_diagnosis_of_its_own)
{
    char fault[64];
    struct ay_error err, all[N_STARTS];
    for (size_t i = 0; i < N_STARTS; i++) {
        snprintf(fault, sizeof fault, "cuInit@1=%d", starts[i].code);
        list_with(fault, &err);
        must_say(err.text, "cuInit: ");
        must_say(err.text, "/opt/fake/libcuda.so.1");
        for (int w = 0; w < 3 && starts[i].words[w]; w++) must_say(err.text, starts[i].words[w]);
        ck_assert_ptr_null(strchr(err.text, '\n'));
        ck_assert_ptr_null(strstr(err.text, "%s"));
        all[i] = err;
        for (size_t j = 0; j < i; j++) {
            const char *mine = strchr(err.text, ')'), *other = strchr(all[j].text, ')');
            ck_assert_str_ne(mine, other);
        }
    }
}
END_TEST

START_TEST(an_unknown_failure_is_not_called_a_missing_gpu)
{
    struct ay_error err;
    list_with("cuInit@1=999", &err);
    ck_assert_ptr_null(strstr(err.text, "no GPU"));
    list_with("cuInit@1=4711", &err);
    must_say(err.text, "4711");
    must_say(err.text, "nvidia-smi");
}
END_TEST

START_TEST(each_call_of_the_start_can_fail)
{
    struct ay_error err;
    list_with("cuDriverGetVersion@1=999", &err);
    must_say(err.text, "cuDriverGetVersion: CUDA_ERROR_UNKNOWN");
    list_with("cuDeviceGetCount@1=3", &err);
    must_say(err.text, "cuDeviceGetCount: CUDA_ERROR_NOT_INITIALIZED");
    list_with("cuDeviceGetCount@1=corrupt", &err);
    must_say(err.text, "cuDeviceGetCount: CUDA_ERROR_NO_DEVICE");
}
END_TEST

START_TEST(every_result_of_cuda_h_has_its_name)
{
    ck_assert_str_eq(ay_cuda_code_name(CUDA_ERROR_ILLEGAL_ADDRESS), "CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_assert_ptr_null(ay_cuda_code_name(0));
    ck_assert_ptr_null(ay_cuda_code_name(-1));
    ck_assert_int_eq(ay_cuda_code_of("CUDA_ERROR_UNKNOWN"), 999);
    ck_assert_int_eq(ay_cuda_code_of("CUDA_ERROR_"), -1);
    for (int code = 1; code < 1000; code++) {
        const char *name = ay_cuda_code_name(code);
        if (name) ck_assert_int_eq(ay_cuda_code_of(name), code);
    }
}
END_TEST

/* --- libraries -------------------------------------------------------------------------------- */

struct folder {
    char path[64], file[96];
};

static void make_folder(struct folder *f, const char *name)
{
    snprintf(f->path, sizeof f->path, "/tmp/assay-start-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f->path));
    snprintf(f->file, sizeof f->file, "%s/%s", f->path, name);
}

static void remove_folder(struct folder *f)
{
    unlink(f->file);
    rmdir(f->path);
}

START_TEST(without_a_library_the_loader_is_quoted)
{
    struct ay_error err;
    setenv("LD_LIBRARY_PATH", "/nonexistent:/also-not", 1);
    ck_assert_int_eq(ay_diagnose_missing(&err, "libcuda.so.1: cannot open"), AY_DEVICE);
    must_say(err.text, "no NVIDIA driver here");
    must_say(err.text, "libcuda.so.1: cannot open");
    must_say(err.text, "--gpus all");
    ck_assert_ptr_null(strstr(err.text, "stub"));
    unsetenv("LD_LIBRARY_PATH");
    ck_assert_int_eq(ay_diagnose_missing(&err, "x"), AY_DEVICE);
    must_say(err.text, "no NVIDIA driver here");
}
END_TEST

START_TEST(a_folder_with_an_unsuffixed_libcuda_is_named_as_the_stub)
{
    struct folder f;
    struct ay_error err;
    char path[256];
    make_folder(&f, "libcuda.so");
    FILE *file = fopen(f.file, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    snprintf(path, sizeof path, "/nonexistent::%s:/also-not", f.path);
    setenv("LD_LIBRARY_PATH", path, 1);
    ck_assert_int_eq(ay_diagnose_missing(&err, "not found"), AY_DEVICE);
    must_say(err.text, f.file);
    must_say(err.text, "stub");
    remove_folder(&f);
}
END_TEST

/* The loader reads LD_LIBRARY_PATH once, so the library is opened by this program started anew. */
static void open_in_child(const char *folder, char *text, size_t n)
{
    char command[256];
    snprintf(command, sizeof command, "LD_LIBRARY_PATH=%s AY_TEST_OPEN=1 /proc/%d/exe", folder,
             (int)getpid());
    FILE *p = popen(command, "r");
    ck_assert_ptr_nonnull(p);
    const size_t got = fread(text, 1, n - 1, p);
    text[got] = '\0';
    ck_assert_int_eq(pclose(p), 0);
}

static int open_here(void)
{
    struct ay_driver d;
    struct ay_error err = {.text = ""};
    const enum ay_status s = ay_libcuda_open(&d, &err);
    if (s != AY_OK) {
        printf("status %d %s", (int)s, err.text);
        return 0;
    }
    int version = 0;
    d.DriverGetVersion(d.self, &version);
    printf("opened %s version %d ex %d graph %d alloc %d elapsed %d", d.origin, version,
           d.LaunchKernelEx != NULL, d.GraphLaunch != NULL, d.MemAlloc != NULL,
           d.EventElapsedTime != NULL);
    ay_driver_close(&d);
    return 0;
}

#define TEXT(x) #x
#define SYMBOL(x) TEXT(x)
#undef cuEventElapsedTime

/* A libcuda of CUDA 11.0: symbols carry their versions and there is no cuGetProcAddress. without:
 * an entry point that it lacks, or "". */
static void build_old_driver(const char *file, const char *without)
{
    enum { REQUIRED, OPTIONAL };
    char command[256];
    snprintf(command, sizeof command, "cc -shared -fPIC -w -x c -o %s -", file);
    FILE *cc = popen(command, "w");
    ck_assert_ptr_nonnull(cc);
#define X(name, version, need, params, args, outs)                                         \
    if (version <= 11000 && strcmp("cu" #name, without) && strcmp(#name, "DriverGetVersion")) \
        fprintf(cc, "int %s(void) { return 0; }\n", SYMBOL(cu##name));
#include "dev/gpu/cuda.def"
#undef X
    fprintf(cc, "int cuDriverGetVersion(int *v) { *v = 11000; return 0; }\n");
    ck_assert_int_eq(pclose(cc), 0);
}

START_TEST(a_driver_of_11_0_opens_and_lacks_what_came_later)
{
    struct folder f;
    char text[1024];
    make_folder(&f, "libcuda.so.1");
    build_old_driver(f.file, "");
    open_in_child(f.path, text, sizeof text);
    must_say(text, f.file);
    must_say(text, "version 11000 ex 0 graph 1 alloc 1 elapsed 1");
    remove_folder(&f);
}
END_TEST

START_TEST(a_driver_without_a_required_entry_is_named_with_it)
{
    struct folder f;
    char text[1024];
    make_folder(&f, "libcuda.so.1");
    build_old_driver(f.file, "cuMemAlloc");
    open_in_child(f.path, text, sizeof text);
    must_say(text, "status 3");
    must_say(text, "CUDA 11.0");
    must_say(text, "lacks cuMemAlloc");
    must_say(text, "newer driver");
    remove_folder(&f);
}
END_TEST

START_TEST(a_stub_that_is_loaded_is_called_a_stub)
{
    struct folder f;
    char text[1024];
    make_folder(&f, "libcuda.so.1");
    char command[256];
    snprintf(command, sizeof command, "cc -shared -fPIC -w -x c -o %s -", f.file);
    FILE *cc = popen(command, "w");
    ck_assert_ptr_nonnull(cc);
    fprintf(cc, "int cuDriverGetVersion(int *v) { return 34; }\n");
    ck_assert_int_eq(pclose(cc), 0);
    open_in_child(f.path, text, sizeof text);
    must_say(text, "CUDA_ERROR_STUB_LIBRARY");
    must_say(text, f.file);
    must_say(text, "stubs folder");
    remove_folder(&f);
}
END_TEST

START_TEST(a_library_that_is_no_driver_is_said)
{
    struct folder f;
    char text[1024];
    make_folder(&f, "libcuda.so.1");
    char command[256];
    snprintf(command, sizeof command, "echo 'int x;' | cc -shared -fPIC -x c -o %s -", f.file);
    ck_assert_int_eq(system(command), 0);
    open_in_child(f.path, text, sizeof text);
    must_say(text, "no cuDriverGetVersion");
    remove_folder(&f);
}
END_TEST

/* --- the stand-in ----------------------------------------------------------------------------- */

START_TEST(the_stand_in_has_every_entry_and_no_device)
{
    struct ay_driver d;
    struct ay_gpu_entry *gpus;
    struct ay_error err;
    size_t n;
    ay_standin_open(&d);
#define X(name, version, need, params, args, outs) ck_assert(d.name != NULL);
#include "dev/gpu/cuda.def"
#undef X
#define X(name, symbol, older, params, args, outs) ck_assert(d.nvml##name != NULL);
#include "dev/gpu/nvml.def"
#undef X
    ck_assert_int_eq(ay_gpu_list(&d, &gpus, &n, &err), AY_DEVICE);
    must_say(err.text, "CUDA_ERROR_NO_DEVICE");
    ay_driver_close(&d);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        each_start_code_has_a_diagnosis_of_its_own,
        an_unknown_failure_is_not_called_a_missing_gpu,
        each_call_of_the_start_can_fail,
        every_result_of_cuda_h_has_its_name,
        without_a_library_the_loader_is_quoted,
        a_folder_with_an_unsuffixed_libcuda_is_named_as_the_stub,
        a_driver_of_11_0_opens_and_lacks_what_came_later,
        a_driver_without_a_required_entry_is_named_with_it,
        a_stub_that_is_loaded_is_called_a_stub,
        a_library_that_is_no_driver_is_said,
        the_stand_in_has_every_entry_and_no_device,
    };
    if (getenv("AY_TEST_OPEN")) return open_here();
    return gpu_world_run("gpu_start", tests, sizeof tests / sizeof tests[0]);
}
