/** `cache export` and `cache import`: carry a project's answers in one file to machines without a connection. A key may sign it. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { rememberAdopted } from '../app/adopted.ts';
import { type ArchivedItem, packAnswers, unpackAnswers } from '../app/cache-archive.ts';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { LAST_PROJECT, PROJECT_OPTIONS } from '../app/project-options.ts';
import { remoteKeys } from '../app/remote.ts';
import { openSession, type Session, survey } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { fullVersion } from '../app/version.ts';
import { plural } from '../basics/plural.ts';
import { createSigner, isPublicKey, type Signer, type Trust } from '../cache/remote/signature.ts';
import { nodesOfTarget } from '../compiler/graph.ts';
import type { RunEnd } from '../engine/run.ts';
import { isCacheable } from '../schemas/outcome.ts';
import {
  answerUsage,
  type CommandSpec,
  type OptionValues,
  option,
  parseCommand,
  type UsageError,
} from './arguments.ts';
import { formatBytes } from './duration.ts';
import { unknownTarget } from './unknown-target.ts';

const CACHE = {
  name: 'cache',
  summary:
    'export: write answers of a project, with all that they name, into one file. import: take the answers of such a file into the cache of a project, if a trusted key has signed them; a build then runs none of these items.',
  positionals: [
    { name: 'export|import', description: 'what to do', required: true },
    {
      name: 'FILE',
      description: 'export: the project file, then the stages to export (default: all). import: the archive',
      required: true,
      multiple: true,
    },
  ],
  options: {
    to: option('FILE', 'export: the archive, such as cache.tar.gz'),
    sign: option(
      'FILE',
      'export: the private key that signs, made by keygen (default: cache.remote.sign of the project)',
    ),
    trust: {
      ...option(
        'KEY',
        'import: a public key to trust, beside cache.remote.trusted of the project and the keys of the user’s settings',
      ),
      multiple: true,
    },
    unsigned: {
      type: 'boolean',
      description: 'import: take all answers, also those that no trusted key has signed',
    },
    project: {
      ...LAST_PROJECT,
      description:
        'import: the project whose cache takes the answers (default: the one last used from this folder)',
    },
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake cache export project.yaml --to cache.tar.gz --sign key.pem', 'everything that is answered'],
    ['swemake cache export project.yaml environments --to environments.tar.gz', 'environments alone'],
    [
      'swemake cache import cache.tar.gz --project project.yaml --trust ed25519:11qY…',
      'what this key signed',
    ],
  ],
} as const satisfies CommandSpec;

type Values = OptionValues<typeof CACHE>;

export async function cacheCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(CACHE, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const [what, ...names] = parsed.positionals;
  if (what === 'export') return exportAnswers(names, parsed.values, io);
  if (what === 'import') return importAnswers(names, parsed.values, io);
  return answerUsage(
    usage(`there is no command "cache ${what}"`, 'there is cache export and cache import'),
    io,
  );
}

async function exportAnswers(names: readonly string[], values: Values, io: CommandIo): Promise<number> {
  const { to, sign, json } = values;
  const [file, ...targets] = names;
  if (to === undefined)
    return answerUsage(usage('--to is missing: the file to write', 'see swemake cache --help'), io);
  const project = await openLatestProject(file, values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const wrong = targets.find((target) => nodesOfTarget(session.graph, target).length === 0);
    if (wrong !== undefined) return answerUsage(unknownTarget(wrong, session), io);
    const signer = signerOf(sign, session, io);
    if (signer !== null && 'kind' in signer) return answerUsage(signer, io);
    const { items, missing } = answeredItems(targets, session, await survey(session));
    if (items.length === 0) {
      io.stderr.write(shown('E002  there is no answer to export\n      build the targets first\n'));
      return 1;
    }
    const path = resolve(io.cwd, to);
    const packed = await packAnswers(session.cache, items, path, {
      ...{ project: project.config.name, version: fullVersion(), signer },
      holdsSecret: (bytes) => session.services.secrets.holds(bytes),
    });
    const done = {
      file: relative(io.cwd, path),
      answers: packed.answers,
      bytes: statSync(path).size,
      signed: signer?.by ?? null,
      missing,
      left: packed.left,
    };
    warn(
      [
        ...packed.warnings,
        ...(missing > 0 ? [`${plural(missing, 'item')} without an answer yet; build first`] : []),
        ...(packed.left.length > 0 ? [`not in the archive: ${packed.left.join(', ')}`] : []),
      ],
      io,
    );
    if (json) io.stdout.write(jsonLine(done));
    else {
      const by = signer === null ? 'not signed' : `signed by ${signer.by}`;
      io.stdout.write(
        shown(`${done.file}: ${plural(done.answers, 'answer')}, ${formatBytes(done.bytes)}, ${by}\n`),
      );
    }
    return packed.left.length > 0 ? 1 : 0;
  } finally {
    await session.close();
  }
}

async function importAnswers(names: readonly string[], values: Values, io: CommandIo): Promise<number> {
  const { trust: given, unsigned, json } = values;
  const [file = '', another] = names;
  if (another !== undefined)
    return answerUsage(usage('cache import takes one archive', 'name the project with --project'), io);
  const path = resolve(io.cwd, file);
  if (!existsSync(path)) return answerUsage(usage(`${file} is not there`, 'name another file'), io);
  const project = await openLatestProject(values.project, values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const trust = unsigned ? null : trustOf(given, session, io);
    if (trust !== null && 'kind' in trust) return answerUsage(trust, io);
    const read = await unpackAnswers(session.cache, path, trust);
    if (!read.ok) return answerUsage(usage(read.fault, 'write it again with swemake cache export'), io);
    const { project: from, adopted, warnings, refused, ...done } = read.value;
    const { name } = project.config;
    if (from === name)
      for (const [address, key] of adopted) await rememberAdopted(session.cache.database, name, address, key);
    warn([...warnings, ...(refused.length > 0 ? [`not taken: ${refused.join(', ')}`] : [])], io);
    if (json) io.stdout.write(jsonLine({ ...done, refused }));
    else
      io.stdout.write(
        shown(
          `${plural(done.taken, 'answer')} taken, ${done.known} there already, ${refused.length} refused · written by swemake ${done.version}\n`,
        ),
      );
    return refused.length > 0 ? 1 : 0;
  } finally {
    await session.close();
  }
}

/** Answers of the targets, and how many items of stages that are not blocked have none. */
function answeredItems(
  targets: readonly string[],
  { graph }: Session,
  end: RunEnd,
): { items: ArchivedItem[]; missing: number } {
  const items: ArchivedItem[] = [];
  let missing = 0;
  for (const { address } of graph.nodes) {
    if (targets.length > 0 && !targets.some((target) => nodesOfTarget(graph, target).includes(address)))
      continue;
    const { state, blocked } = end.nodes.get(address)!;
    if (blocked !== null) continue;
    const before = items.length;
    for (const { name, key, outcome } of state.eachEntry())
      if (key !== null && isCacheable(outcome))
        items.push([name === '' ? address : `${address}@${name}`, key]);
    missing += state.size() - (items.length - before);
  }
  return { items, missing };
}

function signerOf(
  path: string | undefined,
  { project, services }: Session,
  io: CommandIo,
): Signer | UsageError | null {
  if (path === undefined) {
    const keys = remoteKeys(project, services.secrets, io.env);
    return 'problem' in keys ? usage(keys.problem, 'see docs/remote-cache.md') : keys.signer;
  }
  try {
    const signer = createSigner(readFileSync(resolve(io.cwd, path), 'utf8'));
    return signer.ok ? signer.value : usage(`${path}: ${signer.fault}`, 'make one with swemake keygen');
  } catch (error) {
    return usage(`${path}: ${(error as Error).message}`, 'make one with swemake keygen');
  }
}

function trustOf(
  given: readonly string[],
  { project, services }: Session,
  io: CommandIo,
): Trust | UsageError {
  const wrong = given.find((key) => !isPublicKey(key));
  if (wrong !== undefined) return usage(`"${wrong}" is no public key`, 'swemake keygen prints one');
  const keys = remoteKeys(project, services.secrets, io.env);
  if ('problem' in keys) return usage(keys.problem, 'see docs/remote-cache.md');
  const trust = new Set([...given, ...(keys.trust ?? [])]);
  return trust.size > 0
    ? trust
    : usage(
        'no key is trusted',
        'name the writer’s public key with --trust, or take everything with --unsigned',
      );
}

function usage(message: string, remedy: string): UsageError {
  return { kind: 'usage', message, remedy };
}

function warn(lines: readonly string[], io: CommandIo): void {
  for (const line of lines) io.stderr.write(shown(`warning: ${line}\n`));
}
