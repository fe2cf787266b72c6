/** The diffs and commands that docs/contributing.md shows, to be applied to a copy of the sources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';

/** The first block of this language below a heading of the page, as text. */
export function blockOfPage(heading: string, language: 'diff' | 'console'): string {
  const page = readFileSync(join(packageRoot(), 'docs/contributing.md'), 'utf8');
  const section = page.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`));
  const block = section?.match(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms'))?.[1];
  if (block === undefined) throw new Error(`docs/contributing.md has no ${language} below "${heading}"`);
  return block;
}
