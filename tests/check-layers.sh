#!/bin/sh
# Who may include whom. A layer may include itself and what its line names; a backend of dev may not
# include another; libraries stay in the layers that are there for them.
#   usage: check-layers.sh [ROOT]; prints each breach, exits 1 if any.
cd "${1:-.}/micro" || exit 2
find . \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' \) | sed 's|^\./||' |
    sort | xargs grep -Hn '^ *# *include *["<]' /dev/null | awk -F: '
    BEGIN {
        may["core"]   = "core"
        may["dev"]    = "core dev"
        may["probes"] = "core probes"
        may["report"] = "core report"
        may["cli"]    = "core dev probes report cli"
        # The inside of the bench is between bench and devices.
        inside["core/bench_impl.h"] = "core dev cli"
        # The seam: the table of driver entry points, which the simulator fills too.
        split("driver.h cuda.def errors.def nvml.h nvml.def", seam, " ")
        for (i in seam) is_seam["dev/gpu/" seam[i]] = 1
    }
    function breach(text) {
        printf "micro/%s:%s: %s\n", $1, $2, text
        bad = 1
    }
    /#  *include/ || /#include/ {
        n_seen++
        split($1, from, "/")
        if ($3 ~ /</) {
            name = $3
            sub(/.*</, "", name); sub(/>.*/, "", name)
            if (name ~ /^(cuda|nvml)/ && $1 !~ /^dev\// && $1 !~ /\.cuh?$/)
                breach("<" name "> outside dev")
            if (name ~ /^hwloc/ && from[1] != "dev" && from[1] != "cli")
                breach("<" name "> outside dev and cli")
            next
        }
        split($3, part, "\""); split(part[2], to, "/")
        if (index(" " may[from[1]] " ", " " to[1] " ") == 0)
            breach(from[1] " may not include " part[2])
        else if (to[1] == "dev" && from[1] == "dev" && to[2] != from[2] && !(part[2] in is_seam))
            breach("dev/" from[2] " may not include " part[2])
        else if (part[2] in inside && index(" " inside[part[2]] " ", " " from[1] " ") == 0)
            breach(from[1] " may not include " part[2])
    }
    END {
        if (!n_seen) { print "layers: no include was found"; exit 1 }
        exit bad
    }'
