/**
 * Repositories in Maven's layout. `maven-metadata.xml`, by which ranges and plugins without a version are resolved, is cut at the day: a version
 * is as old as its pom (`Last-Modified`). A build that names an exact version has it from a pom of that day, so files are given without a question
 * for their time.
 */
import { createHash } from 'node:crypto';
import { mapLimit } from '../../../basics/map-limit.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import { infra } from '../../../schemas/outcome.ts';
import { type Answer, absent, type Fetched, fileAnswer, type Refusal, refused, unasked } from '../answer.ts';
import { dayOf, momentOf } from '../as-of.ts';
import { usualConnection } from '../connection.ts';
import type { Dialect, IndexRequest, OpenDialect, Reporter } from '../dialect.ts';
import type { Documents } from '../documents.ts';
import type { Files } from '../files.ts';
import { OwnTimes } from '../own-times.ts';
import {
  type DatedVersion,
  lastUpdatedOf,
  metadataAsOf,
  parseArtifactPath,
  parseMetadata,
  pomOf,
  type Sidecar,
  versionsOf,
} from './metadata.ts';
import { mavenSettings } from './settings.ts';

/** Versions whose times are asked for at the same time. */
const AT_ONCE = 16;

/** Everybody knows when these came. */
const OLD = [
  { name: 'junit/junit', version: '4.8.2', before: '2012-01-01' },
  { name: 'commons-logging/commons-logging', version: '1.1.1', before: '2012-01-01' },
];

/** Maven knows no variable with a proxy, Java has properties for it, which Maven from 3.9 on reads when it is told. */
const PROXY_PRELUDE = [
  'if [ -n "${http_proxy:-}" ]; then',
  '  swemake_proxy=${http_proxy#*://}; swemake_proxy=${swemake_proxy##*@}; swemake_proxy=${swemake_proxy%%/*}',
  '  export MAVEN_OPTS="${MAVEN_OPTS:-} -Dhttp.proxyHost=${swemake_proxy%:*} -Dhttp.proxyPort=${swemake_proxy##*:} -Daether.connector.http.useSystemProperties=true"',
  'fi',
].join('\n');

type When = Pick<IndexRequest, 'asOf' | 'moment'>;

export const mavenDialect: Dialect = {
  name: 'maven',

  client: (url) => ({
    variables: {},
    files: {
      '.m2/settings.xml': `<settings>
  <mirrors>
    <mirror>
      <id>swemake</id>
      <mirrorOf>*</mirrorOf>
      <url>${url}</url>
    </mirror>
  </mirrors>
</settings>
`,
    },
    prelude: PROXY_PRELUDE,
  }),

  open(env, { documents, files, reports }) {
    const { repositories, logins } = mavenSettings(env);
    const headersOf = (url: string): Record<string, string> => {
      const login = [...logins].find(([base]) => url.startsWith(`${base}/`))?.[1];
      return login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
    };
    const connection = { ...usualConnection(env), headersOf };
    return new MavenRepository(repositories, documents(connection), files(connection), reports);
  },
};

class MavenRepository implements OpenDialect {
  readonly #ownTimes = new OwnTimes();

  constructor(
    private readonly repositories: readonly string[],
    private readonly documents: Documents,
    private readonly files: Files,
    private readonly reports: Reporter,
  ) {}

  async serve(request: IndexRequest): Promise<Answer> {
    const asked = parseArtifactPath(request.path);
    if (asked === null) return refused(absent('no path of a repository'));
    if (asked.kind === 'metadata') {
      const found = await this.#metadata(asked.folder, request);
      if (!found.ok) return refused(found.fault);
      const { value: text, isNew } = found.value;
      return asked.sidecar === null
        ? { kind: 'body', type: 'text/xml; charset=utf-8', body: text, isNew }
        : { kind: 'body', type: 'text/plain', body: hexOf(asked.sidecar, text), isNew };
    }
    const { path, sidecar } = asked;
    if (sidecar !== null) return this.#sidecar(`${path}.${sidecar}`);
    const got = await this.#file(path);
    if (got.ok) return fileAnswer(got.value);
    // Poms alone say that something is not there: jars of many kinds are asked for on the chance that there are some.
    if (!got.fault.isFault && path.endsWith('.pom')) {
      const [version = '', artifact = '', ...group] = path.split('/').slice(0, -1).reverse();
      this.reports.missing(
        `${group.reverse().join('.')}:${artifact}`,
        version,
        request.asOf,
        got.fault.detail,
      );
    }
    return refused(got.fault);
  }

  /** `name`: GROUP:ARTIFACT. */
  async versions(name: string, asOf: string | null) {
    const [group = '', artifact = ''] = name.split(':');
    const moment = asOf === null ? null : momentOf(asOf);
    const found = await this.#metadata(`${group.replaceAll('.', '/')}/${artifact}`, { asOf, moment });
    if (found.ok) return success(versionsOf(found.value.value));
    return found.fault.isFault ? fault(infra('package-index', found.fault.detail)) : success([]);
  }

  async #metadata(folder: string, { asOf, moment }: When): Promise<Result<Fetched<string>, Refusal>> {
    const all = await this.#each(`no repository has metadata of ${folder}`, async (repository) => {
      const got = await this.documents.get(`${repository}/${folder}/maven-metadata.xml`, parseMetadata);
      if (!got.ok) return got;
      const { value, isNew } = got.value;
      return value === null ? fault(absent('')) : success({ value, isNew, repository });
    });
    if (!all.ok || moment === null) return all;
    const { value: text, repository } = all.value;
    const name = folder.replaceAll('/', '.').replace(/\.([^.]*)$/, ':$1');
    const versions = versionsOf(text);
    if (versions.length === 0) {
      const updated = lastUpdatedOf(text);
      if (!folder.endsWith('-SNAPSHOT') || updated === null || updated < moment) return all;
      const why = `${folder} was built on ${dayOf(updated)}, after ${asOf}, and its earlier builds are unknown`;
      this.reports.missing(name, null, asOf, why);
      return fault(absent(why));
    }
    const own = await this.#ownTimes.of(repository, OLD, (old) =>
      this.documents.modified(`${repository}/${pomOf(old.name, old.version)}`),
    );
    if (!own.ok) return own;
    if (own.value !== null) {
      this.reports.note(name, asOf, own.value);
      return all;
    }
    const dated = await this.#times(repository, folder, versions);
    if (!dated.ok) return dated;
    const there = dated.value.filter(({ at }) => at === null || at < moment);
    if (there.length === 0) {
      const times = dated.value.map(({ at }) => at!);
      const first =
        times.length === 0 ? 'no version has a pom' : `its first is of ${dayOf(Math.min(...times))}`;
      const why = `${name} had no version as of ${asOf}: ${first}`;
      this.reports.missing(name, null, asOf, why);
      return fault(absent(why));
    }
    const untimed = there.filter(({ at }) => at === null).length;
    const note = `the registry does not tell when ${untimed} of its versions came, so they are all shown`;
    this.reports.note(name, asOf, untimed === 0 ? null : note);
    return success({ ...all.value, value: metadataAsOf(text, there) });
  }

  /** A version without a pom cannot be used. */
  async #times(
    repository: string,
    folder: string,
    versions: readonly string[],
  ): Promise<Result<DatedVersion[], Refusal>> {
    const times = await mapLimit(versions, AT_ONCE, async (version) => {
      const at = await this.documents.modified(`${repository}/${pomOf(folder, version)}`);
      if (at.ok) return success({ version, at: at.value });
      return at.fault.isFault ? at : success(null);
    });
    const lost = times.find((time) => !time.ok);
    if (lost !== undefined && !lost.ok) return lost;
    return success(times.flatMap((time) => (time.ok && time.value !== null ? [time.value] : [])));
  }

  #file(path: string): Promise<Result<Fetched<string>, Refusal>> {
    return this.#each(`no repository has ${path.slice(path.lastIndexOf('/') + 1)}`, async (repository) => {
      const url = `${repository}/${path}`;
      const sum = await this.documents.get(`${url}.sha1`, parseSha1);
      if (!sum.ok) return sum;
      const { value: hex } = sum.value;
      return this.files.get({ url, digest: hex === null ? null : { algorithm: 'sha1', hex } });
    });
  }

  async #sidecar(path: string): Promise<Answer> {
    const got = await this.#each(`no repository has ${path}`, async (repository) => {
      const found = await this.documents.get(`${repository}/${path}`, (bytes) => bytes);
      if (!found.ok) return found;
      const { value, isNew } = found.value;
      return value === null ? fault(absent('')) : success({ value, isNew });
    });
    if (!got.ok) return refused(got.fault);
    return { kind: 'body', type: 'text/plain', body: got.value.value, isNew: got.value.isNew };
  }

  async #each<T>(
    lacks: string,
    askOne: (repository: string) => Promise<Result<T, Refusal>>,
  ): Promise<Result<T, Refusal>> {
    if (this.repositories.length === 0)
      return fault(unasked('settings.xml names no repository that is reached by HTTP'));
    for (const repository of this.repositories) {
      const got = await askOne(repository);
      if (got.ok || got.fault.isFault) return got;
    }
    return fault(absent(lacks));
  }
}

function hexOf(algorithm: Sidecar, text: string): string {
  return createHash(algorithm).update(text).digest('hex');
}

/** Some have the file's name behind it. */
function parseSha1(bytes: Buffer): string | null {
  return /^\s*([0-9a-f]{40})\b/i.exec(bytes.toString('latin1'))?.[1]?.toLowerCase() ?? null;
}
