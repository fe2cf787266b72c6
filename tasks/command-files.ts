/**
 * The files that a command of the project names: its programs and scripts, and other files among its words. They decide
 * what the command does, so keys hold their contents, and not where they lie. Programs in the system's folders are left
 * out: the system is named elsewhere. So are files that the shell or a tool that copies writes: they are outputs.
 */

import { open, realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { whenAbsent } from '../basics/absent.ts';
import { runProgram } from '../basics/program.ts';
import { shellWord, simpleCommands, writtenBy } from '../basics/shell.ts';
import type { Database } from '../cache/database.ts';
import { digestOfPath } from '../cache/stat-memo.ts';

/** Folders of the system, whose programs are the machine's and not the project's. */
const SYSTEM = /^\/(?:usr\/|s?bin\/|lib\w*\/)/;
/** Seconds. */
const TIMEOUT = 20;
/** Programs whose last word is what they write. */
const COPIES = new Set(['cp', 'mv', 'install', 'ln', 'rsync']);
const WORD = /^[\w@%+:,.-]+$/;

export interface CommandPlace {
  /** Folders in which its relative paths may lie, the project's last. */
  folders: readonly string[];
  projectFolder: string;
  env: NodeJS.ProcessEnv;
  /** What the shell runs before it, such as the activation of an environment; null: nothing. */
  activate: string | null;
  database: Database;
  signal: AbortSignal;
}

/** Digests of the files that the words of `command` name, in their order. */
export async function filesOfCommand(command: string, place: CommandPlace): Promise<string[]> {
  const found: string[] = [];
  const { folders, projectFolder, database } = place;
  let at: readonly string[] = folders;
  const programs = await programsOf(command, place);
  const outputs = new Set(outputsOf(command).map((text) => plain(text, projectFolder)));
  for (const { words } of simpleCommands(command)) {
    const texts = words.map(({ text }) => plain(text, projectFolder));
    // What follows may be meant from there.
    if (texts[0] === 'cd' && texts[1] !== undefined)
      at = [...folders.map((folder) => resolve(folder, texts[1]!)), ...at];
    for (const text of texts.filter((one) => !outputs.has(one))) {
      const paths = [text, ...text.split('=').slice(1)].flatMap((name) => pathsOf(name, at));
      for (const path of new Set([...paths, ...(programs.get(text) ?? [])])) {
        const digest = (await isSystem(path)) ? null : await digestOfPath(database, path);
        if (digest !== null && !found.includes(digest)) found.push(digest);
      }
    }
  }
  return found;
}

/** The words that name what a command line writes: behind `>`, for `tee`, and the last one for what copies. */
function outputsOf(command: string): string[] {
  const found = writtenBy(command);
  for (const { words } of simpleCommands(command)) {
    const [program, ...operands] = words.map(({ text }) => text);
    if (program === 'tee') found.push(...operands);
    else if (COPIES.has(program!) && operands.length > 1) found.push(operands.at(-1)!);
  }
  return found;
}

/** The word without quotes, and with the project's folder in place of its variable. */
function plain(text: string, projectFolder: string): string {
  return text.replace(/["']/g, '').replace(/\$\{?SWEMAKE_PROJECT\b\}?/g, projectFolder);
}

function pathsOf(name: string, folders: readonly string[]): string[] {
  if (name === '' || name.includes('\0')) return [];
  return isAbsolute(name) ? [name] : folders.map((folder) => resolve(folder, name));
}

/** Names without a slash that begin a command, and where the shell finds them. */
async function programsOf(
  command: string,
  { env, activate, projectFolder, signal }: CommandPlace,
): Promise<Map<string, string[]>> {
  const names = simpleCommands(command)
    .map(({ words }) => words.find(({ text }) => !/^\w+=/.test(text))?.text ?? '')
    .filter((name) => WORD.test(name));
  const wanted = [...new Set(names)];
  if (activate === null)
    return new Map(
      wanted.map((name) => [name, (env.PATH ?? '').split(':').map((folder) => join(folder, name))]),
    );
  const script = `${activate}\nfor name in ${wanted.map(shellWord).join(' ')}; do printf '\\n%s' "$(type -P -- "$name")"; done`;
  const end = await runProgram({
    argv: ['bash', '-c', script],
    ...{ cwd: projectFolder, env, timeout: TIMEOUT, signal },
  });
  const lines =
    end.kind === 'exited' && wanted.length > 0 ? end.stdout.split('\n').slice(-wanted.length) : [];
  return new Map(wanted.map((name, index) => [name, lines[index] ? [lines[index]] : []]));
}

/** Links resolved: a virtual environment's Python is the system's. */
async function isSystem(path: string): Promise<boolean> {
  const real = await realpath(path).catch(whenAbsent(path));
  if (SYSTEM.test(real)) return !real.startsWith('/usr/local/') || (await isCompiled(real));
  return false;
}

/** True for a program in machine code. */
async function isCompiled(path: string): Promise<boolean> {
  const file = await open(path).catch(whenAbsent(null));
  if (file === null) return false;
  try {
    const { buffer } = await file
      .read(Buffer.alloc(4), 0, 4, 0)
      .catch(whenAbsent({ buffer: Buffer.alloc(4) }));
    return buffer.toString('latin1') === '\x7fELF';
  } finally {
    await file.close();
  }
}
