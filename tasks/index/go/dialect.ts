/**
 * Go's module proxies, with `golang.org/toolchain`, which holds the releases of Go. Queries are answered as of a day: lists, `@latest`, and what
 * a version, branch or commit is (`.info`). An exact version is known from a `go.mod` of that day, so its `.mod` and `.zip` are given
 * without a question for its time. Checksum databases are passed on where a proxy does so.
 */
import { open } from 'node:fs/promises';
import { mapLimit } from '../../../basics/map-limit.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import { infra } from '../../../schemas/outcome.ts';
import { isPageFile } from '../../source/web-page.ts';
import { type Answer, absent, type Fetched, jsonAnswer, type Refusal, refused, unasked } from '../answer.ts';
import { dayOf, momentOf } from '../as-of.ts';
import { usualConnection } from '../connection.ts';
import type { Dialect, IndexRequest, OpenDialect, Reporter } from '../dialect.ts';
import type { Documents } from '../documents.ts';
import type { Files } from '../files.ts';
import {
  type AskedModule,
  escaped,
  isExact,
  latestOf,
  type ModuleInfo,
  parseInfo,
  parseList,
  parseModulePath,
  timeOfInfo,
  unescaped,
} from './proxy.ts';
import { goProxies } from './settings.ts';

/** Versions whose times are asked for at the same time. */
const AT_ONCE = 16;

const TYPES = { mod: 'text/plain; charset=utf-8', zip: 'application/zip' };

type When = Pick<IndexRequest, 'asOf' | 'moment'>;

export const goDialect: Dialect = {
  name: 'go',

  client: (url) => ({
    // What go.sum says is compared all the same.
    variables: { GOPROXY: url, GONOPROXY: 'none', GOPRIVATE: '', GOSUMDB: 'off' },
    files: {},
    prelude: '',
  }),

  open(env, { documents, files, reports }) {
    const connection = usualConnection(env);
    return new GoProxy(goProxies(env), documents(connection), files(connection), reports);
  },
};

class GoProxy implements OpenDialect {
  constructor(
    private readonly proxies: readonly string[],
    private readonly documents: Documents,
    private readonly files: Files,
    private readonly reports: Reporter,
  ) {}

  async serve(request: IndexRequest): Promise<Answer> {
    const asked = parseModulePath(request.path);
    if (asked === null) return refused(absent('no path of a module proxy'));
    if (asked.kind === 'sums') return this.#sums(asked.path);
    const answer = await this.#module(asked, request);
    if (answer.kind === 'refused' && !answer.isFault) {
      const version = 'version' in asked ? unescaped(asked.version) : null;
      this.reports.missing(unescaped(asked.module), version, request.asOf, answer.detail);
    }
    return answer;
  }

  async versions(name: string, asOf: string | null) {
    const moment = asOf === null ? null : momentOf(asOf);
    const list = await this.#list(escaped(name), { asOf, moment });
    if (list.ok) return success(list.value.value);
    return list.fault.isFault ? fault(infra('package-index', list.fault.detail)) : success([]);
  }

  async #module(asked: Exclude<AskedModule, { kind: 'sums' }>, when: When): Promise<Answer> {
    switch (asked.kind) {
      case 'list': {
        const list = await this.#list(asked.module, when);
        if (!list.ok) return refused(list.fault);
        const { value, isNew } = list.value;
        return { kind: 'body', type: TYPES.mod, body: value.map((one) => `${one}\n`).join(''), isNew };
      }
      case 'latest':
        return answerOf(await this.#latest(asked.module, when));
      case 'info':
        return answerOf(await this.#info(asked.module, asked.version, when));
      default:
        return this.#file(asked.module, asked.version, asked.kind);
    }
  }

  async #list(module: string, { moment }: When): Promise<Result<Fetched<string[]>, Refusal>> {
    const list = await this.#first(`${module}/@v/list`, parseList);
    if (!list.ok || moment === null) return list;
    const times = await mapLimit(list.value.value, AT_ONCE, async (version) => {
      const info = await this.#anyInfo(module, version);
      if (info.ok) return success(timeOfInfo(info.value.value));
      // A version that its proxy lists and does not give cannot be installed.
      return info.fault.isFault ? info : success(Number.POSITIVE_INFINITY);
    });
    const lost = times.find((time) => !time.ok);
    if (lost !== undefined && !lost.ok) return lost;
    const isThere = (at: number) => {
      const time = times[at]!;
      return time.ok && (time.value === null || time.value < moment);
    };
    return success({ ...list.value, value: list.value.value.filter((_, at) => isThere(at)) });
  }

  async #latest(module: string, when: When): Promise<Result<Fetched<ModuleInfo>, Refusal>> {
    const { asOf, moment } = when;
    if (moment === null) {
      const today = await this.#first(`${module}/@latest`, parseInfo);
      if (today.ok || today.fault.isFault) return today;
    }
    const list = await this.#list(module, when);
    if (!list.ok) return list;
    const latest = latestOf(list.value.value);
    if (latest !== null) return this.#anyInfo(module, latest);
    if (moment === null) return fault(absent(`${unescaped(module)} has no version`));
    // A module without versions is as new as its newest commit, and a proxy knows no other.
    const today = await this.#first(`${module}/@latest`, parseInfo);
    if (today.ok && (timeOfInfo(today.value.value) ?? moment) < moment) return today;
    if (!today.ok && today.fault.isFault) return today;
    return fault(absent(`${unescaped(module)} had no version as of ${asOf}`));
  }

  async #info(
    module: string,
    version: string,
    { asOf, moment }: When,
  ): Promise<Result<Fetched<ModuleInfo>, Refusal>> {
    const info = await this.#anyInfo(module, version);
    if (!info.ok || moment === null) return info;
    const time = timeOfInfo(info.value.value);
    if (time === null || time < moment) return info;
    const name = `${unescaped(module)}@${unescaped(version)}`;
    return fault(absent(`${name} is of ${dayOf(time)}, after ${asOf}`));
  }

  #anyInfo(module: string, version: string): Promise<Result<Fetched<ModuleInfo>, Refusal>> {
    return this.#first(`${module}/@v/${version}.info`, parseInfo);
  }

  async #file(module: string, version: string, kind: 'mod' | 'zip'): Promise<Answer> {
    const name = `${unescaped(module)}@${unescaped(version)}`;
    if (!isExact(unescaped(version))) return refused(absent(`${name} is no exact version`));
    const shape = kind === 'zip' ? { isWhole: isZip } : { fits: isNoPage };
    const got = await this.#eachProxy(`no module proxy has ${name}`, (proxy) =>
      this.files.get({
        url: `${proxy}/${module}/@v/${version}.${kind}`,
        digest: null,
        ...shape,
      }),
    );
    if (!got.ok) return refused(got.fault);
    return { kind: 'file', type: TYPES[kind], path: got.value.value, isNew: got.value.isNew };
  }

  async #sums(path: string): Promise<Answer> {
    const got = await this.#first(path, (bytes) => bytes);
    if (!got.ok) return refused(got.fault);
    return { kind: 'body', type: 'application/octet-stream', body: got.value.value, isNew: got.value.isNew };
  }

  /** A document of the first proxy that has it. */
  #first<T>(path: string, parse: (bytes: Buffer) => T | null): Promise<Result<Fetched<T>, Refusal>> {
    return this.#eachProxy(`no module proxy has ${unescaped(path)}`, async (proxy) => {
      const got = await this.documents.get(`${proxy}/${path}`, parse);
      if (!got.ok) return got;
      const { value, isNew } = got.value;
      return value === null ? fault(absent('')) : success({ value, isNew });
    });
  }

  async #eachProxy<T>(
    lacks: string,
    askOne: (proxy: string) => Promise<Result<T, Refusal>>,
  ): Promise<Result<T, Refusal>> {
    if (this.proxies.length === 0) return fault(unasked('GOPROXY names no module proxy'));
    for (const proxy of this.proxies) {
      const got = await askOne(proxy);
      if (got.ok || got.fault.isFault) return got;
    }
    return fault(absent(lacks));
  }
}

function answerOf(got: Result<Fetched<ModuleInfo>, Refusal>): Answer {
  return got.ok ? jsonAnswer(got.value) : refused(got.fault);
}

const isNoPage = async (path: string) => !(await isPageFile(path));

/** Bytes at the end of an archive in which its directory's end begins. */
const ZIP_END = 65_557;

/** An archive that broke off has no end of its directory. */
async function isZip(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.min(size, ZIP_END));
    await handle.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1') >= 0;
  } finally {
    await handle.close();
  }
}
