/**
 * npm’s registry: `PACKAGE` for what there is of a package, `PACKAGE/VERSION` for one version or tag, `PACKAGE/-/FILE` for an archive.
 * npm’s settings on this machine say which registry has a package, and with which credentials. Builds see no credentials.
 */
import { fault, type Result, success } from '../../../basics/result.ts';
import { infra } from '../../../schemas/outcome.ts';
import { type NpmSettings, npmSettings } from '../../npm/settings.ts';
import {
  type Answer,
  absent,
  type Fetched,
  fileAnswer,
  jsonAnswer,
  type Refusal,
  refused,
} from '../answer.ts';
import { dayOf, momentOf } from '../as-of.ts';
import type { Dialect, IndexRequest, OpenDialect, Reporter } from '../dialect.ts';
import type { FileDigest, Files } from '../files.ts';
import { OwnTimes } from '../own-times.ts';
import { NpmPackages, npmConnection } from './packages.ts';
import {
  ABBREVIATED,
  abbreviated,
  type Packument,
  type PackumentVersion,
  packumentAsOf,
  timeOf,
  versionOfTarball,
  withOwnTarballs,
} from './packument.ts';

const NAME = '(?:@[a-z0-9~._-]+/)?[a-z0-9~._-]+';
const PACKAGE = new RegExp(`^(${NAME})$`, 'i');
const FILE = new RegExp(`^(${NAME})/-/([^/]+)$`, 'i');
const NAME_AND_VERSION = new RegExp(`^(${NAME})/([^/]+)$`, 'i');

/** Versions known to be older than `before`. A mirror that says otherwise gives its own times. */
const OLD = [
  { name: 'inherits', version: '1.0.0', before: '2013-01-01' },
  { name: 'abbrev', version: '1.0.3', before: '2013-01-01' },
];

export const npmDialect: Dialect = {
  name: 'npm',

  client: (url) => ({
    variables: {
      npm_config_registry: `${url}/`,
      // Lock files name the registry that they were made with.
      npm_config_replace_registry_host: 'always',
      // Questions that no installation needs.
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    },
    files: {},
    prelude: '',
  }),

  open(env, { documents, files, reports }) {
    const settings = npmSettings(env);
    const connection = npmConnection(settings);
    const packages = new NpmPackages(settings, documents(connection));
    return new NpmRegistry(settings, packages, files(connection), reports);
  },
};

class NpmRegistry implements OpenDialect {
  readonly #ownTimes = new OwnTimes();

  constructor(
    private readonly settings: Pick<NpmSettings, 'registryOf'>,
    private readonly packages: NpmPackages,
    private readonly files: Files,
    private readonly reports: Reporter,
  ) {}

  async serve(request: IndexRequest): Promise<Answer> {
    const { path, base, accept } = request;
    const [, name] = PACKAGE.exec(path) ?? [];
    if (name !== undefined) {
      const isShort = accept.includes(ABBREVIATED);
      const read = await this.#packument(name, request, isShort);
      if (!read.ok) return refused(read.fault);
      const shown = isShort ? abbreviated(read.value.value) : read.value.value;
      return jsonAnswer({ ...read.value, value: withOwnTarballs(shown, name, base) });
    }
    const [, owner, file] = FILE.exec(withoutBase(path, base)) ?? [];
    if (owner !== undefined) return this.#file(owner, file!, request);
    const [, one, version] = NAME_AND_VERSION.exec(path) ?? [];
    if (one === undefined) return refused(absent('no package has this name'));
    const read = await this.#packument(one, request, false);
    if (!read.ok) return refused(read.fault);
    const whole = withOwnTarballs(read.value.value, one, base);
    const found = whole.versions[whole['dist-tags']?.[version!] ?? version!];
    if (found === undefined) return refused(this.#lacks(one, version!, request, null));
    return jsonAnswer({ ...read.value, value: found });
  }

  async versions(name: string, asOf: string | null) {
    const read = await this.#packument(name, { asOf, moment: asOf === null ? null : momentOf(asOf) }, true);
    if (read.ok) return success(Object.keys(read.value.value.versions));
    return read.fault.isFault ? fault(infra('package-index', read.fault.detail)) : success([]);
  }

  async #file(name: string, file: string, request: IndexRequest): Promise<Answer> {
    const read = await this.#packument(name, request, true);
    if (!read.ok) return refused(read.fault);
    const version = versionOfTarball(read.value.value, name, file);
    if (version === null) {
      const whole = await this.packages.get(name, true);
      const later = whole.ok ? versionOfTarball(whole.value.value, name, file) : null;
      const at = whole.ok && later !== null ? timeOf(whole.value.value, later) : null;
      return refused(this.#lacks(name, later ?? file, request, at));
    }
    const { dist } = read.value.value.versions[version]!;
    const got = await this.files.get({ url: dist.tarball, digest: digestOf(dist) });
    if (got.ok) return fileAnswer(got.value);
    if (!got.fault.isFault) this.#lacks(name, version, request, null);
    return refused(got.fault);
  }

  /** The packument at `moment`; a refusal if the package had no version then. */
  async #packument(
    name: string,
    { asOf, moment }: Pick<IndexRequest, 'asOf' | 'moment'>,
    isShort: boolean,
  ): Promise<Result<Fetched<Packument>, Refusal>> {
    // Only the whole document has times.
    const read = await this.packages.get(name, isShort && moment === null);
    if (!read.ok) {
      if (!read.fault.isFault) this.reports.missing(name, null, asOf, read.fault.detail);
      return read;
    }
    if (moment === null) return read;
    const own = await this.#ownTimes.of(this.settings.registryOf(name), OLD, async (old) => {
      const known = await this.packages.get(old.name, false);
      return known.ok ? success(timeOf(known.value.value, old.version)) : known;
    });
    if (!own.ok) return own;
    if (own.value !== null) {
      this.reports.note(name, asOf, own.value);
      return read;
    }
    const { packument, untimed, first } = packumentAsOf(read.value.value, moment);
    if (first !== null) {
      const why = `${name} had no version as of ${asOf}: its first is of ${dayOf(first)}`;
      this.reports.missing(name, null, asOf, why);
      return fault(absent(why));
    }
    const note = `the registry does not tell when ${untimed} of its versions came, so they are all shown`;
    this.reports.note(name, asOf, untimed === 0 ? null : note);
    return success({ ...read.value, value: packument });
  }

  #lacks(name: string, version: string, { asOf }: IndexRequest, at: number | null): Refusal {
    const why =
      at === null
        ? `npm’s registry has no ${name}@${version}`
        : `${name}@${version} is of ${dayOf(at)}, after ${asOf}`;
    this.reports.missing(name, version, asOf, why);
    return absent(why);
  }
}

/** With replace_registry_host, npm puts an address's whole path behind the registry's path, even if it begins with that. */
function withoutBase(path: string, base: string): string {
  const own = `${new URL(base).pathname.slice(1)}/`;
  return path.startsWith(own) ? path.slice(own.length) : path;
}

/** The strongest digest that the registry gives. */
function digestOf({ integrity = '', shasum }: PackumentVersion['dist']): FileDigest | null {
  for (const algorithm of ['sha512', 'sha256', 'sha1'] as const) {
    const found = integrity.split(/\s+/).find((one) => one.startsWith(`${algorithm}-`));
    if (found === undefined) continue;
    const base64 = found.slice(algorithm.length + 1).replace(/\?.*$/, '');
    return { algorithm, hex: Buffer.from(base64, 'base64').toString('hex') };
  }
  return shasum === undefined ? null : { algorithm: 'sha1', hex: shasum.toLowerCase() };
}
