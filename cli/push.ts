/** `push TARGET --to OWNER/NAME`: data that was made, with its card, to a dataset of the Hugging Face hub. Runs nothing. */
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { LAST_PROJECT, PROJECT_OPTIONS } from '../app/project-options.ts';
import { type Pushed, type PushFile, pushFiles } from '../app/push/hub-commit.ts';
import { openSession, type Session, survey } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { Credential } from '../basics/credential.ts';
import { digestOf } from '../basics/digest.ts';
import { readText } from '../cache/cache.ts';
import { nodesOfTarget } from '../compiler/graph.ts';
import type { RunEnd } from '../engine/run.ts';
import { isHubId } from '../schemas/dataset-source.ts';
import { hubEndpoint, hubToken } from '../stages/dataset/readers/hub-api.ts';
import { connections } from '../tasks/source/proxy.ts';
import { answerUsage, type CommandSpec, option, parseCommand, type UsageError } from './arguments.ts';
import { unknownTarget } from './unknown-target.ts';

const PUSH = {
  name: 'push',
  summary:
    'Send training data and its card to a dataset of the Hugging Face hub. Runs nothing: build first. The token is read from HF_TOKEN, or from where hf auth login left it. Pushing the same data again changes nothing.',
  positionals: [
    { name: 'TARGET', description: 'sft-data or rl-data, with its dataset: sft-data.train', required: true },
  ],
  options: {
    to: option('OWNER/NAME', 'the dataset on the hub; it is created if it does not exist'),
    branch: option('NAME', 'branch to commit to (default: main)'),
    private: { type: 'boolean', description: 'if it is created, create it as private' },
    message: option('TEXT', 'message of the commit'),
    project: LAST_PROJECT,
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [['swemake push sft-data.train --to me/my-data', 'conversations and their card']],
} as const satisfies CommandSpec;

/** Stages whose files are a dataset. */
const STAGES = ['sft-data', 'rl-data'];

export async function pushCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(PUSH, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { to, branch = 'main', message, json } = parsed.values;
  const [target = ''] = parsed.positionals;
  if (to === undefined || !isHubId(to))
    return answerUsage(usage(`--to must be OWNER/NAME, the dataset on the hub`, 'such as me/my-data'), io);
  const token = hubToken(io.env);
  if (token === null)
    return answerUsage(
      usage('there is no token for the hub', 'set HF_TOKEN to a token that may write, or run hf auth login'),
      io,
    );
  const project = await openLatestProject(parsed.values.project, parsed.values, io);
  if (project === null) return 2;
  const stop = new AbortController();
  const session = await openSession(project, io, stop.signal);
  const end = () => stop.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  try {
    const wrong = wrongTarget(target, session);
    if (wrong !== null) return answerUsage(wrong, io);
    const files = await filesOf(target, await survey(session), session);
    if (files === null) {
      io.stderr.write(shown(`E002  ${target} is not made, or no longer up to date\n      build it first\n`));
      return 1;
    }
    const endpoint = hubEndpoint(io.env);
    const dispatcher = await connections({ env: io.env, certificates: certificatesOf(io.env), timeout: 120 });
    const pushed = await pushFiles(
      files,
      {
        endpoint,
        id: to,
        branch,
        isPrivate: parsed.values.private === true,
        message: message ?? `${target} of ${project.config.name}`,
        credential: Credential.bearer(token, endpoint),
      },
      { dispatcher, signal: stop.signal },
    );
    if (!pushed.ok) {
      io.stderr.write(shown(`E002  ${pushed.fault.message}\n`));
      return stop.signal.aborted ? 130 : pushed.fault.kind === 'config' ? 2 : 3;
    }
    report(pushed.value, `${endpoint}/datasets/${to}`, json === true, io);
    return 0;
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
    await session.close();
  }
}

function report({ commit, changed, created }: Pushed, url: string, json: boolean, io: CommandIo): void {
  if (json) io.stdout.write(jsonLine({ url, commit, changed, created }));
  else if (changed.length === 0)
    io.stdout.write(shown(`nothing to push: ${url} holds it at ${commit.slice(0, 12)}\n`));
  else io.stdout.write(shown(`pushed ${changed.join(', ')} to ${url} at ${commit.slice(0, 12)}\n`));
}

/** The files of the only item of a stage; null where it has no answer as the project is now. */
async function filesOf(target: string, end: RunEnd, { graph, cache }: Session): Promise<PushFile[] | null> {
  const [address] = nodesOfTarget(graph, target);
  const node = address === undefined ? undefined : end.nodes.get(address);
  const record = node === undefined || node.blocked !== null ? null : node.state.record('');
  if (record === null || record.outcome.status !== 'ok') return null;
  const files: PushFile[] = [];
  for (const [path, output] of Object.entries(record.outputs)) {
    if (output.kind === 'layer') continue;
    if (output.kind === 'blob' && cache.blobs.has(output)) {
      const { digest, size } = output;
      files.push({ path, size, sha256: digest, content: { file: cache.blobs.path(digest) } });
      continue;
    }
    const text = await readText(cache, output);
    if (text === null) return null;
    const bytes = Buffer.from(text);
    files.push({ path, size: bytes.length, sha256: digestOf(bytes), content: { bytes } });
  }
  return files;
}

function wrongTarget(target: string, session: Session): UsageError | null {
  const addresses = nodesOfTarget(session.graph, target);
  if (addresses.length === 0) return unknownTarget(target, session);
  const stages = session.graph.nodes.filter(({ address }) => addresses.includes(address));
  if (stages.length === 1 && STAGES.includes(stages[0]!.stage)) return null;
  return usage(
    `"${target}" is not a single dataset`,
    `name one of ${STAGES.join(' and ')}, such as sft-data.train`,
  );
}

function certificatesOf(env: NodeJS.ProcessEnv): string[] {
  return [env.SSL_CERT_FILE, env.NODE_EXTRA_CA_CERTS].filter(
    (path) => path !== undefined && path !== '',
  ) as string[];
}

function usage(message: string, remedy: string): UsageError {
  return { kind: 'usage', message, remedy };
}
