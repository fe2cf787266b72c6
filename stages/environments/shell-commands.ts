/**
 * Takes apart commands that were written for building an image, as root and with conda. What a recipe has keys for
 * (Debian packages, activation) is taken out, and the rest stays bash. Commands of an image's build run in one shell,
 * those of a recipe each in its own. So commands that pass something on to the next are joined.
 */
import { type Statement, statements } from '../../basics/shell.ts';

export interface ImageCommands {
  /** Debian packages that the commands install. */
  system: string[];
  /** Bash commands for a recipe. */
  commands: string[];
  /** Commands without a counterpart in a recipe. */
  notes: string[];
}

/** Commands that make a virtual environment in a folder, and that activate it. */
const MAKES = /^python3? -m venv (\S+)$/;
const ENTERS = /^(?:source|\.)\s+(\S+)\/bin\/activate$/;

/** Splits what `commands` do. `inOneShell`: the recipe key runs its commands in one shell too. */
export function imageCommands(commands: readonly string[], inOneShell = false): ImageCommands {
  const found: ImageCommands = { system: [], commands: [], notes: [] };
  const all = commands.map(parts);
  const entered = new Set(all.flat().map(({ text }) => ENTERS.exec(text)?.[1]));
  // Without its activation, such an environment is of no use.
  const isEntered = (text: string) => entered.has(MAKES.exec(text)?.[1] ?? '');
  for (const own of all) {
    const kept = own.filter(({ text }) => !takeOut(text, found) && !isEntered(text));
    const text = kept
      .map(({ text: one, joint }, index) =>
        index === 0 ? one : `${joint === ';' ? ';' : ` ${joint}`} ${one}`,
      )
      .join('');
    if (text !== '') found.commands.push(!inOneShell && isConditional(kept) ? tolerant(text) : text);
  }
  const system = [...new Set(found.system)];
  return { ...found, system, commands: inOneShell ? found.commands : joined(found.commands) };
}

/** Notes what the part means for a recipe; true when it must not stay as a command. */
function takeOut(part: string, { system, notes }: ImageCommands): boolean {
  const bare = part.replace(/^(?:sudo\s+|[A-Z_]+=\S*\s+)*/, '');
  const apt = /^apt(?:-get)?\s+(?:-\S+\s+)*(\S+)(.*)$/s.exec(bare);
  if (apt !== null) {
    if (apt[1] === 'install')
      system.push(...apt[2]!.split(/\s+/).filter((word) => /^[a-z0-9][a-z0-9+.-]+$/.test(word)));
    return true;
  }
  if (bare === '' || /^(?:source|\.)\s+\S*\bactivate\b|^conda activate\b|^hash -r$/.test(bare)) return true;
  if (/^conda\s/.test(bare)) notes.push(`conda has no counterpart: ${part}`);
  else if (/^pipx install\b/.test(bare))
    notes.push(`left out, as it installs outside of the environment: ${part}`);
  else if (/^git submodule\b/.test(bare))
    notes.push(`left out: name the folders that are needed under submodules: ${part}`);
  else if (/^git (?:remote|fetch)\b/.test(bare))
    notes.push(`left out, as the source is at its commit: ${part}`);
  else if (/(?:>+\s*|\s)\/(?:etc|usr|root)\/|^locale-gen\b/.test(bare))
    notes.push(`left out, as it changes the system: ${part}`);
  else return false;
  return true;
}

/** The simple commands of a line; a line whose `||` binds them together stays whole. */
function parts(command: string): Statement[] {
  const found = statements(command);
  const isBound = found.some(({ joint }) => joint === '||') || /^\s*\(/.test(command);
  if (!isBound) return found;
  return /^\s*git submodule/.test(command) ? found.slice(0, 1) : [{ text: command.trim(), joint: '' }];
}

/** `[ -f setup.py ] && sed …`: nothing is to be done where the condition does not hold. */
function isConditional(kept: readonly Statement[]): boolean {
  return kept.length > 1 && kept[1]!.joint === '&&' && /^(?:\[|test\s|grep -q)/.test(kept[0]!.text);
}

/** Fails where a script with `set -e` does, as images are built: when the last command of the list fails. */
function tolerant(text: string): string {
  return ['set -e', text, ':'].join('\n');
}

/** Assignments, exports and `cd` mean something to the commands after them. */
function joined(commands: string[]): string[] {
  const passesOn = (command: string) => /^(?:export|cd|source)\s|^\w+=(?:"[^"]*"|'[^']*'|\S*)$/.test(command);
  return commands.length > 1 && commands.some(passesOn) ? [['set -e', ...commands].join('\n')] : commands;
}

/** The hosts that URLs in these commands name. */
export function hostsIn(commands: readonly string[]): string[] {
  return [...new Set(commands.flatMap((command) => command.match(/(?<=https?:\/\/)[\w.-]+/g) ?? []))];
}
