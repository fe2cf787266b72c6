/** The diffs and commands that docs/contributing.md shows, to be applied to a copy of the sources. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { copyOfSources } from './sources.ts';

/** The first block of this language below a heading of the page, as text. */
export function blockOfPage(heading: string, language: 'diff' | 'console'): string {
  const page = readFileSync(join(packageRoot(), 'docs/contributing.md'), 'utf8');
  const section = page.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`));
  const block = section?.match(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms'))?.[1];
  if (block === undefined) throw new Error(`docs/contributing.md has no ${language} below "${heading}"`);
  return block;
}

/** A copy of the sources to which the diffs below these headings of the page were applied, built. */
export class SourcesWith {
  readonly root = copyOfSources(['test/']);
  readonly #first: string;

  constructor(first: string, ...further: string[]) {
    this.#first = first;
    this.run('git', 'init', '-q');
    this.run('git', 'add', '-A');
    for (const heading of [first, ...further])
      execFileSync('git', ['apply', '-C1'], { cwd: this.root, input: blockOfPage(heading, 'diff') });
    this.run(process.execPath, 'scripts/build.mjs');
  }

  run(program: string, ...args: string[]): string {
    return execFileSync(program, args, { cwd: this.root, encoding: 'utf8', stdio: 'pipe' });
  }

  read(name: string): string {
    return readFileSync(join(this.root, name), 'utf8');
  }

  /** Files that the diffs and the build made or changed, sorted. */
  changed(): string[] {
    const listed = this.run('git', 'ls-files', '-mo', '--exclude-standard', '--', ':!node_modules');
    return listed.trim().split('\n').sort();
  }

  /** What the compiler says of these folders. */
  typeErrors(...include: string[]): string {
    const config = { extends: './tsconfig.json', include };
    writeFileSync(join(this.root, 'tsconfig.added.json'), JSON.stringify(config));
    const argv = [
      join(packageRoot(), 'node_modules/typescript/bin/tsc'),
      '--noEmit',
      '-p',
      'tsconfig.added.json',
    ];
    const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd: this.root, encoding: 'utf8' });
    return `${stdout}${stderr}`;
  }

  /** Runs the command that the page shows, and says what does not fit then. */
  unsettled(): string {
    const [command = ''] = blockOfPage(this.#first, 'console').split('\n');
    this.run('bash', '-c', command.replace(/^\$ /, ''));
    return this.run(process.execPath, 'scripts/build.mjs', '--check');
  }
}
