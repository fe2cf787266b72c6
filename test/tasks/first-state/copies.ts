/** An environment full of copies of one file's solved state, made by the programs that make such copies. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Files, git, writeFiles } from './rig.ts';

export const SITE = 'opt/env/lib/python3.11/site-packages';

const PYTHON = `
import os, py_compile, sys, tarfile, zipfile, bz2, gzip, lzma, shutil
os.chdir(sys.argv[1])
def compiled(source, target, mode=py_compile.PycInvalidationMode.TIMESTAMP):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    py_compile.compile(source, cfile=target, dfile='/' + source, invalidation_mode=mode, doraise=True)
for name in ('core', 'util'):
    compiled('pkg/%s.py' % name, 'out/${SITE}/pkg/__pycache__/%s.cpython-311.pyc' % name)
    compiled('pkg/%s.py' % name, 'out/${SITE}/pkg/__pycache__/%s.cpython-311.opt-1.pyc' % name, py_compile.PycInvalidationMode.CHECKED_HASH)
    compiled('pkg/%s.py' % name, 'out/opt/env/bare/pkg/%s.pyc' % name)
    compiled('pkg/%s.py' % name, 'out/${SITE}/sourceless/pkg/%s.pyc' % name, py_compile.PycInvalidationMode.UNCHECKED_HASH)
os.makedirs('out/testbed/dist', exist_ok=True)
def zipped(path, *more):
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name in ('pkg/__init__.py', 'pkg/core.py', 'pkg/util.py'): archive.write(name)
        for source, name in more: archive.write(source, name)
zipped('out/testbed/dist/pkg-1.0-py3.11.egg', ('out/${SITE}/pkg/__pycache__/core.cpython-311.pyc', 'pkg/__pycache__/core.cpython-311.pyc'))
zipped('out/testbed/dist/pkg-1.0-py3-none-any.whl', ('RECORD', 'pkg-1.0.dist-info/RECORD'))
zipped('out/opt/env/share/app.zip')
zipped('nested.zip')
with zipfile.ZipFile('out/opt/env/share/outer.zip', 'w') as archive:
    archive.write('nested.zip')
    archive.writestr('readme', 'x')
for mode, end in (('w:gz', 'tar.gz'), ('w:bz2', 'tar.bz2'), ('w:xz', 'tar.xz'), ('w', 'tar')):
    with tarfile.open('out/testbed/dist/pkg-1.0.' + end, mode) as archive: archive.add('pkg', 'pkg-1.0/pkg')
with gzip.open('out/opt/env/share/core.py.gz', 'wb') as handle: handle.write(open('pkg/core.py', 'rb').read())
`;

/** Files of an environment, rooted at /, that hold \`solved\` in every way that is known; \`util\` is its harmless neighbour. */
export function environmentWithCopies(solved: string, util: string, later: string): Files {
  const work = mkdtempSync(join(tmpdir(), 'swemake-copies-'));
  const out = join(work, 'out');
  try {
    const pkg = { 'pkg/__init__.py': '', 'pkg/core.py': solved, 'pkg/util.py': util };
    const line = (name: string, text: string) =>
      `${name},sha256=${createHash('sha256').update(text).digest('base64url')},${text.length}\n`;
    const record = `${Object.entries(pkg)
      .map(([name, text]) => line(name, text))
      .join('')}pkg/__pycache__/core.cpython-311.pyc,,\npkg-1.0.dist-info/RECORD,,\n`;
    writeFiles(work, { ...pkg, RECORD: record });
    const sites = [
      SITE,
      `${SITE}/pip/_vendor`,
      'opt/env/share/copy',
      'testbed/build/lib',
      'testbed/build/lib.linux-x86_64',
    ];
    for (const site of sites)
      writeFiles(join(out, site), { 'pkg/core.py': solved, 'pkg/util.py': util, 'pkg/__init__.py': '' });
    writeFiles(out, {
      [`${SITE}/pkg-1.0.dist-info/RECORD`]: record,
      [`${SITE}/pkg-1.0.dist-info/direct_url.json`]: JSON.stringify({
        url: 'https://example.org/pkg',
        vcs_info: { vcs: 'git', commit_id: 'a'.repeat(40) },
      }),
      [`${SITE}/other/renamed.py`]: solved,
      [`${SITE}/unrelated/core.py`]: 'def core():\n    return "another package of the same names"\n',
    });
    mkdirSync(join(out, 'opt/env/share'), { recursive: true });
    execFileSync('python3', ['-c', PYTHON, work]);
    repositories(work, solved, later);
    return filesIn(out);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** A checkout with loose objects, one with packed ones, a bare one and a bundle; each knows the file's history. */
function repositories(work: string, solved: string, later: string): void {
  const checkout = join(work, 'out/opt/env/src/pkg');
  mkdirSync(checkout, { recursive: true });
  git(checkout, 'init', '-q', '-b', 'main');
  writeFiles(checkout, { 'src/pkg/core.py': solved });
  git(checkout, 'add', '-A');
  git(checkout, 'commit', '-q', '-m', 'solved');
  writeFiles(checkout, { 'src/pkg/core.py': later });
  git(checkout, 'commit', '-q', '-a', '-m', 'later');
  git(work, 'clone', '-q', '--bare', checkout, join(work, 'out/opt/env/share/mirror.git'));
  git(join(work, 'out/opt/env/share/mirror.git'), 'gc', '-q');
  // Only files are taken over.
  writeFiles(join(work, 'out/opt/env/share/mirror.git'), { 'refs/heads/.keep': '' });
  git(work, 'clone', '-q', checkout, join(work, 'out/opt/env/src/packed'));
  git(join(work, 'out/opt/env/src/packed'), 'repack', '-a', '-d', '-q');
  git(checkout, 'bundle', 'create', '-q', join(work, 'out/opt/env/share/pkg.bundle'), '--all');
}

function filesIn(root: string): Files {
  const files: Files = {};
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }))
    if (statSync(join(root, name)).isFile()) files[name] = readFileSync(join(root, name));
  return files;
}
