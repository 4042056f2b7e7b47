#!/bin/sh
# probes.def names every probe once, sorted, and nothing else; a probe, its file and its stem agree;
# every kernel file belongs to a probe.
#   usage: check-registry.sh [ROOT]; prints each breach, exits 1 if any.
cd "${1:-.}" || exit 2
bad=0
say() { echo "registry: $*"; bad=1; }
ids=
for file in $(find micro/probes -mindepth 2 -name '*.c' | LC_ALL=C sort); do
    id=$(sed -n 's/^const struct ay_probe \([a-z0-9_]*\) = {.*/\1/p' "$file")
    [ -n "$id" ] || continue # shared by probes, none itself
    stem=${file#micro/probes/}
    stem=${stem%.c}
    [ "$id" = "$(echo "$stem" | tr / _)" ] || say "$file: $id is not its stem"
    name=$(sed -n 's/^ *\.name = "\([a-z0-9_.]*\)",.*/\1/p' "$file")
    # The stem of a.b.c is a/b_c, of a.b it is a/b.
    [ "$(echo "$name" | sed 's|\.|/|; s|\.|_|g')" = "$stem" ] ||
        say "$file: \"$name\" is not its stem"
    ids="$ids$id
"
done
listed=$(sed -n 's/^PROBE(\(.*\))$/\1/p' micro/probes/probes.def)
[ -n "$listed" ] || say "probes.def lists no probe"
[ "$listed" = "$(echo "$listed" | LC_ALL=C sort -u)" ] || say "probes.def is not sorted"
for id in $ids; do
    echo "$listed" | grep -qx "$id" || say "$id is not in probes.def"
done
for id in $listed; do
    echo "$ids" | grep -qx "$id" || say "probes.def: no file defines $id"
done
for kernel in $(find micro/probes ptx -name '*.cu' -o -name '*.ptx' 2>/dev/null); do
    source=${kernel#micro/probes/}
    source=${source#ptx/}
    source=${source%.*}
    grep -rqF "\"$source\"" micro/probes --include='*.[ch]' ||
        say "$kernel: no probe names \"$source\""
done
exit $bad
