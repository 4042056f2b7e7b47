#!/bin/sh
# The machine code of every kernel keeps its rules, and the checker notices when one does not.
#   usage: B=build ASSAY=… NVDISASM=… PTXAS=… KERNELS=… ARCHS='…' tests/check-sass.sh
set -eu
if [ -z "$PTXAS" ]; then
    echo "sass: built without nvcc: no machine code to check"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$ASSAY" explain --sass-rules >"$work/rules"
cubins=
for a in $ARCHS; do
    cubins="$cubins $(find "$KERNELS" -name "*.$a.cubin" | sort | tr '\n' ' ')"
done

# gate RULES KERNELS LISTINGS CUBIN…: the report into $work/report; its exit code is the gate's.
gate() {
    rules=$1 kernels=$2 listings=$3
    shift 3
    sass-checks/check --report --rules "$rules" --kernels "$kernels" --listings "$listings" \
        ${gate_archs:+--archs "$gate_archs"} "$@" >"$work/report" 2>&1
}
fail() {
    echo "sass: $*"
    sed 's/^/    /' "$work/report" | grep -v ' pass [0-9]*$' | head -n 20
    exit 1
}
refused() { # CLAIM TEXT: the gate, whose exit code is in $result, must have failed with TEXT
    [ "$result" -ne 0 ] || fail "$1: passed"
    grep -q -- "$2" "$work/report" || fail "$1: refused without '$2'"
}

gate_archs=$ARCHS
gate "$work/rules" "$KERNELS" build/sass $cubins || fail "the gate does not pass"
tail -n 1 "$work/report"
grep -q '^[1-9][0-9]* kernels on' "$work/report" || fail "no kernel was checked"

# A chase: a kernel whose rules count its loads. One of them becomes a move in a copy.
arch=sm_90a
awk -F '\t' '$4 == "region" && $5 ~ /^LDG/ && $6 > 1 && $6 == $7' "$work/rules" >"$work/exact"
read -r _ source entry _ <"$work/exact" || fail "no rule counts loads"
awk -F '\t' -v s="$source" -v e="$entry" '$2 == s && $3 == e' "$work/rules" >"$work/own"
mkdir -p "$work/k/$(dirname "$source")"
ptx=$work/k/$source.$arch.ptx cubin=$work/k/$source.$arch.cubin
gate_archs=
cp "$KERNELS/$source.$arch.ptx" "$ptx"
"$PTXAS" -arch=$arch -o "$cubin" "$ptx"
gate "$work/own" "$work/k" "$work/sass" "$cubin" || fail "$entry in an untouched copy does not pass"
awk -v entry="$entry" '
    /\.entry / { inside = index($0 "(", ".entry " entry "("); clocks = 0 }
    inside && /%clock/ { clocks++ }
    inside && clocks == 1 && !done && /^[ \t]*ld\.[a-z0-9_.:]*u64[ \t]/ {
        gsub(/[][]/, "")
        sub(/ld\.[a-z0-9_.:]*u64/, "mov.u64")
        done = 1
    }
    { print }
    END { exit !done }' "$KERNELS/$source.$arch.ptx" >"$ptx" || fail "$entry has no load"
"$PTXAS" -arch=$arch -o "$cubin" "$ptx"
result=0
gate "$work/own" "$work/k" "$work/sass" "$cubin" || result=$?
refused "a chase that lost a load" "^$arch $entry fail LDG"
echo "one load less: $(grep " $entry fail " "$work/report")"

# What matched nothing is a fault.
one=$KERNELS/$source.$arch.cubin
rule() { # ENTRY OP MIN_SM: a rule of one line
    printf 'p\t%s\t%s\tkernel\t%s\t0\t-1\t%s\t0\twhy\n' "$source" "$1" "$2" "$3" >"$work/rule"
    result=0
    gate "$work/rule" "$KERNELS" build/sass "$one" || result=$?
}
rule "$entry" 'LDG*' 0
[ "$result" -eq 0 ] || fail "a rule that holds is refused"
rule no_such_kernel 'LDG*' 0
refused "a rule on a kernel that is not there" "no_such_kernel fail"
rule "$entry" 'LGD*' 0
refused "a misspelt opcode" "no opcode begins so"
rule "$entry" 'LDG*' 999
refused "a rule for no architecture" "matched no kernel"
gate_archs="$arch sm_75"
rule "$entry" 'LDG*' 0
refused "an architecture without kernels" "sm_75 - fail"
gate_archs=
result=0
gate "$work/own" "$KERNELS" build/sass || result=$?
refused "no kernel at all" "none to check"
result=0
NVDISASM='' gate "$work/own" "$KERNELS" build/sass "$one" || result=$?
refused "no disassembler" "no nvdisasm"
