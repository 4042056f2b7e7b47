#!/bin/sh
# Broken instruments: each file of tests/mutants breaks one thing that has broken real tools, and
# the recovery of planted truths must notice. A mutant that goes unnoticed fails, and so does one
# whose edit no longer applies, or a control that is not found healthy.
#   tests/mutants/NAME.mutant: `# why`, `probe PATTERN`, `chip DEVICE`, then `file PATH` and the
#   lines of a sed script for it, up to the next `file`.
#   usage: check-mutants.sh [NAME…]; the tree is copied to $B/mutants and rebuilt there.
set -eu
B=${B:-build}
root=$PWD/$B/mutants
log=$root/log
rm -rf "$root"
mkdir -p "$root/tree"

# Machine code is left unchecked: the gate would notice too, and hide whether the estimate does.
build() {
    make -C "$root/tree" --no-print-directory ARCHS=sm_90a NVDISASM= build/assay >"$log" 2>&1 || {
        echo "mutants: $1 does not build:"; tail -5 "$log"; exit 1; }
}

# 0: every row with a truth equals it and none is void or in error.
recovers() {
    rm -f "$root/run.jsonl"
    "$root/tree/build/assay" run "$1" -d "$2" -o "$root/run.jsonl" >"$log" 2>&1 || return 1
    "$root/tree/build/assay" validate "$root/run.jsonl" --against planted >>"$log" 2>&1
}

apply() { # mutant file
    awk -v root="$root" '
        /^#|^probe |^chip / { next }
        /^file / { n++; print $2 >(root "/files"); script = root "/script." n; next }
        { print >script }' "$1"
    n=0
    while read -r path; do
        n=$((n + 1))
        cp "$root/tree/$path" "$root/before"
        sed -E -f "$root/script.$n" "$root/before" >"$root/tree/$path"
        if cmp -s "$root/before" "$root/tree/$path"; then
            echo "mutants: $1 changes nothing in $path: the code it breaks has moved"
            exit 1
        fi
    done <"$root/files"
}

restore() {
    while read -r path; do cp "$path" "$root/tree/$path"; done <"$root/files"
    rm -f "$root"/files "$root"/script.*
}

cp -R Makefile VERSION micro reports scripts sass-checks tests "$root/tree/"
[ ! -d ptx ] || cp -R ptx "$root/tree/"
mkdir -p "$root/tree/build"
cp -Rp build/kernels build/tools.mk "$root/tree/build/"
cp -Rp "$B/micro" "$root/tree/build/" 2>/dev/null || true
[ -d build/cuda ] && ln -s "$PWD/build/cuda" "$root/tree/build/cuda"
find "$root/tree/build" -name '*.d' -exec rm -f {} +
build control
sed -n 's/^probe //p; s/^chip //p' tests/mutants/*.mutant | paste - - | sort -u |
while read -r pattern chip; do
    recovers "$pattern" "$chip" && continue
    echo "mutants: the unbroken control does not recover $pattern on $chip:"
    tail -5 "$log"
    exit 1
done

found=0
for mutant in tests/mutants/*.mutant; do
    name=$(basename "$mutant" .mutant)
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    pattern=$(sed -n 's/^probe //p' "$mutant")
    chip=$(sed -n 's/^chip //p' "$mutant")
    apply "$mutant"
    build "$name"
    if recovers "$pattern" "$chip"; then
        echo "mutants: $name went unnoticed: $(sed -n '1s/^# //p' "$mutant")"
        exit 1
    fi
    restore
    found=$((found + 1))
    echo "mutant $name: noticed"
done
[ "$found" -ge 5 ] || [ $# -gt 0 ] || {
    echo "mutants: $found found, at least 5 are wanted"
    exit 1
}
echo "$found mutants, all noticed"
