/** The table of docs/internal/rehearsals.md: one line for each project that trains by reinforcement, and each of its two profiles. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { packageRoot } from '../../basics/package-root.ts';

const PAGE = join(packageRoot(), 'docs/internal/rehearsals.md');
const HEAD = [
  '| project | profile | day | turns | trained | of their tokens | judge asked | samples of a rollout | optimizer steps | keys without effect | what contradicts the project |',
  '|---|---|---|---|---|---|---|---|---|---|---|',
];

export interface Line {
  project: string;
  profile: string;
  cells: string[];
}

const PROJECTS = join(packageRoot(), 'projects');

/** Whether a project has these lines, itself or by what it extends. */
function has(path: string, lines: RegExp): boolean {
  const text = readFileSync(join(PROJECTS, path), 'utf8');
  const base = /^extends: (\S+)$/m.exec(text)?.[1];
  return lines.test(text) || (base !== undefined && has(join(path, '..', base), lines));
}

/** Projects below projects/ that name a trainer of `trainer.rl`, themselves or by what they extend. */
export function rlProjects(): string[] {
  return readdirSync(PROJECTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml') && /^name: /m.test(readFileSync(join(PROJECTS, path), 'utf8')))
    .filter((path) => has(path, /^ {2}rl:/m))
    .sort();
}

/** Profiles in which it is rehearsed; the first is the default one. */
export function profilesOf(project: string): string[] {
  return ['', ...(has(project, /^ {2}original:/m) ? ['original'] : [])];
}

/** `error`: there was no rehearsal. */
export function lineOf(
  project: string,
  profile: string,
  result: RehearsalResult | null,
  error: string,
): Line {
  const day = new Date().toISOString().slice(0, 10);
  if (result?.measured == null || result.batch === null) {
    const why = result === null ? error : whys(result);
    return { project, profile, cells: [day, ...Array<string>(7).fill(''), why] };
  }
  const { measured, batch, engine, unread } = result;
  const samples = measured.sequences / measured.rollouts.length;
  // With functions of the original all of the agent's keys have none.
  const ofAgent = unread.filter(({ why }) => why.includes('ask no agent server')).length;
  const others = unread.filter(({ why }) => !why.includes('ask no agent server'));
  const keys = [
    ...others.map(({ key }) => `\`${key}\``),
    ...(ofAgent === 0 ? [] : [`${ofAgent} of \`agent\``]),
  ].join(', ');
  const cells = [
    ...[
      day,
      `${measured.turns.written}`,
      `${measured.turns.trained}`,
      measured.share === null ? '' : `${(100 * measured.share).toFixed(1)}%`,
    ],
    ...[`${engine.judged}`, samples.toFixed(1), `${batch.steps} of ${batch.plannedSteps}`],
    ...[keys === '' ? 'none' : keys, whys(result)],
  ];
  return { project, profile, cells };
}

function whys({ diagnostics, folder }: RehearsalResult): string {
  // The page names no folder of the machine.
  const shown = (message: string) =>
    message
      .replaceAll(folder, 'REHEARSAL')
      .replaceAll(packageRoot(), 'SWEMAKE')
      .replaceAll(homedir(), '~')
      .replaceAll(/\s*\n\s*/g, ' ');
  const said = [...new Set(diagnostics.map(({ message }) => shown(message).replaceAll('|', '\\|')))];
  return said.length === 0 ? 'nothing' : said.join('; ');
}

export function readLines(): Line[] {
  return table(readFileSync(PAGE, 'utf8')).lines.map((line) => {
    const [project = '', profile = '', ...cells] = line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim());
    return { project, profile, cells };
  });
}

/** Lines of other projects stay. */
export function writeLine(line: Line): void {
  const page = readFileSync(PAGE, 'utf8');
  const { begin, end } = table(page);
  const lines = new Map([...readLines(), line].map((one) => [`${one.project} ${one.profile}`, one]));
  const sorted = [...lines].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
  const text = sorted.map(({ project, profile, cells }) => `| ${[project, profile, ...cells].join(' | ')} |`);
  writeFileSync(PAGE, `${page.slice(0, begin)}${[...HEAD, ...text].join('\n')}${page.slice(end)}`);
}

function table(page: string): { begin: number; end: number; lines: string[] } {
  const begin = page.indexOf(HEAD[0]!);
  if (begin === -1) throw new Error('docs/internal/rehearsals.md has no table of projects');
  const end = page.indexOf('\n\n', begin);
  const lines = page.slice(begin, end).split('\n').slice(HEAD.length);
  return { begin, end, lines };
}
