/**
 * `shell ITEM`: the workspace of an environment or an instance, to try things by hand. Each line is a command in a bash
 * of its own, as an agent's are; the working folder and exported variables go on from one to the next. Nothing of it
 * is kept.
 */
import { relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { CommandIo } from '../app/io.ts';
import { openItem } from '../app/open-item.ts';
import { openLatestProject } from '../app/open-project.ts';
import { planItems } from '../app/plan-items.ts';
import { LAST_PROJECT, PROJECT_OPTIONS } from '../app/project-options.ts';
import { openSession, type Session } from '../app/session.ts';
import { content, jsonLine, shown, visible } from '../app/shown.ts';
import { matchesGlob } from '../basics/glob.ts';
import { named } from '../basics/named.ts';
import { shellWord } from '../basics/shell.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import type { OpenedItem } from '../contract/stage.ts';
import { addressText, type ItemAddress } from '../engine/explain.ts';
import type { RunEnd } from '../engine/run.ts';
import type { ExecResult, Workspace } from '../executors/deployment.ts';
import { isFault, type Outcome } from '../schemas/outcome.ts';
import { answerUsage, type CommandSpec, option, parseCommand, type UsageError } from './arguments.ts';
import { unknownTarget } from './unknown-target.ts';

const SHELL = {
  name: 'shell',
  summary:
    'Try commands in the workspace of an environment or an instance. An environment is as its last successful step left it, an instance as its tests find it. Lines come from the terminal or from standard input; nothing is kept.',
  positionals: [
    {
      name: 'ITEM',
      description: 'environments.DATASET@NAME or validate.DATASET@INSTANCE',
      required: true,
    },
  ],
  options: {
    command: {
      ...option(
        'COMMAND',
        'run this instead of reading lines; may be given again, the first that fails ends it',
      ),
      short: 'c',
      multiple: true,
    },
    solved: { type: 'boolean', description: 'with the patch that solves the instance' },
    timeout: option('SECONDS', 'for each command (default: 1800)'),
    project: LAST_PROJECT,
    ...PROJECT_OPTIONS,
    json: { type: 'boolean', description: 'print one JSON object a command' },
  },
  examples: [
    ['swemake shell environments.train@pydicom', 'an environment, also one whose build failed'],
    [
      "swemake shell validate.train@me__greet-1 --solved -c 'pip list'",
      'one command, with the solution applied',
    ],
  ],
} as const satisfies CommandSpec;

const DEFAULT_TIMEOUT = 1800;
/** Inside: the folder and the exported variables that the next command goes on with. */
const STATE = '/tmp/.swemake-shell';

export async function shellCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(SHELL, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const timeout = values.timeout === undefined ? DEFAULT_TIMEOUT : Number(values.timeout);
  if (!(timeout > 0 && timeout <= 86_400))
    return answerUsage(usage(`--timeout ${values.timeout}`, 'give seconds, at most a day of them'), io);
  const project = await openLatestProject(values.project, values, io);
  if (project === null) return 2;
  const stop = new AbortController();
  const session = await openSession(project, io, stop.signal);
  try {
    const found = await findItem(session, parsed.positionals[0]!);
    if (found.kind === 'usage') return answerUsage(found, io);
    const log = (text: string): void => void io.stderr.write(shown(text));
    const opened = await openItem(found.place, found.end, session, log, { isSolved: values.solved });
    if (!opened.ok) return refuse(addressText(found.place), opened.fault, relative(io.cwd, project.file), io);
    const { workspace } = opened.value;
    try {
      const shell = { workspace, timeout, isJson: values.json, io };
      return values.command.length > 0
        ? await runGiven(values.command, shell)
        : await readLines(opened.value, shell);
    } finally {
      await workspace.close();
    }
  } finally {
    stop.abort();
    await session.close();
  }
}

function usage(message: string, remedy: string): UsageError {
  return { kind: 'usage', message, remedy };
}

type Found = { kind: 'item'; place: ItemAddress; end: RunEnd } | UsageError;

async function findItem(session: Session, target: string): Promise<Found> {
  const [, name] = splitAddress(target);
  const addresses = nodesOfTarget(session.graph, target);
  if (addresses.length === 0) return unknownTarget(target, session);
  const [address] = addresses;
  if (addresses.length > 1 || name === null)
    return usage(`"${target}" is not one item`, 'name it: environments.DATASET@NAME');
  const { end } = await planItems(session, [target]);
  const { state, blocked } = end.nodes.get(address!)!;
  if (state.stage.open === undefined)
    return usage(
      `items of ${address} have no workspace to look into`,
      'shell opens those of environments and validate',
    );
  if (blocked !== null) return { kind: 'item', place: { address: address!, item: name }, end };
  const items = state.items.map((item) => item.name).filter((item) => matchesGlob(name, item));
  const [item] = items;
  if (item === undefined)
    return usage(
      `${address} has no item "${name}"`,
      `swemake why '${address}@*' lists items; \`swemake status\` lists stages`,
    );
  if (items.length > 1) return usage(`"${target}" means ${items.length} items`, `name one: ${named(items)}`);
  return { kind: 'item', place: { address: address!, item }, end };
}

function refuse(item: string, outcome: Outcome, file: string, io: CommandIo): number {
  const detail = 'detail' in outcome ? outcome.detail : outcome.status;
  io.stderr.write(shown(`E004  ${item} cannot be opened: ${visible(detail)}\n`));
  io.stderr.write(shown(`      build what it needs: swemake build ${shellWord(file)} '${item}'\n`));
  return isFault(outcome) && outcome.reason !== 'upstream-infra' ? 3 : 1;
}

interface Shell {
  workspace: Workspace;
  /** Seconds for each command. */
  timeout: number;
  isJson: boolean;
  io: CommandIo;
}

async function runGiven(commands: readonly string[], shell: Shell): Promise<number> {
  for (const command of commands) {
    const ended = await runCommand(command, shell, new AbortController().signal);
    if (ended !== 'ok') return ended === 'failed' ? 1 : 3;
  }
  return 0;
}

/** Ctrl-C ends the command that runs, Ctrl-D or `exit` the session. */
async function readLines({ about }: OpenedItem, shell: Shell): Promise<number> {
  const { io } = shell;
  const isTerminal = process.stdin.isTTY === true;
  for (const line of about) io.stderr.write(shown(`# ${visible(line)}\n`));
  if (isTerminal) io.stderr.write(shown('# Ctrl-C ends a command, Ctrl-D the session. Nothing is kept.\n'));
  const lines = createInterface({
    input: process.stdin,
    ...(isTerminal ? { output: process.stderr, prompt: '$ ' } : {}),
  });
  let running: AbortController | null = null;
  lines.on('SIGINT', () => {
    if (running !== null) return running.abort();
    io.stderr.write(shown('\n'));
    lines.prompt();
  });
  let code = 0;
  if (isTerminal) lines.prompt();
  for await (const line of lines) {
    if (line.trim() === 'exit') break;
    if (line.trim() !== '') {
      running = new AbortController();
      const ended = await runCommand(line, shell, running.signal);
      running = null;
      if (ended === 'gone') {
        code = 3;
        break;
      }
      code = ended === 'ok' ? 0 : 1;
    }
    if (isTerminal) lines.prompt();
  }
  lines.close();
  return code;
}

async function runCommand(
  command: string,
  { workspace, timeout, isJson, io }: Shell,
  signal: AbortSignal,
): Promise<'ok' | 'failed' | 'gone'> {
  const ran = await workspace.exec(withState(command), { timeout, signal });
  if (!ran.ok && signal.aborted) {
    io.stderr.write(shown('[ended]\n'));
    return 'failed';
  }
  if (!ran.ok) {
    io.stderr.write(shown(`E003  ${ran.fault.detail}\n      open it again\n`));
    return 'gone';
  }
  const { exitCode, timedOut, output, durationMs } = ran.value;
  const seconds = Math.round(durationMs) / 1000;
  if (isJson) io.stdout.write(jsonLine({ command, exitCode, timedOut, seconds, output }));
  else {
    io.stdout.write(content(output === '' || output.endsWith('\n') ? output : `${output}\n`, io));
    if (exitCode !== 0) io.stderr.write(shown(`[${howItEnded(ran.value)} · ${seconds.toFixed(1)} s]\n`));
  }
  return exitCode === 0 ? 'ok' : 'failed';
}

function howItEnded({ exitCode, exitSignal, timedOut }: ExecResult): string {
  if (timedOut) return 'time limit';
  return exitCode === null ? `ended by ${exitSignal}` : `exit code ${exitCode}`;
}

function withState(command: string): string {
  return [
    `[ ! -f ${STATE} ] || . ${STATE} 2> /dev/null`,
    `trap '{ export -p; printf "cd %q\\n" "$PWD"; } > ${STATE}' EXIT`,
    command,
  ].join('\n');
}
