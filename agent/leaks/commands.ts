/**
 * Reads shell text of an agent for leak reports: simple commands with unquoted words, their here-documents, the files
 * that they write, and their working folder. Text inside a here-document or a string is data, so a note about `git
 * fetch` does not count as a call of it.
 */

export interface ShellCommand {
  /** The program and its arguments; assignments and wrappers such as `sudo` or `timeout 5` are taken off. */
  words: string[];
  /** Text of a here-document. */
  input: string;
  /** Targets of `>` and `>>`. */
  writes: string[];
  /** Working folder after an earlier `cd` of the same text; null: there was no `cd`. */
  cwd: string | null;
}

/** How many commands are read inside of each other; deeper text, which no shell script has, would overflow the stack. */
const MAX_DEPTH = 50;

/** The simple commands of `text`, those in `$(…)`, `bash -c` and `eval` included. `depth`: how many commands it is inside of. */
export function shellCommands(text: string, depth = 0): ShellCommand[] {
  const reader = new ShellReader(text, depth);
  reader.read();
  let cwd: string | null = null;
  const found: ShellCommand[] = [];
  for (const raw of reader.commands) {
    const words = unwrapped(raw.words);
    if (words.length === 0) continue;
    const inner = depth < MAX_DEPTH ? innerText(words, raw.input) : null;
    if (inner !== null)
      found.push(...shellCommands(inner, depth + 1).map((one) => ({ ...one, cwd: one.cwd ?? cwd })));
    else found.push({ ...raw, words, cwd });
    if (words[0] === 'cd' && words[1] !== undefined) cwd = inFolder(words[1], cwd);
  }
  return found;
}

/** `path` as seen from `cwd`. */
export function inFolder(path: string, cwd: string | null): string {
  return path.startsWith('/') || cwd === null ? path : `${cwd.replace(/\/$/, '')}/${path}`;
}

/** Programs that only start another one, with a pattern of their own words before it. */
const WRAPPERS: Record<string, RegExp> = {
  sudo: /^-/,
  env: /^-|=/,
  time: /^-/,
  timeout: /^-|^\d/,
  nohup: /^-/,
  exec: /^-/,
  command: /^-/,
  nice: /^-|^\d/,
  xargs: /^-|^\d+$/,
  stdbuf: /^-/,
};
const KEYWORDS = new Set(['if', 'then', 'else', 'elif', 'do', 'while', 'until', '!', '{', 'for']);

function unwrapped(words: readonly string[]): string[] {
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at]!;
    if (KEYWORDS.has(word) || /^[A-Za-z_]\w*=/.test(word)) continue;
    const own = WRAPPERS[word];
    if (own === undefined) break;
    while (at + 1 < words.length && own.test(words[at + 1]!)) at += 1;
  }
  const [program = '', ...rest] = words.slice(at);
  return program === '' ? [] : [program.replace(/^\/(?:usr\/)?(?:local\/)?bin\//, ''), ...rest];
}

/** The script of `bash -c TEXT`, of `eval` and of a shell that reads a here-document. */
function innerText(words: readonly string[], input: string): string | null {
  if (words[0] === 'eval') return words.slice(1).join(' ');
  if (!/^(?:ba|da|z|k)?sh$/.test(words[0]!)) return null;
  const flag = words.findIndex((word) => /^-\w*c$/.test(word));
  if (flag > 0) return words[flag + 1] ?? null;
  return input === '' ? null : input;
}

class ShellReader {
  readonly commands: Omit<ShellCommand, 'cwd'>[] = [];
  readonly #text: string;
  readonly #depth: number;
  #at = 0;
  #words: string[] = [];
  #word: string | null = null;
  #writes: string[] = [];
  #waiting: { end: string; indented: boolean; command: { input: string } }[] = [];
  #current = { words: this.#words, input: '', writes: this.#writes };

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  read(): void {
    while (this.#at < this.#text.length) this.#next();
    this.#endCommand();
  }

  #next(): void {
    const char = this.#text[this.#at]!;
    const rest = this.#text.slice(this.#at, this.#at + 2);
    if (rest === '\\\n') this.#at += 2;
    else if (char === '\\') this.#add(this.#text[this.#at + 1] ?? '', 2);
    else if (char === "'") this.#quoted(this.#text.indexOf("'", this.#at + 1));
    else if (char === '"') this.#doubleQuoted();
    else if (rest === '$(' || char === '`') this.#substitution();
    else if (char === '#' && this.#word === null) this.#at = this.#lineEnd();
    else if (char === ' ' || char === '\t' || char === '\r') this.#endWord(1);
    else if (char === '\n') this.#newline();
    else if (char === '<' || char === '>') this.#redirection();
    else if (';&|()'.includes(char)) this.#operator();
    else this.#add(char, 1);
  }

  #add(text: string, length: number): void {
    this.#word = (this.#word ?? '') + text;
    this.#at += length;
  }

  #quoted(end: number): void {
    const stop = end < 0 ? this.#text.length : end;
    this.#add(this.#text.slice(this.#at + 1, stop), stop - this.#at + 1);
  }

  #doubleQuoted(): void {
    let text = '';
    let at = this.#at + 1;
    for (; at < this.#text.length && this.#text[at] !== '"'; at += 1) {
      if (this.#text[at] === '\\' && '"\\$`'.includes(this.#text[at + 1] ?? '')) at += 1;
      text += this.#text[at] ?? '';
    }
    this.#inner(text);
    this.#add(text, at - this.#at + 1);
  }

  /** Commands inside `$(…)` of a double-quoted text run too. */
  #inner(text: string): void {
    for (const [, inside] of text.matchAll(/\$\(([^()]*)\)/g)) this.#nested(inside!);
  }

  #substitution(): void {
    const isTick = this.#text[this.#at] === '`';
    const start = this.#at + (isTick ? 1 : 2);
    let end = start;
    for (let depth = 1; end < this.#text.length; end += 1) {
      const char = this.#text[end]!;
      if (isTick ? char === '`' : char === ')' && --depth === 0) break;
      if (!isTick && char === '(') depth += 1;
    }
    this.#nested(this.#text.slice(start, end));
    this.#add(this.#text.slice(this.#at, end + 1), end + 1 - this.#at);
  }

  #nested(text: string): void {
    if (this.#depth === MAX_DEPTH) return;
    const reader = new ShellReader(text, this.#depth + 1);
    reader.read();
    this.commands.push(...reader.commands);
  }

  #redirection(): void {
    const found = /^(?:<<<|<<-?|>>|>\||>&|<&|[<>])[ \t]*/.exec(this.#text.slice(this.#at))!;
    const operator = found[0].trim();
    // `2>`: the digit belongs to the redirection.
    if (this.#word !== null && /^[\d&]$/.test(this.#word)) this.#word = null;
    this.#endWord(found[0].length);
    const target = /^(?:'[^']*'|"[^"]*"|[^\s;&|()<>])+/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#at += target.length;
    const plain = target.replaceAll(/['"\\]/g, '');
    if (operator === '<<' || operator === '<<-')
      this.#waiting.push({ end: plain, indented: operator === '<<-', command: this.#current });
    else if (operator === '<<<') this.#current.input += plain;
    else if (operator.startsWith('>') && operator !== '>&') this.#writes.push(plain);
  }

  #operator(): void {
    // `&>` is a redirection.
    if (this.#text.startsWith('&>', this.#at)) {
      this.#at += 1;
      return;
    }
    this.#endWord(1);
    this.#endCommand();
  }

  #newline(): void {
    this.#endWord(1);
    for (const { end, indented, command } of this.#waiting.splice(0)) {
      while (this.#at < this.#text.length) {
        const stop = this.#lineEnd();
        const line = this.#text.slice(this.#at, stop);
        this.#at = stop + 1;
        if ((indented ? line.trimStart() : line).trimEnd() === end) break;
        command.input += `${line}\n`;
      }
    }
    this.#endCommand();
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end < 0 ? this.#text.length : end;
  }

  #endWord(length: number): void {
    if (this.#word !== null) this.#words.push(this.#word);
    this.#word = null;
    this.#at += length;
  }

  #endCommand(): void {
    if (this.#word !== null) this.#endWord(0);
    if (this.#words.length > 0 || this.#writes.length > 0) this.commands.push(this.#current);
    this.#words = [];
    this.#writes = [];
    this.#current = { words: this.#words, input: '', writes: this.#writes };
  }
}
