/* fake_work.c - modules, launches, streams, graphs of the fake driver: handles and notes. */
#include <stdio.h>

#include "fake_driver.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define SELF struct fake *f = self
#define HANDLE(type, n) ((type)(uintptr_t)(0x1000u + (n)))

static CUresult load(void *self, CUmodule *module, const void *image, unsigned n,
                     CUjit_option *options, void **values)
{
    SELF;
    f->loaded = image;
    if (f->jit_log) {
        snprintf(values[0], 512, "%s", f->jit_log);
        return f->result ? f->result : CUDA_ERROR_INVALID_PTX;
    }
    f->n_modules++;
    *module = HANDLE(CUmodule, 1);
    return CUDA_SUCCESS;
}

static CUresult unload(void *self, CUmodule module)
{
    SELF;
    f->n_modules--;
    return CUDA_SUCCESS;
}

static CUresult get_function(void *self, CUfunction *function, CUmodule module, const char *name)
{
    SELF;
    if (!f->has_kernels) return CUDA_ERROR_NOT_FOUND;
    *function = HANDLE(CUfunction, 2);
    return CUDA_SUCCESS;
}

static CUresult set_function(void *self, CUfunction function, CUfunction_attribute a, int value)
{
    SELF;
    f->n_attributes++;
    return CUDA_SUCCESS;
}

static CUresult occupancy(void *self, int *n, CUfunction function, int threads, size_t shared)
{
    *n = 16;
    return CUDA_SUCCESS;
}

static CUresult clusters(void *self, int *n, CUfunction function, const CUlaunchConfig *c)
{
    *n = 2;
    return CUDA_SUCCESS;
}

static CUresult launch(void *self, CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                       unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream s,
                       void **params, void **extra)
{
    SELF;
    f->n_launches++;
    return CUDA_SUCCESS;
}

static CUresult launch_ex(void *self, const CUlaunchConfig *c, CUfunction function, void **params,
                          void **extra)
{
    SELF;
    f->n_ex++;
    f->last_config = *c;
    return CUDA_SUCCESS;
}

static CUresult make_stream(void *self, CUstream *s, unsigned flags)
{
    SELF;
    f->n_streams++;
    *s = HANDLE(CUstream, f->n_streams);
    return CUDA_SUCCESS;
}

static CUresult end_stream(void *self, CUstream s)
{
    SELF;
    f->n_streams--;
    return CUDA_SUCCESS;
}

static CUresult make_event(void *self, CUevent *e, unsigned flags)
{
    *e = HANDLE(CUevent, 3);
    return CUDA_SUCCESS;
}

static CUresult elapsed(void *self, float *ms, CUevent from, CUevent to)
{
    *ms = 2.5f;
    return CUDA_SUCCESS;
}

static CUresult make_graph(void *self, CUgraph *g, unsigned flags)
{
    SELF;
    f->n_graphs++;
    *g = HANDLE(CUgraph, 4);
    return CUDA_SUCCESS;
}

static CUresult end_graph(void *self, CUgraph g)
{
    SELF;
    f->n_graphs--;
    return CUDA_SUCCESS;
}

static CUresult add_kernel(void *self, CUgraphNode *node, CUgraph g, const CUgraphNode *after,
                           size_t n, const CUDA_KERNEL_NODE_PARAMS *p)
{
    *node = HANDLE(CUgraphNode, 5);
    return CUDA_SUCCESS;
}

static CUresult add_copy(void *self, CUgraphNode *node, CUgraph g, const CUgraphNode *after,
                         size_t n, const CUDA_MEMCPY3D *p, CUcontext context)
{
    *node = HANDLE(CUgraphNode, 6);
    return CUDA_SUCCESS;
}

static CUresult add_empty(void *self, CUgraphNode *node, CUgraph g, const CUgraphNode *after,
                          size_t n)
{
    *node = HANDLE(CUgraphNode, 7);
    return CUDA_SUCCESS;
}

static CUresult instantiate(void *self, CUgraphExec *exec, CUgraph g, unsigned long long flags)
{
    SELF;
    f->n_graphs++;
    *exec = HANDLE(CUgraphExec, 8);
    return CUDA_SUCCESS;
}

static CUresult end_exec(void *self, CUgraphExec exec)
{
    SELF;
    f->n_graphs--;
    return CUDA_SUCCESS;
}

static CUresult can_peer(void *self, int *can, CUdevice from, CUdevice to)
{
    *can = 1;
    return CUDA_SUCCESS;
}

void fake_work(struct ay_driver *d)
{
    d->ModuleLoadDataEx = load;
    d->ModuleUnload = unload;
    d->ModuleGetFunction = get_function;
    d->FuncSetAttribute = set_function;
    d->OccupancyMaxActiveBlocksPerMultiprocessor = occupancy;
    d->OccupancyMaxActiveClusters = clusters;
    d->LaunchKernel = launch;
    d->LaunchKernelEx = launch_ex;
    d->StreamCreate = make_stream;
    d->StreamDestroy = end_stream;
    d->EventCreate = make_event;
    d->EventElapsedTime = elapsed;
    d->GraphCreate = make_graph;
    d->GraphDestroy = end_graph;
    d->GraphAddKernelNode = add_kernel;
    d->GraphAddMemcpyNode = add_copy;
    d->GraphAddEmptyNode = add_empty;
    d->GraphInstantiateWithFlags = instantiate;
    d->GraphExecDestroy = end_exec;
    d->DeviceCanAccessPeer = can_peer;
}
