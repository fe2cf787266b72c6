/** One request to a registry, and what its answer means to the client of the local index. */
import type { Response } from 'undici';
import { fault, type Result } from '../../basics/result.ts';
import type { SourceFault } from '../source/fault.ts';
import type { Http } from '../source/http.ts';
import { absent, type Connection, type Refusal } from './answer.ts';

export interface Asked {
  method?: 'GET' | 'HEAD';
  accept?: string;
  signal: AbortSignal;
}

/** Only 404 and 410 say that there is nothing; a registry that refuses in another way has not answered. */
export async function ask<T>(
  http: Http,
  { headersOf }: Connection,
  url: string,
  asked: Asked,
  use: (response: Response) => Promise<Result<T, SourceFault>>,
): Promise<Result<T, Refusal>> {
  let status: number | null = null;
  const got = await http.get(
    url,
    {
      ...asked,
      ...(headersOf === undefined ? {} : { headers: () => headersOf(url) }),
      refusal: (response) => {
        status = response.status;
        return null;
      },
    },
    use,
  );
  if (got.ok) return got;
  const { detail, reason } = got.fault;
  if (status === 404 || status === 410) return fault(absent(detail));
  if (reason === 'disk-full') return fault({ status: 507, detail, isFault: true });
  const isRefused = status !== null && status < 500 && status !== 429 && status !== 408;
  return fault({
    status: isRefused ? status! : 502,
    detail,
    isFault: true,
    isOfIndex: reason === 'package-index' && status === null,
  });
}
