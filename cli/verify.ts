/** `verify`: says what is wrong in a cache; with --repair, the next build remakes exactly that. */

import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { sweepExecutors } from '../app/deployments.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { openRemoteStore, remoteKeys } from '../app/remote.ts';
import { cacheRoot } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { type CacheTrust, cacheTrust, type NotFound } from '../app/trust.ts';
import { formatCount, plural } from '../basics/plural.ts';
import { shellWord } from '../basics/shell.ts';
import { type Cache, openCache } from '../cache/cache.ts';
import { cacheFolder } from '../cache/folder.ts';
import { listLeftovers } from '../cache/leftovers.ts';
import { repairCache, type VerifyReport, verifyCache } from '../cache/verify.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import { createSecrets } from '../contract/secrets.ts';
import { newRunId } from '../engine/journal.ts';
import { KINDS } from '../executors/registry.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import { timeText } from './asked-lines.ts';
import { formatBytes } from './duration.ts';

const VERIFY = {
  name: 'verify',
  summary:
    'Say whether the cache can be trusted, why not, and what would be made again. Exit code 0: yes, 1: no.',
  positionals: [
    { name: 'PROJECT', description: 'the project (default: the one last used from this folder)' },
  ],
  options: {
    ...PROJECT_OPTIONS,
    rehash: { type: 'boolean', description: 'read the content of every file, not only names and sizes' },
    remote: {
      type: 'boolean',
      description: 'read a sample of the remote cache instead of the local one',
    },
    repair: { type: 'boolean', description: 'move broken files aside; the next build makes them again' },
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake verify project.yaml --rehash --repair', 'read everything, and move damaged files aside'],
  ],
} as const satisfies CommandSpec;

export async function verifyCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(VERIFY, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { rehash, remote, repair, json } = parsed.values;
  const project = await openLatestProject(parsed.positionals[0], parsed.values, io);
  if (project === null) return 2;
  const root = cacheRoot(project);
  if (!existsSync(root)) return answerUsage(noCache(root), io);
  const leftovers = listLeftovers(cacheFolder(root));
  const cache = await openCache(root);
  try {
    if (remote) return await verifyRemoteOf(project, cache, json, io);
    if (!cache.database.readOnly) await sweepExecutors(cache, KINDS);
    const lock = repair && !cache.database.readOnly ? cache.locks.take('gc') : null;
    if (repair && lock === null) return answerNoRepair(cache, io);
    try {
      const report = await verifyCache(cache, rehash);
      const trust = cacheTrust(cache, report);
      if (repair) await repairCache(cache, report, newRunId(new Date(), process.pid));
      const { setAside } = cache.database;
      const retry = `swemake retry ${shellWord(relative(io.cwd, project.file))}`;
      const verification = { report, leftovers, setAside, repaired: repair, trust, retry };
      io.stdout.write(json ? jsonLine(asJson(verification)) : shown(asText(verification)));
      return asJson(verification).sound ? 0 : 1;
    } finally {
      lock?.unlock();
    }
  } finally {
    await cache.close();
  }
}

async function verifyRemoteOf(
  project: ResolvedProject,
  cache: Cache,
  json: boolean,
  io: CommandIo,
): Promise<number> {
  const opened = await openRemoteStore(project, createSecrets(project.secrets, io.env));
  if (opened === null || 'problem' in opened) {
    const message = opened?.problem ?? 'the project names no remote cache';
    return answerUsage({ kind: 'usage', message, remedy: 'see docs/remote-cache.md' }, io);
  }
  const keys = remoteKeys(project, createSecrets(project.secrets, io.env), io.env);
  if ('problem' in keys)
    return answerUsage({ kind: 'usage', message: keys.problem, remedy: 'see docs/remote-cache.md' }, io);
  const { verifyRemote } = await import('../cache/remote/verify.ts');
  const report = await verifyRemote(cache, opened.store, keys);
  const { name, answers, bytes, problems, warnings } = report;
  const isSound = problems.length === 0;
  if (json) io.stdout.write(jsonLine({ sound: isSound, ...report }));
  else {
    const lines = [isSound ? 'yes, what was read of it can be trusted' : 'no, not all of it can be trusted'];
    lines.push(...problems.map(({ kind, key }) => `${kind.padEnd(8)} ${key}`));
    const end = isSound ? 'sound' : `${problems.length} of them gone, bad or not trusted, which are misses`;
    lines.push(...warnings.map((warning) => `warning: ${warning}`));
    lines.push(`${name}: ${formatCount(answers)} answers read (${formatBytes(bytes)}), ${end}`);
    io.stdout.write(shown(`${lines.join('\n')}\n`));
  }
  return isSound ? 0 : 1;
}

interface Verification {
  report: VerifyReport;
  leftovers: string[];
  setAside: string | null;
  repaired: boolean;
  trust: CacheTrust;
  /** The command that asks at once for what was not found. */
  retry: string;
}

function asJson({ report, leftovers, setAside, repaired, trust }: Verification) {
  const problems = report.problems.map(({ kind, where, detail }) => ({ kind, where, detail, repaired }));
  const database =
    setAside === null ? [] : [{ kind: 'database', where: 'records.mdb', detail: setAside, repaired: true }];
  const rights = trust.rights.map((one) => ({ ...one, repaired: false }));
  const all = [...database, ...problems, ...rights];
  return {
    sound: all.length === 0,
    problems: all,
    rebuilt: trust.rebuilt,
    outdated: trust.outdated,
    not_found: trust.notFound.map(({ questions, ...one }) => ({
      ...one,
      questions: questions.map(({ question, asked, isOverturned }) => ({
        question,
        asked: new Date(asked).toISOString(),
        there_now: isOverturned,
      })),
    })),
    notes: trust.notes,
    leftovers,
    checked: report.checked,
  };
}

function asText(verification: Verification): string {
  const { problems, checked, rebuilt, outdated, notes } = asJson(verification);
  const verdict =
    problems.length === 0 ? 'yes, this cache can be trusted' : 'no, this cache cannot be trusted as it is';
  const lines = [verdict];
  lines.push(...problems.map(({ kind, where, detail }) => `${kind.padEnd(8)} ${where}: ${detail}`));
  const { blobs, layers, layerFiles, answers, runs } = checked;
  if (rebuilt.length > 0) lines.push(`would be made again: ${countsOf(rebuilt)}, and what needs them`);
  if (outdated.length > 0)
    lines.push(
      `stale, since swemake changed: ${countsOf(outdated)}; the next build makes what is needed of them`,
    );
  lines.push(...verification.trust.notFound.flatMap((one) => notFoundLines(one, verification.retry)));
  lines.push(...notes.map((note) => `note: ${note}`));
  const counts = [
    `${formatCount(answers)} answers`,
    `${formatCount(blobs)} blobs`,
    `${plural(layers, 'layer')} with ${plural(layerFiles, 'entry', 'entries')}`,
    `${formatCount(runs)} journals`,
  ].join(', ');
  if (verification.leftovers.length > 0)
    lines.push(`removed remains of killed processes: ${verification.leftovers.length}`);
  const end =
    problems.length === 0 ? 'sound' : `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
  const remedy = verification.repaired
    ? '; repaired, the next build makes what is missing'
    : '; see --repair';
  return `${[...lines, `${end}: ${counts}${problems.length === 0 ? '' : remedy}`].join('\n')}\n`;
}

/** Questions that are named one by one. */
const NAMED = 5;

function notFoundLines({ stage, answers, rows, questions }: NotFound, retry: string): string[] {
  const who = rows > 0 ? `${formatCount(rows)} rows of ${stage}` : `${formatCount(answers)} of ${stage}`;
  const more = questions.length > NAMED ? [`  … and ${formatCount(questions.length - NAMED)} more`] : [];
  return [
    `rest on "not found": ${who}; a build asks again once a day, and at once: ${retry}`,
    ...questions.slice(0, NAMED).map(({ question, asked, isOverturned }) => {
      const now = isOverturned ? 'it is there now, so the next build makes again what rests on it' : null;
      return `  ${question}: ${now ?? `asked ${timeText(asked)}`}`;
    }),
    ...more,
  ];
}

function countsOf(stages: readonly { stage: string; answers: number }[]): string {
  return stages.map(({ stage, answers }) => `${formatCount(answers)} of ${stage}`).join(', ');
}

function noCache(root: string) {
  return {
    kind: 'usage' as const,
    message: `there is no cache at ${root}`,
    remedy: 'build the project first',
  };
}

function answerNoRepair(cache: Cache, io: CommandIo): number {
  const why = cache.database.readOnly ? 'is read-only' : 'is being cleaned by another process';
  io.stderr.write(
    shown(
      `E003  the cache ${cache.folder.root} ${why}\n      a repair needs a writable cache that no other process cleans\n`,
    ),
  );
  return 3;
}
