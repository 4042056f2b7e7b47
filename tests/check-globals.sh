#!/bin/sh
# No writable state outside a struct that somebody passed in: an object may hold code and constants
# only. (.data.rel.ro is a constant that holds addresses: the loader writes it, the program never.)
#   usage: B=build check-globals.sh [ROOT]; prints each breach, exits 1 if any.
cd "${1:-.}" || exit 2
objects=$(find "${B:-build}" -name '*.o' -path '*micro/*' 2>/dev/null | sort)
[ -n "$objects" ] || { echo "globals: no object was found"; exit 1; }
# Sanitizers keep tables of their own in .data, in symbols that begin with a dot or an underscore.
objdump -t $objects | awk '
    /file format/ { object = $1 }
    NF < 4 { next }
    $(NF-2) ~ /^(\.t?data|\.t?bss|\*COM\*)/ && $(NF-2) !~ /^\.data\.rel\.ro/ && $NF !~ /^(\.|__)/ {
        print object " " $NF " is writable (" $(NF-2) ")"
        bad = 1
    }
    END { exit bad }'
