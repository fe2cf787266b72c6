/**
 * The index of crates.io in its sparse form, and its archives: `config.json`, `PR/EF/CRATE`, and `dl/CRATE/VERSION/download`. A version that is
 * yanked today counts as yanked on every day.
 */
import { fault, type Result, success } from '../../../basics/result.ts';
import { infra } from '../../../schemas/outcome.ts';
import {
  type Answer,
  absent,
  type Fetched,
  jsonAnswer,
  type Refusal,
  refused,
  unlikeRegistry,
} from '../answer.ts';
import { dayOf, momentOf } from '../as-of.ts';
import { usualConnection } from '../connection.ts';
import type { Dialect, IndexRequest, OpenDialect, Reporter } from '../dialect.ts';
import type { Documents } from '../documents.ts';
import type { Files } from '../files.ts';
import { OwnTimes } from '../own-times.ts';
import { cargoSettings } from './settings.ts';
import {
  archiveUrl,
  type CrateVersion,
  crateOf,
  isCrate,
  parseConfig,
  parseCrate,
  pathOf,
} from './sparse.ts';

/** Everybody knows when these came. */
const OLD = [
  { name: 'libc', version: '0.1.0', before: '2016-01-01' },
  { name: 'log', version: '0.1.0', before: '2016-01-01' },
];

type When = Pick<IndexRequest, 'asOf' | 'moment'>;

export const cratesDialect: Dialect = {
  name: 'crates',

  client: (url) => ({
    // Only files and options of commands can put it in the place of crates.io.
    variables: { CARGO_REGISTRIES_SWEMAKE_INDEX: `sparse+${url}/` },
    files: {
      '.cargo/config.toml': [
        '[source.crates-io]',
        'replace-with = "swemake"',
        '[registries.swemake]',
        `index = "sparse+${url}/"`,
        '',
      ].join('\n'),
    },
    prelude: '',
  }),

  open(env, { documents, files, reports }) {
    const { index, cainfo } = cargoSettings(env);
    const connection = usualConnection(env, cainfo);
    return new CratesIndex(index, documents(connection), files(connection), reports);
  },
};

class CratesIndex implements OpenDialect {
  readonly #ownTimes = new OwnTimes();

  constructor(
    private readonly index: string,
    private readonly documents: Documents,
    private readonly files: Files,
    private readonly reports: Reporter,
  ) {}

  async serve(request: IndexRequest): Promise<Answer> {
    const { path, base } = request;
    if (path === 'config.json') return jsonAnswer({ value: { dl: `${base}/dl` }, isNew: false });
    const [, name, version] = /^dl\/([^/]+)\/([^/]+)\/download$/.exec(path) ?? [];
    if (name !== undefined && isCrate(name)) return this.#archive(name, version!, request);
    const crate = crateOf(path);
    if (crate === null) return refused(absent('no path of an index of crates'));
    const found = await this.#versions(crate, request);
    if (!found.ok) return refused(found.fault);
    const body = found.value.value.map(({ line }) => `${line}\n`).join('');
    return { kind: 'body', type: 'text/plain; charset=utf-8', body, isNew: found.value.isNew };
  }

  async versions(name: string, asOf: string | null) {
    const moment = asOf === null ? null : momentOf(asOf);
    const found = isCrate(name) ? await this.#versions(name, { asOf, moment }) : fault(absent(name));
    if (found.ok) return success(found.value.value.map(({ version }) => version));
    return found.fault.isFault ? fault(infra('package-index', found.fault.detail)) : success([]);
  }

  async #archive(name: string, version: string, when: When): Promise<Answer> {
    const found = await this.#versions(name, when);
    if (!found.ok) return refused(found.fault);
    const isWanted = (one: CrateVersion) => one.version === version;
    const wanted = found.value.value.find(isWanted);
    if (wanted === undefined) {
      const all = await this.#all(name);
      const at = all.ok ? (all.value.value.find(isWanted)?.at ?? null) : null;
      const why =
        at === null
          ? `the index of crates has no ${name} ${version}`
          : `${name} ${version} is of ${dayOf(at)}, after ${when.asOf}`;
      this.reports.missing(name, version, when.asOf, why);
      return refused(absent(why));
    }
    const config = await this.documents.get(`${this.index}/config.json`, parseConfig);
    if (!config.ok) return refused(config.fault);
    if (config.value.value === null) return refused(unlikeRegistry(`${this.index}: it has no config.json`));
    const url = archiveUrl(config.value.value, wanted);
    const got = await this.files.get({ url, digest: { algorithm: 'sha256', hex: wanted.sha256 } });
    if (!got.ok) return refused(got.fault);
    return { kind: 'file', type: 'application/gzip', path: got.value.value, isNew: got.value.isNew };
  }

  /** As there were; refused where there were none. */
  async #versions(name: string, { asOf, moment }: When): Promise<Result<Fetched<CrateVersion[]>, Refusal>> {
    const all = await this.#all(name);
    if (!all.ok) {
      if (!all.fault.isFault) this.reports.missing(name, null, asOf, all.fault.detail);
      return all;
    }
    if (moment === null) return all;
    const own = await this.#ownTimes.of(this.index, OLD, async (old) => {
      const known = await this.#all(old.name);
      if (!known.ok) return known;
      return success(known.value.value.find(({ version }) => version === old.version)?.at ?? null);
    });
    if (!own.ok) return own;
    const versions = all.value.value;
    const there = own.value === null ? versions.filter(({ at }) => at === null || at < moment) : versions;
    if (there.length === 0) {
      const first = Math.min(...versions.map(({ at }) => at!));
      const why = `${name} had no version as of ${asOf}: its first is of ${dayOf(first)}`;
      this.reports.missing(name, null, asOf, why);
      return fault(absent(why));
    }
    const untimed = there.filter(({ at }) => at === null).length;
    const note = `the registry does not tell when ${untimed} of its versions came, so they are all shown`;
    this.reports.note(name, asOf, own.value ?? (untimed === 0 ? null : note));
    return success({ ...all.value, value: there });
  }

  async #all(name: string): Promise<Result<Fetched<CrateVersion[]>, Refusal>> {
    const read = await this.documents.get(`${this.index}/${pathOf(name)}`, parseCrate);
    if (!read.ok) return read;
    const { value, isNew } = read.value;
    return value === null ? fault(absent(`the index of crates has no ${name}`)) : success({ value, isNew });
  }
}
