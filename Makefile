# make            build/assay and all kernel images (needs no GPU; NVCC=none: without kernels)
# make report     set up what is missing, build, measure here, write build/report/index.html
# make check      set up what is missing, build, prove what the tests claim (SAN=1: sanitizers)
# make sass-check hold every kernel's machine code against its rules
# make bench      speed of the simulator         make bundle   a binary for bare machines
# make install    to PREFIX (/usr/local)         make dist     a source archive
# make V=1 …      show the commands
# A new probe, kernel, PTX file or test is picked up by its name: no edit here.

SAN   ?=
B     ?= build$(if $(SAN),/san)
CC    := gcc
Q     := $(if $(V),,@)
# What scripts/setup found or fetched: NVCC, PTXAS, FATBINARY, NVDISASM, CUDA_INCLUDE.
TOOLS := build/tools$(if $(filter none,$(NVCC)),-none).mk
QUIET_GOALS := clean distclean help dist
ifneq ($(if $(MAKECMDGOALS),$(filter-out $(QUIET_GOALS),$(MAKECMDGOALS)),all),)
include $(TOOLS)
FOUND := $(filter-out none,$(NVCC) $(PTXAS) $(FATBINARY) $(NVDISASM) $(CUDA_INCLUDE))
ifneq ($(words $(wildcard $(FOUND))),$(words $(FOUND)))
$(TOOLS): FORCE # what was found is gone: look again
endif
endif

ARCHS := sm_75 sm_80 sm_86 sm_89 sm_90a sm_100a sm_103a sm_120a

VERSION  := $(shell cat VERSION)
COMMIT   := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
CFLAGS   ?= -O2 -g
WARN     := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Werror
comma    := ,
SANFLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all \
                        -fno-omit-frame-pointer)
ALLCFLAGS = $(CFLAGS) -std=c11 -D_GNU_SOURCE -ffp-contract=off $(WARN) $(SANFLAGS)
CPPFLAGS += -Imicro -isystem $(CUDA_INCLUDE) -MMD -MP
PKGS     := jansson hwloc
LDLIBS    = $(shell pkg-config --libs $(PKGS)) -ldl -lpthread -lm

# --- what there is ------------------------------------------------------------------------------

SOURCES := $(wildcard micro/core/*.c micro/dev/*/*.c micro/probes/*.c micro/probes/*/*.c \
                      micro/report/*.c micro/cli/*.c)
OBJECTS := $(SOURCES:%.c=$(B)/%.o)
MAIN    := $(B)/micro/cli/main.o
LIB     := $(filter-out $(MAIN),$(OBJECTS))
KERNELS := $(patsubst micro/probes/%.cu,%,$(wildcard micro/probes/*/*.cu)) \
           $(patsubst micro/core/%.cu,core/%,$(wildcard micro/core/*.cu))
HANDMADE := $(patsubst ptx/%.ptx,%,$(wildcard ptx/*/*.ptx))
TESTS   := $(patsubst tests/%.c,%,$(wildcard tests/test_*.c))
TESTLIB := $(patsubst %.c,$(B)/%.o,$(filter-out tests/test_%.c,$(wildcard tests/*.c)))
CHECKS  := $(patsubst tests/check-%.sh,%,$(wildcard tests/check-*.sh))
CHECKS  := $(filter-out $(if $(SAN),bundle gpu-session mutants),$(CHECKS)) # plain builds alone
EMBED   := $(sort $(wildcard micro/SOURCES.md reports/specs/*.json reports/style/* \
                              micro/dev/sim/chips/*.chip))

.PHONY: all check report sass-check bench bundle install dist clean distclean help
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

all: $(B)/assay

help:
	@sed -n '1,/^$$/s/^# //p' Makefile

# One stamp holds what setup found; a changed lock or script looks again.
$(TOOLS): scripts/setup scripts/cuda.lock
	@mkdir -p $(@D)
	$(Q)NVCC=$(NVCC) scripts/setup $@

# --- C ------------------------------------------------------------------------------------------

$(B)/%.o: %.c $(TOOLS)
	@mkdir -p $(@D); echo "  CC     $<"
	$(Q)$(CC) $(CPPFLAGS) $(ALLCFLAGS) -c -o $@ $<

# Written anew at each run, replaced only when different: what depends on it is then still new.
KEEP = if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
FORCE:
.PHONY: FORCE

# The version is an argument of one file alone, so that a commit rebuilds no more than that.
$(B)/version.h: FORCE
	@mkdir -p $(@D)
	$(Q)printf '#define AY_VERSION "%s"\n#define AY_COMMIT "%s"\n' $(VERSION) $(COMMIT) >$@.new; \
	$(KEEP)
# A list of files notices one that went away.
$(B)/%.list: FORCE
	@mkdir -p $(@D)
	$(Q)printf '%s\n' $(LIST) >$@.new; $(KEEP)
$(B)/objects.list: LIST = $(OBJECTS)
$(B)/micro/core/version.o: CPPFLAGS += -I$(B)
$(B)/micro/core/version.o: $(B)/version.h

# --- kernels: CUDA C to PTX, PTX to machine code, both for every architecture -------------------

K := build/kernels
IMAGES :=
ifneq ($(NVCC),none)
PTX_OF_CU  = $(NVCC) -std=c++17 -Imicro -MMD -MF $@.d -MT $@ -ptx -arch=compute_$(1:sm_%=%) -o $@ $<
# Written by hand for one architecture, told to each: its `.version` suits the newest of them.
PTX_OF_PTX = sed 's/^\.target .*/.target $(1)/' $< >$@
# $(1) stem, $(2) architecture, $(3) source, $(4) how PTX comes from it
define KERNEL_RULES
$(K)/$(1).$(2).ptx: $(3) $$(TOOLS)
	@mkdir -p $$(@D); echo "  PTX    $(1) $(2)"
	$$(Q)$$(call $(4),$(2))
$(K)/$(1).$(2).cubin: $(K)/$(1).$(2).ptx
	$$(Q)$$(PTXAS) -arch=$(2) -warn-spills -o $$@ $$<
IMAGES += $(K)/$(1).$(2).ptx $(K)/$(1).$(2).cubin
endef
kernel_source = $(firstword $(wildcard micro/probes/$(1).cu micro/$(1).cu))
$(foreach k,$(KERNELS),$(foreach a,$(ARCHS),\
    $(eval $(call KERNEL_RULES,$(k),$(a),$(call kernel_source,$(k)),PTX_OF_CU))))
$(foreach k,$(HANDMADE),$(foreach a,$(ARCHS),\
    $(eval $(call KERNEL_RULES,$(k),$(a),ptx/$(k).ptx,PTX_OF_PTX))))

$(K)/%.fatbin: $(foreach a,$(ARCHS),$(K)/%.$(a).cubin)
	@echo "  FATBIN $*"
	$(Q)$(FATBINARY) -64 --create=$@ \
	    $(foreach a,$(ARCHS),--image3=kind=elf,sm=$(a:sm_%=%),file=$(K)/$*.$(a).cubin) \
	    --image3=kind=ptx,sm=75,file=$(K)/$*.sm_75.ptx
FATBINS := $(patsubst %,$(K)/%.fatbin,$(KERNELS) $(HANDMADE))
endif

$(B)/images.list: LIST = $(IMAGES) $(FATBINS)
$(B)/images.S: $(IMAGES) $(FATBINS) $(B)/images.list scripts/embed-images
	@echo "  EMBED  kernels"
	$(Q)scripts/embed-images $(K) $(IMAGES) $(FATBINS) >$@
$(B)/images.o: $(B)/images.S
	$(Q)$(CC) -c -o $@ $<

# Chips, references, styles: text that the binary carries.
$(B)/texts.list: LIST = $(EMBED)
$(B)/texts.S: $(EMBED) $(B)/texts.list scripts/embed-texts
	@echo "  EMBED  texts"
	$(Q)scripts/embed-texts $(EMBED) >$@
$(B)/texts.o: $(B)/texts.S
	$(Q)$(CC) -c -o $@ $<

# --- machine code against its rules; the verdicts are linked in ---------------------------------

# The rules are in the probes, so a first link without verdicts prints them.
$(B)/stage1/assay: $(OBJECTS) $(B)/images.o $(B)/texts.o $(B)/stage1/verdicts.o $(B)/objects.list
	$(Q)$(CC) $(SANFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)
$(B)/stage1/verdicts.c: Makefile
	@mkdir -p $(@D)
	$(Q)printf '#include "core/image.h"\nconst struct ay_verdict ay_verdicts[] = {{0}};\n' >$@
$(B)/stage1/%.o: $(B)/stage1/%.c
	$(Q)$(CC) $(CPPFLAGS) $(ALLCFLAGS) -c -o $@ $<
$(B)/rules.tsv: $(B)/stage1/assay
	$(Q)$< explain --sass-rules >$@.new && $(KEEP)
SASS_CHECK = NVDISASM=$(NVDISASM) sass-checks/check --listings build/sass --kernels $(K) \
             --archs "$(ARCHS)"
# SHA-256 of PTX and cubin, architecture, entry, verdict, why.
$(B)/verdicts.tsv: $(B)/rules.tsv $(IMAGES) $(wildcard sass-checks/*) $(TOOLS)
	@echo "  SASS   against the rules"
	$(Q)$(SASS_CHECK) --verdicts $@ --rules $< $(filter %.cubin,$(IMAGES))
$(B)/verdicts.c: $(B)/verdicts.tsv scripts/embed-verdicts
	$(Q)scripts/embed-verdicts $< >$@
$(B)/verdicts.o: $(B)/verdicts.c
	$(Q)$(CC) $(CPPFLAGS) $(ALLCFLAGS) -c -o $@ $<

sass-check: $(B)/rules.tsv $(IMAGES)
	$(Q)$(SASS_CHECK) --report --rules $< $(filter %.cubin,$(IMAGES))

$(B)/assay: $(OBJECTS) $(B)/images.o $(B)/texts.o $(B)/verdicts.o $(B)/objects.list
	@echo "  LD     $@"
	$(Q)$(CC) $(SANFLAGS) -o $@ $(filter %.o,$^) $(LDLIBS)

# --- for a machine with a GPU and without libraries or network: static but for libc ---------------

# Sanitizers cannot be linked so: the bundle is always the plain build.
BUNDLE_LIBS = -Wl,-Bstatic -ljansson -lhwloc -lltdl -Wl,-Bdynamic -ldl -lpthread -lm
bundle: $(B)/bundle/assay $(B)/bundle/sass.tar.gz
	@ls -l $^
$(B)/bundle/assay: $(OBJECTS) $(B)/images.o $(B)/texts.o $(B)/verdicts.o $(B)/scripts/udev_stub.o
	@mkdir -p $(@D); echo "  LD     $@"
	$(Q)$(CC) -static-libgcc -o $@ $^ $(BUNDLE_LIBS)
$(B)/bundle/sass.tar.gz: $(B)/verdicts.tsv
	@mkdir -p $(@D) build/sass
	$(Q)tar -czf $@ -C build sass

PREFIX ?= /usr/local
install: $(B)/assay
	install -D -m 755 $< $(DESTDIR)$(PREFIX)/bin/assay
dist:
	@mkdir -p build
	git archive --format=tar.gz --prefix=assay-$(VERSION)/ -o build/assay-$(VERSION).tar.gz HEAD

# --- what a newcomer runs -----------------------------------------------------------------------

report: $(B)/assay
	$(Q)rm -f $(B)/report/run.jsonl; mkdir -p $(B)/report
	$(Q)$(B)/assay run -o $(B)/report/run.jsonl || [ $$? -eq 1 ]
	$(Q)$(B)/assay report $(B)/report/run.jsonl -o $(B)/report

# --- tests: a passed test is a file, so a second make check does nothing ------------------------

CHECKLIBS = $(shell pkg-config --libs check)
TESTOBJS  = $(LIB) $(TESTLIB) $(B)/images.o $(B)/texts.o $(B)/verdicts.o

$(B)/tests/test_%: $(B)/tests/test_%.o $(TESTOBJS)
	@echo "  LD     $@"
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(LDLIBS) $(CHECKLIBS)

$(B)/tests/test_%.ok: $(B)/tests/test_% $(B)/assay $(wildcard tests/*.txt tests/golden/*)
	@echo "  TEST   $*"
	$(Q)CK_VERBOSITY=normal CK_TAP_LOG_FILE_NAME=$(@:.ok=.tap) \
	    $(if $(SAN),CK_TIMEOUT_MULTIPLIER=10) ASSAY=$(B)/assay $< && touch $@

# What a check may look at beside the program.
TREE := Makefile $(SOURCES) $(wildcard micro/*.md micro/*/*.* micro/*/*/*.* ptx/*/* scripts/* \
                                      sass-checks/* tests/*.* tests/size-exceptions reports/*/*)
$(B)/tests/check-%.ok: tests/check-%.sh $(B)/assay $(TREE)
	@echo "  CHECK  $*"
	$(Q)B=$(B) ASSAY=$(B)/assay KERNELS=$(K) ARCHS="$(ARCHS)" NVDISASM=$(NVDISASM) PTXAS=$(PTXAS) \
	    $< && touch $@

$(patsubst %,$(B)/tests/check-%.ok,bundle gpu-session): $(B)/bundle/assay $(B)/bundle/sass.tar.gz

check: $(TESTS:%=$(B)/tests/%.ok) $(CHECKS:%=$(B)/tests/check-%.ok)

bench: $(B)/tests/bench_sim
	$(Q)$<
$(B)/tests/bench_sim: $(B)/tests/bench/bench_sim.o $(TESTOBJS)
	$(Q)$(CC) $(SANFLAGS) -o $@ $^ $(LDLIBS) $(CHECKLIBS)

clean:
	find build -mindepth 1 -maxdepth 1 ! -name cuda -exec rm -rf {} + 2>/dev/null || true
distclean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(IMAGES:%=%.d) $(wildcard $(B)/tests/*.d $(B)/tests/*/*.d)
