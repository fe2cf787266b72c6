/**
 * Makes the files of a release and tries them: `node scripts/release.mjs FOLDER`. It publishes nothing; at its end it prints the commands
 * that do. It needs npm, Python with pip, and registries of both; its roots of Debian need the user root and mmdebstrap.
 *
 *   node scripts/release.mjs /tmp/release                 all of it, some ten minutes
 *   node scripts/release.mjs /tmp/release --no-roots      without the roots of Debian
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installedProblems } from './licences.mjs';

const ROOT = resolve(import.meta.dirname, '..');
/** What an installation by npm may take. */
const MOST_SECONDS = 15;
const MOST_MEGABYTES = 120;
/** The same by pip, with Node, on a machine that has the wheels. */
const MOST_WHEEL_MEGABYTES = 25;
const RELEASES = ['bookworm', 'trixie'];
/** Too old for compiled parts of packages: pip must say so. */
const TOO_OLD = 'bullseye';

/** Problems of the sources that a release would carry. */
export function sourceProblems(root, text = (path) => readFileSync(join(root, path), 'utf8')) {
  const { version } = JSON.parse(text('package.json'));
  const problems = [];
  const need = (isSo, problem) => void (isSo || problems.push(problem));
  need(
    JSON.parse(text('package-lock.json')).version === version,
    `package-lock.json has another version than ${version}`,
  );
  need(
    text('python/pyproject.toml').includes(`\nversion = "${version}"\n`),
    `python/pyproject.toml has another version than ${version}`,
  );
  const [, heading = 'none'] = /^## (.*)$/m.exec(text('CHANGELOG.md')) ?? [];
  need(
    new RegExp(`^${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`).test(heading),
    `CHANGELOG.md begins with "${heading}" and not with "${version} (DATE)"`,
  );
  need(
    text('docs/install.md').includes(`swemake-${version}.tgz`),
    `docs/install.md names another version than ${version}`,
  );
  const published = text('stages/ledger.jsonl')
    .split('\n')
    .filter((line) => line.startsWith('{"published"'));
  need(
    published.some((line) => JSON.parse(line).published.startsWith(`${version},`)),
    `the ledger has no line that ${version} was published: node scripts/ledger.mjs --published "${version}, DATE"`,
  );
  return [...problems, ...installedProblems(root)];
}

function main(args) {
  const out = resolve(args.find((one) => !one.startsWith('--')) ?? 'release');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const results = [];
  const check = (name, run) => {
    const began = Date.now();
    let problem = null;
    try {
      problem = run() ?? null;
    } catch (error) {
      problem = error.message;
    }
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    results.push({ name, problem });
    console.log(
      `${problem === null ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)${problem === null ? '' : `\n     ${problem}`}`,
    );
  };

  check('versions, changelog, licences and ledger', () => sourceProblems(ROOT).join('\n     ') || null);
  check('no change that is not committed', () => run(['git', 'status', '--porcelain'], ROOT) || null);
  check('lint, types and generated files', () => void run(['npm', 'run', 'check', '--silent'], ROOT));
  check(
    'the npm package is made',
    () => void run(['npm', 'pack', '--silent', '--pack-destination', out], ROOT),
  );
  const tarball = () => join(out, readdirSync(out).find((name) => name.endsWith('.tgz')) ?? 'none.tgz');
  check('it installs in time and space, and compiles nothing', () => npmProblem(out, tarball()));
  check(
    'the wheel is made',
    () => void run(['python3', join(ROOT, 'scripts/wheel.py'), tarball(), join(out, 'wheels')]),
  );
  check('the wheel of the hooks is made', () => hooksProblem(out));
  check('Node comes as a wheel, and the program runs without npm', () => wheelProblem(out));
  check('a machine with musl is refused by pip', () => muslProblem(out));
  if (!args.includes('--no-roots')) {
    for (const release of RELEASES)
      check(`a clean ${release}, as root and as an ordinary user`, () => rootProblem(out, release));
    check(`a clean ${TOO_OLD} is refused by pip`, () => oldProblem(out));
  }
  const failed = results.filter(({ problem }) => problem !== null);
  if (failed.length === 0) {
    console.log(`\nto publish, in a workflow whose identity npm and PyPI trust:
  npm publish --provenance --access public ${tarball()}
  twine upload ${join(out, 'wheels')}/swemake*.whl`);
  } else console.log(`\n${failed.length} of ${results.length} failed; publish nothing`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function npmProblem(out, tarball) {
  const prefix = join(out, 'npm');
  const began = Date.now();
  run(['npm', 'install', '--silent', '--no-audit', '--no-fund', '--global', '--prefix', prefix, tarball]);
  const seconds = (Date.now() - began) / 1000;
  const megabytes = Number(run(['du', '-sm', prefix]).split('\t')[0]);
  const compiled = run(['find', prefix, '-path', '*/build/Release*', '-name', '*.node']);
  const told = run([join(prefix, 'bin/swemake'), '--version']);
  console.log(`     ${told.trim()}: ${seconds.toFixed(1)} s, ${megabytes} MB`);
  if (compiled !== '') return `it compiled ${compiled}`;
  if (seconds > MOST_SECONDS) return `it took ${seconds} s, and may take ${MOST_SECONDS}`;
  return megabytes > MOST_MEGABYTES ? `it takes ${megabytes} MB, and may take ${MOST_MEGABYTES}` : null;
}

function hooksProblem(out) {
  // pip builds in the folder that it is given.
  cpSync(join(ROOT, 'python'), join(out, 'python'), { recursive: true });
  run(['python3', '-m', 'pip', 'wheel', '-q', '--no-deps', '-w', join(out, 'wheels'), join(out, 'python')]);
  const names = readdirSync(join(out, 'wheels'));
  return names.some((name) => /^swemake_rollouts-.*-py3-none-any\.whl$/.test(name)) ? null : names.join(', ');
}

function wheelProblem(out) {
  const wheels = join(out, 'wheels');
  const own = readdirSync(wheels).find((name) => /^swemake-/.test(name));
  run(['python3', '-m', 'pip', 'download', '-q', '-d', wheels, join(wheels, own)]);
  run(['python3', '-m', 'venv', join(out, 'venv')]);
  run([join(out, 'venv/bin/pip'), 'install', '-q', '--no-index', '--find-links', wheels, 'swemake']);
  // No other Node is looked for.
  const told = run([join(out, 'venv/bin/swemake'), '--version'], out, { PATH: '/nowhere' });
  const megabytes = Number(run(['du', '-m', join(wheels, own)]).split('\t')[0]);
  console.log(`     ${told.trim()}: a wheel of ${megabytes} MB`);
  return megabytes > MOST_WHEEL_MEGABYTES
    ? `it takes ${megabytes} MB, and may take ${MOST_WHEEL_MEGABYTES}`
    : null;
}

/** There is no machine with musl here: pip is told to choose for one. */
function muslProblem(out) {
  const wanted = [
    '--platform',
    'musllinux_1_2_x86_64',
    '--only-binary',
    ':all:',
    '--target',
    join(out, 'musl'),
    'swemake',
  ];
  const ran = spawnSync(
    'python3',
    ['-m', 'pip', 'install', '--no-index', '--find-links', join(out, 'wheels'), ...wanted],
    {
      encoding: 'utf8',
    },
  );
  const isRefused = ran.status !== 0 && /No matching distribution found for swemake/.test(ran.stderr);
  return isRefused ? null : `it was not refused: ${ran.stdout}${ran.stderr}`;
}

/** What a new user types, in a root that has Python and git, and neither Node nor a network. */
const FIRST_STEPS = `set -e
export PATH="$HOME/venv/bin:$PATH"
! command -v node > /dev/null
python3 -m venv "$HOME/venv"
pip install -q --no-index --find-links /mnt swemake
swemake --version
mkdir -p "$HOME/first" && cd "$HOME/first"
swemake init quick.yaml --template quickstart
swemake check quick.yaml
git init -q repo
printf 'VALUE = 1\\n' > repo/value.py
git -C repo add value.py
git -C repo -c user.name=a -c user.email=a@b commit -qm first
commit=$(git -C repo rev-parse HEAD)
printf '%s' '{"instance_id":"first.1","repo":"own/first","source":"git+./repo@'$commit'","patch_role":"bug","problem_statement":"it is 1","FAIL_TO_PASS":["t"],"PASS_TO_PASS":[],"patch":"--- a/value.py\\n+++ b/value.py\\n@@ -1 +1 @@\\n-VALUE = 1\\n+VALUE = 2\\n"}' > rows.jsonl
cat > own.yaml <<'END'
version: 1
name: own
dataset: { train: { source: rows.jsonl, format: custom } }
deployments: { box: { type: sandbox } }
validation: { deployment: box }
END
swemake build own.yaml dataset
swemake build own.yaml dataset | grep -q 'nothing to do'
swemake doctor > doctor.txt || true
grep -q ' kernel: ' doctor.txt`;

function rootProblem(out, release) {
  const root = makeRoot(out, release);
  writeFileSync(join(root, 'first-steps'), FIRST_STEPS);
  const script = `set -e
mount --make-rprivate /
mount --bind '${root}' '${root}'; mount --bind '${join(out, 'wheels')}' '${root}/mnt'
mount -t proc proc '${root}/proc'; mount --rbind /dev '${root}/dev'; mount --rbind /sys '${root}/sys'
cd '${root}'; mkdir -p old; pivot_root . old; cd /; umount -l /old
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
bash /first-steps
useradd -m reader
su reader -c 'HOME=/home/reader bash /first-steps'`;
  const told = run(['unshare', '--mount', '--pid', '--fork', '--kill-child', 'bash', '-c', script], '/', {});
  return told.split('\n').filter((line) => /^swemake \d/.test(line)).length === 2 ? null : told;
}

function oldProblem(out) {
  const root = makeRoot(out, TOO_OLD);
  cpSync(join(out, 'wheels'), join(root, 'mnt'), { recursive: true });
  const install = 'python3 -m venv /venv && /venv/bin/pip install --no-index --find-links /mnt swemake';
  const ran = spawnSync('/usr/sbin/chroot', [root, 'bash', '-c', install], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  });
  const isRefused = ran.status !== 0 && /No matching distribution found for swemake/.test(ran.stderr);
  return isRefused ? null : `it was not refused: ${ran.stdout}${ran.stderr}`;
}

/** A root of Debian with what swemake asks of a machine, but for Node. */
function makeRoot(out, release) {
  if (process.getuid() !== 0) throw new Error('only root can make a root of Debian');
  const root = join(out, release);
  const packages = 'python3,python3-venv,git,patch,ca-certificates';
  run(['mmdebstrap', '--quiet', '--variant=minbase', `--include=${packages}`, release, root]);
  return root;
}

/** What a program printed. @throws with all that it printed where it failed. */
function run(argv, cwd = ROOT, env = process.env) {
  const ran = spawnSync(argv[0], argv.slice(1), {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...env, PATH: env.PATH ?? process.env.PATH },
  });
  if (ran.status !== 0)
    throw new Error(
      `${argv.join(' ').slice(0, 200)}: ${(ran.stderr || ran.stdout || String(ran.error)).slice(-2000)}`,
    );
  return ran.stdout;
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2));
