/**
 * The tool `str_replace_editor`, like the one that SWE-agent's models were trained with. An edit keeps the mode, the
 * tabs and the line ends of a file. Files with CRLF are shown and matched with plain line ends.
 */

import { type Result, success } from '../../../basics/result.ts';
import type { WorkspaceKilled } from '../../../executors/deployment.ts';
import type { Infra } from '../../../schemas/outcome.ts';
import { type ActionOutput, type Limit, toolOutput } from '../../action-handler.ts';
import type { Action } from '../../actions/action.ts';
import { clipped, lineAt, linesOf, numbered, snippet } from './editor-text.ts';
import type { Files, PathStatus } from './files.ts';

type ToolResult = Result<ActionOutput, Infra | WorkspaceKilled>;

/** Larger files are no source code. */
const LARGEST = 8 << 20;
const NEW_FILE_MODE = 0o644;

interface Text {
  /** With plain line ends. */
  content: string;
  crlf: boolean;
  mode: number;
}

/** A file's state before a change; null: it was not there. */
type Before = Text | null;

export class Editor {
  readonly #history = new Map<string, Before[]>();

  constructor(
    private readonly files: Files,
    private readonly cwd: string,
  ) {}

  /** Runs a call. Mistakes in it are reported to the model. */
  async run(given: Action['arguments'], limit: Limit): Promise<ToolResult> {
    const command = String(given.command);
    const path = String(given.path);
    if (!path.startsWith('/'))
      return refused(`The path must be absolute, and ${path} is not. Is it ${this.cwd}/${path}?`);
    const place = await this.files.look(path, limit);
    if (!place.ok) return place;
    if (command === 'create') return this.#create(path, given.file_text, place.value, limit);
    if (command === 'undo_edit') return this.#undo(path, limit);
    if (place.value.kind === 'none') return refused(`There is no ${path}.`);
    if (place.value.kind === 'folder') return this.#folder(command, path, given.view_range, limit);
    const text = await this.#read(path, place.value, limit);
    if (!text.ok) return text;
    if (text.value === null) return refused(`${path} is no text file that can be edited.`);
    if (command === 'view') return success(view(path, text.value.content, given.view_range));
    const change =
      command === 'insert'
        ? insertion(text.value.content, given)
        : replacement(path, text.value.content, given);
    if (typeof change === 'string') return refused(change);
    return this.#change(path, text.value, change, limit);
  }

  async #read(
    path: string,
    place: PathStatus,
    limit: Limit,
  ): Promise<Result<Text | null, Infra | WorkspaceKilled>> {
    if (place.kind !== 'file' || place.size > LARGEST) return success(null);
    const read = await this.files.read(path, limit);
    if (!read.ok) return read;
    if (read.value === null) return success(null);
    const crlf = read.value.includes('\r\n') && !/(^|[^\r])\n/.test(read.value);
    const content = crlf ? read.value.replaceAll('\r\n', '\n') : read.value;
    return success({ content, crlf, mode: place.mode });
  }

  async #folder(command: string, path: string, range: unknown, limit: Limit): Promise<ToolResult> {
    if (command !== 'view') return refused(`${path} is a folder, which can only be viewed.`);
    if (range !== undefined) return refused(`${path} is a folder: view it without view_range.`);
    const listed = await this.files.list(path.replace(/(.)\/+$/, '$1'), limit);
    if (!listed.ok) return listed;
    return success(toolOutput(`Two levels of ${path}, without what is hidden:\n${clipped(listed.value)}`));
  }

  async #create(path: string, text: unknown, place: PathStatus, limit: Limit): Promise<ToolResult> {
    if (typeof text !== 'string') return refused('create needs file_text.');
    if (place.kind !== 'none') return refused(`${path} exists already, and create replaces nothing.`);
    const written = await this.files.write(path, text, NEW_FILE_MODE, limit);
    if (!written.ok) return written;
    if (!written.value) return refused(`${path} cannot be written.`);
    this.#remember(path, null);
    return success(toolOutput(`File created: ${path}`));
  }

  async #change(path: string, before: Text, change: Change, limit: Limit): Promise<ToolResult> {
    const written = await this.#write(path, { ...before, content: change.content }, limit);
    if (!written.ok) return written;
    if (!written.value) return refused(`${path} cannot be written.`);
    this.#remember(path, before);
    const shown = snippet(change.content, change.line, change.lines);
    return success(
      toolOutput(
        `${path} has been edited. Its lines there (\`cat -n\`) are now:\n${shown}\nCheck that this is what you wanted: indentation, no line twice. Edit again if it is not.`,
      ),
    );
  }

  async #undo(path: string, limit: Limit): Promise<ToolResult> {
    const history = this.#history.get(path) ?? [];
    if (history.length === 0)
      return refused(`This tool has made no change of ${path} that it could take back.`);
    const before = history.at(-1)!;
    const undone =
      before === null ? await this.files.remove(path, limit) : await this.#write(path, before, limit);
    if (!undone.ok) return undone;
    if (undone.value === false) return refused(`${path} cannot be written.`);
    history.pop();
    if (before === null) return success(toolOutput(`${path} has been removed again.`));
    return success(
      toolOutput(
        `The last change of ${path} is taken back. It is now:\n${numbered(before.content.split('\n'))}`,
      ),
    );
  }

  #write(
    path: string,
    { content, crlf, mode }: Text,
    limit: Limit,
  ): Promise<Result<boolean, Infra | WorkspaceKilled>> {
    return this.files.write(path, crlf ? content.replaceAll('\n', '\r\n') : content, mode, limit);
  }

  #remember(path: string, before: Before): void {
    this.#history.set(path, [...(this.#history.get(path) ?? []), before]);
  }
}

/** The new content, the index of the first line that differs, and how many lines differ. */
interface Change {
  content: string;
  line: number;
  lines: number;
}

/** The change, or why there is none. */
function replacement(path: string, content: string, given: Action['arguments']): Change | string {
  if (typeof given.old_str !== 'string' || given.old_str === '') return 'str_replace needs old_str.';
  const old = plain(given.old_str);
  const replaced = plain(typeof given.new_str === 'string' ? given.new_str : '');
  if (old === replaced) return 'old_str and new_str are the same, so nothing would change.';
  const found = linesOf(content, old);
  if (found.length === 0)
    return `Nothing was replaced: ${path} does not hold old_str as it is written. Compare spaces and indentation with the file.`;
  if (found.length > 1)
    return `Nothing was replaced: old_str occurs ${found.length} times, on lines ${[...new Set(found)].map((line) => line + 1).join(', ')}. Add lines around it, so that it occurs once.`;
  const at = content.indexOf(old);
  const changed = content.slice(0, at) + replaced + content.slice(at + old.length);
  return { content: changed, line: lineAt(content, at), lines: replaced.split('\n').length };
}

function insertion(content: string, given: Action['arguments']): Change | string {
  if (typeof given.new_str !== 'string') return 'insert needs new_str.';
  const at = given.insert_line;
  if (typeof at !== 'number') return 'insert needs insert_line.';
  const lines = content.split('\n');
  if (at < 0 || at > lines.length) return `insert_line is ${at}; it must be from 0 to ${lines.length}.`;
  const added = plain(given.new_str).split('\n');
  return {
    content: [...lines.slice(0, at), ...added, ...lines.slice(at)].join('\n'),
    line: at,
    lines: added.length,
  };
}

function view(path: string, content: string, range: unknown): ActionOutput {
  const lines = content.split('\n');
  const [first, last] = (range as [number, number] | undefined) ?? [1, -1];
  const end = last === -1 ? lines.length : last;
  if (first < 1 || first > lines.length)
    return toolOutput(`view_range begins at ${first}; ${path} has lines 1 to ${lines.length}.`, 1);
  if (end < first || end > lines.length)
    return toolOutput(`view_range ends at ${last}; it must be from ${first} to ${lines.length}, or -1.`, 1);
  return toolOutput(`${path} (\`cat -n\`):\n${numbered(lines.slice(first - 1, end), first)}`);
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function refused(problem: string): ToolResult {
  return success(toolOutput(problem, 1));
}
