/** The real server side of git behind HTTP, for tests. */
import { execFileSync, spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

/** The program; some systems package git without it. */
export const BACKEND = join(
  execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(),
  'git-http-backend',
);

/** Answers a request by the repositories below `root`. */
export function serveGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn(BACKEND, {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    },
  });
  request.pipe(child.stdin);
  const output: Buffer[] = [];
  child.stdout.on('data', (bytes) => output.push(bytes));
  child.on('close', () => {
    const whole = Buffer.concat(output);
    const end = whole.indexOf('\r\n\r\n');
    for (const line of whole.subarray(0, end).toString().split('\r\n')) {
      const [name, value] = line.split(': ');
      if (name === 'Status') response.statusCode = Number.parseInt(value!, 10);
      else response.setHeader(name!, value!);
    }
    response.end(whole.subarray(end + 4));
  });
}
