# From nvdisasm's text of one cubin to a listing for people and check.awk: a head line a kernel
# ("// kernel NAME registers N frame N", frame: bytes of stack), then its labels and instructions.
# Registers and frame come from .nv.info, whose words are the symbol and the number.
/\/\/----- nvinfo : EIATTR_/ { attribute = $NF; kernel = ""; next }
/^\/\/-----/ { attribute = "" }
attribute ~ /REGCOUNT|FRAME_SIZE/ && $2 == ".word" {
    if ($3 ~ /^index@\(/) {
        kernel = $3
        sub(/^index@\(/, "", kernel)
        sub(/\)$/, "", kernel)
    } else if (kernel != "") {
        number[attribute, kernel] = hex($3)
        kernel = ""
    }
}
/^\t\.section\t\.text\./ {
    in_text = 1
    name = $2
    sub(/^\.text\./, "", name)
    sub(/,.*/, "", name)
    next
}
/^\/\/-------/ { in_text = 0 }
!in_text { next }
# A function that is no entry (not inlined) is listed under its own name.
$1 == ".other" && /STO_CUDA_ENTRY/ {
    printf "// kernel %s registers %d frame %d\n", name,
        number["EIATTR_REGCOUNT", name], number["EIATTR_FRAME_SIZE", name]
    next
}
$1 == ".type" && $NF ~ /@function/ && !index($0, name ",") {
    sub(/,.*/, "", $2)
    print "// function " $2
    next
}
/^\.L/ { print; next }
/^ +\/\*[0-9a-f]+\*\// { print }

function hex(text,   i, n) {
    for (i = 3; i <= length(text); i++)
        n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
    return n + 0
}
