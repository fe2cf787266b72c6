/**
 * Programs that the tests of a repository need and no table names: its official images reach them on the internet. Here
 * they run beside the tests, under the names by which the tests know them.
 */
import type { PartialRecipe } from '../../schemas/recipe.ts';

const PROGRAMS = '/opt/env/services/httpbin/bin';
const TLS = '/tmp/.httpbin';

/** httpbin.org with both its ports. Its certificate is trusted where old releases of requests keep their own list. */
const HTTPBIN: PartialRecipe = {
  background: [
    {
      name: 'httpbin',
      pip: ['httpbin==0.10.2', 'gunicorn==23.0.0', 'trustme==1.2.1'],
      // To the second one a test is redirected; any page will do.
      hosts: ['httpbin.org', 'www.google.co.uk'],
      run: 'gunicorn --bind 127.0.0.1:80 --threads 8 httpbin:app',
      port: 80,
      timeout: 120,
    },
    {
      name: 'httpbin-tls',
      run: [
        `mkdir -p ${TLS} && cd ${TLS} && ${PROGRAMS}/python -m trustme -q -i httpbin.org`,
        `exec ${PROGRAMS}/gunicorn --bind 127.0.0.1:443 --threads 8 --certfile server.pem --keyfile server.key httpbin:app`,
      ].join(' && '),
      port: 443,
      timeout: 120,
    },
  ],
  eval_commands: [`if [ -f requests/cacert.pem ]; then cat ${TLS}/client.pem >> requests/cacert.pem; fi`],
};

/** By `owner/name` in lower case. */
const SERVICES: Readonly<Record<string, PartialRecipe>> = { 'psf/requests': HTTPBIN };

export function servicesOf(repo: string): PartialRecipe {
  return SERVICES[repo.toLowerCase()] ?? {};
}
