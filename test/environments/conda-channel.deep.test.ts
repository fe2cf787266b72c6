/**
 * Environments of conda's packages, by its own solver, from a channel that is made here. The solver is the one of the package
 * index, so this needs the network; it takes a minute.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const WAIT = 600_000;

/** Writes a channel of conda: a Python that is the machine's own, pip, two releases of `hello`, and the library that it needs. */
const CHANNEL = `
import glob, hashlib, io, json, os, platform, sys, tarfile, zipfile
channel, wheels = sys.argv[1:]
own = 'linux-aarch64' if platform.machine() == 'aarch64' else 'linux-64'
minor = '%d.%d' % sys.version_info[:2]
pages = {own: {}, 'noarch': {}}
def package(subdir, name, version, day, files, links={}, **more):
    index = dict(name=name, version=version, build='0', build_number=0, depends=[], timestamp=day, subdir=subdir, **{'license': 'MIT'})
    index.update(more)
    made = io.BytesIO()
    paths = [{'_path': n, 'path_type': 'hardlink', 'sha256': hashlib.sha256(d).hexdigest(), 'size_in_bytes': len(d)} for n, d in files.items()]
    paths += [{'_path': n, 'path_type': 'softlink', 'sha256': hashlib.sha256(b'').hexdigest(), 'size_in_bytes': 0} for n in links]
    about = {'info/index.json': json.dumps(index), 'info/paths.json': json.dumps({'paths': paths, 'paths_version': 1})}
    if index.get('noarch'):
        about['info/link.json'] = json.dumps({'noarch': {'type': 'python'}, 'package_metadata_version': 1})
    with tarfile.open(fileobj=made, mode='w:bz2') as archive:
        for n, d in {**{n: d.encode() for n, d in about.items()}, **files}.items():
            entry = tarfile.TarInfo(n)
            entry.size = len(d)
            archive.addfile(entry, io.BytesIO(d))
        for n, target in links.items():
            entry = tarfile.TarInfo(n)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    data, fn = made.getvalue(), '%s-%s-0.tar.bz2' % (name, version)
    os.makedirs(os.path.join(channel, subdir), exist_ok=True)
    with open(os.path.join(channel, subdir, fn), 'wb') as file:
        file.write(data)
    digests = {'sha256': hashlib.sha256(data).hexdigest(), 'md5': hashlib.md5(data).hexdigest(), 'size': len(data)}
    pages[subdir][fn] = {**index, **digests}
EARLY, LATE = 1600000000000, 1700000000000
package(own, 'python', platform.python_version(), EARLY,
    {'pyvenv.cfg': b'home = /usr/bin\\ninclude-system-site-packages = false\\n', 'lib/python%s/site-packages/README' % minor: b'x'},
    {'bin/python': os.path.realpath('/usr/bin/python3'), 'bin/python3': 'python', 'bin/python' + minor: 'python'})
wheel = zipfile.ZipFile(glob.glob(wheels + '/pip-*.whl')[0])
package('noarch', 'pip', '24.0', EARLY, {'site-packages/' + n: wheel.read(n) for n in wheel.namelist()}, noarch='python', depends=['python'])
package(own, 'libhello', '2.1', EARLY, {'include/hello.h': b'int hello(void);\\n'})
for version, day in (('1.0', EARLY), ('2.0', LATE)):
    text = ('VALUE = %s\\n' % version).encode()
    package('noarch', 'hello', version, day, {'site-packages/hello.py': text}, noarch='python', depends=['python', 'libhello >=2'])
for subdir, packages in pages.items():
    with open(os.path.join(channel, subdir, 'repodata.json'), 'w') as file:
        json.dump({'info': {'subdir': subdir}, 'packages': packages, 'packages.conda': {}, 'repodata_version': 1}, file)
`;

function condaProject(piped = '  - pip:\n    - six==1.16.0\n'): Project {
  const project = tinyProject({
    instances: 1,
    files: { 'environment.yml': `dependencies:\n  - python=2.7\n  - hello\n${piped}` },
    recipe: `      as_of: 2022-07-01
      packages: [environment.yml]
      eval_commands: ["python -c 'import hello, six, sys; assert (hello.VALUE, sys.prefix) == (1.0, \\"/opt/env\\")' && test -f /opt/env/include/hello.h"]
`,
  });
  execFileSync('/usr/bin/python3', ['-m', 'venv', project.path('tools')]);
  const download = ['download', '-q', '--no-deps', '-d', project.path('wheels'), 'pip==24.0'];
  execFileSync(project.path('tools/bin/pip'), download);
  execFileSync('/usr/bin/python3', ['-c', CHANNEL, project.path('channel'), project.path('wheels')]);
  edit(project, 'environments:\n', 'environments:\n  python: { provider: conda, channels: [./channel] }\n');
  return project;
}

function edit(project: Project, from: string, to: string): void {
  const text = readFileSync(project.path('p.yaml'), 'utf8');
  expect(text).toContain(from);
  writeFileSync(project.path('p.yaml'), text.replace(from, to));
}

const log = async (project: Project) =>
  (await project.run('logs', 'environments.train', '--project', 'p.yaml')).stdout;

test(
  'Python and packages of a channel, as of a day, the same bytes again; what no channel has is named',
  async () => {
    const project = condaProject();
    const first = await project.build('p.yaml', 'validate.train');
    expect(first.outcomes, await log(project)).toEqual(
      expect.objectContaining({ ok: 3, failed: 0, infra: 0 }),
    );
    expect(await log(project)).toMatch(/^hello 1\.0 0 noarch\nlibhello 2\.1 0 linux-/m);
    // Made again from nothing: nothing below it runs.
    const again = await project.build('p.yaml', 'validate.train', '--force', 'environments.train');
    expect(again.executed).toBe(1);
    // Another day is another key.
    edit(project, 'as_of: 2022-07-01', 'as_of: 2024-07-01');
    await project.build('p.yaml', 'environments.train');
    expect(await log(project)).toMatch(/^hello 2\.0 0 noarch$/m);
    // What is asked for is python of the recipe, and nothing else.
    edit(project, 'as_of: 2024-07-01', 'as_of: 2024-07-01\n      python: "2.7"');
    const refused = await project.build('p.yaml', 'environments.train');
    expect(refused.outcomes).toMatchObject({ failed: 1 });
    expect(await log(project)).toContain('No candidates were found for python 2.7');
  },
  WAIT,
);

test(
  'a channel that is a folder is seen as of the day also where builds have no network',
  async () => {
    const project = condaProject('');
    edit(project, 'network: { build: proxy', 'network: { build: off');
    const built = await project.build('p.yaml', 'environments.train');
    expect(built.outcomes, await log(project)).toMatchObject({ failed: 0, infra: 0 });
    expect(await log(project)).toMatch(/^hello 1\.0 0 noarch$/m);
  },
  WAIT,
);
