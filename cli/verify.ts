/** `verify`: says what is wrong in a cache; with --repair, the next build remakes exactly that. */
import { existsSync } from 'node:fs';
import { sweepExecutors } from '../app/deployments.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { openRemoteStore } from '../app/remote.ts';
import { cacheRoot } from '../app/workbench.ts';
import { type Cache, openCache } from '../cache/cache.ts';
import { cacheFolder } from '../cache/folder.ts';
import { listLeftovers } from '../cache/leftovers.ts';
import { repairCache, type VerifyReport, verifyCache } from '../cache/verify.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import { createSecrets } from '../contract/secrets.ts';
import { newRunId } from '../engine/journal.ts';
import { KINDS } from '../executors/registry.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import { formatBytes, formatCount } from './duration.ts';

const VERIFY = {
  name: 'verify',
  summary: 'Check all files of the cache. Exit code 0: sound, 1: something is wrong.',
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
      if (repair) await repairCache(cache, report, newRunId(new Date(), process.pid));
      const { setAside } = cache.database;
      const told = { report, leftovers, setAside, repaired: repair };
      io.stdout.write(json ? `${JSON.stringify(asJson(told))}\n` : asText(told));
      return report.problems.length === 0 && setAside === null ? 0 : 1;
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
  const { verifyRemote } = await import('../cache/remote/verify.ts');
  const report = await verifyRemote(cache, opened.store);
  const { name, answers, bytes, findings, warnings } = report;
  const isSound = findings.length === 0;
  if (json) io.stdout.write(`${JSON.stringify({ sound: isSound, ...report })}\n`);
  else {
    const lines = findings.map(({ kind, key }) => `${kind.padEnd(8)} ${key}`);
    const end = isSound ? 'sound' : `${findings.length} of them gone or bad, which are misses`;
    lines.push(...warnings.map((warning) => `warning: ${warning}`));
    lines.push(`${name}: ${formatCount(answers)} answers read (${formatBytes(bytes)}), ${end}`);
    io.stdout.write(`${lines.join('\n')}\n`);
  }
  return isSound ? 0 : 1;
}

interface Verification {
  report: VerifyReport;
  leftovers: string[];
  setAside: string | null;
  repaired: boolean;
}

function asJson({ report, leftovers, setAside, repaired }: Verification) {
  const problems = report.problems.map(({ kind, where, detail }) => ({ kind, where, detail, repaired }));
  const database =
    setAside === null ? [] : [{ kind: 'database', where: 'records.mdb', detail: setAside, repaired: true }];
  return {
    sound: problems.length + database.length === 0,
    problems: [...database, ...problems],
    leftovers,
    checked: report.checked,
  };
}

function asText(told: Verification): string {
  const { problems, checked } = asJson(told);
  const lines = problems.map(({ kind, where, detail }) => `${kind.padEnd(8)} ${where}: ${detail}`);
  const { blobs, layers, layerFiles, answers, runs } = checked;
  const counts = [
    `${formatCount(answers)} answers`,
    `${formatCount(blobs)} blobs`,
    `${formatCount(layers)} layers with ${formatCount(layerFiles)} entries`,
    `${formatCount(runs)} journals`,
  ].join(', ');
  if (told.leftovers.length > 0) lines.push(`removed remains of killed processes: ${told.leftovers.length}`);
  const end =
    problems.length === 0 ? 'sound' : `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
  const remedy = told.repaired ? '; repaired, the next build makes what is missing' : '; see --repair';
  return `${[...lines, `${end}: ${counts}${problems.length === 0 ? '' : remedy}`].join('\n')}\n`;
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
    `E003  the cache ${cache.folder.root} ${why}\n      a repair needs a writable cache that no other process cleans\n`,
  );
  return 3;
}
