/** Walks through a text from mark to mark. JSON values are taken as they are written, so no number is rounded. */
import { parsedJson } from '../../../basics/json.ts';

export class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether only white space is left. */
  isAtEnd(): boolean {
    return this.#afterSpace() >= this.#text.length;
  }

  /** What a pattern with the flag `y` matches here, after white space. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#afterSpace();
    const match = pattern.exec(this.#text);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }

  takeMark(mark: string): boolean {
    const at = this.#afterSpace();
    if (!this.#text.startsWith(mark, at)) return false;
    this.#at = at + mark.length;
    return true;
  }

  /** The text before the first of these marks, which is next; all that is left if there is none. */
  before(...marks: readonly string[]): string {
    const found = marks.map((mark) => this.#text.indexOf(mark, this.#at)).filter((at) => at >= 0);
    const to = Math.min(this.#text.length, ...found);
    const text = this.#text.slice(this.#at, to);
    this.#at = to;
    return text;
  }

  /** The text before a mark, which is passed; null: there is none. */
  until(mark: string): string | null {
    const to = this.#text.indexOf(mark, this.#at);
    if (to < 0) return null;
    const text = this.#text.slice(this.#at, to);
    this.#at = to + mark.length;
    return text;
  }

  /** A JSON value; null: there is none, or one that is not complete. */
  takeJson(): string | null {
    const from = this.#afterSpace();
    const to = endOfValue(this.#text, from);
    const value = this.#text.slice(from, to);
    if (parsedJson(value) === undefined) return null;
    this.#at = to;
    return value;
  }

  #afterSpace(): number {
    let at = this.#at;
    while (/\s/.test(this.#text[at] ?? '')) at++;
    return at;
  }
}

/** The members of a JSON object by their names, as they are written. */
export function membersOf(json: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  const cursor = new Cursor(json);
  cursor.takeMark('{');
  for (let name = cursor.takeJson(); name !== null; name = cursor.takeJson()) {
    cursor.takeMark(':');
    members.set(String(parsedJson(name)), cursor.takeJson() ?? '');
    cursor.takeMark(',');
  }
  return members;
}

/** The elements of a JSON list, as they are written. */
export function elementsOf(json: string): string[] {
  const elements: string[] = [];
  const cursor = new Cursor(json);
  cursor.takeMark('[');
  for (let each = cursor.takeJson(); each !== null; each = cursor.takeJson()) {
    elements.push(each);
    cursor.takeMark(',');
  }
  return elements;
}

/** Where the value that begins at `from` ends, if the text is sound there. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') at = endOfString(text, at) - 1;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (depth === 0 && /[\s,:]/.test(char)) return at;
    if (depth < 0) return at;
    if (depth === 0 && '"}]'.includes(char)) return at + 1;
  }
  return text.length;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
