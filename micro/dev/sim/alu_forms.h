/* alu_forms.h - arithmetic as data: one line a form, from its PTX names to its meaning.
 *
 *   X(ID, names, class, modifiers, signature, D, A, B, C, E, expression)
 *
 * names: opcode without the modifiers, alternatives parted by '|', [us] is one of these letters.
 * modifiers that the form takes: r a rounding, n .rn, f .ftz, s .sat, l .relu.
 * D..E: types of the lanes d, a, b, c, e, "none" where not used; the expression is a lane's result.
 * Behaviour is the manual's [ptx-isa 9.7]; upper halves of 16-bit registers are not promised. */
#ifndef AY_SIM_ALU_FORMS_H
#define AY_SIM_ALU_FORMS_H

#define ALU_INT(X) \
    ALU_ADD(X) ALU_MUL(X) ALU_DIV(X) ALU_MINMAX(X) ALU_BITS(X) ALU_LOGIC(X) ALU_MOVE(X)

#define ALU_ADD(X) \
X(ADD32, "add.[us]32|add.[us]16", iadd, "", "dss", u32, u32, u32, none, none, a + b) \
X(ADD64, "add.[us]64", iadd64, "", "DSS", u64, u64, u64, none, none, a + b) \
X(SUB32, "sub.[us]32|sub.[us]16", iadd, "", "dss", u32, u32, u32, none, none, a - b) \
X(SUB64, "sub.[us]64", iadd64, "", "DSS", u64, u64, u64, none, none, a - b) \
X(ADDSAT, "add.sat.s32", iadd, "", "dss", u32, s32, s32, none, none, clamp32((int64_t)a + b)) \
X(SUBSAT, "sub.sat.s32", iadd, "", "dss", u32, s32, s32, none, none, clamp32((int64_t)a - b)) \
X(ADD16X2, "add.[us]16x2", iadd, "", "dss", u32, u32, u32, none, none, add16x2(a, b)) \
X(NEG32, "neg.s32|neg.s16", iadd, "", "ds", u32, u32, none, none, none, 0u - a) \
X(NEG64, "neg.s64", iadd64, "", "DS", u64, u64, none, none, none, 0u - a) \
X(ABS16, "abs.s16", iadd, "", "ds", u32, s16, none, none, none, magnitude32(a)) \
X(ABS32, "abs.s32", iadd, "", "ds", u32, s32, none, none, none, magnitude32(a)) \
X(ABS64, "abs.s64", iadd64, "", "DS", u64, s64, none, none, none, magnitude64(a)) \
X(SAD_U16, "sad.u16", iadd, "", "dsss", u32, u16, u16, u32, none, c + (a < b ? b - a : a - b)) \
X(SAD_S16, "sad.s16", iadd, "", "dsss", u32, s16, s16, u32, none, c + distance32(a, b)) \
X(SAD_U32, "sad.u32", iadd, "", "dsss", u32, u32, u32, u32, none, c + (a < b ? b - a : a - b)) \
X(SAD_S32, "sad.s32", iadd, "", "dsss", u32, s32, s32, u32, none, c + distance32(a, b)) \
X(SAD_U64, "sad.u64", iadd64, "", "DSSS", u64, u64, u64, u64, none, c + (a < b ? b - a : a - b)) \
X(SAD_S64, "sad.s64", iadd64, "", "DSSS", u64, s64, s64, u64, none, c + distance64(a, b))

#define ALU_MUL(X) \
X(MULLO32, "mul.lo.[us]32|mul.lo.[us]16", imad, "", "dss", u32, u32, u32, none, none, a * b) \
X(MULLO64, "mul.lo.[us]64", mul64, "", "DSS", u64, u64, u64, none, none, a * b) \
X(MULHI_U16, "mul.hi.u16", imad, "", "dss", u32, u16, u16, none, none, a * b >> 16) \
X(MULHI_S16, "mul.hi.s16", imad, "", "dss", u32, s16, s16, none, none, (uint32_t)(a * b) >> 16) \
X(MULHI_U32, "mul.hi.u32", imad, "", "dss", u32, u32, u32, none, none, wide_u(a, b) >> 32) \
X(MULHI_S32, "mul.hi.s32", imad, "", "dss", u32, s32, s32, none, none, wide_s(a, b) >> 32) \
X(MULHI_U64, "mul.hi.u64", mul64, "", "DSS", u64, u64, u64, none, none, high_u64(a, b)) \
X(MULHI_S64, "mul.hi.s64", mul64, "", "DSS", u64, u64, u64, none, none, high_s64(a, b)) \
X(MULWIDE_U16, "mul.wide.u16", imad, "", "dss", u32, u16, u16, none, none, a * b) \
X(MULWIDE_S16, "mul.wide.s16", imad, "", "dss", u32, s16, s16, none, none, a * b) \
X(MULWIDE_U32, "mul.wide.u32", imad, "", "Dss", u64, u32, u32, none, none, wide_u(a, b)) \
X(MULWIDE_S32, "mul.wide.s32", imad, "", "Dss", u64, s32, s32, none, none, wide_s(a, b)) \
X(MADLO32, "mad.lo.[us]32|mad.lo.[us]16", imad, "", "dsss", u32, u32, u32, u32, none, a * b + c) \
X(MADLO64, "mad.lo.[us]64", mul64, "", "DSSS", u64, u64, u64, u64, none, a * b + c) \
X(MADHI_U16, "mad.hi.u16", imad, "", "dsss", u32, u16, u16, u32, none, (a * b >> 16) + c) \
X(MADHI_S16, "mad.hi.s16", imad, "", "dsss", u32, s16, s16, u32, none, \
  ((uint32_t)(a * b) >> 16) + c) \
X(MADHI_U32, "mad.hi.u32", imad, "", "dsss", u32, u32, u32, u32, none, (wide_u(a, b) >> 32) + c) \
X(MADHI_S32, "mad.hi.s32", imad, "", "dsss", u32, s32, s32, u32, none, (wide_s(a, b) >> 32) + c) \
X(MADHISAT, "mad.hi.sat.s32", imad, "", "dsss", u32, s32, s32, s32, none, \
  clamp32(((int64_t)a * b >> 32) + c)) \
X(MADHI_U64, "mad.hi.u64", mul64, "", "DSSS", u64, u64, u64, u64, none, high_u64(a, b) + c) \
X(MADHI_S64, "mad.hi.s64", mul64, "", "DSSS", u64, u64, u64, u64, none, high_s64(a, b) + c) \
X(MADWIDE_U16, "mad.wide.u16", imad, "", "dsss", u32, u16, u16, u32, none, a * b + c) \
X(MADWIDE_S16, "mad.wide.s16", imad, "", "dsss", u32, s16, s16, u32, none, (uint32_t)(a * b) + c) \
X(MADWIDE_U32, "mad.wide.u32", imad, "", "DssS", u64, u32, u32, u64, none, wide_u(a, b) + c) \
X(MADWIDE_S32, "mad.wide.s32", imad, "", "DssS", u64, s32, s32, u64, none, wide_s(a, b) + c) \
X(MUL24LO_U, "mul24.lo.u32", imad, "", "dss", u32, u32, u32, none, none, \
  (a & 0xffffff) * (b & 0xffffff)) \
X(MUL24LO_S, "mul24.lo.s32", imad, "", "dss", u32, u32, u32, none, none, \
  extend24(a) * extend24(b)) \
X(MUL24HI_U, "mul24.hi.u32", imad, "", "dss", u32, u32, u32, none, none, \
  wide_u(a & 0xffffff, b & 0xffffff) >> 16) \
X(MUL24HI_S, "mul24.hi.s32", imad, "", "dss", u32, u32, u32, none, none, \
  wide_s((int32_t)extend24(a), (int32_t)extend24(b)) >> 16) \
X(MAD24LO_U, "mad24.lo.u32", imad, "", "dsss", u32, u32, u32, u32, none, \
  (a & 0xffffff) * (b & 0xffffff) + c) \
X(MAD24LO_S, "mad24.lo.s32", imad, "", "dsss", u32, u32, u32, u32, none, \
  extend24(a) * extend24(b) + c) \
X(DP4A_UU, "dp4a.u32.u32", dp4a, "", "dsss", u32, u32, u32, u32, none, dot4(a, b, c, 0, 0)) \
X(DP4A_US, "dp4a.u32.s32", dp4a, "", "dsss", u32, u32, u32, u32, none, dot4(a, b, c, 0, 1)) \
X(DP4A_SU, "dp4a.s32.u32", dp4a, "", "dsss", u32, u32, u32, u32, none, dot4(a, b, c, 1, 0)) \
X(DP4A_SS, "dp4a.s32.s32", dp4a, "", "dsss", u32, u32, u32, u32, none, dot4(a, b, c, 1, 1)) \
X(DP2ALO_UU, "dp2a.lo.u32.u32", dp4a, "", "dsss", u32, u32, u32, u32, none, dot2(a, b, c, 0, 0)) \
X(DP2ALO_US, "dp2a.lo.u32.s32", dp4a, "", "dsss", u32, u32, u32, u32, none, dot2(a, b, c, 0, 1)) \
X(DP2ALO_SU, "dp2a.lo.s32.u32", dp4a, "", "dsss", u32, u32, u32, u32, none, dot2(a, b, c, 1, 0)) \
X(DP2ALO_SS, "dp2a.lo.s32.s32", dp4a, "", "dsss", u32, u32, u32, u32, none, dot2(a, b, c, 1, 1)) \
X(DP2AHI_UU, "dp2a.hi.u32.u32", dp4a, "", "dsss", u32, u32, u32, u32, none, \
  dot2(a, b >> 16, c, 0, 0)) \
X(DP2AHI_US, "dp2a.hi.u32.s32", dp4a, "", "dsss", u32, u32, u32, u32, none, \
  dot2(a, b >> 16, c, 0, 1)) \
X(DP2AHI_SU, "dp2a.hi.s32.u32", dp4a, "", "dsss", u32, u32, u32, u32, none, \
  dot2(a, b >> 16, c, 1, 0)) \
X(DP2AHI_SS, "dp2a.hi.s32.s32", dp4a, "", "dsss", u32, u32, u32, u32, none, \
  dot2(a, b >> 16, c, 1, 1))

#define ALU_DIV(X) \
X(DIV_U16, "div.u16", div, "", "dss", u32, u16, u16, none, none, quotient_u(a, b)) \
X(DIV_S16, "div.s16", div, "", "dss", u32, s16, s16, none, none, quotient_s(a, b)) \
X(DIV_U32, "div.u32", div, "", "dss", u32, u32, u32, none, none, quotient_u(a, b)) \
X(DIV_S32, "div.s32", div, "", "dss", u32, s32, s32, none, none, quotient_s(a, b)) \
X(DIV_U64, "div.u64", div, "", "DSS", u64, u64, u64, none, none, quotient_u(a, b)) \
X(DIV_S64, "div.s64", div, "", "DSS", u64, s64, s64, none, none, quotient_s(a, b)) \
X(REM_U16, "rem.u16", div, "", "dss", u32, u16, u16, none, none, remainder_u(a, b)) \
X(REM_S16, "rem.s16", div, "", "dss", u32, s16, s16, none, none, remainder_s(a, b)) \
X(REM_U32, "rem.u32", div, "", "dss", u32, u32, u32, none, none, remainder_u(a, b)) \
X(REM_S32, "rem.s32", div, "", "dss", u32, s32, s32, none, none, remainder_s(a, b)) \
X(REM_U64, "rem.u64", div, "", "DSS", u64, u64, u64, none, none, remainder_u(a, b)) \
X(REM_S64, "rem.s64", div, "", "DSS", u64, s64, s64, none, none, remainder_s(a, b))

#define ALU_MINMAX(X) \
X(MIN_U16, "min.u16", minmax, "", "dss", u32, u16, u16, none, none, a < b ? a : b) \
X(MIN_S16, "min.s16", minmax, "", "dss", u32, s16, s16, none, none, a < b ? a : b) \
X(MIN_U32, "min.u32", minmax, "", "dss", u32, u32, u32, none, none, a < b ? a : b) \
X(MIN_S32, "min.s32", minmax, "", "dss", u32, s32, s32, none, none, a < b ? a : b) \
X(MIN_U64, "min.u64", minmax, "", "DSS", u64, u64, u64, none, none, a < b ? a : b) \
X(MIN_S64, "min.s64", minmax, "", "DSS", u64, s64, s64, none, none, a < b ? a : b) \
X(MAX_U16, "max.u16", minmax, "", "dss", u32, u16, u16, none, none, a > b ? a : b) \
X(MAX_S16, "max.s16", minmax, "", "dss", u32, s16, s16, none, none, a > b ? a : b) \
X(MAX_U32, "max.u32", minmax, "", "dss", u32, u32, u32, none, none, a > b ? a : b) \
X(MAX_S32, "max.s32", minmax, "", "dss", u32, s32, s32, none, none, a > b ? a : b) \
X(MAX_U64, "max.u64", minmax, "", "DSS", u64, u64, u64, none, none, a > b ? a : b) \
X(MAX_S64, "max.s64", minmax, "", "DSS", u64, s64, s64, none, none, a > b ? a : b) \
X(MINRELU, "min.relu.s32", dpx, "", "dss", u32, s32, s32, none, none, relu32(a < b ? a : b)) \
X(MAXRELU, "max.relu.s32", dpx, "", "dss", u32, s32, s32, none, none, relu32(a > b ? a : b)) \
X(MIN_U16X2, "min.u16x2", dpx, "", "dss", u32, u32, u32, none, none, least_u16x2(a, b)) \
X(MAX_U16X2, "max.u16x2", dpx, "", "dss", u32, u32, u32, none, none, ~least_u16x2(~a, ~b)) \
X(MIN_S16X2, "min.s16x2", dpx, "", "dss", u32, u32, u32, none, none, least_s16x2(a, b)) \
X(MAX_S16X2, "max.s16x2", dpx, "", "dss", u32, u32, u32, none, none, ~least_s16x2(~a, ~b)) \
X(MINRELU_S16X2, "min.relu.s16x2", dpx, "", "dss", u32, u32, u32, none, none, \
  relu16x2(least_s16x2(a, b))) \
X(MAXRELU_S16X2, "max.relu.s16x2", dpx, "", "dss", u32, u32, u32, none, none, \
  relu16x2(~least_s16x2(~a, ~b)))

#define ALU_BITS(X) \
X(POPC32, "popc.b32", popc, "", "ds", u32, u32, none, none, none, ones32(a)) \
X(POPC64, "popc.b64", popc, "", "dS", u32, u64, none, none, none, \
  ones32((uint32_t)a) + ones32((uint32_t)(a >> 32))) \
X(CLZ32, "clz.b32", bits, "", "ds", u32, u32, none, none, none, leading32(a)) \
X(CLZ64, "clz.b64", bits, "", "dS", u32, u64, none, none, none, leading64(a)) \
X(BREV32, "brev.b32", bits, "", "ds", u32, u32, none, none, none, reverse32(a)) \
X(BREV64, "brev.b64", bits, "", "DS", u64, u64, none, none, none, reverse64(a)) \
X(BFIND_U32, "bfind.u32", bits, "", "ds", u32, u32, none, none, none, 31 - leading32(a)) \
X(BFIND_S32, "bfind.s32", bits, "", "ds", u32, s32, none, none, none, 31 - leading32(unsign32(a))) \
X(BFIND_U64, "bfind.u64", bits, "", "dS", u32, u64, none, none, none, 63 - leading64(a)) \
X(BFIND_S64, "bfind.s64", bits, "", "dS", u32, s64, none, none, none, 63 - leading64(unsign64(a))) \
X(BFINDSH_U32, "bfind.shiftamt.u32", bits, "", "ds", u32, u32, none, none, none, \
  a ? leading32(a) : ~0u) \
X(BFINDSH_S32, "bfind.shiftamt.s32", bits, "", "ds", u32, s32, none, none, none, \
  unsign32(a) ? leading32(unsign32(a)) : ~0u) \
X(BFINDSH_U64, "bfind.shiftamt.u64", bits, "", "dS", u32, u64, none, none, none, \
  a ? leading64(a) : ~0u) \
X(BFINDSH_S64, "bfind.shiftamt.s64", bits, "", "dS", u32, s64, none, none, none, \
  unsign64(a) ? leading64(unsign64(a)) : ~0u) \
X(BFE_U32, "bfe.u32", bits, "", "dsss", u32, u32, u32, u32, none, extract_u32(a, b, c)) \
X(BFE_S32, "bfe.s32", bits, "", "dsss", u32, u32, u32, u32, none, extract_s32(a, b, c)) \
X(BFE_U64, "bfe.u64", bits, "", "DSss", u64, u64, u32, u32, none, extract_u64(a, b, c)) \
X(BFE_S64, "bfe.s64", bits, "", "DSss", u64, u64, u32, u32, none, extract_s64(a, b, c)) \
X(BFI32, "bfi.b32", bits, "", "dssss", u32, u32, u32, u32, u32, insert32(a, b, c, e)) \
X(BFI64, "bfi.b64", bits, "", "DSSss", u64, u64, u64, u32, u32, insert64(a, b, c, e)) \
X(BMSKC, "bmsk.clamp.b32", bits, "", "dss", u32, u32, u32, none, none, \
  shl32(~shl32(~0u, b), a)) \
X(BMSKW, "bmsk.wrap.b32", bits, "", "dss", u32, u32, u32, none, none, \
  ~(~0u << (b & 31)) << (a & 31)) \
X(SZEXTC_U, "szext.clamp.u32", bits, "", "dss", u32, u32, u32, none, none, \
  extract_u32(a, 0, b < 32 ? b : 32)) \
X(SZEXTC_S, "szext.clamp.s32", bits, "", "dss", u32, u32, u32, none, none, \
  extract_s32(a, 0, b < 32 ? b : 32)) \
X(SZEXTW_U, "szext.wrap.u32", bits, "", "dss", u32, u32, u32, none, none, \
  extract_u32(a, 0, b & 31)) \
X(SZEXTW_S, "szext.wrap.s32", bits, "", "dss", u32, u32, u32, none, none, \
  extract_s32(a, 0, b & 31)) \
X(FNS, "fns.b32", bits, "", "dsss", u32, u32, u32, s32, none, nth_set(a, b, c)) \
X(PRMT, "prmt.b32", prmt, "", "dsss", u32, u32, u32, u32, none, permute(a, b, c)) \
X(PRMT_F4E, "prmt.b32.f4e", prmt, "", "dsss", u32, u32, u32, u32, none, \
  permute(a, b, 0x3210 + 0x1111 * (c & 3))) \
X(PRMT_B4E, "prmt.b32.b4e", prmt, "", "dsss", u32, u32, u32, u32, none, \
  permute(a, b, (0x5670 + 0x1111 * (c & 3)) & 0x7777)) \
X(PRMT_RC8, "prmt.b32.rc8", prmt, "", "dsss", u32, u32, u32, u32, none, \
  permute(a, b, 0x1111 * (c & 3))) \
X(PRMT_ECL, "prmt.b32.ecl", prmt, "", "dsss", u32, u32, u32, u32, none, \
  permute(a, b, edge_left(c & 3))) \
X(PRMT_ECR, "prmt.b32.ecr", prmt, "", "dsss", u32, u32, u32, u32, none, \
  permute(a, b, edge_right(c & 3))) \
X(PRMT_RC16, "prmt.b32.rc16", prmt, "", "dsss", u32, u32, u32, u32, none, \
  permute(a, b, c & 1 ? 0x3232 : 0x1010))

#define ALU_LOGIC(X) \
X(AND32, "and.b32|and.b16", logic, "", "dss", u32, u32, u32, none, none, a & b) \
X(AND64, "and.b64", logic, "", "DSS", u64, u64, u64, none, none, a & b) \
X(OR32, "or.b32|or.b16", logic, "", "dss", u32, u32, u32, none, none, a | b) \
X(OR64, "or.b64", logic, "", "DSS", u64, u64, u64, none, none, a | b) \
X(XOR32, "xor.b32|xor.b16", logic, "", "dss", u32, u32, u32, none, none, a ^ b) \
X(XOR64, "xor.b64", logic, "", "DSS", u64, u64, u64, none, none, a ^ b) \
X(NOT32, "not.b32|not.b16", logic, "", "ds", u32, u32, none, none, none, ~a) \
X(NOT64, "not.b64", logic, "", "DS", u64, u64, none, none, none, ~a) \
X(CNOT16, "cnot.b16", logic, "", "ds", u32, u16, none, none, none, a == 0) \
X(CNOT32, "cnot.b32", logic, "", "ds", u32, u32, none, none, none, a == 0) \
X(CNOT64, "cnot.b64", logic, "", "DS", u64, u64, none, none, none, a == 0) \
X(LOP3, "lop3.b32", logic, "", "dsssi", u32, u32, u32, u32, none, table3(a, b, c, imm)) \
X(SHL32, "shl.b32|shl.b16", shift, "", "dss", u32, u32, u32, none, none, shl32(a, b)) \
X(SHL64, "shl.b64", shift, "", "DSs", u64, u64, u32, none, none, b < 64 ? a << (b & 63) : 0) \
X(SHR_U16, "shr.[ub]16", shift, "", "dss", u32, u16, u32, none, none, shr32(a, b)) \
X(SHR_S16, "shr.s16", shift, "", "dss", u32, s16, u32, none, none, sar32(a, b)) \
X(SHR_U32, "shr.[ub]32", shift, "", "dss", u32, u32, u32, none, none, shr32(a, b)) \
X(SHR_S32, "shr.s32", shift, "", "dss", u32, s32, u32, none, none, sar32(a, b)) \
X(SHR_U64, "shr.[ub]64", shift, "", "DSs", u64, u64, u32, none, none, \
  b < 64 ? a >> (b & 63) : 0) \
X(SHR_S64, "shr.s64", shift, "", "DSs", u64, s64, u32, none, none, a >> (b < 63 ? b : 63)) \
X(SHFLW, "shf.l.wrap.b32", shift, "", "dsss", u32, u32, u32, u32, none, \
  (join(a, b) << (c & 31)) >> 32) \
X(SHFLC, "shf.l.clamp.b32", shift, "", "dsss", u32, u32, u32, u32, none, \
  (join(a, b) << (c < 32 ? c : 32)) >> 32) \
X(SHFRW, "shf.r.wrap.b32", shift, "", "dsss", u32, u32, u32, u32, none, join(a, b) >> (c & 31)) \
X(SHFRC, "shf.r.clamp.b32", shift, "", "dsss", u32, u32, u32, u32, none, \
  join(a, b) >> (c < 32 ? c : 32))

#define ALU_MOVE(X) \
X(MOV32, "", mov, "", "ds", u32, u32, none, none, none, a) \
X(MOV64, "", mov, "", "DS", u64, u64, none, none, none, a) \
X(PACK16, "", mov, "", "dss", u32, u16, u16, none, none, a | b << 16) \
X(PACK8, "", mov, "", "dssss", u32, u8, u8, u8, u8, a | b << 8 | c << 16 | e << 24) \
X(PACK64, "", mov, "", "Dss", u64, u32, u32, none, none, join(a, b)) \
X(PACK64X16, "", mov, "", "Dssss", u64, u16, u16, u16, u16, join(a | b << 16, c | e << 16)) \
X(LOW32, "cvt.[us]32.[us]64", mov, "", "dS", u32, u64, none, none, none, a) \
X(HIGH32, "", mov, "", "dS", u32, u64, none, none, none, a >> 32) \
X(FIELD, "", mov, "", "dsi", u32, u32, none, none, none, a >> (imm & 31)) \
X(FIELD64, "", mov, "", "dSi", u32, u64, none, none, none, a >> (imm & 63)) \
X(CVT_U64_U32, "cvt.[us]64.u32", mov, "", "Ds", u64, u32, none, none, none, a) \
X(CVT_S64_S32, "cvt.[us]64.s32", mov, "", "Ds", u64, s32, none, none, none, (uint64_t)(int64_t)a) \
X(CVT_32_32, "cvt.[us]32.[us]32", mov, "", "ds", u32, u32, none, none, none, a) \
X(CVT_64_64, "cvt.[us]64.[us]64", mov, "", "DS", u64, u64, none, none, none, a) \
X(CVT_32_U16, "cvt.[us]32.u16", mov, "", "ds", u32, u16, none, none, none, a) \
X(CVT_32_S16, "cvt.[us]32.s16", mov, "", "ds", u32, s16, none, none, none, a) \
X(CVT_32_U8, "cvt.[us]32.u8", mov, "", "ds", u32, u8, none, none, none, a) \
X(CVT_32_S8, "cvt.[us]32.s8", mov, "", "ds", u32, s8, none, none, none, a) \
X(FROM_WINDOW, "", mov, "", "DS", u64, u64, none, none, none, a & 0xffffffffu) \
X(TO_WINDOW, "", mov, "", "DS", u64, u64, none, none, none, \
  (a & 0xffffffffu) | (uint64_t)imm << 32) \
X(COPYSIGN32, "copysign.f32", logic, "", "dss", u32, u32, u32, none, none, \
  (a & 0x80000000u) | (b & 0x7fffffffu)) \
X(COPYSIGN64, "copysign.f64", logic, "", "DSS", u64, u64, u64, none, none, \
  (a & 0x8000000000000000u) | (b & 0x7fffffffffffffffu)) \
X(SLCT32_S, "slct.[usbf]32.s32", select, "", "dsss", u32, u32, u32, s32, none, c >= 0 ? a : b) \
X(SLCT64_S, "slct.[usbf]64.s32", select, "", "DSSs", u64, u64, u64, s32, none, c >= 0 ? a : b) \
X(SLCT32_F, "slct.[usbf]32.f32", select, "f", "dsss", u32, u32, u32, f32, none, c >= 0 ? a : b) \
X(SLCT64_F, "slct.[usbf]64.f32", select, "f", "DSSs", u64, u64, u64, f32, none, c >= 0 ? a : b)

/* 32-bit floats: a NaN becomes the canonical one. */
#define ALU_F32(X) \
X(FADD, "add.f32", add32, "rfs", "dss", f32, f32, f32, none, none, a + b) \
X(FSUB, "sub.f32", add32, "rfs", "dss", f32, f32, f32, none, none, a - b) \
X(FMUL, "mul.f32", mul32, "rfs", "dss", f32, f32, f32, none, none, a * b) \
X(FFMA, "fma.f32|mad.f32", fma32, "rfs", "dsss", f32, f32, f32, f32, none, fmaf(a, b, c)) \
X(FDIV, "div.f32|div.full.f32|div.approx.f32", div, "rf", "dss", f32, f32, f32, none, none, a / b) \
X(FRCP, "rcp.f32", div, "rf", "ds", f32, f32, none, none, none, 1.0f / a) \
X(FSQRT, "sqrt.f32", div, "rf", "ds", f32, f32, none, none, none, sqrtf(a)) \
X(FRCPA, "rcp.approx.f32", mufu, "f", "ds", f32, f32, none, none, none, 1.0f / a) \
X(FSQRTA, "sqrt.approx.f32", mufu, "f", "ds", f32, f32, none, none, none, sqrtf(a)) \
X(FRSQRT, "rsqrt.approx.f32", mufu, "f", "ds", f32, f32, none, none, none, \
  (float)(1.0 / sqrt((double)a))) \
X(FSIN, "sin.approx.f32", mufu, "f", "ds", f32, f32, none, none, none, sinf(a)) \
X(FCOS, "cos.approx.f32", mufu, "f", "ds", f32, f32, none, none, none, cosf(a)) \
X(FLG2, "lg2.approx.f32", mufu, "f", "ds", f32, f32, none, none, none, log2f(a)) \
X(FEX2, "ex2.approx.f32", mufu, "f", "ds", f32, f32, none, none, none, exp2f(a)) \
X(FTANH, "tanh.approx.f32", mufu, "", "ds", f32, f32, none, none, none, tanhf(a)) \
X(FABS, "abs.f32", add32, "f", "ds", f32, f32, none, none, none, fabsf(a)) \
X(FNEG, "neg.f32", add32, "f", "ds", f32, f32, none, none, none, -a) \
X(FMIN, "min.f32", minmax, "f", "dss", f32, f32, f32, none, none, least_f32(a, b)) \
X(FMAX, "max.f32", minmax, "f", "dss", f32, f32, f32, none, none, -least_f32(-a, -b)) \
X(FMINNAN, "min.NaN.f32", minmax, "f", "dss", f32, f32, f32, none, none, \
  a != a || b != b ? a + b : least_f32(a, b)) \
X(FMAXNAN, "max.NaN.f32", minmax, "f", "dss", f32, f32, f32, none, none, \
  a != a || b != b ? a + b : -least_f32(-a, -b)) \
X(FMINX, "min.xorsign.abs.f32", minmax, "f", "dss", f32, f32, f32, none, none, \
  xor_sign(least_f32(fabsf(a), fabsf(b)), a, b)) \
X(FMAXX, "max.xorsign.abs.f32", minmax, "f", "dss", f32, f32, f32, none, none, \
  xor_sign(-least_f32(-fabsf(a), -fabsf(b)), a, b))

/* 64-bit floats; a NaN is what the operation makes of its operands'. */
#define ALU_F64(X) \
X(DADD, "add.f64", add64f, "r", "DSS", f64, f64, f64, none, none, a + b) \
X(DSUB, "sub.f64", add64f, "r", "DSS", f64, f64, f64, none, none, a - b) \
X(DMUL, "mul.f64", fma64, "r", "DSS", f64, f64, f64, none, none, a * b) \
X(DFMA, "fma.f64|mad.f64", fma64, "r", "DSSS", f64, f64, f64, f64, none, fma(a, b, c)) \
X(DDIV, "div.f64", div, "r", "DSS", f64, f64, f64, none, none, a / b) \
X(DRCP, "rcp.f64", div, "r", "DS", f64, f64, none, none, none, 1.0 / a) \
X(DSQRT, "sqrt.f64", div, "r", "DS", f64, f64, none, none, none, sqrt(a)) \
X(DRCPA, "rcp.approx.f64", mufu, "f", "DS", f64, f64, none, none, none, upper(1.0 / a)) \
X(DRSQRTA, "rsqrt.approx.f64", mufu, "f", "DS", f64, f64, none, none, none, \
  upper(1.0 / sqrt(a))) \
X(DABS, "abs.f64", add64f, "", "DS", f64, f64, none, none, none, fabs(a)) \
X(DNEG, "neg.f64", add64f, "", "DS", f64, f64, none, none, none, -a) \
X(DMIN, "min.f64", minmax, "", "DSS", f64, f64, f64, none, none, least_f64(a, b)) \
X(DMAX, "max.f64", minmax, "", "DSS", f64, f64, f64, none, none, -least_f64(-a, -b))

/* Two 32-bit floats in 64 bits. */
#define ALU_F32X2(X) \
X(FADDX2, "add.f32x2", fma32, "nf", "DSS") \
X(FSUBX2, "sub.f32x2", fma32, "nf", "DSS") \
X(FMULX2, "mul.f32x2", fma32, "nf", "DSS") \
X(FFMAX2, "fma.f32x2", fma32, "nf", "DSSS")

/* Half precision: each in four formats. Float operands in, a float rounded to odd out. */
#define ALU_HALF(X) \
X(HADD, "add", fma16x2, "nfs", "dss", odd_fma(1.0f, a, b)) \
X(HSUB, "sub", fma16x2, "nfs", "dss", odd_fma(1.0f, a, -b)) \
X(HMUL, "mul", fma16x2, "nfs", "dss", odd_fma(a, b, copysignf(0.0f, a * b))) \
X(HFMA, "fma", fma16x2, "nfsl", "dsss", odd_fma(a, b, c)) \
X(HABS, "abs", fma16x2, "f", "ds", fabsf(a)) \
X(HNEG, "neg", fma16x2, "f", "ds", -a) \
X(HMIN, "min", minmax, "f", "dss", least_f32(a, b)) \
X(HMAX, "max", minmax, "f", "dss", -least_f32(-a, -b)) \
X(HMINNAN, "min.NaN", minmax, "f", "dss", a != a || b != b ? a + b : least_f32(a, b)) \
X(HMAXNAN, "max.NaN", minmax, "f", "dss", a != a || b != b ? a + b : -least_f32(-a, -b)) \
X(HEX2, "ex2.approx", mufu, "f", "ds", exp2f(a)) \
X(HTANH, "tanh.approx", mufu, "", "ds", tanhf(a))

/* Predicates, carries and what else is no plain loop over lanes. */
#define ALU_OTHER(X) \
X(SELP32, "selp.[usbf]32|selp.[usb]16|selp.f16|selp.f16x2|selp.bf16|selp.bf16x2", select, "", \
  "dssq") \
X(SELP64, "selp.[usbf]64", select, "", "DSSq") \
X(PAND, "and.pred", logic, "", "pqq") \
X(POR, "or.pred", logic, "", "pqq") \
X(PXOR, "xor.pred", logic, "", "pqq") \
X(PNOT, "not.pred", logic, "", "pq") \
X(PMOV, "", mov, "", "pq") \
X(PSET, "", mov, "", "pi") \
X(TESTP_FINITE32, "testp.finite.f32", setp, "", "ps") \
X(TESTP_INFINITE32, "testp.infinite.f32", setp, "", "ps") \
X(TESTP_NUMBER32, "testp.number.f32", setp, "", "ps") \
X(TESTP_NAN32, "testp.notanumber.f32", setp, "", "ps") \
X(TESTP_NORMAL32, "testp.normal.f32", setp, "", "ps") \
X(TESTP_SUBNORMAL32, "testp.subnormal.f32", setp, "", "ps") \
X(TESTP_FINITE64, "testp.finite.f64", setp, "", "pS") \
X(TESTP_INFINITE64, "testp.infinite.f64", setp, "", "pS") \
X(TESTP_NUMBER64, "testp.number.f64", setp, "", "pS") \
X(TESTP_NAN64, "testp.notanumber.f64", setp, "", "pS") \
X(TESTP_NORMAL64, "testp.normal.f64", setp, "", "pS") \
X(TESTP_SUBNORMAL64, "testp.subnormal.f64", setp, "", "pS") \
X(SETP, "", setp, "", "pss/pssq") \
X(SET, "", setp, "", "dss/dssq") \
X(ISSPACEP, "", setp, "", "pS") \
X(CVT, "", cvt, "", "ds") \
X(CVT_F32_U32, "cvt.f32.u32", cvt, "n", "ds") \
X(CVT_F32_S32, "cvt.f32.s32", cvt, "n", "ds")

/* X(ID, class, 64-bit class, names, 64-bit names, signatures, reads carry, writes carry) */
#define ALU_CARRY(X) \
X(ADDCC, iadd, iadd64, "add.cc.[us]32", "add.cc.[us]64", "dss", "DSS", 0, 1) \
X(ADDC, iadd, iadd64, "addc.[us]32", "addc.[us]64", "dss", "DSS", 1, 0) \
X(ADDCCC, iadd, iadd64, "addc.cc.[us]32", "addc.cc.[us]64", "dss", "DSS", 1, 1) \
X(SUBCC, iadd, iadd64, "sub.cc.[us]32", "sub.cc.[us]64", "dss", "DSS", 0, 1) \
X(SUBC, iadd, iadd64, "subc.[us]32", "subc.[us]64", "dss", "DSS", 1, 0) \
X(SUBCCC, iadd, iadd64, "subc.cc.[us]32", "subc.cc.[us]64", "dss", "DSS", 1, 1) \
X(MADLOCC, imad, mul64, "mad.lo.cc.[us]32", "mad.lo.cc.[us]64", "dsss", "DSSS", 0, 1) \
X(MADCLO, imad, mul64, "madc.lo.[us]32", "madc.lo.[us]64", "dsss", "DSSS", 1, 0) \
X(MADCLOCC, imad, mul64, "madc.lo.cc.[us]32", "madc.lo.cc.[us]64", "dsss", "DSSS", 1, 1) \
X(MADHICC_U, imad, mul64, "mad.hi.cc.u32", "mad.hi.cc.u64", "dsss", "DSSS", 0, 1) \
X(MADCHI_U, imad, mul64, "madc.hi.u32", "madc.hi.u64", "dsss", "DSSS", 1, 0) \
X(MADCHICC_U, imad, mul64, "madc.hi.cc.u32", "madc.hi.cc.u64", "dsss", "DSSS", 1, 1) \
X(MADHICC_S, imad, mul64, "mad.hi.cc.s32", "mad.hi.cc.s64", "dsss", "DSSS", 0, 1) \
X(MADCHI_S, imad, mul64, "madc.hi.s32", "madc.hi.s64", "dsss", "DSSS", 1, 0) \
X(MADCHICC_S, imad, mul64, "madc.hi.cc.s32", "madc.hi.cc.s64", "dsss", "DSSS", 1, 1)

#endif
