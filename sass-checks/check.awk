# Holds listings against rules. Reads, in this order, with `table` set before each:
#   mnemonics, architectures (this folder), rules (TSV of `assay explain --sass-rules`), and
#   images: source, architecture, SHA-256 of PTX, SHA-256 of cubin, path of the listing.
# Writes a line a kernel and architecture: to `verdicts` (TSV) where that is set, else as a report.
# A kernel's timed region is what stands between its first and last clock read, in program order.
# Where it has several loops with two reads each, what stands between the loops is not timed: an
# even number of reads is taken as pairs, an odd one (a row of stamps) as one
# stretch.
BEGIN { FS = "\t" }
/^#/ || NF == 0 { next }
table == "mnemonics" { known = known " " $0; next }
table == "architectures" {
    split($0, word, / +/)
    sm[word[1]] = word[2]; most_registers[word[1]] = word[3]; clock_ops[word[1]] = glob(word[4])
    next
}
table == "rules" { read_rule(); next }
table == "images" { check_image($1, $2, $3, $4, $5); next }
END { finish() }

function read_rule(   id) {
    if (NF < 10) {
        complain("any", $3, "rules", "line " FNR " has " NF " fields, not 10")
        return
    }
    id = $2 SUBSEP $3
    if (!(id in n_rules)) entries[++n_entries] = id
    n_rules[id]++
    id = id SUBSEP n_rules[id]
    probe[id] = $1; where[id] = $4; op[id] = $5; least[id] = $6; most[id] = $7
    min_sm[id] = $8; max_sm[id] = $9; why[id] = $10
    if (op[id] != "" && op[id] != "-") check_spelling(id, $3)
}

# Each choice of a rule must begin like an opcode that exists.
function check_spelling(id, entry,   n, i, choice, part) {
    n = split(op[id], choice, "|")
    for (i = 1; i <= n; i++) {
        part = choice[i]
        sub(/[.*?].*/, "", part)
        if (part == "" && choice[i] ~ /[*]/) continue
        if (choice[i] !~ /^[A-Z0-9_]+[*?]/) part = part " "
        if (index(known " ", " " part) == 0)
            complain("any", entry, op[id], "no opcode begins so (" probe[id] ")")
    }
}

# A glob, with | between choices, as an anchored regular expression.
function glob(text,   i, c, out) {
    if (text in compiled) return compiled[text]
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "*") out = out ".*"
        else if (c == "?") out = out "."
        else if (c == "|") out = out "|"
        else if (c ~ /[A-Za-z0-9_]/) out = out c
        else out = out "[" c "]"
    }
    return compiled[text] = "^(" out ")$"
}

function applies(id, arch) {
    return (min_sm[id] + 0 == 0 || sm[arch] >= min_sm[id]) &&
        (max_sm[id] + 0 == 0 || sm[arch] <= max_sm[id])
}

function check_image(source, arch, ptx, cubin, listing,   line, i, id, entry) {
    if (!(arch in sm)) {
        complain(arch, source, "architecture", "not in sass-checks/architectures")
        return
    }
    split("", seen_entry)
    kernel = ""
    image_source = source; image_arch = arch; image_ptx = ptx; image_cubin = cubin
    while ((getline line < listing) > 0) read_line(line)
    close(listing)
    end_kernel()
    # Kernels that a probe says it has on this architecture.
    for (i = 1; i <= n_entries; i++) {
        split(entries[i], word, SUBSEP)
        if (word[1] != source || word[2] in seen_entry) continue
        for (id = 1; id <= n_rules[entries[i]]; id++)
            if (applies(entries[i] SUBSEP id, arch)) {
                verdict(word[2], "kernel: the image of " source " has none of that name", 0)
                break
            }
    }
}

function read_line(line,   text, word) {
    if (line ~ /^\/\/ kernel /) {
        end_kernel()
        split(line, word, " ")
        kernel = word[3]; registers = word[5]; frame = word[7]
        n_ops = n_clocks = n_timers = 0
        last_label = ""
        return
    }
    if (kernel == "") return
    if (line ~ /^\.L/) { last_label = line; sub(/:.*/, "", last_label); label_at = n_ops; return }
    if (line !~ /^ *\/\*[0-9a-f]+\*\//) return
    text = line
    sub(/^ *\/\*[0-9a-f]+\*\/ *[{]? */, "", text)
    sub(/^@!?U?P[0-9T]+ +/, "", text)
    n_ops++
    op_of[n_ops] = text
    sub(/[ ;].*/, "", op_of[n_ops])
    # A kernel ends in a branch to itself and NOPs up to the next 128 bytes: no code of its own.
    is_self[n_ops] = op_of[n_ops] == "BRA" && last_label != "" && label_at == n_ops - 1 &&
        index(text, "(" last_label ")")
    if (text ~ /SR_CLOCK/ && op_of[n_ops] ~ clock_ops[image_arch]) clock_at[++n_clocks] = n_ops
    if (text ~ /SR_GLOBALTIMER/) timer_at[++n_timers] = n_ops
}

function end_kernel(   i, c, step) {
    if (kernel == "") return
    while (n_ops > 0 && (op_of[n_ops] == "NOP" || is_self[n_ops])) n_ops--
    # Timed by the global timer alone: that fences the region then.
    if (!n_clocks)
        for (i = 1; i <= n_timers; i++) clock_at[++n_clocks] = timer_at[i]
    split("", in_kernel)
    split("", in_region)
    for (i = 1; i <= n_ops; i++) in_kernel[op_of[i]]++
    step = n_clocks % 2 ? n_clocks - 1 : 1
    for (c = 1; c < n_clocks; c += step + 1)
        for (i = clock_at[c] + 1; i < clock_at[c + step]; i++) in_region[op_of[i]]++
    seen_entry[kernel] = 1
    has_kernels[image_arch]++
    judge()
    kernel = ""
}

function judge(   id, i, n, fault, n_matched, local_due) {
    id = image_source SUBSEP kernel
    fault = ""
    n_matched = 0
    for (i = 1; i <= n_rules[id] + 0; i++) {
        if (!applies(id SUBSEP i, image_arch)) continue
        is_used[id SUBSEP i] = 1
        if (op[id SUBSEP i] == "" || op[id SUBSEP i] == "-") continue # says that the kernel exists
        n_matched++
        if (least[id SUBSEP i] > 0 && op[id SUBSEP i] ~ /LDL|STL/) local_due = 1
        if (fault == "") fault = breach(id SUBSEP i)
    }
    # Rules of every kernel: code, registers, no local memory but where a probe asks for it.
    n_matched += 3
    if (fault == "" && n_ops == 0) fault = "code: the kernel is empty"
    if (fault == "" && (registers < 1 || registers >= most_registers[image_arch]))
        fault = "registers: " registers ", to be from 1 to " most_registers[image_arch] - 1
    if (fault == "" && !local_due) {
        n = counted("LDL*|STL*", in_kernel)
        if (n) fault = "LDL*|STL*: " n " in the kernel, to be 0: registers went to memory"
        else if (frame > 0) fault = "frame: " frame " bytes of stack, to be 0"
    }
    verdict(kernel, fault, n_matched)
}

function counted(text, set,   o, n, expression) {
    expression = glob(text)
    for (o in set) if (o ~ expression) n += set[o]
    return n + 0
}

function breach(id,   n, due, place) {
    place = where[id] == "region" ? "timed region" : "kernel"
    if (where[id] == "region" && n_clocks < 2)
        return op[id] ": no two clock reads, so no timed region (" probe[id] ")"
    if (where[id] == "region") n = counted(op[id], in_region)
    else n = counted(op[id], in_kernel)
    if (n >= least[id] && (most[id] < 0 || n <= most[id])) return ""
    due = least[id] == most[id] ? least[id] : most[id] < 0 ? "at least " least[id] : \
        least[id] < 0 ? "at most " most[id] : least[id] " to " most[id]
    return op[id] ": " n " in the " place ", to be " due ": " why[id] " (" probe[id] ")"
}

function verdict(entry, fault, n_matched,   word) {
    n_checked++
    if (fault != "") n_failed++
    if (verdicts != "") {
        gsub(/\t/, " ", fault)
        word = fault == "" ? "pass" : "fail"
        print image_ptx, image_cubin, image_arch, entry, word, fault > verdicts
    } else if (fault == "") print image_arch " " entry " pass " n_matched
    else print image_arch " " entry " fail " fault
}

# A fault that belongs to no kernel's machine code.
function complain(arch, entry, rule, text) {
    n_failed++
    if (verdicts == "") print arch " " entry " fail " rule ": " text
    else print "sass: " arch " " entry ": " rule ": " text > "/dev/stderr"
}

function finish(   i, j, id, n, word, arch, n_archs, list, text) {
    for (i = 1; i <= n_entries; i++) {
        split(entries[i], word, SUBSEP)
        for (j = 1; j <= n_rules[entries[i]]; j++) {
            id = entries[i] SUBSEP j
            if (!(id in is_used))
                complain("any", word[2], op[id], "matched no kernel (" probe[id] ")")
        }
    }
    n = split(archs, list, / +/)
    for (i = 1; i <= n; i++)
        if (list[i] != "" && !has_kernels[list[i]])
            complain(list[i], "-", "kernels", "none of this architecture")
    for (arch in has_kernels) n_archs++
    if (n_checked + 0 == 0) complain("any", "-", "kernels", "none to check")
    text = sprintf("%d kernels on %d architectures: %d faults", n_checked, n_archs, n_failed)
    if (verdicts == "") print text
    else if (n_failed) print "sass: " text > "/dev/stderr"
    exit n_failed > 0
}
