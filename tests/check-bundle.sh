#!/bin/sh
# The bundle needs nothing of its machine but libc, and starts without anything else.
#   usage: B=build tests/check-bundle.sh
set -eu
binary=$B/bundle/assay
needs=$(objdump -p "$binary" | sed -n 's/^ *NEEDED *//p')
[ -n "$needs" ] || { echo "bundle: libc must stay dynamic, or nothing can be loaded"; exit 1; }
for library in $needs; do
    case $library in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | ld-linux*) ;;
    *) echo "bundle: needs $library"; exit 1 ;;
    esac
done
[ "$(env -i "$binary" --version)" = "$("$ASSAY" --version)" ] ||
    { echo "bundle: is not the program that make built"; exit 1; }
[ "$(env -i "$binary" list)" = "$("$ASSAY" list)" ] ||
    { echo "bundle: lists other probes"; exit 1; }
listings=$(tar -tzf "$B/bundle/sass.tar.gz" | grep -c '\.sass$' || true)
[ -z "$NVDISASM" ] || [ "$listings" -gt 0 ] || { echo "bundle: holds no listing"; exit 1; }
echo "bundle: needs" $needs, $listings listings
