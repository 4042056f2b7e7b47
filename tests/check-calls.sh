#!/bin/sh
# Calls that have no place here: those that ask the locale, chance without a seed, those that end or
# print below cli, the driver's library without its version (the toolkit's stub has that name).
#   usage: check-calls.sh [ROOT]; prints each breach, exits 1 if any.
cd "${1:-.}" || exit 2
find micro -name '*.c' | grep -q . || { echo "calls: no file was found"; exit 1; }
bad=0
# never WHY PATTERN FOLDER…: lines of C there that match, comments left out.
never() {
    why=$1 pattern=$2
    shift 2
    lines=$(find "$@" -name '*.[ch]' 2>/dev/null | xargs grep -nE "$pattern" /dev/null |
        grep -vE '^[^:]*:[0-9]*: *(/?\*|//)')
    [ -z "$lines" ] || { echo "$lines"; echo "calls: $why"; bad=1; }
}
word='(^|[^A-Za-z0-9_])'
# core/units.c is where the C locale is chosen for all others.
never "asks the locale (core/units.h does not)" \
    "$word(setlocale|newlocale|uselocale|strtod|strtof|strtold|atof) *\(" \
    $(find micro -name '*.c' ! -path micro/core/units.c)
never "chance without a seed" "$word(rand|srand|random|srandom|drand48|rand_r) *\(" micro
below=$(find micro -mindepth 1 -maxdepth 1 -type d ! -name cli)
never "ends the program or prints: only cli may" \
    "$word(exit|abort|printf|vprintf|puts|putchar|perror|assert) *\(|fprintf *\(std(err|out)" \
    $below
never "libcuda without its version is the toolkit's stub" 'dlopen *\([^;]*libcuda\.so"' micro
exit $bad
