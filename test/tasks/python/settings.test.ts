/** What build steps may see of the host: an allow-list, checked with canaries. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSettings } from '../../../tasks/python/settings.ts';

let home: string;
beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'swemake-settings-')));
  await mkdir(join(home, '.config/pip'), { recursive: true });
  await mkdir(join(home, 'wheels'));
  await writeFile(join(home, 'ca.pem'), 'certificate');
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** PIP_CONFIG_FILE is left out, so only files below `home` and the system's count. */
function settingsOf(env: NodeJS.ProcessEnv, network: 'off' | 'proxy' | 'host' = 'proxy') {
  return buildSettings({ HOME: home, XDG_CONFIG_DIRS: '/nonexistent', ...env }, network);
}

describe('buildSettings', () => {
  it('lets nothing in that is not on the list', () => {
    const canaries = {
      PIP_CONSTRAINT: 'canary',
      PIP_REQUIRE_VIRTUALENV: 'canary',
      PIP_TARGET: 'canary',
      PIP_PRE: 'canary',
      UV_CONSTRAINT: 'canary',
      UV_OVERRIDE: 'canary',
      UV_PUBLISH_TOKEN: 'canary',
      PYTHONPATH: 'canary',
      GITHUB_TOKEN: 'canary',
      AWS_SECRET_ACCESS_KEY: 'canary',
    };
    for (const network of ['proxy', 'host'] as const)
      expect(JSON.stringify(settingsOf(canaries, network))).not.toContain('canary');
  });

  it('puts the local index in the place of each index on the network', () => {
    const env = {
      HOME: home,
      XDG_CONFIG_DIRS: '/nonexistent',
      PIP_INDEX_URL: 'https://one.example/simple',
      PIP_EXTRA_INDEX_URL: `${join(home, 'wheels')} https://two.example/simple`,
      PIP_PROXY: 'http://corporate:3128',
      no_proxy: 'inner.example',
      UV_HTTP_TIMEOUT: '5',
    };
    const local = ['http://l:secret@127.0.0.1:99/now/0', null, 'http://l:secret@127.0.0.1:99/now/2'];
    const { variables, hosts, redact } = buildSettings(env, 'host', local);
    expect(variables).toMatchObject({
      PIP_INDEX_URL: local[0],
      UV_DEFAULT_INDEX: local[0],
      POETRY_PYPI_MIRROR_URL: local[0],
      PIPENV_PYPI_MIRROR: local[0],
      PDM_PYPI_URL: local[0],
      PDM_PYPI_VERIFY_SSL: 'false',
      PIP_EXTRA_INDEX_URL: `/opt/index/0 ${local[2]}`,
      PIP_TRUSTED_HOST: '127.0.0.1',
      PIP_DEFAULT_TIMEOUT: '900',
      UV_HTTP_TIMEOUT: '900',
      // An option of pip's own would have no exceptions.
      https_proxy: 'http://corporate:3128',
      no_proxy: 'inner.example,127.0.0.1',
      NO_PROXY: 'inner.example,127.0.0.1',
    });
    expect(variables).not.toHaveProperty('PIP_PROXY');
    expect(hosts).toEqual(['one.example', 'two.example']);
    expect(redact(`looking in ${local[0]}`)).not.toContain('secret');
    expect(buildSettings(env, 'host').variables).toMatchObject({
      PIP_PROXY: 'http://corporate:3128',
      no_proxy: 'inner.example',
      UV_HTTP_TIMEOUT: '5',
    });
  });

  it('tells pip and uv the same indexes, and neither to read files', () => {
    const { variables, hosts } = settingsOf({
      PIP_INDEX_URL: 'https://one.example/simple/',
      PIP_EXTRA_INDEX_URL: 'http://two.example:8081/simple',
      PIP_TRUSTED_HOST: 'two.example',
      PIP_RETRIES: '7',
    });
    expect(variables).toMatchObject({
      PIP_CONFIG_FILE: '/dev/null',
      UV_NO_CONFIG: '1',
      PIP_INDEX_URL: 'https://one.example/simple',
      UV_DEFAULT_INDEX: 'https://one.example/simple',
      PIP_EXTRA_INDEX_URL: 'http://two.example:8081/simple',
      UV_INDEX: 'http://two.example:8081/simple',
      PIP_TRUSTED_HOST: 'two.example',
      UV_INSECURE_HOST: 'two.example',
      PIP_RETRIES: '7',
    });
    expect(hosts).toEqual(['one.example', 'two.example:8081']);
  });

  it('reads pip.conf', async () => {
    const text =
      '[global]\nindex-url = https://conf.example/simple\ntrusted-host =\n    a.example\n    b.example\nconstraint = /canary\n';
    await writeFile(join(home, '.config/pip/pip.conf'), text);
    try {
      const { variables } = settingsOf({});
      expect(variables.PIP_INDEX_URL).toBe('https://conf.example/simple');
      expect(variables.PIP_TRUSTED_HOST).toBe('a.example b.example');
      expect(JSON.stringify(variables)).not.toContain('canary');
    } finally {
      await rm(join(home, '.config/pip/pip.conf'));
    }
  });

  it('mounts local indexes and certificates at fixed places', () => {
    const { variables, mounts } = settingsOf({
      PIP_INDEX_URL: `file://${home}/wheels`,
      PIP_FIND_LINKS: `${home}/wheels`,
      PIP_CERT: `${home}/ca.pem`,
      SSL_CERT_FILE: `${home}/ca.pem`,
    });
    expect(variables).toMatchObject({
      PIP_INDEX_URL: 'file:///opt/index/0',
      PIP_FIND_LINKS: '/opt/index/0',
      PIP_CERT: '/opt/certs/0',
      SSL_CERT_FILE: '/opt/certs/0',
      REQUESTS_CA_BUNDLE: '/opt/certs/0',
    });
    expect(mounts).toEqual([
      { from: `${home}/wheels`, to: '/opt/index/0' },
      { from: `${home}/ca.pem`, to: '/opt/certs/0' },
    ]);
    expect(JSON.stringify(variables)).not.toContain(home);
  });

  it('leaves out what is not there', () => {
    const { variables, mounts } = settingsOf({
      PIP_FIND_LINKS: '/no/such/wheels',
      PIP_CERT: '/no/such/ca.pem',
    });
    expect(JSON.stringify([variables, mounts])).not.toContain('/no/such');
  });

  it('passes proxies on only with the network of the host', () => {
    const env = { HTTPS_PROXY: 'http://proxy.example:3128' };
    expect(settingsOf(env, 'proxy').variables.HTTPS_PROXY).toBeUndefined();
    expect(settingsOf(env, 'host').variables).toMatchObject({
      HTTPS_PROXY: 'http://proxy.example:3128',
      https_proxy: 'http://proxy.example:3128',
    });
  });

  it('hides credentials', () => {
    const { redact, hosts } = settingsOf({
      PIP_INDEX_URL: 'https://user:s3cr%40t@one.example/simple',
      PIP_EXTRA_INDEX_URL: 'https://t0ken@two.example/simple',
      https_proxy: 'http://me:proxypass@proxy.example',
    });
    const text = redact('user:s3cr%40t@one s3cr@t t0ken https://me:proxypass@proxy.example');
    expect(text).not.toMatch(/s3cr|t0ken|proxypass/);
    expect(JSON.stringify(hosts)).not.toMatch(/s3cr|t0ken|one\.example\/|user/);
    expect(settingsOf({ PIP_NO_INDEX: '1' })).toMatchObject({
      variables: { PIP_NO_INDEX: '1', UV_NO_INDEX: '1' },
    });
  });
});
