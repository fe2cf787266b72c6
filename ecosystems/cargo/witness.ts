/**
 * The witness of Rust's tests: a program that cargo starts in place of each test binary. It runs each test in a process of its own,
 * followed by tests that the compiler's wrapper added to the binary. One of them fails, and writes a secret of this process before. A process
 * that was ended by the code under test, or whose results were printed by it, has not all of that. The secrets are within reach of
 * the code under test, so code that looks for them can forge them.
 */
import { shellWord } from '../../basics/shell.ts';
import { isStatus, recordWorst, type Status } from '../../parsers/status.ts';
import type { EcosystemWitness, Seen, WitnessRequest } from '../kind.ts';
import { Sharing } from '../records.ts';

const PLACE = '/opt/env/cargo/witness';
/** cargo compiles members of the workspace with it. */
export const COMPILER = `${PLACE}/rustc`;

/** Behind all other tests: they are run in the order of their names. */
const MODULE = 'zzzzzzzz_swemake';
/** Macros that a patch may define anew. */
const MACROS = ['assert', 'assert_eq', 'assert_ne', 'panic'];

/** Canaries that must fail beside the first. */
const OTHERS = ['assert', 'assert_ne', 'panic', 'text'];

const CANARIES = `
#[cfg(test)]
mod ${MODULE} {
    extern crate std as swemake_std;
    #[test]
    fn fails() {
        use self::swemake_std::io::Write;
        let secret = self::swemake_std::env::var("SWEMAKE_SECRET").unwrap();
        let mut out = self::swemake_std::io::stdout();
        out.write_all(b"swemake ").and(out.write_all(secret.as_bytes())).and(out.write_all(b"\\n")).and(out.flush()).unwrap();
        assert_eq!(1, 2);
    }
    #[test]
    fn passes() {
        assert_eq!(1, 1);
    }
    #[test]
    fn other_assert() {
        assert!(1 == 2);
    }
    #[test]
    fn other_assert_ne() {
        assert_ne!(1, 1);
    }
    #[test]
    fn other_text() {
        let text = self::swemake_std::string::String::from("a");
        assert_eq!(&text[..], "b");
    }
    #[test]
    fn other_panic() {
        panic!("swemake");
    }
}
`;

/** A copy beside the root of a crate has the same modules. Nothing that the compiler writes names it. */
const WRAPPER = `#!/bin/bash
# Compiles test binaries with the witness's tests behind their own.
compiler=$1
shift
arguments=("$@") name= folder= ending= place= is_test= before=
for ((at = 0; at < $#; at++)); do
  one=\${arguments[at]}
  case $before:$one in
    --crate-name:*) name=$one ;;
    --out-dir:*) folder=$one ;;
    *:extra-filename=*) ending=\${one#*=} ;;
    *:--test) is_test=1 ;;
    *:*.rs) place=$at ;;
  esac
  before=$one
done
[[ $is_test && $place ]] || exec "$compiler" "$@"
root=\${arguments[place]}
copy=$(dirname "$root")/.swemake-$$-\${root##*/}
trap 'rm -f "$copy"' EXIT
{ cat "$root"; printf %s ${shellWord(CANARIES)}; } > "$copy"
arguments[place]=$copy
"$compiler" "\${arguments[@]}" --remap-path-prefix "$copy=$root"
code=$?
notes=$folder/$name$ending.d
if [[ -e $notes ]]; then
  text=$(< "$notes")
  printf '%s\\n' "\${text//"$copy"/$root}" > "$notes"
fi
source=$(realpath "$root")
echo "\${source#"$CARGO_MANIFEST_DIR/"}" > "$folder/$name$ending.source"
exit $code
`;

/** Bash that writes the compiler's wrapper. */
export function placeCompiler(): string {
  return `mkdir -p ${PLACE}\nprintf %s ${shellWord(WRAPPER)} > ${COMPILER}\nchmod 755 ${COMPILER}`;
}

/** What a process says of a test: $name, $own (its secret), and how many must have passed and failed. */
const VERDICT = `
{ seen += gsub("swemake " own, "") }
/^test result: / { results++; if ($0 ~ "^test result: FAILED[.] " passed " passed; " failed " failed; 0 ignored; ") right++ }
/^test [^ ]+ (- should panic )?[.][.][.] / { if ($2 != name && index($2, "${MODULE}::") != 1) other++ }
END { exit !(seen == 1 && results == 1 && right == 1 && !other) }`;

const RUNNER = `#!/bin/bash
# Runs the tests of one binary, each in a process of its own.
binary=$1
shift
# Programs of the project, and examples of its documentation.
case " $* " in *' --list '*) exec "$binary" "$@" ;; esac
case $binary in */deps/*) ;; *) exec "$binary" "$@" ;; esac
folder=$SWEMAKE_WITNESS secret=$SWEMAKE_SECRET
unset SWEMAKE_WITNESS SWEMAKE_SECRET RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_{X86_64,AARCH64}_UNKNOWN_LINUX_GNU_RUNNER
set -o noclobber
for ((number = 0; number < 100000; number++)); do
  record=$folder/record-$number
  { : > "$record"; } 2> /dev/null && break
done
set +o noclobber
write() { printf '%s %s "%s"\\n' "$secret" "$1" "$2" >> "$record"; }
stem=\${binary##*/}
source=
[[ -e $binary.source ]] && source=$(< "$binary.source")
write begin "$stem $source"
options=() more=() before=
for one; do
  case $before:$one in
    --test-threads:* | --format:* | --color:*) ;;
    *:--nocapture | *:--no-capture | *:--show-output | *:-q | *:--quiet | *:--test-threads | *:--format | *:--color) ;;
    *:--test-threads=* | *:--format=* | *:--color=*) ;;
    *:--ignored | *:--include-ignored) more=(--include-ignored) options+=("$one") ;;
    *) options+=("$one") ;;
  esac
  before=$one
done
listed() { "$binary" --list --format terse "$@" < /dev/null 2> /dev/null | sed -n 's/: test$//p' | grep -v '^${MODULE}::'; }
mapfile -t names < <(listed "\${options[@]}")
declare -A is_ignored
if [[ \${#more[@]} = 0 ]]; then
  while read -r name; do is_ignored[$name]=1; done < <(listed --ignored)
fi
out=$(mktemp)
# The code of the process, and what it printed in $out.
run() {
  read -r own < /proc/sys/kernel/random/uuid
  : > "$out"
  SWEMAKE_SECRET=$own "$binary" --exact "$@" --test-threads=1 "\${more[@]}" < /dev/null >> "$out" 2>&1
}
is_right() { awk -v own="$own" -v name="$1" -v passed="$2" -v failed="$3" ${shellWord(VERDICT)} "$out"; }
echo
echo "running \${#names[@]} tests"
has_canaries=
if [[ \${#names[@]} -gt 0 ]]; then
  run ${MODULE}::passes ${MODULE}::fails ${OTHERS.map((name) => `${MODULE}::other_${name}`).join(' ')}
  code=$?
  if grep -qx 'running 0 tests' "$out"; then write bare ''
  else
    has_canaries=1
    if [[ $code = 101 ]] && is_right ${MODULE}::fails 1 ${OTHERS.length + 1}; then write sound ''; else write unsound ''; fi
  fi
fi
passed=0 skipped=0 failures=()
mkdir "$out.failures"
for name in "\${names[@]}"; do
  if [[ \${is_ignored[$name]} ]]; then
    status=SKIPPED word=ignored
  elif [[ $has_canaries ]]; then
    run "$name" ${MODULE}::fails ${MODULE}::passes
    if [[ $? = 101 ]] && is_right "$name" 2 1; then status=PASSED word=ok; else status=FAILED word=FAILED; fi
  else
    run "$name" && status=PASSED word=ok || status=FAILED word=FAILED
  fi
  echo "test $name ... $word"
  [[ $has_canaries ]] && write $status "$name"
  case $status in
    PASSED) ((passed++)) ;;
    SKIPPED) ((skipped++)) ;;
    FAILED)
      failures+=("$name")
      head -c 20000 "$out" > "$out.failures/\${#failures[@]}"
      ;;
  esac
done
if [[ \${#failures[@]} -gt 0 ]]; then
  printf '\\nfailures:\\n'
  for ((at = 0; at < \${#failures[@]}; at++)); do
    printf '\\n---- %s stdout ----\\n' "\${failures[at]}"
    sed '/^---- ${MODULE}/,/^failures:$/d; /${MODULE}/d; s/^/| /' "$out.failures/$((at + 1))"
  done
  printf '\\nfailures:\\n'
  printf '    %s\\n' "\${failures[@]}"
fi
rm -rf "$out" "$out.failures"
write end ''
[[ \${#failures[@]} = 0 ]] && word=ok || word=FAILED
printf '\\ntest result: %s. %s passed; %s failed; %s ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\\n' $word $passed \${#failures[@]} $skipped
[[ $word = ok ]] || exit 101
`;

/** Names of macros that code defines or brings in under these names, with their files. */
const REDEFINED = `(macro_rules! *|macro +|as +)((debug_)?(${MACROS.join('|')})|unreachable|unimplemented|todo|matches)\\b`;

export async function cargoWitness({ folder, nonce, command }: WitnessRequest): Promise<EcosystemWitness> {
  const runner = `${folder}.sh`;
  const asRecord = `sed -E 's/["\\\\]/_/g; s/^/${nonce} modified "/; s/$/"/'`;
  return {
    files: { [runner]: RUNNER, [`${folder}/made`]: '' },
    before: [
      `(cd /testbed && grep -roE --include='*.rs' ${shellWord(REDEFINED)} . | sort -u | head -n 1000 | ${asRecord} > ${folder}/record-0)`,
      `export SWEMAKE_WITNESS=${folder} SWEMAKE_SECRET=${nonce}`,
      `export CARGO_TARGET_{X86_64,AARCH64}_UNKNOWN_LINUX_GNU_RUNNER="bash ${runner}"`,
    ],
    command,
    watched: [runner],
    records: `${folder}/record-#`,
    seen: (records) => seenIn(records, nonce),
  };
}

/** One binary: what its tests came to. */
interface Run {
  /** With its hash. */
  binary: string;
  /** Root of its crate in the package; empty: not known. */
  source: string;
  statuses: Map<string, Status>;
  modified: string[];
  canaries: 'sound' | 'unsound' | 'bare' | null;
  begun: boolean;
  ended: boolean;
}

function seenIn(records: readonly string[], secret: string): Seen {
  const runs = records.map((record) => readRun(record, secret));
  const sound = runs.filter((run) => run !== null);
  const processes = sound.filter(({ begun }) => begun);
  const statuses = new Map<string, Status>();
  const ids = new Names();
  const sharing = new Sharing();
  for (const run of processes) {
    const prefix = ids.of(run);
    for (const [name, status] of run.statuses) {
      recordWorst(statuses, `${prefix}::${name}`, status);
      // Logs of other parsers do not name binaries.
      recordWorst(statuses, name, status);
      sharing.add(name, prefix);
    }
  }
  const wrong = processes.filter(({ canaries }) => canaries === 'unsound').map(({ binary }) => binary);
  const isWhole = processes.every(({ ended }) => ended);
  return {
    state: runs.includes(null) ? 'broken' : processes.length === 0 ? 'absent' : isWhole ? 'closed' : 'open',
    statuses,
    several: sharing.counts(),
    modified: sound.flatMap(({ modified }) => modified),
    canaries: wrong.length === 0 ? null : `in ${wrong.join(', ')}`,
    isCanary: (id) => id.includes(`${MODULE}::`),
  };
}

/** Names of binaries as the parser of logs makes them: equal ones of several packages are numbered. */
class Names {
  private readonly hashes = new Map<string, string[]>();

  of({ binary, source }: Run): string {
    const [, stem = binary, hash = ''] = /^(.*)-([0-9a-f]{16})$/.exec(binary) ?? [];
    const name = `${stem}::${source.replace(/^src\//, '').replace(/\.rs$/, '')}`;
    const known = this.hashes.get(name) ?? [];
    if (!known.includes(hash)) this.hashes.set(name, [...known, hash]);
    const place = this.hashes.get(name)!.indexOf(hash);
    return place === 0 ? name : `${name}#${place + 1}`;
  }
}

/** null: a line is not the witness's. */
function readRun(record: string, secret: string): Run | null {
  const statuses = new Map<string, Status>();
  const run: Run = {
    binary: '',
    source: '',
    statuses,
    modified: [],
    canaries: null,
    begun: false,
    ended: false,
  };
  for (const line of record.split('\n').slice(0, -1)) {
    const [, own, kind = '', text = ''] = /^(\w+) (\w+) "(.*)"$/.exec(line) ?? [];
    if (own !== secret) return null;
    if (kind === 'begin') {
      run.begun = true;
      [run.binary = '', run.source = ''] = text.split(' ', 2);
    } else if (kind === 'end') run.ended = true;
    else if (kind === 'modified') run.modified.push(text);
    else if (kind === 'sound' || kind === 'unsound' || kind === 'bare') run.canaries = kind;
    else if (isStatus(kind)) recordWorst(statuses, text, kind);
    else return null;
  }
  return run;
}
