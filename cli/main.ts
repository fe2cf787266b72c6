/** The command line: picks a command, loads only its code, and turns what it throws into one plain message. */

import type { CommandIo, Output } from '../app/io.ts';
import { type Shown, shown, withoutCommands } from '../app/shown.ts';
import { whenAbsent } from '../basics/absent.ts';
import { machineFault } from '../basics/machine-fault.ts';
import { answerVersion, mainHelp } from './help.ts';

type Command = (args: string[], io: CommandIo) => Promise<number>;

/** Every command with the module that has it. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init.ts')).initCommand,
  build: async () => (await import('./build.ts')).buildCommand,
  plan: async () => (await import('./plan.ts')).planCommand,
  why: async () => (await import('./why.ts')).whyCommand,
  retry: async () => (await import('./retry.ts')).retryCommand,
  lock: async () => (await import('./lock.ts')).lockCommand,
  accept: async () => (await import('./accept.ts')).acceptCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  rehearse: async () => (await import('./rehearse.ts')).rehearseCommand,
  show: async () => (await import('./show.ts')).showCommand,
  graph: async () => (await import('./graph.ts')).graphCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  shell: async () => (await import('./shell.ts')).shellCommand,
  logs: async () => (await import('./logs.ts')).logsCommand,
  ui: async () => (await import('./ui.ts')).uiCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  view: async () => (await import('./view.ts')).viewCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  push: async () => (await import('./push.ts')).pushCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  keygen: async () => (await import('./keygen.ts')).keygenCommand,
  cache: async () => (await import('./cache.ts')).cacheCommand,
  gc: async () => (await import('./gc.ts')).gcCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  images: async () => (await import('./images.ts')).imagesCommand,
  nodes: async () => (await import('./nodes.ts')).nodesCommand,
  serve: async () => (await import('./serve.ts')).serveCommand,
  worker: async () => (await import('./worker.ts')).workerCommand,
  mutate: async () => (await import('./mutate.ts')).mutateCommand,
  mine: async () => (await import('./mine.ts')).mineCommand,
  'import-recipes': async () => (await import('./import-recipes.ts')).importRecipesCommand,
  completion: async () => {
    const { completionCommand } = await import('./completion.ts');
    return (args, io) => completionCommand(args, io, COMMANDS);
  },
  'grade-log': async () => (await import('./grade-log.ts')).gradeLogCommand,
};

/** Runs a command line and returns the exit code. */
export async function main(args: string[], given?: CommandIo): Promise<number> {
  const io = given ?? processIo();
  if (io === null) return answerGone();
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    io.stdout.write(shown(mainHelp()));
    return 0;
  }
  if (name === '--version' || name === '-V') return answerVersion(io);
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    const { closest } = await import('../basics/suggest.ts');
    const near = closest(name, Object.keys(COMMANDS));
    io.stderr.write(shown(`E001  there is no command "${name}"\n`));
    io.stderr.write(shown(`      ${near === null ? 'see swemake --help' : `did you mean "${near}"?`}\n`));
    return 2;
  }
  try {
    return await (await load())(rest, io);
  } catch (error) {
    return answerFailure(error, io);
  }
}

/** A fault of the machine gets code 3. Anything else is a bug of swemake, and is reported in one line. */
function answerFailure(error: unknown, io: CommandIo): number {
  const { message, stack, remedy } = error as Error & { remedy?: string };
  const machine = machineFault(error);
  io.stderr.write(
    machine === null ? shown(`E999  ${message ?? String(error)}\n`) : shown(`E003  ${machine}\n`),
  );
  const usual =
    machine !== null
      ? 'the machine refused it; finished work is kept, and the next build continues'
      : 'this is a bug in swemake; finished work is kept. SWEMAKE_DEBUG=1 shows where it happened';
  io.stderr.write(shown(`      ${remedy ?? usual}\n`));
  if (io.env.SWEMAKE_DEBUG) io.stderr.write(shown(`${stack ?? ''}\n`));
  return machine === null ? 1 : 3;
}

/** As shells count a program that a closed pipe ended. A build that ends before its work is done does not end with 0. */
const CLOSED_PIPE = 141;

/** A reader that has read enough, such as head, ends the command quietly. */
function endQuietlyOnClosedPipe(): void {
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') process.exit(CLOSED_PIPE);
    throw error;
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', onError);
}

/** GitHub's runner looks for commands in what is written. */
function commandless(stream: NodeJS.WriteStream): Output {
  return { write: (text) => stream.write(withoutCommands(text)), isTTY: stream.isTTY };
}

/** Null when the folder that the process is in was removed. */
function processIo(): CommandIo | null {
  endQuietlyOnClosedPipe();
  const cwd = currentFolder();
  if (cwd === null) return null;
  const isGitHub = process.env.GITHUB_ACTIONS === 'true';
  return {
    stdout: isGitHub ? commandless(process.stdout) : process.stdout,
    stderr: isGitHub ? commandless(process.stderr) : process.stderr,
    ...(isGitHub ? { annotate: (annotation: Shown) => process.stdout.write(annotation) } : {}),
    env: process.env,
    cwd,
    isTTY: process.stderr.isTTY === true,
    ...(process.stdin.isTTY === true && process.stderr.isTTY === true ? { ask } : {}),
  };
}

/** Ctrl-D and Ctrl-C are no answer. */
async function ask(question: Shown): Promise<string | null> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    const leave = () => {
      process.stderr.write('\n');
      resolve(null);
    };
    lines.once('close', leave);
    lines.once('SIGINT', () => lines.close());
    lines.question(question, (answer) => {
      lines.off('close', leave);
      resolve(answer);
      lines.close();
    });
  });
}

function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch (error) {
    return whenAbsent(null)(error);
  }
}

function answerGone(): number {
  process.stderr.write('E003  the current folder was removed\n      change to a folder that exists\n');
  return 3;
}
