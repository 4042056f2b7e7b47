#!/bin/sh
# Text that any machine can read (UTF-8, a newline at the end, code without blanks at ends of lines)
# and that tells nothing of the machine it was written on: no path of somebody's folder, no address
# but those of publications and public projects.
#   usage: check-text.sh [ROOT]; prints each breach, exits 1 if any.
cd "${1:-.}" || exit 2
files=$(git ls-files 2>/dev/null)
[ -n "$files" ] || files=$(find . -name build -prune -o -type f -print | sed 's|^\./||')
list=
for f in $files; do
    [ ! -f "$f" ] || case $f in *.png|LICENSE) ;; *) list="$list $f" ;; esac
done
case $list in *.c*) ;; *) echo "text: no C was found"; exit 1 ;; esac
bad=0
for f in $list; do
    iconv -f UTF-8 -t UTF-8 "$f" >/dev/null 2>&1 || { echo "$f: not UTF-8"; bad=1; }
    [ -z "$(tail -c 1 "$f")" ] || { echo "$f: no newline at the end"; bad=1; }
done
code=$(for f in $list; do
    case $f in *.[ch] | *.cu | *.cuh | *.sh | *.awk | scripts/*) echo "$f" ;; esac
done)
if grep -nE '[ 	]+$' $code /dev/null; then echo "text: blanks at the end of a line"; bad=1; fi
if grep -nE '(^|[^A-Za-z0-9_.])/(root|work|home|Users)/[a-z]' $list /dev/null; then
    echo "text: a path of one machine"
    bad=1
fi
# Hosts that may be named: vendors' documentation, papers, name spaces.
known='([a-z-]+\.)*nvidia\.com|arxiv\.org|doi\.org|github\.com|www\.w3\.org|no-color\.org'
known="$known|([a-z-]+\.)*(ieee|acm|usenix)\.org|([a-z-]+\.)*nist\.gov|jfly\.uni-koeln\.de"
known="$known|([a-z-]+\.)*(techpowerup|chipsandcheese)\.com"
if grep -noE 'https?://[A-Za-z0-9.-]+' $list /dev/null | grep -vE "https?://($known)\$"; then
    echo "text: an address of no publication"
    bad=1
fi
exit $bad
