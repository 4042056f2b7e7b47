#!/bin/sh
# A dry run of scripts/gpu-session on a simulated GPU: it keeps its deadline, leaves few files, and
# its last words are a table.
#   usage: B=build tests/check-gpu-session.sh
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "gpu-session: $*"
    tail -n 25 "$work/said" 2>/dev/null | sed 's/^/    /'
    exit 1
}

from=$(date +%s)
scripts/gpu-session --device sim:plain --quick --deadline 60 --out "$work/out" >"$work/said" 2>&1 ||
    fail "a dry run ended with $?"
took=$(($(date +%s) - from))
[ $took -le 65 ] || fail "a dry run of 60 s took $took s"
tail -n 30 "$work/said" | grep -q '^group  *s  *ok  *skip  *void  *error' ||
    fail "no table comes last"
[ "$(ls "$work/out" | wc -l)" -le 8 ] || fail "too many files: $(ls "$work/out")"
for file in run.jsonl session.log inventory.txt sass.tar.gz; do
    [ -s "$work/out/$file" ] || fail "$file is missing or empty"
done
grep -q '"record":"end"' "$work/out/run.jsonl" || fail "no run was ended"
n_ok=$(grep -c '"status":"ok"' "$work/out/run.jsonl" || true)
[ "$n_ok" -gt 0 ] || fail "nothing was measured"
# The table counts what the run file holds.
counted=$(awk '
    /^group  / { in_table = 1; next }
    in_table && $3 ~ /^[0-9]+$/ { n += $3 }
    END { print n + 0 }' "$work/said")
[ "$counted" -eq "$n_ok" ] || fail "the table counts $counted ok, the run file holds $n_ok"

# Out of time at once: every group says so, the table comes all the same.
scripts/gpu-session --device sim:plain --quick --deadline 3 --out "$work/short" \
    >"$work/said" 2>&1 || fail "a window of 3 s ended with $?"
grep -q 'no time was left' "$work/said" || fail "a window of 3 s measured everything"
grep -q '^group  ' "$work/said" || fail "a window of 3 s printed no table"
echo "gpu-session: $n_ok ok rows in $took s on sim:plain"
