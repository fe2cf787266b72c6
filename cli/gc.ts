/** `gc`: removes from the cache what is not needed, down to a size or age. */
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { cacheRoot } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { formatCount } from '../basics/plural.ts';
import { parseDuration, parseSize } from '../basics/units.ts';
import { openCache } from '../cache/cache.ts';
import { collectGarbage, type GcReport } from '../cache/gc.ts';
import type { GcLimits } from '../cache/gc-limits.ts';
import { newRunId } from '../engine/journal.ts';
import {
  answerUsage,
  type CommandSpec,
  type OptionValues,
  option,
  parseCommand,
  type UsageError,
} from './arguments.ts';
import { formatBytes } from './duration.ts';

const GC = {
  name: 'gc',
  summary:
    'Remove files that no answer refers to. With limits, also remove answers, the least recently used first. Files that running processes use stay.',
  positionals: [
    { name: 'PROJECT', description: 'the project (default: the one last used from this folder)' },
  ],
  options: {
    ...PROJECT_OPTIONS,
    'max-size': option('SIZE', 'bring the cache down to this size, such as 50GiB (default: cache.max_size)'),
    'max-age': option('TIME', 'remove what was not used for this time, such as 30d'),
    'keep-runs': option('N', 'keep journals and answers of the newest N runs, and no other journals'),
    failed: { type: 'boolean', description: 'remove answers that are failed, flaky or timed out' },
    trainings: {
      type: 'boolean',
      description:
        'also remove what finished trainings left beside their checkpoints: earlier checkpoints, trajectories, logs. Without it these are listed and stay',
    },
    'dry-run': { type: 'boolean', description: 'say what would be removed, and remove nothing' },
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake gc project.yaml --dry-run', 'what would go'],
    [
      'swemake gc project.yaml --max-size 200GiB --max-age 30d',
      'down to a size, and nothing unused for a month',
    ],
  ],
} as const satisfies CommandSpec;

export async function gcCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(GC, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const limits = limitsOf(values);
  if ('kind' in limits) return answerUsage(limits, io);
  const project = await openLatestProject(parsed.positionals[0], values, io);
  if (project === null) return 2;
  limits.maxSize ??= project.config.cache.max_size ?? null;
  const cache = await openCache(cacheRoot(project));
  try {
    if (cache.database.readOnly) {
      io.stderr.write(
        shown(`E003  the cache ${cache.folder.root} is read-only\n      gc needs to write there\n`),
      );
      return 3;
    }
    const now = new Date();
    const options = { run: newRunId(now, process.pid), now: now.getTime(), dryRun: values['dry-run'] };
    const report = await collectGarbage(cache, limits, options);
    if (report === null) {
      io.stderr.write(shown('E003  another gc is running on this cache\n      try again when it is done\n'));
      return 3;
    }
    io.stdout.write(
      values.json
        ? jsonLine(report)
        : shown(reportText(report, values['dry-run']) + trainingsText(report, values)),
    );
    return 0;
  } finally {
    await cache.close();
  }
}

function limitsOf(values: OptionValues<typeof GC>): GcLimits | UsageError {
  const maxSize = values['max-size'] === undefined ? null : parseSize(values['max-size']);
  const maxAge = values['max-age'] === undefined ? null : parseDuration(values['max-age']);
  const keepRuns = values['keep-runs'] === undefined ? null : Number(values['keep-runs']);
  const wrong = (message: string, remedy: string): UsageError => ({ kind: 'usage', message, remedy });
  if (values['max-size'] !== undefined && maxSize === null)
    return wrong(`--max-size is not a size: "${values['max-size']}"`, 'for example: --max-size 50GiB');
  if (values['max-age'] !== undefined && maxAge === null)
    return wrong(`--max-age is not a time: "${values['max-age']}"`, 'for example: --max-age 30d');
  // An empty text would be the number 0.
  if (!/^\d{1,9}$/.test(values['keep-runs'] ?? '0'))
    return wrong(
      `--keep-runs must be a whole number, not "${values['keep-runs']}"`,
      'for example: --keep-runs 5',
    );
  const { failed, trainings } = values;
  return { maxSize, maxAge: maxAge === null ? null : maxAge * 1000, keepRuns, failed, trainings };
}

function reportText(report: GcReport, dryRun: boolean): string {
  const { before, after, active } = report;
  const parts = [
    [report.answers, 'answer'],
    [report.stages, 'finished stage'],
    [report.layers, 'layer'],
    [report.files, 'file'],
    [report.sources, 'source'],
    [report.states, 'first state'],
    [report.bases, 'image layer'],
    [report.folders, 'folder'],
  ] as const;
  const named = parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`);
  const sizes = `${formatBytes(before)} -> ${formatBytes(after)}`;
  const who = active === 0 ? '' : `; what ${active} running process${active === 1 ? '' : 'es'} use stays`;
  if (named.length === 0) return `nothing to remove: ${formatBytes(before)}${who}\n`;
  const programs =
    report.toolchains.length === 0 ? '' : `of the layers, toolchains: ${report.toolchains.join(', ')}\n`;
  return `${dryRun ? 'would remove' : 'removed'} ${named.join(', ')}: ${sizes}${who}\n${programs}`;
}

/** What finished trainings keep, a line each, and how to remove it. */
function trainingsText({ trainings }: GcReport, values: OptionValues<typeof GC>): string {
  if (trainings.length === 0) return '';
  const lines = trainings.map(({ path, bytes }) => `  ${path}  ${formatBytes(bytes)}\n`).join('');
  if (!values.trainings) return `kept of finished trainings:\n${lines}swemake gc --trainings removes these\n`;
  return `${values['dry-run'] ? 'would remove' : 'removed'} of finished trainings:\n${lines}`;
}
