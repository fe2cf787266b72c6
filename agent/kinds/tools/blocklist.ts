/** Refuses interactive programs: they wait for keys until their time limit. */
import { simpleCommand } from '../../../basics/shell.ts';

/** Beginnings of commands, word by word. */
const INTERACTIVE = ['vim', 'vi', 'emacs', 'nano', 'nohup', 'gdb', 'less', 'tail -f'];

/** Interactive when nothing follows. */
const ALONE = ['python', 'python3', 'ipython', 'bash', 'sh', '/bin/bash', '/bin/sh', 'su'];

/** Why the command is not run, in a sentence; null when it may run. */
export function blockedReason(command: string): string | null {
  const text = command.trim();
  const words = simpleCommand(text, 0).words.map((word) => word.text);
  const found =
    INTERACTIVE.find((program) => program.split(' ').every((word, at) => words[at] === word)) ??
    ALONE.find((program) => text === program);
  if (found === undefined) return null;
  return `"${found}" needs somebody at the keyboard and is not available; use a command that ends by itself.`;
}
