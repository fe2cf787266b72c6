/** Bash that fetches crates and compiles them without the project that needs them. */
import { shellWord, simpleCommands } from '../../basics/shell.ts';
import { keepGitCrates } from './git-crates.ts';

/** Files of a repository that decide what it depends on, and what of that is compiled. */
export const MANIFESTS = /(?:^|\/)(?:Cargo\.(?:toml|lock)|build\.rs)$|(?:^|\/)\.cargo\/config(?:\.toml)?$/;

/** A compiler for which files below the repository are empty. */
export const EMPTIED = '/opt/env/cargo/emptied/rustc';
/** Where manifests stand alone, with empty files in place of their sources. */
const ALONE = '/tmp/manifests';
/** The project's crates that were compiled: folder, name and the end of the files' names. */
const LIST = '/tmp/emptied';

const EMPTIER = `#!/bin/bash
# Compiles code of the repository as if its files were empty.
compiler=$1
shift
case $CARGO_MANIFEST_DIR/ in /testbed/* | ${ALONE}/*) ;; *) exec "$compiler" "$@" ;; esac
arguments=() folder= name= ending= before=
for one; do
  case $before:$one in
    --out-dir:*) folder=$one ;;
    --crate-name:*) name=$one ;;
    *:extra-filename=*) ending=\${one#*=} ;;
  esac
  before=$one
  case $one in *.rs) one=- ;; esac
  arguments+=("$one")
done
echo "$folder $name $ending $CARGO_PKG_NAME" >> ${LIST}
exec "$compiler" "\${arguments[@]}" --cap-lints allow <<< 'fn main() {}'
`;

export function placeEmptier(): string {
  return `mkdir -p ${EMPTIED.slice(0, EMPTIED.lastIndexOf('/'))}\nprintf %s ${shellWord(EMPTIER)} > ${EMPTIED}\nchmod 755 ${EMPTIED}`;
}

/** awk that lists the files of a manifest's package, which stand in for it while they are empty. cargo refuses programs of some names. */
export const SOURCES = `
/^\\[/ { end(); section = $0; name = ""; path = "" }
/^name *=/ { name = value() }
/^path *=/ { path = value() }
END { end() }
function value(text) { text = $0; sub(/^[^=]*= *["\\047]/, "", text); sub(/["\\047].*/, "", text); return text }
function end() {
  if (section ~ /^\\[package\\]/) {
    package = name; print "src/lib.rs"
    if (name !~ /^(build|deps|examples|incremental)$/) print "src/main.rs"
  }
  else if (section !~ /^\\[(lib|\\[(bin|test|bench|example)\\])\\]/) return
  else if (path != "") print path
  else if (section ~ /test/) print "tests/" name ".rs"
  else if (section ~ /bench/) print "benches/" name ".rs"
  else if (section ~ /example/) print "examples/" name ".rs"
  else if (section ~ /bin/ && name != package) print "src/bin/" name ".rs"
}`;

const alone = (files: readonly string[], from = '/testbed') =>
  [
    `rm -rf ${ALONE}; cp -r ${from} ${ALONE}; cd ${ALONE}`,
    `find . -name Cargo.toml | while read -r manifest; do`,
    `  (cd "\${manifest%/*}"; { awk ${shellWord(SOURCES)} Cargo.toml; printf '%s\\n' ${files.map(shellWord).join(' ')}; } |`,
    `    while read -r file; do case $file in '' | /* | ../*) ;; *) mkdir -p "$(dirname "$file")"; [ -e "$file" ] || : > "$file" ;; esac; done)`,
    'done',
  ].join('\n');

const INDEXED = `
/^name = / { name = $3 } /^version = / { version = $3 }
/^source = "(sparse|registry)\\+/ { gsub(/"/, "", name); gsub(/"/, "", version); wanted[name " " version] = 1 }
/^\\{/ && match($0, /"name": *"[^"]*"/) {
  name = value(substr($0, RSTART, RLENGTH))
  if (match($0, /"vers": *"[^"]*"/) && (name " " value(substr($0, RSTART, RLENGTH))) in wanted) print
}
function value(pair) { sub(/^"[a-z]*": *"/, "", pair); sub(/"$/, "", pair); return pair }
`;

/**
 * Fetches the crates that this machine's programs are made of into a registry of files, which stands in for crates.io from then on. It has
 * the versions that were chosen and no other ones.
 */
export function fetchCrates(home: string, from?: string): string {
  const place = `${home}/fetched`;
  return [
    `rm -rf ${home}/config.toml ${home}/git ${place}; mkdir -p ${place}/index`,
    alone([], from),
    'export CARGO_NET_OFFLINE=false RUSTC_WRAPPER= RUSTC_WORKSPACE_WRAPPER=',
    `[ -z "$CARGO_REGISTRIES_SWEMAKE_INDEX" ] || printf '[source.crates-io]\\nreplace-with = "swemake"\\n' > ${home}/config.toml`,
    `cargo fetch --target "$(rustc -vV | sed -n 's/^host: //p')"`,
    `! ls ${home}/registry/cache/*/*.crate > /dev/null 2>&1 || mv ${home}/registry/cache/*/*.crate ${place}`,
    `for folder in ${home}/registry/index/*/.cache; do [ ! -d "$folder" ] || (cd "$folder"; find . -type f) | while read -r file; do`,
    `  mkdir -p "$(dirname "${place}/index/$file")"`,
    `  tr '\\0' '\\n' < "$folder/$file" | cat Cargo.lock - | awk ${shellWord(INDEXED)} > "${place}/index/$file"`,
    `done; done; find ${place}/index -type f -empty -delete`,
    `printf '[source.crates-io]\\nreplace-with = "fetched"\\n\\n[source.fetched]\\nlocal-registry = "${place}"\\n' > ${home}/config.toml`,
    keepGitCrates(home),
    `rm -rf ${home}/registry ${home}/.global-cache ${home}/.package-cache*`,
  ].join('\n');
}

/** The same for the manifests of the current folder; the crates that are there stay. */
export function fetchMore(home: string): string {
  const [place, before] = [`${home}/fetched`, '/tmp/fetched-before'];
  return [
    `from=$PWD; rm -rf ${before} ${before}-git; [ ! -d ${place} ] || mv ${place} ${before}; [ ! -d ${home}/git ] || mv ${home}/git ${before}-git`,
    fetchCrates(home, '"$from"'),
    `[ ! -d ${before}-git ] || { mkdir -p ${home}/git; cp -rn ${before}-git/. ${home}/git; }`,
    `[ ! -d ${before} ] || { cp -n ${before}/*.crate ${place} 2> /dev/null || true`,
    `(cd ${before}/index; find . -type f) | while read -r file; do`,
    `  mkdir -p "$(dirname "${place}/index/$file")"; touch "${place}/index/$file"`,
    `  sort -u "${before}/index/$file" "${place}/index/$file" -o "${place}/index/$file"`,
    'done; }',
  ].join('\n');
}

/** Before a command: whether it makes a lock file, which the repository does not have. */
export const NOTE_LOCK = '[ -e Cargo.lock ] || isUnlocked=1';

/** Runs a command on the manifests alone. What it compiles is the same for all instances with equal ones. */
export function warmUp(command: string): string {
  const words = simpleCommands(command).flatMap(({ words: all }) => all.map(({ text }) => text));
  const tests = words.flatMap((word, at) => (words[at - 1] === '--test' ? [`tests/${word}.rs`] : []));
  return [alone(tests), `(${command}) || echo 'note: not everything compiles without the repository'`].join(
    '\n',
  );
}

/**
 * Perl that gives files of cargo one form. What build scripts print beside their answers comes in the order of compilers that ran at once, and
 * the files that a crate was made of (dep-*: a head, their number, and for each its kind, length, path and that it has no checksum) in any
 * order. Times stay, since cargo compares them.
 */
const ONE_FORM = String.raw`
for my $file (@ARGV) {
  my @times = (stat $file)[8, 9];
  open my $in, "<:raw", $file or next;
  my $text = do { local $/; <$in> };
  my $was = $text;
  if ($file =~ m{/output$}) { $text =~ s/^(?!cargo:).*\n//mg; $text =~ s/^cargo::?warning=.*\n//mg }
  elsif ($text =~ /^\x01\0\0\0\xff\x01(.{4})/s) {
    my ($count, $at, @files) = (unpack("V", $1), 10);
    while (@files < $count && $at + 5 < length $text) {
      my $size = 6 + unpack("V", substr($text, $at + 1, 4));
      last if substr($text, $at + $size - 1, 1) ne "\0";
      push @files, substr($text, $at, $size);
      $at += $size;
    }
    $text = substr($text, 0, 10) . join("", sort @files) . substr($text, $at) if @files == $count;
  }
  next if $text eq $was;
  open my $out, ">:raw", $file or next;
  print $out $text;
  close $out;
  utime @times, $file;
}`;

/** Takes away what was compiled of the project, and what differs between equal builds. Without Perl some of that stays. */
export function withoutProject(target: string): string {
  return [
    `if [ -e ${LIST} ]; then sort -u ${LIST} | while read -r folder name ending package; do`,
    '  rm -rf "$folder/$name$ending" "$folder/$name$ending".* "$folder/lib$name$ending".* "$folder/../.fingerprint/$package"-???????????????? "$folder/../build/$package"-????????????????',
    'done; fi',
    `[ ! -d ${target} ] || find ${target} -mindepth 2 -maxdepth 2 -type f -delete`,
    `[ ! -d ${target} ] || ! command -v perl > /dev/null || find ${target} -type f \\( -path '*/build/*/output' -o -path '*/.fingerprint/*/dep-*' \\) -exec perl -e ${shellWord(ONE_FORM)} {} +`,
    `rm -f ${target}/.rustc_info.json /opt/env/cargo/.global-cache /opt/env/cargo/.package-cache*`,
    '[ -z "$isUnlocked" ] || rm -f Cargo.lock',
  ].join('\n');
}
