#!/bin/sh
# Pages that can be read: probe 150 lines, kernel 120, header 120, module 400 (a test 600),
# function 50, line 100 columns. tests/size-exceptions names what is longer, how much, and why.
#   usage: check-sizes.sh [ROOT]; prints each breach, exits 1 if any.
cd "${1:-.}" || exit 2
files=$(find micro ptx tests \
    \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.ptx' \) 2>/dev/null |
    LC_ALL=C sort)
[ -n "$files" ] || { echo "sizes: no file was found"; exit 1; }
others=$(find Makefile .ci scripts sass-checks tests -type f ! -name '*.*' 2>/dev/null
    find scripts sass-checks tests \( -name '*.sh' -o -name '*.awk' \) 2>/dev/null)
LC_ALL=C awk '
    FILENAME == "tests/size-exceptions" {
        if (/^#/ || NF == 0) next
        if (NF < 4) { print FILENAME ":" FNR ": no reason"; bad = 1; next }
        most[$1, $2] = $3
        allowed[$1, $2] = FILENAME ":" FNR
        next
    }
    FNR == 1 { end_file(); file = FILENAME; in_function = 0; at_longest = longest = 0 }
    {
        n_lines = FNR
        text = $0
        gsub(/[\200-\277]/, "", text) # columns, not bytes of UTF-8
        n = length(text)
        if (n > longest) { longest = n; at_longest = FNR }
    }
    file !~ /\.(c|h|cu|cuh)$/ { next }
    # A body stands between braces in the first column, or opens at the end of its signature.
    !in_function && (/^\{/ || /^[A-Za-z_].*\) *\{ *$/ ) { in_function = 1; from = FNR; next }
    in_function && /^\}/ {
        in_function = 0
        judge("function", from, FNR - from + 1, 50)
    }
    END { end_file(); stale(); exit bad }

    function limit() {
        if (file ~ /^tests\/.*\.c$/) return 600
        if (file ~ /\.(h|cuh|cu|ptx)$/) return 120
        if (file ~ /^micro\/probes\/[^\/]*\/.*\.c$/) return 150
        if (file ~ /\.(c|sh|awk)$/ || file !~ /\./) return 400
        return 1000000
    }
    function end_file() {
        if (file == "") return
        judge("lines", 1, n_lines, limit())
        judge("line", at_longest, longest, 100)
    }
    function judge(what, at, n, allow) {
        if ((file, what) in most && n > allow) {
            is_used[file, what] = 1
            allow = most[file, what]
        }
        if (n <= allow) return
        printf "%s:%d: %s of %d, %d allowed\n", file, at, what == "lines" ? "file" : what, n, allow
        bad = 1
    }
    function stale(   k) {
        for (k in most)
            if (!(k in is_used)) { print allowed[k] ": not needed any more"; bad = 1 }
    }' tests/size-exceptions $files $others
