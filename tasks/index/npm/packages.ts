/** What the registries of npm’s settings have of a package. */
import { fault, type Result, success } from '../../../basics/result.ts';
import { type NpmSettings, npmSettings } from '../../npm/settings.ts';
import { httpClient } from '../../source/http.ts';
import { absent, type Connection, type Fetched, type Refusal } from '../answer.ts';
import { Documents } from '../documents.ts';
import { ABBREVIATED, type Packument, parsePackument } from './packument.ts';

const WHOLE = 'application/json';

export class NpmPackages {
  constructor(
    private readonly settings: Pick<NpmSettings, 'registryOf'>,
    private readonly documents: Documents,
  ) {}

  /** `isShort`: the abbreviated form is enough, which has no times. */
  async get(name: string, isShort: boolean): Promise<Result<Fetched<Packument>, Refusal>> {
    const url = `${this.settings.registryOf(name)}/${name.replace('/', '%2f')}`;
    const accept = isShort ? `${ABBREVIATED}; q=1.0, ${WHOLE}; q=0.8` : WHOLE;
    const read = await this.documents.get(url, parsePackument, accept);
    if (!read.ok) return read;
    const { value, isNew } = read.value;
    return value === null
      ? fault(absent(`npm’s registry has no package ${name}`))
      : success({ value, isNew });
  }
}

/** How npm of this machine reaches its registries. */
export function npmConnection({ env, certificates, timeout, headersOf }: NpmSettings): Connection {
  return { env, certificates, timeout, headersOf };
}

/** For a question or two, outside of builds: one that is not answered at once is given up. */
export function askNpm(env: NodeJS.ProcessEnv, signal = new AbortController().signal): NpmPackages {
  const settings = npmSettings(env);
  const connection = npmConnection(settings);
  return new NpmPackages(
    settings,
    new Documents({ http: httpClient({ ...connection, tries: 1 }), connection, signal }),
  );
}
