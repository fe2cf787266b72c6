/** Reads shell text: quotes words, and finds where words, simple commands and statements end. */

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** A word that bash reads back unchanged. */
export function shellWord(text: string): string {
  return PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Words of a command line, quotes kept, each with its place; ends at the first operator, comment or newline. */
export interface ShellWord {
  text: string;
  end: number;
}

/** The simple command that starts at `from`: its words and where it ends. */
export function simpleCommand(line: string, from: number): { words: ShellWord[]; end: number } {
  const words: ShellWord[] = [];
  let at = from;
  while (at < line.length) {
    const char = line[at] as string;
    if (char === ' ' || char === '\t') at++;
    else if (isOperator(char) || char === '#') break;
    else {
      const end = wordEnd(line, at);
      const text = line.slice(at, end);
      // `2>&1`: the digits belong to the redirection behind them.
      if (/^\d+$/.test(text) && (line[end] === '>' || line[end] === '<')) break;
      words.push({ text, end });
      at = end;
    }
  }
  return { words, end: at };
}

/** The simple commands of a line, in order. */
export function simpleCommands(line: string): { words: ShellWord[]; end: number }[] {
  const commands: { words: ShellWord[]; end: number }[] = [];
  for (let at = 0; at < line.length; ) {
    if (line[at] === '#') {
      const newline = line.indexOf('\n', at);
      at = newline < 0 ? line.length : newline;
    }
    const command = simpleCommand(line, at);
    if (command.words.length > 0) commands.push(command);
    at = Math.max(command.end, at + 1);
  }
  return commands;
}

/** Words behind `>` and `>>`: the files that a line writes itself. */
export function writtenBy(line: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < line.length; ) {
    const target = /^>[>|]?[ \t]*/.exec(line.slice(at))?.[0];
    const start = at + (target ?? '').length;
    const end = wordEnd(line, start);
    if (target !== undefined && end > start) found.push(line.slice(start, end));
    at = Math.max(end, start, at + 1);
  }
  return found;
}

export interface Statement {
  text: string;
  /** `&&`, `||` or `;` before it; empty for the first. */
  joint: string;
}

/** A command line taken apart at `&&`, `||` and `;`; pipelines stay whole. */
export function statements(line: string): Statement[] {
  const found: Statement[] = [];
  let [start, joint] = [0, ''];
  for (let at = 0; at < line.length; ) {
    const next = /^(?:&&|\|\||;)/.exec(line.slice(at, at + 2))?.[0];
    if (next === undefined) at = Math.max(wordEnd(line, at), at + 1);
    else {
      found.push({ text: line.slice(start, at).trim(), joint });
      at += next.length;
      [start, joint] = [at, next];
    }
  }
  found.push({ text: line.slice(start).trim(), joint });
  return found;
}

function isOperator(char: string): boolean {
  return ';|&<>()\n'.includes(char);
}

function wordEnd(line: string, from: number): number {
  let at = from;
  while (at < line.length) {
    const char = line[at] as string;
    if (char === ' ' || char === '\t' || isOperator(char)) break;
    if (char === '\\') at += 2;
    else if (char === "'") at = closing(line, at, "'");
    else if (char === '"') at = closingDouble(line, at);
    else at++;
  }
  return Math.min(at, line.length);
}

function closing(line: string, from: number, quote: string): number {
  const end = line.indexOf(quote, from + 1);
  return end < 0 ? line.length : end + 1;
}

function closingDouble(line: string, from: number): number {
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === '"') return at + 1;
  }
  return line.length;
}
