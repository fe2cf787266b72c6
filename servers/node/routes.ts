/** The routes of a node server: those of swe-rl's server, and further ones for workspaces. */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { loadavg } from 'node:os';
import type { Json } from '../../basics/canonical.ts';
import type {
  DiffRefused,
  ExecOptions,
  FileRefused,
  OpenOptions,
  Workspace,
  WorkspaceLost,
} from '../../executors/deployment.ts';
import { IdempotentAnswers } from '../http/idempotency.ts';
import { type Answer, type Call, NO_VERDICT, type Route, refusal } from '../http/route.ts';
import {
  answerOf,
  NAME,
  NEEDS,
  type Needs,
  OK,
  objectOf,
  PATH,
  SECONDS,
  secondsOf,
  TEXT,
  textOf,
  unmet,
  VARIABLES,
  variablesOf,
} from '../http/schema.ts';
import { ANSWERS, bodies, LARGE, LARGE_ENCODED, LAYER, layerRoute, metricsRoute } from '../http/work.ts';
import type { Backend, BackendFault } from './backend.ts';
import { endOf, runLogin } from './command.ts';
import type { Container, Containers, Full } from './container.ts';
import { evaluate, TRUST_ANY } from './evaluate.ts';
import type { LayerFolder } from './layers.ts';

export interface NodeParts {
  backend: Backend;
  containers: Containers;
  layers: LayerFolder;
  /** How containers are opened unless a request says otherwise. */
  options: OpenOptions;
  /** Characters of an evaluation's log. */
  keptLog: number;
  metrics(): string;
}

const MAX_OUTPUT = 64 << 20;
/** Whatever the repository's own settings say. */
const DIFF =
  'git diff --cached --binary --no-color --no-ext-diff --no-textconv --src-prefix=a/ --dst-prefix=b/';
const DIFF_FILE = '/tmp/.swemake-diff';
const ID_KEY = 'container_id';
const ID = objectOf({ [ID_KEY]: NAME }, [ID_KEY]);
const NO_ID = 'container_id is required';
const VIEW: Json = objectOf(
  {
    base: { type: ['object', 'null'] },
    layers: { type: 'array', items: LAYER },
    mounts: {
      type: 'array',
      items: objectOf({ layer: LAYER, name: NAME, to: PATH }, ['layer', 'name', 'to']),
    },
    links: { type: 'object', additionalProperties: TEXT },
    variables: VARIABLES,
    source: { type: ['string', 'null'], pattern: '^[0-9a-f]{64}$' },
  },
  ['layers', 'mounts', 'links', 'variables', 'source'],
);
const OPTIONS: Json = objectOf({
  limits: objectOf({
    memory: { type: 'number', exclusiveMinimum: 0 },
    pids: { type: 'integer', minimum: 1 },
    disk: { type: 'number', exclusiveMinimum: 0 },
    cpus: { type: 'number', exclusiveMinimum: 0 },
  }),
  network: { enum: ['off', 'host'] },
  storage: { enum: ['memory', 'disk'] },
});

export function nodeRoutes(parts: NodeParts): Route[] {
  return [...health(parts), ...lifecycle(parts), ...work(parts), ...files(parts)];
}

function health({ backend, containers, metrics }: NodeParts): Route[] {
  return [
    {
      method: 'get',
      path: '/healthz',
      access: 'open',
      summary: 'Whether containers can be opened here.',
      answer: answerOf({ running_containers: { type: 'string' }, backend: { type: 'string' } }),
      async run() {
        const health = await backend.health();
        if (!health.ok) return refusal(503, 'infra', health.fault.detail);
        return {
          json: { ok: true, running_containers: String(containers.all().length), backend: backend.name },
        };
      },
    },
    {
      method: 'get',
      path: '/images',
      access: 'open',
      summary: 'The images that are here.',
      answer: answerOf({ images: { type: 'array', items: { type: 'string' } }, count: { type: 'integer' } }),
      async run() {
        const images = await backend.images();
        if (!images.ok) return refusal(500, 'infra', images.fault.detail);
        return { json: { ok: true, images: images.value, count: images.value.length } };
      },
    },
    {
      method: 'get',
      path: '/status',
      access: 'token',
      summary: 'The containers that this server has open.',
      answer: answerOf({
        active_containers: { type: 'integer' },
        containers: { type: 'object' },
        max_containers: { type: 'integer' },
        backend: { type: 'string' },
        architecture: { type: 'string' },
        held: { type: 'object' },
        warnings: { type: 'array' },
        load: { type: 'array', items: { type: 'number' } },
      }),
      run: async () => ({ json: statusOf(backend, containers) }),
    },
    metricsRoute(metrics),
  ];
}

function statusOf(backend: Backend, containers: Containers): Record<string, unknown> {
  const listed = containers
    .all()
    .map(
      ({ id, name, image, owner, createdAt, busy }) =>
        [id, { name, image, owner, created_at: createdAt, busy }] as const,
    );
  return {
    ok: true,
    active_containers: listed.length,
    containers: Object.fromEntries(listed),
    max_containers: containers.most,
    backend: backend.name,
    architecture: process.arch,
    held: backend.held,
    warnings: backend.warnings(),
    load: loadavg(),
  };
}

function lifecycle({ backend, containers, layers, options }: NodeParts): Route[] {
  return [
    {
      method: 'post',
      path: '/container/create',
      access: 'token',
      summary: 'Opens a container that shows an image. The same name again gives the same container.',
      body: objectOf(
        {
          ...{ image: NAME, cwd: PATH, timeout: SECONDS, name: NAME, owner: TEXT },
          ...{ view: VIEW, options: OPTIONS, needs: NEEDS },
        },
        ['image'],
      ),
      required: 'image is required',
      answer: answerOf({ container_id: { type: 'string' }, name: { type: 'string' } }),
      async run({ body, signal }) {
        const own: Needs = { architecture: process.arch, backend: backend.name, held: backend.held };
        const unlike = body.needs === undefined ? null : unmet(own, body.needs as Needs);
        if (unlike !== null) return refusal(409, 'unsuitable', unlike, NO_VERDICT);
        const image = textOf(body.image);
        const wanted: OpenOptions = { ...options, ...(body.options as Partial<OpenOptions> | undefined) };
        const shown =
          body.view === undefined
            ? null
            : await layers.shown(body.view as Parameters<LayerFolder['shown']>[0]);
        if (shown !== null && 'missing' in shown)
          return refusal(409, 'layers_missing', 'layers must be sent first', {
            missing: shown.missing,
          });
        const made = await containers.create({
          name: body.name === undefined ? null : textOf(body.name),
          image,
          owner: textOf(body.owner),
          timeout: secondsOf(body.timeout, 120) * 1000,
          open: (stop) => {
            const all = stop === undefined ? wanted : { ...wanted, signal: stop };
            return shown === null
              ? backend.open(image, all)
              : backend.show(shown.environment, shown.source, all);
          },
        });
        if (!made.ok) return openFault(made.fault);
        const { id, name } = made.value;
        // No client knows of this container.
        if (signal.aborted && body.name === undefined) await containers.destroy(id);
        return { json: { ok: true, container_id: id, name } };
      },
    },
    {
      method: 'post',
      path: '/container/destroy',
      access: 'token',
      summary: 'Ends a container and whatever runs in it. One that is unknown is gone already.',
      body: ID,
      required: NO_ID,
      answer: OK,
      async run({ body }) {
        await containers.destroy(textOf(body.container_id));
        return { json: { ok: true } };
      },
    },
    {
      method: 'post',
      path: '/images/pull',
      access: 'token',
      summary: 'Gets an image, and names it as it is asked for.',
      body: objectOf({ image: NAME, as: NAME }, ['image']),
      required: 'image is required',
      answer: OK,
      async run({ body, signal }) {
        const image = textOf(body.image);
        const pulled = await backend.pull(image, textOf(body.as, image), signal);
        return pulled.ok ? { json: { ok: true } } : openFault(pulled.fault);
      },
    },
    layerRoute((digest, bytes) => layers.take(digest, bytes)),
  ];
}

function work({ containers, keptLog }: NodeParts): Route[] {
  const answers = new IdempotentAnswers();
  const inside = (call: Call, use: (container: Container) => Promise<Answer>) =>
    within(containers, call, use);
  return [
    {
      method: 'post',
      path: '/container/exec',
      access: 'token',
      summary:
        'Runs a command. `detail` runs it without a login shell, unless `login` asks for one, and tells its streams apart.',
      body: bodies.exec(ID_KEY),
      required: 'container_id and command are required',
      limit: LARGE,
      answer: ANSWERS.exec,
      run: (call) =>
        inside(call, (container) => answers.share(keyOf('exec', call), () => exec(container, call))),
    },
    {
      method: 'post',
      path: '/container/cancel',
      access: 'token',
      summary: 'Ends a command that runs with `detail` under a key; its own request is answered then.',
      body: bodies.cancel(ID_KEY),
      answer: OK,
      run: (call) =>
        inside(call, async ({ running }) => {
          running.get(textOf(call.body.idempotency_key))?.abort();
          return { json: { ok: true } };
        }),
    },
    {
      method: 'post',
      path: '/container/diff',
      access: 'token',
      summary: 'What was changed in a repository, as a patch.',
      body: bodies.diff(ID_KEY),
      required: NO_ID,
      answer: ANSWERS.diff,
      run: (call) => inside(call, (container) => diff(container, textOf(call.body.cwd, '/testbed'))),
    },
    {
      method: 'post',
      path: '/container/evaluate',
      access: 'token',
      summary: 'Applies a patch and runs a script, in an unused container: the given one, or one like it.',
      body: bodies.evaluate(ID_KEY),
      required: NO_ID,
      limit: LARGE,
      answer: ANSWERS.evaluate,
      run: (call) =>
        inside(call, (container) =>
          answers.share(keyOf('evaluate', call), () => evaluateIn(containers, container, call, keptLog)),
        ),
    },
  ];
}

function files({ containers }: NodeParts): Route[] {
  const inside = (call: Call, use: (container: Container) => Promise<Answer>) =>
    within(containers, call, use);
  return [
    {
      method: 'post',
      path: '/container/write',
      access: 'token',
      summary: 'Writes a file; its bytes come in base64.',
      body: bodies.write(ID_KEY),
      limit: LARGE_ENCODED,
      answer: OK,
      run: (call) =>
        inside(call, async (container) => {
          container.touched = true;
          const { path, bytes, mode } = call.body as { path: string; bytes: string; mode?: number };
          const written = await container.workspace.write(path, Buffer.from(bytes, 'base64'), mode);
          return written.ok ? { json: { ok: true } } : lost(written.fault);
        }),
    },
    {
      method: 'post',
      path: '/container/read',
      access: 'token',
      summary: 'Reads a file, in base64; null when nothing is there.',
      body: bodies.read(ID_KEY),
      answer: ANSWERS.read,
      run: (call) =>
        inside(call, async ({ workspace }) => {
          const read = await workspace.read(textOf(call.body.path));
          if (!read.ok) return lost(read.fault);
          const bytes = read.value === null ? null : Buffer.from(read.value).toString('base64');
          return { json: { ok: true, bytes } };
        }),
    },
    {
      method: 'post',
      path: '/container/end',
      access: 'token',
      summary: 'Ends every process in a container, which goes on.',
      body: ID,
      required: NO_ID,
      answer: OK,
      run: (call) =>
        inside(call, async ({ workspace }) => {
          const ended = await workspace.endProcesses();
          return ended.ok ? { json: { ok: true } } : lost(ended.fault);
        }),
    },
    {
      method: 'post',
      path: '/container/changes',
      access: 'token',
      summary:
        'What was written in a container, as an archive; what was removed is named in its first entry.',
      body: ID,
      required: NO_ID,
      answer: { type: 'string' },
      run: (call) =>
        inside(call, async ({ workspace }) => {
          const changes = await workspace.changes();
          if (!changes.ok) return lost(changes.fault);
          const { packTree } = await import('../../executors/pool/archive.ts');
          const { path, drop } = await packTree(changes.value.folder);
          const stream = createReadStream(path).once('close', drop);
          const removed = Buffer.from(JSON.stringify(changes.value.removed)).toString('base64');
          return { stream, headers: { 'content-type': 'application/x-tar', 'x-removed': removed } };
        }),
    },
  ];
}

async function within(
  containers: Containers,
  { body }: Call,
  use: (container: Container) => Promise<Answer>,
): Promise<Answer> {
  const container = containers.find(textOf(body.container_id));
  if (container === null)
    return refusal(404, 'unknown_container', 'this server has no such container', NO_VERDICT);
  container.busy += 1;
  try {
    return await use(container);
  } finally {
    container.busy -= 1;
  }
}

function keyOf(what: string, { body }: Call): string | null {
  return body.idempotency_key === undefined ? null : `${what} ${body.container_id} ${body.idempotency_key}`;
}

async function exec(container: Container, { body }: Call): Promise<Answer> {
  container.touched = true;
  const { workspace } = container;
  const timeout = secondsOf(body.timeout, 180);
  const options: ExecOptions = {
    cwd: textOf(body.cwd, '/testbed'),
    env: variablesOf(body.env),
    timeout,
    maxOutput: body.max_output === undefined ? MAX_OUTPUT : Number(body.max_output),
  };
  const command = textOf(body.command);
  if (body.detail === true) {
    // A request ends it. A closed connection does not: its client may ask again.
    const stop = new AbortController();
    const key = textOf(body.idempotency_key);
    container.running.set(key, stop);
    const login = body.login === true;
    const ran = await workspace.exec(command, { ...options, login, signal: stop.signal });
    container.running.delete(key);
    if (!ran.ok) return lost(ran.fault);
    const { returncode, output } = endOf(ran.value, timeout);
    return { json: { ok: true, returncode, output, result: { ...ran.value } } };
  }
  const ran = await runLogin(workspace, command, options);
  if (!ran.ok) {
    // The code inside ended its container. That is an answer, as with an engine.
    if (ran.fault.status === 'failed')
      return { json: { ok: true, returncode: 137, output: ran.fault.detail } };
    return lost(ran.fault);
  }
  const { returncode, output, truncated, durationMs } = ran.value;
  return {
    json: { ok: true, returncode, output, output_truncated: truncated, duration_ms: Math.round(durationMs) },
  };
}

async function diff({ workspace }: Container, cwd: string): Promise<Answer> {
  if (cwd === '/testbed') {
    const taken = await workspace.diff();
    if (taken.ok) return { json: { ok: true, patch: taken.value, returncode: 0, error: '' } };
    if (taken.fault.status !== 'refused') return lost(taken.fault);
    const { detail, end } = taken.fault;
    return { json: { ok: true, patch: '', returncode: end?.exitCode ?? 128, error: detail } };
  }
  const ran = await workspace.exec(`git add -A && ${DIFF} > ${DIFF_FILE}`, {
    ...{ cwd, env: TRUST_ANY, timeout: 300, maxOutput: MAX_OUTPUT },
  });
  if (!ran.ok) return lost(ran.fault);
  const { exitCode, stderr } = ran.value;
  if (exitCode !== 0) return { json: { ok: true, patch: '', returncode: exitCode ?? 137, error: stderr } };
  const read = await workspace.read(DIFF_FILE);
  if (!read.ok) return lost(read.fault);
  const bytes = Buffer.from(read.value ?? '');
  // A patch with other bytes in their place would not apply.
  if (!isUtf8(bytes)) return refusal(409, 'refused', `the diff of ${cwd} is no UTF-8 text`, NO_VERDICT);
  return { json: { ok: true, patch: bytes.toString(), returncode: 0, error: '' } };
}

async function evaluateIn(
  containers: Containers,
  container: Container,
  { body }: Call,
  kept: number,
): Promise<Answer> {
  const request = {
    patch: textOf(body.patch),
    script: textOf(body.eval_script),
    cwd: textOf(body.cwd, '/testbed'),
    timeout: secondsOf(body.timeout, 3600),
    kept,
    maxOutput: MAX_OUTPUT,
  };
  const work = (workspace: Workspace) => evaluate(workspace, request);
  const { touched } = container;
  container.touched = true;
  const made = touched ? await containers.withSibling(container, work) : await work(container.workspace);
  if (made.ok) return { json: { ...made.value, fresh_container: touched } };
  if (made.fault.status === 'no-image') return openFault(made.fault);
  if (made.fault.status === 'failed')
    return {
      json: {
        ok: true,
        resolved: false,
        outcome: 'unresolved',
        reward: 0,
        returncode: 137,
        output: made.fault.detail,
      },
    };
  return lost(made.fault);
}

function openFault(why: BackendFault | Full): Answer {
  if (why.status === 'no-image') return refusal(404, 'image_unavailable', why.detail, NO_VERDICT);
  if (why.status === 'full') return refusal(503, 'capacity_limited', why.detail, NO_VERDICT);
  const isLate = why.reason === 'cancelled';
  return refusal(isLate ? 504 : 503, isLate ? 'create_timeout' : 'infra', why.detail, {
    ...NO_VERDICT,
    reason: why.reason,
  });
}

function lost(why: WorkspaceLost | FileRefused | DiffRefused): Answer {
  if (why.status === 'refused') return refusal(409, 'refused', why.detail, { refused: why });
  if (why.status === 'failed') return refusal(410, 'lease_lost', why.detail, { ...NO_VERDICT, killed: why });
  return refusal(503, 'infra', why.detail, { ...NO_VERDICT, reason: why.reason });
}
