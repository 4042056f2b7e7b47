#!/bin/sh
# A device knows no probe and no kernel: none of their names stands in micro/dev.
#   usage: check-names.sh [ROOT]; prints each breach, exits 1 if any.
cd "${1:-.}" || exit 2
work=$(mktemp)
trap 'rm -f "$work"' EXIT
{
    sed -n 's/^ *\.name = "\([a-z0-9_]*\.[a-z0-9_.]*\)",.*/\1/p' $(find micro/probes -name '*.c')
    sed -n 's/^PROBE(\(.*\))$/\1/p' micro/probes/probes.def
    # A kernel source ("mem/chase") and the kernels in it.
    kernels=$(find micro ptx -name '*.cu' -o -name '*.ptx' 2>/dev/null)
    for k in $kernels; do
        case $k in *probes*) k=${k#micro/probes/}; echo "\"${k%.*}\"" ;; esac
    done
    [ -z "$kernels" ] || sed -n 's/__launch_bounds__([^)]*)//
        s/.*__global__ *void *\([a-z0-9_]*\)(.*/\1/p
        s/.*\.entry \([a-z0-9_]*\).*/\1/p' $kernels
} | LC_ALL=C sort -u >"$work"
[ -s "$work" ] || { echo "names: no probe and no kernel was found"; exit 1; }
find micro/dev -name '*.[ch]' | grep -q . || { echo "names: no device was found"; exit 1; }
if grep -rnwFf "$work" micro/dev; then
    echo "names: a device may know no probe and no kernel"
    exit 1
fi
