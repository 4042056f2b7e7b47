#!/bin/sh
# scripts/setup: what is missing is named in one line to run, or installed; an old nvcc is no nvcc;
# the lock pins each CUDA tool by version and hash. Fetches nothing.
#   usage: tests/check-setup.sh
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "setup: $*"
    sed 's/^/    /' "$work/said" 2>/dev/null
    exit 1
}

if grep -vE '^#' scripts/cuda.lock |
    grep -vE '^nvidia-[a-z-]+==[0-9.]+( --hash=sha256:[0-9a-f]{64}){2}$' >"$work/said"; then
    fail "a line of scripts/cuda.lock is no pin"
fi

# A machine without gnuplot, whose commands are those of this one. `id` says who we are.
bin=$work/bin
mkdir "$bin"
ln -s /usr/bin/* /bin/* "$bin/" 2>/dev/null || true
rm -f "$bin"/gnuplot* "$bin/sudo" "$bin/id" "$bin/apt-get"
printf '#!/bin/sh\necho $WHO\n' >"$bin/id"
printf '#!/bin/sh\necho "$@" >>"%s/apt-get"\n' "$work" >"$bin/apt-get"
chmod +x "$bin/id" "$bin/apt-get"

if WHO=1000 NVCC=none PATH=$bin scripts/setup "$work/tools.mk" >"$work/said" 2>&1; then
    fail "an ordinary user without gnuplot gets no error"
fi
[ "$(wc -l <"$work/said")" -eq 1 ] || fail "an ordinary user gets more than one line"
grep -q 'run as root: .*apt-get install .* gnuplot-nox$' "$work/said" || fail "not the line to run"
[ ! -e "$work/apt-get" ] || fail "an ordinary user runs apt-get"

WHO=0 NVCC=none PATH=$bin scripts/setup "$work/tools.mk" >"$work/said" 2>&1 || fail "root fails"
grep -q '^install .* gnuplot-nox$' "$work/apt-get" || fail "root does not install gnuplot-nox"
grep -q '^NVCC := none$' "$work/tools.mk" || fail "NVCC=none looks for nvcc"

# An nvcc of CUDA 12 stands first on the PATH.
[ -n "$PTXAS" ] || exit 0 # built without nvcc
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.4, V12.4.99"\n' >"$work/nvcc"
chmod +x "$work/nvcc"
PATH=$work:$(dirname "$PTXAS"):$PATH scripts/setup "$work/tools.mk" >"$work/said" 2>&1 ||
    fail "an old nvcc on the PATH ends in an error"
if grep -q "^NVCC := $work/nvcc$" "$work/tools.mk"; then fail "an nvcc of CUDA 12 is taken"; fi
grep -q '^NVCC := /' "$work/tools.mk" || fail "no nvcc is found beside an old one"
