/**
 * Reads a row's columns into the types that an instance has. Datasets differ in their forms (lists as JSON text or as
 * Python's repr, numbers for versions, null for absent text), so all tolerated forms are decided here. The first
 * problem is kept and reading goes on, so formats need no checks of their own.
 */
import { isFields, parsedJson } from '../basics/json.ts';
import type { BadRow } from '../schemas/instance.ts';
import { parsePythonLiteral } from './python-literal.ts';
import { badRow, type NumberedRow, type RawRow } from './row.ts';

export class Columns {
  readonly row: RawRow;
  private readonly line: number;
  private problem: { field: string; message: string } | null = null;

  constructor({ line, row }: NumberedRow) {
    this.line = line;
    this.row = row;
  }

  /** Notes a problem with the row; only the first one counts. */
  reject(field: string, message: string): void {
    this.problem ??= { field, message };
  }

  /** The bad row, when there was a problem. */
  bad(): BadRow | null {
    if (this.problem === null) return null;
    return badRow(this.line, this.row.instance_id, this.problem.field, this.problem.message);
  }

  /** Text that must be there and not be blank. */
  text(field: string): string {
    const text = this.optionalText(field);
    if (text === null) this.reject(field, this.row[field] === '' ? 'is empty' : 'is missing');
    else if (text.trim() === '') this.reject(field, 'is empty');
    return text ?? '';
  }

  /** Text, or null when there is none; a number is taken as its text. */
  optionalText(field: string): string | null {
    const value = this.row[field];
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
    this.reject(field, `must be text, is ${typeName(value)}`);
    return null;
  }

  /** Names of tests: a list, or a list as JSON or Python text. */
  tests(field: string, alias: string, missing = 'is missing'): string[] {
    const name = this.row[field] === undefined && this.row[alias] !== undefined ? alias : field;
    const value = this.row[name];
    if (value === undefined || value === null) {
      this.reject(field, missing);
      return [];
    }
    const list = typeof value === 'string' ? parseList(value) : value;
    if (isTexts(list)) return list;
    this.reject(name, `must be a list of test names, ${whyNoTexts(value, list)}`);
    return [];
  }

  /** A list of texts, also one text alone or a list as JSON or Python text; null when there is none. */
  texts(field: string, within: RawRow = this.row, shown = field): string[] | null {
    const value = within[field];
    if (value === undefined || value === null || value === '') return null;
    if (isTexts(value)) return value;
    if (typeof value === 'string') {
      const list = /^\s*[[(]/.test(value) ? parseList(value) : undefined;
      return isTexts(list) ? list : [value];
    }
    this.reject(shown, `must be text or a list of texts, is ${typeName(value)}`);
    return null;
  }

  /** An object, also as JSON text; null when there is none. */
  object(field: string): RawRow | null {
    const value = this.row[field];
    if (value === undefined || value === null || value === '') return null;
    const object = typeof value === 'string' ? parsedJson(value) : value;
    if (isFields(object)) return object;
    this.reject(field, `must be an object, is ${typeName(value)}`);
    return null;
  }

  /** A unified diff; '' only where it may be absent. */
  diff(field: string, required: boolean): string {
    const text = this.optionalText(field);
    if (text === null || text.trim() === '') {
      if (required) this.reject(field, text === null && this.row[field] !== '' ? 'is missing' : 'is empty');
      return '';
    }
    if (!DIFF.test(text)) this.reject(field, 'is not a unified diff');
    return text;
  }
}

/** A git header, or the two lines with a file's names. */
const DIFF = /^(?:diff --git \S|--- \S.*\n\+\+\+ \S)/m;

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`.replace('a object', 'an object');
}

function parseList(text: string): unknown {
  return parsedJson(text) ?? parsePythonLiteral(text);
}

/** Why a value is no list of texts. `list`: what it holds when it is itself text. */
function whyNoTexts(value: unknown, list: unknown): string {
  if (!Array.isArray(list)) return `is ${typeof value === 'string' ? 'other text' : typeName(value)}`;
  const at = list.findIndex((member) => typeof member !== 'string');
  return `item ${at + 1} is ${typeName(list[at])}`;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((member) => typeof member === 'string');
}
