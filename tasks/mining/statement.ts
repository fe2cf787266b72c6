/** The statement of a task that a commit makes: what its issue says, else its message. Pure. */
import { parsedJson } from '../../basics/json.ts';

export interface Message {
  subject: string;
  body: string;
}

/** Texts of issues by their numbers, and by commits. */
export type Issues = ReadonlyMap<string, string>;

/** Lines at the end of messages that are for tools. */
const TRAILER =
  /^(?:Signed-off-by|Co-authored-by|Reviewed-by|Acked-by|Tested-by|Change-Id|Reviewed-on|git-svn-id|Cc|\(cherry picked)\b.*$/i;
const MERGE = /^Merge (?:pull request|branch|branches|remote-tracking branch|tag|commit)\b/i;
const CLOSED = /\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):? +#(\d{1,9})\b/gi;
/** Words that a statement needs at least. */
const LEAST_WORDS = 4;

/** A whole message in its parts. */
export function messageOf(text: string): Message {
  const lines = text.replaceAll('\r', '').split('\n');
  const kept = lines.slice(1).filter((line) => !TRAILER.test(line.trim()));
  return { subject: lines[0]!.trim(), body: kept.join('\n').trim() };
}

/**
 * The text that the task begins with; null: nothing says what is to be done. `brought`: the messages of the commits that a merge brings,
 * the oldest first.
 */
export function statementOf(
  commit: string,
  message: Message,
  issues: Issues,
  brought: readonly Message[] = [],
): string | null {
  const issue =
    issues.get(commit) ??
    [message, ...brought]
      .flatMap(issueNumbers)
      .map((one) => issues.get(one))
      .find((one) => one !== undefined);
  const texts = [issue ?? ownWords(message), brought.map(ownWords).filter(saysSomething).join('\n\n')];
  return texts.find(saysSomething) ?? null;
}

/** "Fixes #12" says where, and not what. */
function saysSomething(text: string): boolean {
  return (
    text
      .replace(CLOSED, '')
      .split(/\s+/)
      .filter((word) => /\p{L}/u.test(word)).length >= LEAST_WORDS
  );
}

/** `Fixes #12` before other numbers: a subject ends with that of its pull request. */
export function issueNumbers({ subject, body }: Message): string[] {
  const text = `${subject}\n${body}`;
  const closed = [...text.matchAll(CLOSED)];
  const all = [...text.matchAll(/(?:^|[\s(])#(\d{1,9})\b/g)];
  return [...new Set([...closed, ...all].map(([, number]) => number!))];
}

/** Of a merge the subject says nothing, and the body has the title. */
function ownWords({ subject, body }: Message): string {
  const title = subject.replace(/\s*\(#\d+\)$/, '');
  return MERGE.test(subject) ? body : [title, body].filter((part) => part !== '').join('\n\n');
}

/**
 * Reads a file of issues: a JSON object of texts by number or commit, or lines of `{number | commit, title, body}`. A text
 * says what is wrong with it.
 */
export function readIssues(text: string): Issues | string {
  const whole = parsedJson(text);
  if (whole !== undefined) return issuesOf(whole);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rows = lines.map(parsedJson);
  return rows.includes(undefined) ? 'it is neither JSON nor JSON lines' : issuesOf(rows);
}

function issuesOf(value: unknown): Issues | string {
  if (typeof value !== 'object' || value === null) return 'it holds no object and no list';
  const found = new Map<string, string>();
  // One line alone is JSON as well.
  if ('title' in value || 'body' in value) return issuesOf([value]);
  if (!Array.isArray(value)) {
    for (const [key, text] of Object.entries(value)) {
      if (typeof text !== 'string') return `the value of "${key}" is no text`;
      found.set(key, text);
    }
    return found;
  }
  for (const [index, one] of value.entries()) {
    const { number, commit, title, body } = (one ?? {}) as Record<string, unknown>;
    const key = number ?? commit;
    const parts = [title, body].filter((part) => typeof part === 'string' && part !== '');
    if ((typeof key !== 'string' && typeof key !== 'number') || parts.length === 0)
      return `issue ${index + 1} needs number or commit, and title or body`;
    found.set(String(key), parts.join('\n\n'));
  }
  return found;
}
