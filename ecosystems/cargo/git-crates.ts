/**
 * Bash that keeps crates from git. cargo has a clone of each repository, and a checkout of each commit with a clone of its own; their
 * bytes differ from build to build, and they hold the history. What cargo asks of them without a network is less: that the commit is
 * there, and which references name it.
 */

/** The repository with the commit alone, and references that name it. */
const EMPTY = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';

export function keepGitCrates(home: string): string {
  const git = `${home}/git`;
  return `if [ -d ${git}/checkouts ]; then for checkout in ${git}/checkouts/*/*; do
  name=\${checkout%/*}; name=\${name##*/}; db=${git}/db/$name; kept=${git}/kept/$name
  commit=$(git -C "$checkout" rev-parse HEAD)
  [ -e "$kept" ] || { mkdir -p "$kept/objects" "$kept/refs"; echo 'ref: refs/heads/main' > "$kept/HEAD"; printf '${EMPTY.replaceAll('\n', '\\n').replaceAll('\t', '\\t')}' > "$kept/config"; }
  git --git-dir="$db" cat-file commit "$commit" | git --git-dir="$kept" hash-object -t commit -w --stdin > /dev/null
  git --git-dir="$db" for-each-ref --format='%(refname) %(objectname) %(*objectname)' | while read -r ref named; do
    case " $named " in *" $commit "*) mkdir -p "$(dirname "$kept/$ref")"; echo "$commit" > "$kept/$ref" ;; esac
  done
  find "$checkout" -name .git -prune -exec rm -rf {} +
  mkdir -p "$checkout/.git/refs"; cp -r "$kept/objects" "$checkout/.git/objects"
  sed s/true/false/ "$kept/config" > "$checkout/.git/config"; echo "$commit" > "$checkout/.git/HEAD"
done; rm -rf ${git}/db; mv ${git}/kept ${git}/db; fi`;
}
