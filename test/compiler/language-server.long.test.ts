/**
 * The project's schema in a real editor's language server: yaml-language-server, which VS Code, Neovim, Helix and Zed run, is
 * installed from npm and asked over its protocol. https://github.com/redhat-developer/yaml-language-server
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';

const PACKAGE = 'yaml-language-server@1.19.2';
const SCHEMA = join(packageRoot(), 'schemas/editor.schema.json');

interface Message {
  id?: number;
  method?: string;
  params?: { uri?: string; diagnostics?: Found[]; items?: unknown[] };
  result?: unknown;
}
interface Found {
  message: string;
  range: { start: { line: number } };
}

/** The server over its standard input and output. */
class Server {
  readonly #process: ChildProcess;
  #bytes = Buffer.alloc(0);
  #next = 1;
  readonly #answers = new Map<number, (result: unknown) => void>();
  readonly #told = new Map<string, (found: Found[]) => void>();
  readonly #schemas: Record<string, string>;

  constructor(folder: string) {
    this.#schemas = { [pathToFileURL(SCHEMA).href]: '*.yaml' };
    const program = join(folder, 'node_modules/yaml-language-server/bin/yaml-language-server');
    this.#process = spawn(process.execPath, [program, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#process.stdout!.on('data', (bytes: Buffer) => this.#read(bytes));
  }

  #read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const head = this.#bytes.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#bytes.toString('latin1', 0, head))![1]);
      if (this.#bytes.length < head + 4 + length) return;
      const message = JSON.parse(this.#bytes.toString('utf8', head + 4, head + 4 + length)) as Message;
      this.#bytes = this.#bytes.subarray(head + 4 + length);
      this.#take(message);
    }
  }

  #take({ id, method, params, result }: Message): void {
    if (method === 'textDocument/publishDiagnostics') this.#told.get(params!.uri!)?.(params!.diagnostics!);
    else if (method !== undefined && id !== undefined) {
      // It asks for its settings, one answer for each section.
      const yaml = {
        validate: true,
        completion: true,
        hover: true,
        schemas: this.#schemas,
        schemaStore: { enable: false },
      };
      this.#send({
        id,
        result:
          method === 'workspace/configuration'
            ? params!.items!.map((_, index) => (index === 0 ? yaml : {}))
            : null,
      });
    } else if (id !== undefined) this.#answers.get(id)?.(result);
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#process.stdin!.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  ask<T>(method: string, params: object): Promise<T> {
    const id = this.#next++;
    const answer = new Promise<T>((resolve) => this.#answers.set(id, resolve as (result: unknown) => void));
    this.#send({ id, method, params });
    return answer;
  }

  tell(method: string, params: object): void {
    this.#send({ method, params });
  }

  /** Opens a file with this text, and gives what the server finds in it. */
  open(name: string, text: string): Promise<Found[]> {
    const uri = uriOf(name);
    const found = new Promise<Found[]>((resolve) => this.#told.set(uri, resolve));
    this.tell('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } });
    return found;
  }

  end(): void {
    this.#process.kill();
  }
}

const uriOf = (name: string) => `file:///editor/${name}`;

let server: Server | null = null;
beforeAll(async () => {
  const folder = temporaryFolder();
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, PACKAGE], {
      stdio: 'pipe',
    });
  } catch {
    console.warn(
      `the schema is not tried in a language server: npm's registry has no ${PACKAGE}, or does not answer`,
    );
    return;
  }
  server = new Server(folder);
  await server.ask('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: {
      workspace: { configuration: true },
      textDocument: { hover: { contentFormat: ['markdown'] } },
    },
  });
  server.tell('initialized', {});
  server.tell('workspace/didChangeConfiguration', { settings: {} });
}, 300_000);
afterAll(() => server?.end());

describe('an editor', () => {
  test('shows what is wrong, in its line', async (context) => {
    if (server === null) return context.skip();
    const found = await server.open(
      'wrong.yaml',
      'version: 1\nname: a\ndataset:\n  train: { source: rows.jsonl, fromat: mutation }\nagent:\n  type: bsh\n  rollouts: many\n',
    );
    const lines = found.map(({ message, range }) => [range.start.line, message] as const);
    expect(lines).toContainEqual([3, expect.stringContaining('fromat')]);
    expect(lines.filter(([line]) => line === 5)).not.toEqual([]);
    expect(lines.filter(([line]) => line === 6)).not.toEqual([]);
    expect(lines.filter(([line]) => ![3, 5, 6].includes(line))).toEqual([]);
  }, 60_000);

  test('finds nothing wrong in a project that check accepts', async (context) => {
    if (server === null) return context.skip();
    const text = readFileSync(join(packageRoot(), 'projects/quickstart.yaml'), 'utf8');
    // The modeline of a project names the schema of its own version.
    expect(await server.open('quickstart.yaml', text.replace(/^# yaml-language-server:.*\n/, ''))).toEqual(
      [],
    );
  }, 60_000);

  test('completes keys and values, and shows what a key means', async (context) => {
    if (server === null) return context.skip();
    const name = 'new.yaml';
    await server.open(name, 'version: 1\nname: a\n\nagent:\n  type: \n  rollouts: 2\n');
    const at = (line: number, character: number) => ({
      textDocument: { uri: uriOf(name) },
      position: { line, character },
    });
    const labels = async (line: number, character: number) => {
      const answer = await server!.ask<{ items: { label: string }[] }>(
        'textDocument/completion',
        at(line, character),
      );
      return answer.items.map(({ label }) => label);
    };
    expect(await labels(2, 0)).toEqual(
      expect.arrayContaining(['dataset', 'environments', 'deployments', 'trainer']),
    );
    expect(await labels(4, 8)).toEqual(expect.arrayContaining(['bash', 'tools', 'oracle']));
    const hover = await server.ask<{ contents: { value: string } } | null>('textDocument/hover', at(5, 4));
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as { definitions: Record<string, unknown> };
    expect(JSON.stringify(schema)).toContain('rollouts');
    expect(hover!.contents.value).toMatch(/rollouts|samples/i);
  }, 60_000);
});
