#!/bin/sh
# What is measured may not be looked up: a probe's `run` and `conclude`, the bench and estimators
# see no chip. In a probe's file only functions that are called truth (…_truth, truth_of_…) name it.
#   usage: check-chips.sh [ROOT]; prints each breach, exits 1 if any.
cd "${1:-.}" || exit 2
files=$(find micro/probes -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' | LC_ALL=C sort)
# All of core but their description, the seam, the truth, and the parent, which asks for it.
core=$(find micro/core -name '*.[ch]' ! -name 'chip*' ! -name 'probe.h' ! -name 'reference*' \
    ! -name 'planted*' ! -name 'truth*' ! -name 'runner*' | LC_ALL=C sort)
[ -n "$files" ] && [ -n "$core" ] || { echo "chips: nothing was found to check"; exit 1; }
awk '
    function breach(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
    FNR == 1 { name = ""; signature = ""; in_comment = 0 }
    # Comments may speak of chips.
    {
        text = $0
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "", text)
        sub(/\/\/.*/, "", text)
        if (in_comment) { if (sub(/^.*\*\//, "", text)) in_comment = 0; else next }
        if (sub(/\/\*.*/, "", text)) in_comment = 1
    }
    FILENAME ~ /^micro\/core/ {
        if (text ~ /ay_chip|core\/chip/) breach("core may not know a chip here")
        next
    }
    /^[A-Za-z_].*\(/ && text !~ /;[ \t]*$/ {
        name = text
        sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
    }
    text ~ /ay_chip[ _a-z]*[ *(]/ && text !~ /^ *#/ {
        n_seen++
        if (name !~ /truth/ && text !~ /truth/)
            breach((name == "" ? "file scope" : name) " may not know a chip")
    }
    name ~ /^(run|conclude)(_|$)/ && text ~ /truth/ { breach(name " may not ask for the truth") }
    /^\}/ { name = "" }
    END {
        if (!n_seen) { print "chips: no truth was found"; exit 1 }
        exit bad
    }' $files $core
