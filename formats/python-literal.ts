/**
 * Reads Python literals: lists of test names in datasets are often what `repr` printed. Only literals are known,
 * nothing is ever run.
 */

export type PythonValue = string | number | boolean | null | PythonValue[] | { [key: string]: PythonValue };

/** The value that `text` denotes; undefined when it is not one literal of the kinds known here. */
export function parsePythonLiteral(text: string): PythonValue | undefined {
  const reader = new LiteralReader(text);
  try {
    return reader.whole();
  } catch (error) {
    if (error instanceof NotALiteral) return undefined;
    throw error;
  }
}

class NotALiteral extends Error {}

const MAX_DEPTH = 100;
const WORDS: Readonly<Record<string, PythonValue>> = { None: null, True: true, False: false };
const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

class LiteralReader {
  private at = 0;
  private depth = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  whole(): PythonValue {
    const value = this.value();
    this.space();
    if (this.at < this.text.length) throw new NotALiteral();
    return value;
  }

  private value(): PythonValue {
    this.space();
    const open = this.text[this.at];
    if (open === '[') return this.items(']').values;
    if (open === '{') return this.map();
    if (open === '(') {
      const { values, comma } = this.items(')');
      return values.length === 1 && !comma ? values[0]! : values;
    }
    const word = this.match(/(?:None|True|False)\b/y);
    if (word !== null) return WORDS[word]!;
    const number = this.match(/[+-]?(?:\d[\d_]*)(?:\.\d*)?(?:[eE][+-]?\d+)?/y);
    if (number !== null) return Number(number.replaceAll('_', ''));
    return this.strings();
  }

  private items(close: string): { values: PythonValue[]; comma: boolean } {
    this.enter();
    const values: PythonValue[] = [];
    let comma = false;
    while (!this.take(close)) {
      values.push(this.value());
      comma = this.take(',');
      if (!comma && this.peek() !== close) throw new NotALiteral();
    }
    this.depth--;
    return { values, comma };
  }

  private map(): PythonValue {
    this.enter();
    const members: [string, PythonValue][] = [];
    while (!this.take('}')) {
      const key = this.value();
      if (!this.take(':')) throw new NotALiteral();
      members.push([String(key), this.value()]);
      if (!this.take(',') && this.peek() !== '}') throw new NotALiteral();
    }
    this.depth--;
    return Object.fromEntries(members);
  }

  /** Neighbouring strings are one, as in Python. */
  private strings(): string {
    let whole = '';
    for (let count = 0; ; count++) {
      this.space();
      const start = this.match(/[rRuU]?(?:'''|"""|'|")/y);
      if (start === null) {
        if (count === 0) throw new NotALiteral();
        return whole;
      }
      whole += this.stringBody(start.replace(/^[rRuU]/, ''), /^[rR]/.test(start));
    }
  }

  private stringBody(quote: string, raw: boolean): string {
    let body = '';
    for (;;) {
      if (this.at >= this.text.length) throw new NotALiteral();
      if (this.text.startsWith(quote, this.at)) {
        this.at += quote.length;
        return body;
      }
      const character = this.text[this.at++]!;
      if (character === '\n' && quote.length === 1) throw new NotALiteral();
      if (character !== '\\') body += character;
      else body += raw ? `\\${this.text[this.at++] ?? ''}` : this.escape();
    }
  }

  private escape(): string {
    const code = this.match(/x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}/y);
    if (code !== null) {
      const point = Number.parseInt(code.slice(1), 16);
      if (point > 0x10ffff) throw new NotALiteral();
      return String.fromCodePoint(point);
    }
    const octal = this.match(/[0-7]{1,3}/y);
    if (octal !== null) return String.fromCharCode(Number.parseInt(octal, 8));
    const character = this.text[this.at++];
    if (character === undefined || character === 'N') throw new NotALiteral();
    return ESCAPES[character] ?? `\\${character}`;
  }

  private enter(): void {
    this.at++;
    if (++this.depth > MAX_DEPTH) throw new NotALiteral();
  }

  private space(): void {
    this.match(/\s+/y);
  }

  private peek(): string | undefined {
    this.space();
    return this.text[this.at];
  }

  private take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.at++;
    return true;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }
}
