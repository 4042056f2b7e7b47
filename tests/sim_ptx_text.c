#include "sim_ptx_text.h"

#include <stddef.h>

const char *const sim_ptx_texts[] = {
    /* what surrounds kernels when they are compiled with line information */
    SIM_PTX_HEAD
    "\t// .globl\tchase\n"
    ".global .align 4 .b8 table[32] = {1, 0, 0, 0, 2, 0, 0, 0, 3};\n"
    ".const .align 8 .b8 constants[16384];\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 vprintf_param_0,\n"
    "\t.param .b64 vprintf_param_1\n)\n;\n"
    ".visible .entry chase(\n\t.param .u64 .ptr .align 1 chase_param_0,\n"
    "\t.param .u32 chase_param_1,\n\t.param .align 64 .b8 chase_param_2[128]\n)\n"
    ".maxntid 128, 1, 1\n.minnctapersm 2\n{\n"
    "\t.reg .pred \t%p<3>;\n\t.reg .b32 \t%r<8>;\n\t.reg .b64 \t%rd<6>;\n"
    "\t.loc\t1 9 0\n\t// demoted variable\n"
    "\t.shared .align 4 .b8 _ZZ5chaseE5stamp[4096];\n"
    "\tld.param.u64 \t%rd1, [chase_param_0];\n\tld.param.u32 \t%r1, [chase_param_1];\n"
    "\tcvta.to.global.u64 \t%rd2, %rd1;\n\tmov.u32 \t%r2, %tid.x;\n\tmov.u32 \t%r7, 0;\n"
    "\t.pragma \"nounroll\";\n$L__BB0_1:\n"
    "\t.loc\t1 12 7, function_name $L__info_string0, inlined_at 1 20 3\n"
    "\t// begin inline asm\n\tld.global.ca.u64 %rd2,[%rd2];\n\t// end inline asm\n"
    "\tadd.s32 \t%r7, %r7, 1;\n\tsetp.lt.u32 \t%p1, %r7, %r1;\n\t@%p1 bra \t$L__BB0_1;\n"
    "\tmov.u32 \t%r3, _ZZ5chaseE5stamp;\n\tst.shared.u32 \t[%r3+4], %r7;\n"
    "\tst.global.u64 \t[%rd2], %rd2;\n\tret;\n\n}\n"
    "\t.file\t1 \"chase.cu\"\n"
    "\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95,90,78\n.b8 0\n\t}\n",
    /* inline assembly: scopes with names of their own, twice */
    SIM_PTX_HEAD
    ".visible .entry waits(.param .u64 p0, .param .u32 p1)\n{\n"
    ".reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n"
    "ld.param.u32 %r1, [p1];\nmov.u32 %r4, 0;\n"
    "{\n.reg .pred p;\n.reg .b32 n;\nmov.u32 n, 3;\nL1:\nsub.u32 n, n, 1;\n"
    "setp.ne.u32 p, n, 0;\n@p bra L1;\nmov.u32 %r2, n;\n}\n"
    "{\n.reg .pred p;\n.reg .b64 n;\nmov.u64 n, 5;\nL1:\nsub.u64 n, n, 1;\n"
    "setp.ne.u64 p, n, 0;\n@!p bra.uni DONE;\nbra L1;\nDONE:\ncvt.u32.u64 %r3, n;\n}\n"
    "add.s32 %r4, %r2, %r3;\nret;\n}\n",
    /* wide operands, families that are kept as written */
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry families(.param .u64 p0)\n{\n"
    ".reg .f32 %f<128>;\n.reg .b64 %rd<8>;\n.reg .b32 %r<10>;\n.reg .pred %p<2>;\n"
    "mov.u64 %rd1, 0;\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
    "{%r4,%r5}, {%f0,%f1,%f2,%f3};\n"
    "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8,"
    "%f9,%f10,%f11,%f12,%f13,%f14,%f15,%f16,%f17,%f18,%f19,%f20,%f21,%f22,%f23,%f24,%f25,%f26,"
    "%f27,%f28,%f29,%f30,%f31}, %rd1, %rd2, 1, 1, 1, 0, 0;\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], "
    "[%rd1, {%r1, %r2}], [%r3];\n"
    "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r3], %r4;\n"
    "mbarrier.arrive.shared::cta.b64 _, [%r3];\n"
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1,%r2,%r3}, [%r4];\n"
    "ret;\n}\n",
    /* by hand: named registers, functions, tables of targets, all number forms */
    ".version 7.8\n.target sm_80, debug\n.address_size 64\n"
    ".weak .global .f32 scale = 0f3F800000, scales[2][2] = {{1.5, 2.0}, {-0.25}};\n"
    ".global .u64 pointers[] = {scale, generic(scales)+8, 0x10};\n"
    ".global .b32 numbers[] = {017, 0b101, 0xfU, -1, ~0, (1 << 4) | 3, 7 % 4};\n"
    ".func (.param .b32 r) twice (.param .b32 x);\n"
    ".func (.param .b32 r) twice (.param .b32 x)\n{\n.reg .b32 v;\nld.param.b32 v, [x];\n"
    "add.s32 v, v, v;\nst.param.b32 [r], v;\nret;\n}\n"
    ".entry hand(.param .u32 n)\n.reqntid 64\n{\n.reg .b32 a, b;\n.reg .b64 d;\n.reg .f64 x;\n"
    ".reg .v4 .f32 v;\n.reg .pred p;\n.local .align 8 .b8 frame[24];\n"
    "ld.param.u32 a, [n];\nmov.f64 x, 0d3FF0000000000000;\nadd.f64 x, x, 1.5;\n"
    "mov.u64 d, frame;\nst.local.f64 [d+8], x;\nst.local.f64 [frame+16], x;\n"
    "ld.global.v4.f32 v, [scales];\nst.global.f32 [scale], v.y;\n"
    "{ .param .b32 in; .param .b32 out;\nst.param.b32 [in], a;\n"
    "call.uni (out), twice, (in);\nld.param.b32 b, [out]; }\n"
    "TABLE: .branchtargets ONE, TWO;\nand.b32 a, a, 1;\nbrx.idx a, TABLE;\n"
    "ONE: /* falls */ mov.u32 b, 1;\nTWO: setp.eq.u32 p, b, 1; @p exit; trap; }\n",
    NULL,
};
