/**
 * Reads a request's body field by field. What is wrong is noted once, with the name of its field, and reading goes
 * on with an empty value: so a reader is straight code, and no body makes it throw.
 */
import { type Fields, isFields } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ToolDefinition } from '../policy.ts';

/** No request of an agent is nested this deeply, and JSON of some thousand levels cannot be written. */
const DEEPEST = 256;

export class Reading {
  readonly leftOut = new Set<string>();
  #wrong: string | null = null;

  /** Notes that `field` is wrong. The first such note is the fault of the whole. */
  wrong(field: string, what: string): void {
    this.#wrong ??= `${field} ${what}`;
  }

  leaveOut(sentence: string): void {
    this.leftOut.add(sentence);
  }

  /** The body itself. */
  body(value: unknown): Fields {
    if (!isDeeper(value, DEEPEST)) return this.fields(value, 'the body');
    this.wrong('the body', `is nested more than ${DEEPEST} levels deep`);
    return {};
  }

  fields(value: unknown, field: string): Fields {
    if (isFields(value)) return value;
    this.wrong(field, 'must be an object');
    return {};
  }

  /** Absent and null: an empty list. */
  list(value: unknown, field: string): unknown[] {
    if (Array.isArray(value)) return value;
    if (!isAbsent(value)) this.wrong(field, 'must be a list');
    return [];
  }

  /** A list with at least one element. */
  filled(value: unknown, field: string): unknown[] {
    const list = this.list(value, field);
    if (list.length === 0) this.wrong(field, 'must be a list that is not empty');
    return list;
  }

  text(value: unknown, field: string): string {
    if (typeof value === 'string') return value;
    this.wrong(field, 'must be text');
    return '';
  }

  /** Absent and null: the empty text. */
  optionalText(value: unknown, field: string): string {
    return isAbsent(value) ? '' : this.text(value, field);
  }

  /** Text, or a list of parts of which each gives its text. */
  textOrParts(value: unknown, field: string, textOf: (part: Fields, field: string) => string): string {
    if (typeof value === 'string') return value;
    if (isAbsent(value)) return '';
    if (!Array.isArray(value)) {
      this.wrong(field, 'must be text or a list of parts');
      return '';
    }
    return joined(
      value.map((part, at) => {
        if (typeof part === 'string') return part;
        return textOf(this.fields(part, `${field}[${at}]`), `${field}[${at}]`);
      }),
    );
  }

  /** What stands in a prompt for a part that is no text. */
  placeholder(type: unknown): string {
    const name = typeName(type);
    const what = name.includes('image') ? 'image' : name;
    this.leaveOut(`No template renders a part of type ${what}; a note stands in its place.`);
    return `[${what} left out]`;
  }

  /** A tool that the vendor itself runs, or one that has no form as a function. */
  foreignTool(type: unknown): void {
    this.leaveOut(`Tools of type ${typeName(type)} are the vendor's own; they are not offered.`);
  }

  /** A tool; its schema is one of any object where it has none. */
  tool(name: unknown, description: unknown, parameters: unknown, field: string): ToolDefinition {
    const named = this.text(name, `${field}.name`);
    if (named === '') this.wrong(`${field}.name`, 'must not be empty');
    return {
      name: named,
      description: this.optionalText(description, `${field}.description`),
      parameters: isAbsent(parameters)
        ? { type: 'object', properties: {} }
        : this.fields(parameters, `${field}'s schema`),
    };
  }

  result<T>(value: T): Result<T, string> {
    return this.#wrong === null ? success(value) : fault(this.#wrong);
  }
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** Parts of one text; empty ones say nothing. */
export function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

/** The name of a type, whatever was sent as one. */
export function typeName(type: unknown): string {
  return typeof type === 'string' && type !== '' ? type.slice(0, 40) : 'unknown';
}

/** A text, or null for all else. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Whether a value has more than so many levels. Without recursion, since the value may be hostile. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
