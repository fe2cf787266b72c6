/** A tree over another one, as overlayfs would show it. */
import { expect, test } from 'vitest';
import type { Digest } from '../../basics/digest.ts';
import type { LayerEntry } from '../../cache/layer-manifest.ts';
import { compareEntries, mergeEntries } from '../../cache/layer-merge.ts';

/** `a/` is a folder, `a->b` a link, `a=content` a file, `a=content*` an executable one. */
function tree(...texts: string[]): LayerEntry[] {
  return texts.map((text): LayerEntry => {
    if (text.endsWith('/')) return { type: 'folder', path: text.slice(0, -1) };
    const [linked, target] = text.split('->');
    if (target !== undefined) return { type: 'link', path: linked!, target };
    const [path, content = ''] = text.split('=');
    const executable = content.endsWith('*');
    return { type: 'file', path: path!, digest: content.replace('*', '') as Digest, executable, size: 1 };
  });
}

const below = tree('a/', 'a/one=1', 'a/two=2', 'a/deep/', 'a/deep/x=3', 'b=4', 'c->b', 'ab=5');

test.each([
  ['new files lie beside what was there', [], tree('a/', 'a/new=9'), ['a/new=9']],
  ['a file takes the place of a file', [], tree('b=9'), ['-b=4', 'b=9']],
  ['a file takes the place of a folder with all in it', [], tree('a=9'), ['-a/', 'a=9']],
  ['a folder takes the place of a file', [], tree('b/', 'b/x=9'), ['-b=4', 'b/', 'b/x=9']],
  ['what was removed is gone, with all below it', ['a/deep', 'b'], [], ['-a/deep/', '-a/deep/x=3', '-b=4']],
  ['a folder that was made anew', ['a'], tree('a/', 'a/new=9'), ['-a/', 'a/', 'a/new=9']],
  ['a link in place of a file', [], tree('b->c'), ['-b=4', 'b->c']],
])('%s', (_name, removed, above, changes) => {
  const gone = (changes as string[]).filter((one) => one.startsWith('-')).map((one) => one.slice(1));
  const come = (changes as string[]).filter((one) => !one.startsWith('-'));
  const folders = gone.filter((one) => one.endsWith('/')).map((one) => one.slice(0, -1));
  const paths = tree(...gone).map(({ path }) => path);
  const stays = below.filter(
    ({ path }) => !paths.includes(path) && !folders.some((folder) => path.startsWith(`${folder}/`)),
  );
  const wanted = [...stays, ...tree(...come)].sort((one, other) => (one.path < other.path ? -1 : 1));
  expect(mergeEntries(below, removed as string[], above as LayerEntry[])).toEqual(wanted);
});

test('what came and what changed: content, kind and mode; folders are no change', () => {
  const now = tree('a/', 'a/one=1*', 'a/two=9', 'b=4', 'c->a', 'ab/', 'new=1');
  const { added, changed } = compareEntries(below, now);
  expect(added).toEqual(tree('new=1'));
  expect(changed).toEqual(['a/one', 'a/two', 'a/deep/x', 'c', 'ab']);
});
