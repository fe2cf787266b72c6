/** Folders, packages and commands of Go. */
import { folderOf } from '../../basics/repository-path.ts';
import { shellWord, simpleCommands } from '../../basics/shell.ts';

/** Code with the package `testing`, or with an interface in the place of its `T`. */
export const COMPARES_FOR_TESTS =
  /^(?:import\s+\(?)?[^\S\n]*(?:\w+\s+)?"testing"|\binterface\s*\{(?:[^{}]*[;\n{])?\s*Helper\(\)\s*[;\n}]/m;

export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** The import path of a folder: that of the nearest module above, and the way down; null: there is no module. */
export async function moduleOf(
  folder: string,
  read: (path: string) => Promise<string | null>,
): Promise<string | null> {
  for (let at = folder; ; at = folderOf(at)) {
    const name = /^module\s+"?([^\s"]+)/m.exec((await read(inFolder(at, 'go.mod'))) ?? '')?.[1];
    if (name !== undefined)
      return at === folder ? name : `${name}/${folder.slice(at === '' ? 0 : at.length + 1)}`;
    if (at === '') return null;
  }
}

/** The words behind `go test` in the last such command of a line. */
function lastTest(line: string): { words: string[]; ends: number[] } | null {
  for (const { words } of simpleCommands(line).reverse()) {
    const at = words.findIndex(({ text }, index) => text === 'go' && words[index + 1]?.text === 'test');
    if (at < 0) continue;
    const own = words.slice(at + 2);
    return { words: own.map(({ text }) => text), ends: own.map(({ end }) => end) };
  }
  return null;
}

/** The command with the tests that `pattern` fits, beside those that it chooses by -run. */
export function withCanaries(command: string, pattern: string): string {
  const found = lastTest(command);
  if (found === null) return command;
  const { words, ends } = found;
  const at = words.findIndex((word) => /^--?run$/.test(word));
  const joined = words.findIndex((word) => /^--?run=/.test(word));
  if (at < 0 && joined < 0) return command;
  const index = at < 0 ? joined : at + 1;
  const word = words[index];
  if (word === undefined) return command;
  const [, option = '', chosen = ''] = /^(--?run=)?(.*)$/s.exec(word) ?? [];
  const plain = literal(chosen);
  // A slash parts the patterns of tests and of their subtests.
  if (plain === null || plain.includes('/')) return command;
  const end = ends[index]!;
  const start = end - word.length;
  return `${command.slice(0, start)}${option}${shellWord(`${plain}|${pattern}`)}${command.slice(end)}`;
}

/** What the shell makes of a word; null where that is not known here. */
function literal(word: string): string | null {
  const single = /^'([^']*)'$/.exec(word)?.[1];
  if (single !== undefined) return single;
  const plain = /^"([^"\\`]*)"$/.exec(word)?.[1] ?? word;
  return /["'\\`]|\$[\w({]/.test(plain) ? null : plain;
}

/** Whether a line is one `go test` without packages, which the instance's packages complete. */
export function isOpenCommand(line: string): boolean {
  const found = lastTest(line);
  return found?.words.every((word) => word.startsWith('-')) === true;
}

/** The packages that a line's `go test` names; empty: it names none. */
export function namedPackages(line: string): string[] {
  const { words } = lastTest(line) ?? { words: [] };
  return words.filter(
    (word, at) =>
      /^[\w.]/.test(word) &&
      !/^--?(?:run|timeout|count|p|parallel|tags|bench|cpu|o|skip|coverprofile|covermode|coverpkg|exec|ldflags|gcflags)$/.test(
        words[at - 1] ?? '',
      ),
  );
}
