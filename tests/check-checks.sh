#!/bin/sh
# Each rule about the tree notices a fault planted in a copy of it, and passes no empty tree. (That
# it passes the tree itself is its own test.)
#   usage: tests/check-checks.sh
set -eu
top=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
n_planted=0

fresh() {
    rm -rf "$work/tree"
    mkdir "$work/tree"
    for part in micro ptx reports scripts sass-checks tests .ci Makefile VERSION README.md; do
        [ ! -e "$top/$part" ] || cp -R "$top/$part" "$work/tree/$part"
    done
    mkdir -p "$work/tree/build/micro"
    printf 'int answer(void);\nint answer(void) { return 42; }\n' |
        gcc -x c -c -o "$work/tree/build/micro/answer.o" -
}
# runs CHECK: its output into $work/said; its exit code.
runs() {
    (cd "$work" && B=build "$top/tests/check-$1.sh" "$work/tree") >"$work/said" 2>&1
}
# plant CHECK TEXT COMMAND: after COMMAND in a fresh copy, CHECK fails and says TEXT.
plant() {
    fresh
    (cd "$work/tree" && eval "$3") || {
        printf 'checks: cannot plant: %s\n' "$3"
        bad=1
        return
    }
    n_planted=$((n_planted + 1))
    if runs "$1"; then
        printf 'checks: %s does not notice: %s\n' "$1" "$3"
        bad=1
    elif ! grep -q -- "$2" "$work/said"; then
        printf "checks: %s fails without '%s' on: %s\n" "$1" "$2" "$3"
        sed 's/^/    /' "$work/said" | head -n 5
        bad=1
    fi
}
a_probe='$(grep -l "^const struct ay_probe" micro/probes/*/*.c | head -n 1)'
a_kernel='$(ls micro/probes/*/*.cu | head -n 1)'

plant layers 'core may not include' 'echo "#include \"dev/gpu/driver.h\"" >>micro/core/stats.c'
plant layers 'probes may not include' "echo '#include \"cli/cli.h\"' >>$a_probe"
plant layers 'probes may not include core/bench_impl' \
    "echo '#include \"core/bench_impl.h\"' >>$a_probe"
plant layers 'dev/sim may not include' 'echo "#include \"dev/gpu/fault.h\"" >>micro/dev/sim/chip.h'
plant layers 'outside dev' 'echo "#include <cuda.h>" >>micro/core/stats.c'
plant layers 'outside dev and cli' 'echo "#  include <hwloc.h>" >>micro/report/curve.h'
plant globals 'n_calls is writable' \
    'echo "static int n_calls; int count(void) { return ++n_calls; }" |
        gcc -x c -c -o build/micro/count.o -'
plant globals 'now is writable' \
    'echo "_Thread_local int now = 3;" | gcc -x c -c -o build/micro/now.o -'
plant registry 'is not in probes.def' "sed -i '\$d' micro/probes/probes.def"
plant registry 'not sorted' 'sed -n "/^PROBE/p" micro/probes/probes.def | sort -r >p &&
    mv p micro/probes/probes.def'
plant registry 'no file defines' 'echo "PROBE(zzz_nothing)" >>micro/probes/probes.def'
plant registry 'is not its stem' "sed -i 's/^\\( *\\.name = \"\\)/\\1un/' $a_probe"
plant registry 'no probe names' 'cp '"$a_kernel"' micro/probes/mem/orphan.cu'
plant sizes 'file of ' 'for i in 1 2 3 4 5 6; do cat micro/core/units.c; done >micro/core/long.c'
plant sizes 'line of ' "printf '// %0120d\n' 0 >>$a_kernel"
plant sizes 'function of ' \
    '{ echo "int f(void)"; echo "{"; yes "" | head -n 60; echo "}"; } >micro/core/f.c'
plant sizes 'not needed any more' \
    'echo "micro/core/none.c lines 500 because" >>tests/size-exceptions'
plant sources '\[nobody2020\] is no key' 'echo "/* Known [nobody2020]. */" >>micro/core/stats.c'
plant sources 'not sorted' 'echo "aaa: out of order" >>micro/SOURCES.md'
plant sources '\[nowhere\] is no key' \
    "echo 'static const char *const SOURCES[] = { \"nowhere\", 0 };' >>$a_probe"
plant names 'may know no probe' 'echo "/* $(sed -n "s/^PROBE(\(.*\))/\1/p" micro/probes/probes.def |
    head -n 1) */" >>micro/dev/sim/chip.c'
plant names 'may know no probe' "echo \"static const char *K = \\\"\$(sed -n \
    's/.*__global__ *void *\\([a-z0-9_]*\\)(.*/\\1/p' $a_kernel |
    head -n 1)\\\";\" >>micro/dev/sim/chip.c"
plant chips 'run may not know a chip' \
    "printf 'static int run(const struct ay_chip *c)\n{\n    return !c;\n}\n' >>$a_probe"
plant chips 'run may not ask for the truth' \
    "printf 'static int run(int a)\n{\n    return truth(a);\n}\n' >>$a_probe"
plant chips 'core may not know a chip' \
    'echo "int guess(const struct ay_chip *chip);" >>micro/core/estimate.c'
plant calls 'asks the locale' 'echo "double d(char *s) { return strtod(s, 0); }" >>micro/core/row.c'
plant calls 'chance without' 'echo "int r(void) { return rand(); }" >>micro/core/row.c'
plant calls 'ends the program' 'echo "void e(void) { exit(1); }" >>micro/report/curve.c'
plant calls 'ends the program' 'echo "void e(void) { fprintf(stderr, \"e\"); }" >>micro/core/row.c'
plant calls 'without its version' \
    'echo "void *l(void) { return dlopen(\"libcuda.so\", 1); }" >>micro/core/row.c'
plant text 'not UTF-8' "printf '/* \\377 */\n' >>micro/core/stats.c"
plant text 'no newline' "printf x >>micro/core/stats.c"
plant text 'blanks at the end' 'echo "int x; " >>micro/core/stats.c'
plant text 'a path of one machine' 'echo "see /ho""me/somebody/notes" >>micro/SOURCES.md'
plant text 'an address' 'echo "see https:/""/packages.example.net/x" >>micro/SOURCES.md'

for check in tests/check-*.sh; do
    check=${check#tests/check-}
    check=${check%.sh}
    grep -q "^#   usage:.* check-$check.sh \[ROOT\]" "tests/check-$check.sh" || continue
    grep -q "^plant $check " "$0" || { echo "checks: no fault is planted for $check"; bad=1; }
    rm -rf "$work/tree"
    mkdir -p "$work/tree/micro/probes" "$work/tree/tests"
    : >"$work/tree/tests/size-exceptions"
    : >"$work/tree/micro/SOURCES.md"
    : >"$work/tree/micro/probes/probes.def"
    if runs "$check"; then
        echo "checks: $check passes an empty tree"
        bad=1
    fi
done
echo "checks: $n_planted faults planted"
exit $bad
