/** Each project, and each part of one, that a page shows is one that the compiler reads. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../basics/package-root.ts';
import { checkCommand } from '../../cli/check.ts';
import type { Diagnostic } from '../../compiler/diagnostic.ts';
import { projectFolder, run } from '../compiler/project-folder.ts';

const root = packageRoot();
const schema = JSON.parse(readFileSync(join(root, 'schemas/project.schema.json'), 'utf8'));
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const blocks = pages.flatMap((page) => blocksOf(page).map((block) => [page, block] as const));
/** Of a part: a key that it lacks and a name that it does not have are in the rest of its project. */
const ELSEWHERE = ['E104', 'E111'];
/** What a part does without: the rest of its project. */
const REST: Record<string, string> = {
  version: 'version: 1',
  name: 'name: shown',
  dataset: 'dataset: { train: { source: rows.jsonl, format: custom } }',
};

test.each(blocks.map(([page, block], at) => [page, at, block] as const))(
  '%s, block %i',
  async (_page, _at, block) => {
    const folder = projectFolder({ 'p.yaml': whole(block) });
    const { stdout } = await run(checkCommand, ['p.yaml', '--json'], folder, { env: {} });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
    const isWhole = /^version:/m.test(block);
    const errors = diagnostics.filter(
      ({ severity, code }) => severity === 'error' && (isWhole || !ELSEWHERE.includes(code)),
    );
    expect(errors.map(({ code, message, remedy }) => `${code} ${message}: ${remedy}`)).toEqual([]);
  },
);

/** Those whose keys are ones of a project, and no configuration of torchtune. */
function blocksOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const found = [...text.matchAll(/^```ya?ml\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  return found.filter((block) => {
    const keys = Object.keys(parse(block) ?? {});
    return keys.length > 0 && keys.every((key) => key in schema.properties) && !block.includes('_component_');
  });
}

function whole(block: string): string {
  const own = block.replace(/^extends:.*\n/m, '');
  const rest = Object.entries(REST).filter(([key]) => !new RegExp(`^${key}:`, 'm').test(own));
  return [...rest.map(([, line]) => `${line}\n`), own].join('');
}
