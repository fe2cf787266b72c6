/** What the parsers of machine formats share: plain lines of a log, and JSON amid other output. */
import { isFields, jsonObject } from '../basics/json.ts';
import { plainLine } from './pytest-line.ts';

/** The lines of a log without colours and carriage returns, one after the other: a log may hold megabytes. */
export function* plainLines(log: string): Generator<string> {
  for (let from = 0; from <= log.length; ) {
    const newline = log.indexOf('\n', from);
    const to = newline < 0 ? log.length : newline;
    yield plainLine(log.slice(from, to));
    from = to + 1;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The object that a line is; null when it is none. */
export function jsonLine(line: string): JsonObject | null {
  if (!line.startsWith('{') || !line.endsWith('}')) return null;
  return jsonObject<JsonObject>(line);
}

/** JSON objects amid other output: each in a line of its own, or from a line "{" to the next line "}". */
export function* jsonObjects(log: string): Generator<JsonObject> {
  for (const part of jsonParts(log)) if (typeof part !== 'string') yield part.object;
}

/** Its lines, and the objects among them with the lines that they were. */
function* jsonParts(log: string): Generator<string | { object: JsonObject; lines: string[] }> {
  let open: string[] = [];
  for (const line of plainLines(log)) {
    if (line === '{') {
      yield* open;
      open = [line];
    } else if (open.length === 0) {
      const object = jsonLine(line.trim());
      yield object === null ? line : { object, lines: [line] };
    } else {
      open.push(line);
      if (line !== '}') continue;
      const object = jsonLine(open.join('\n'));
      if (object === null) yield* open;
      else yield { object, lines: open };
      open = [];
    }
  }
  yield* open;
}

/** The log with `textOf` an object in its place, which may end within a line; null leaves the object as it is. */
export function withTexts(log: string, textOf: (object: JsonObject) => string | null): string {
  const texts: string[] = [];
  let isOpen = false;
  const add = (text: string) => {
    if (text === '') return;
    texts.push(text);
    isOpen = !text.endsWith('\n');
  };
  for (const part of jsonParts(log.endsWith('\n') ? log.slice(0, -1) : log)) {
    const text = typeof part === 'string' ? null : textOf(part.object);
    const lines = typeof part === 'string' ? part : part.lines.join('\n');
    add(text ?? `${isOpen ? '\n' : ''}${lines}\n`);
  }
  return texts.join('');
}

export function asObject(value: unknown): JsonObject | null {
  return isFields(value) ? value : null;
}

/** The objects of a list; none when it is no list. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter((one) => one !== null) : [];
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A path as an id has it: below the folder of the task's code. */
export function pathInId(path: string): string {
  const local = path.startsWith('file://') ? path.slice('file://'.length) : path;
  return local.startsWith(TESTBED) ? local.slice(TESTBED.length) : local;
}

const TESTBED = '/testbed/';

/** `file > describe > it`, without the parts that are not known. */
export function pathId(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' > ');
}

/** How runners write the time behind a title: ` (12 ms)`, ` (1.5s)`; Vitest ` 12ms`. */
export const TIME = / \(\d+(?:\.\d+)? ?m?s\)$/;
export const BARE_TIME = / \d+(?:\.\d+)?m?s$/;
/** A time in any form in which parsers of logs cut it off. */
const ANY_TIME = / (?:\(\d+(?:\.\d+)? ?m?s\)|\d+(?:\.\d+)? ?m?s)$/;

/** A title without the time behind it. Runners leave short times out, so that another form is the title's own. */
export function withoutDuration(title: string, time = ANY_TIME): string {
  const tail = title.slice(-40);
  const at = tail.search(time);
  return at < 0 ? title : title.slice(0, title.length - tail.length + at).trimEnd();
}
