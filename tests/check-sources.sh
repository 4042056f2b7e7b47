#!/bin/sh
# What is cited in [brackets] in a comment, or listed as a source of a probe, is a key of
# micro/SOURCES.md, whose lines are `key: reference`, sorted, each once.
#   usage: check-sources.sh [ROOT]; prints each breach, exits 1 if any.
cd "${1:-.}" || exit 2
files=$(find micro ptx sass-checks \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \
    -o -name '*.ptx' -o -path 'sass-checks/*' \) -type f 2>/dev/null | LC_ALL=C sort)
[ -n "$files" ] || { echo "sources: no file was found"; exit 1; }
keys=$(sed -n 's/^\([a-z0-9-]*\): .*/\1/p' micro/SOURCES.md)
[ "$keys" = "$(echo "$keys" | LC_ALL=C sort -u)" ] ||
    { echo "micro/SOURCES.md: keys are not sorted, or one stands twice"; exit 1; }
awk -v keys="$keys" '
    BEGIN {
        n = split(keys, list, /[ \n]+/)
        for (i = 1; i <= n; i++) is_key[list[i]] = 1
        is_key["measured"] = 1 # our own, by product and date
    }
    FNR == 1 { in_comment = in_list = 0 }
    {
        code = $0
        comment = FILENAME ~ /^sass-checks\// && /^ *#/ ? $0 : ""
        # Comments of C; a line that only continues one is a comment whole.
        while (1) {
            if (in_comment) {
                at = index(code, "*/")
                if (!at) { comment = comment " " code; break }
                comment = comment " " substr(code, 1, at - 1)
                code = substr(code, at + 2)
                in_comment = 0
            } else {
                line = index(code, "//")
                at = index(code, "/*")
                if (line && (!at || line < at)) {
                    comment = comment " " substr(code, line + 2)
                    break
                }
                if (!at) break
                code = substr(code, at + 2)
                in_comment = 1
            }
        }
        cite(comment)
        if ($0 ~ /(SOURCES\[\]|\.sources) *=/) in_list = 1
        if (in_list) {
            list_keys($0)
            if ($0 ~ /[;}]/) in_list = 0
        }
    }
    END {
        if (!n_cited) { print "sources: nothing is cited"; exit 1 }
        exit bad
    }
    function cite(text,   key) {
        while (match(text, /(^|[^A-Za-z0-9_)\]])\[[a-z][a-z0-9-][a-z0-9-]+( [^]]*)?\]/)) {
            key = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/^[^[]*\[/, "", key); sub(/[ \]].*/, "", key)
            use(key)
        }
    }
    function list_keys(text,   key) {
        while (match(text, /"[^"]*"/)) {
            key = substr(text, RSTART + 1, RLENGTH - 2)
            text = substr(text, RSTART + RLENGTH)
            sub(/ .*/, "", key)
            use(key)
        }
    }
    function use(key) {
        n_cited++
        if (key in is_key) return
        printf "%s:%d: [%s] is no key of micro/SOURCES.md\n", FILENAME, FNR, key
        bad = 1
    }' $files
