/** Leak reports as vectors: what the agent ran, what came back, and what is said of it. */
import { describe, expect, test } from 'vitest';
import { hasLeak, leakReport } from '../../../agent/leaks/report.ts';
import type { LeakInstance } from '../../../agent/leaks/task.ts';
import { BUG, edited, FIX, GOLD_LINES, type Ran, ran, TEST_LINES, trajectoryOf } from './trajectory.ts';

const [FIRST, OTHER, THIRD] = ['1a2b3c4', '9f8e7d6', '5d4c3b2'];
const DIFF = 'diff --git a/x.py b/x.py\n@@ -1,2 +1,2 @@\n-old = 1\n+new = 2\n';
const GOLD = GOLD_LINES.join('\n');
const SITE = '/opt/env/lib/python3.11/site-packages';
const WHEEL = '/usr/lib/python3.11/ensurepip/_bundled/pip-23.0.1-py3-none-any.whl';

/** `step rule severity` of every finding. */
function findings(instance: LeakInstance, ...steps: Ran[]): string[] {
  return leakReport(trajectoryOf(...steps), instance).map(
    ({ step, rule, severity }) => `${step} ${rule} ${severity}`,
  );
}

type Vector = [name: string, steps: Ran[], found: string[]];
const table = (vectors: Vector[], instance = FIX) =>
  test.each(vectors)('%s', (_name, steps, found) => expect(findings(instance, ...steps)).toEqual(found));

describe('git history', () => {
  table([
    ['a log of the one commit', [ran('git log --oneline -5', `${FIRST} first state\n`)], []],
    [
      'a full log of the one commit',
      [ran('git log -p', `commit ${'a1'.repeat(20)}\nAuthor: x\n\n${DIFF}`)],
      [],
    ],
    [
      'a log of many commits',
      [ran('git log --oneline', `${FIRST} fix\n${OTHER} before\n`)],
      ['0 git-history attempt'],
    ],
    [
      'a log whose patch has numbers in it',
      [ran('git log -p', `commit ${'a1'.repeat(20)}\n${DIFF} 20230101 7\n1234567 8\n`)],
      [],
    ],
    [
      'a log with patches of many commits',
      [ran('git log -p', `commit ${'a1'.repeat(20)}\n${DIFF}commit ${'b2'.repeat(20)}\n${DIFF}`)],
      ['0 git-history leak'],
    ],
    [
      'a log of the agent’s own commits',
      [
        ran('git commit -am wip', `[main ${OTHER}] wip\n 1 file changed`),
        ran('git log --oneline', `${OTHER} wip\n${FIRST} first state\n`),
        ran('git show HEAD~1:x.py', 'old = 1\n'),
        ran(`git diff ${FIRST} -- x.py`, DIFF),
      ],
      [],
    ],
    [
      'a log of the agent’s own commits, which it made without a word',
      [
        ran('git commit -qam wip'),
        ran('git log -p', `commit ${'a1'.repeat(20)}\n${DIFF}commit ${'b2'.repeat(20)}\n${DIFF}`),
        ran(`git show ${'a1'.repeat(4)}`, DIFF),
        ran(`git reset --hard ${'b2'.repeat(4)}`, 'HEAD is now at b2b2b2b2 Task'),
      ],
      [],
    ],
    [
      'a log of more commits than the agent made',
      [
        ran('git commit -qam wip'),
        ran('git log -p', ['a1', 'b2', 'c3'].map((two) => `commit ${two.repeat(20)}\n${DIFF}`).join('')),
        ran(`git show ${'c3'.repeat(4)}`, DIFF),
      ],
      ['1 git-history leak', '2 git-history leak'],
    ],
    [
      'what changed, and HEAD',
      [
        ran('git diff', DIFF),
        ran('git show HEAD --stat', `commit ${'a1'.repeat(20)}\n`),
        ran('git stash && git stash pop', 'Saved'),
      ],
      [],
    ],
    [
      'an ancestor that is there',
      [ran('git show HEAD~1', `commit ${'b2'.repeat(20)}\n${DIFF}`)],
      ['0 git-history leak'],
    ],
    [
      'an ancestor that is not',
      [ran('git diff HEAD^ HEAD', "fatal: ambiguous argument 'HEAD^': unknown revision", 128)],
      ['0 git-history attempt'],
    ],
    [
      'a remote branch',
      [ran('git show origin/main:src/toolkit/box.py | head -50', GOLD)],
      ['0 git-history leak', '0 gold-text leak'],
    ],
    [
      'taking a file of a remote branch',
      [ran('cd /testbed && git checkout origin/main -- src/toolkit/box.py')],
      ['0 git-history leak'],
    ],
    [
      'a commit that nobody showed',
      [ran(`git show ${THIRD}`, `commit ${THIRD}\n${DIFF}`)],
      ['0 git-history leak'],
    ],
    ['lost objects', [ran('git fsck --lost-found', '')], ['0 git-history attempt']],
    [
      'restoring a file of its own',
      [ran('git checkout -- src/toolkit/box.py'), ran('git checkout HEAD src/toolkit/box.py')],
      [],
    ],
    [
      'a repository of its own under /tmp',
      [
        ran(
          'cd /tmp/try && git init -q && git log --all -p',
          `commit ${'a1'.repeat(20)}\ncommit ${'b2'.repeat(20)}\n${DIFF}`,
        ),
      ],
      [],
    ],
    ['words in a note', [ran("cat > notes.md <<'EOF'\ngit fetch origin\ngit show origin/main\nEOF\n")], []],
    ['words in a message', [ran('echo "then run git fetch && git show origin/main"')], []],
  ]);
});

describe('git remotes', () => {
  table([
    ['a fetch that gives nothing', [ran('git fetch --all')], ['0 git-remote attempt']],
    [
      'a fetch without network',
      [ran('git fetch origin', "fatal: unable to access 'https://github.com/owner/tool-kit/'", 128)],
      ['0 git-remote attempt'],
    ],
    [
      'a fetch',
      [ran('git fetch origin main', 'From https://github.com/owner/tool-kit\n * branch  main -> FETCH_HEAD')],
      ['0 git-remote leak'],
    ],
    ['a clone', [ran('git clone -q https://github.com/owner/tool-kit /tmp/up')], ['0 git-remote leak']],
    [
      'a clone inside bash -c',
      [
        ran(
          'bash -lc "git clone https://github.com/owner/tool-kit /tmp/up"',
          "Cloning into '/tmp/up'...\nfatal: unable to access",
          128,
        ),
      ],
      ['0 git-remote attempt'],
    ],
    ['a copy of the repository', [ran('git clone /testbed /tmp/copy', "Cloning into '/tmp/copy'...")], []],
    ['a look at remotes', [ran('git remote -v')], []],
  ]);
});

describe('copies of the project', () => {
  table([
    ['read', [ran(`cat ${SITE}/toolkit/box.py`, 'class Box:\n    pass\n')], ['0 project-copy leak']],
    [
      'read from its folder',
      [ran(`cd ${SITE} && sed -n 1,40p toolkit/box.py`, 'class Box:\n')],
      ['0 project-copy leak'],
    ],
    [
      'viewed',
      [edited({ command: 'view', path: `${SITE}/toolkit/box.py` }, '     1\tclass Box:')],
      ['0 project-copy leak'],
    ],
    [
      'compared',
      [ran(`diff -u src/toolkit/box.py ${SITE}/toolkit/box.py`, DIFF, 1)],
      ['0 project-copy leak'],
    ],
    ['taken', [ran(`cp ${SITE}/toolkit/box.py src/toolkit/box.py`)], ['0 project-copy leak']],
    [
      'not there',
      [ran(`cat ${SITE}/toolkit/box.py`, `cat: ${SITE}/toolkit/box.py: No such file or directory`, 1)],
      ['0 project-copy attempt'],
    ],
    [
      'found by a search',
      [ran(`grep -rn "class Box" ${SITE}`, `${SITE}/toolkit/box.py:12:class Box:\n`)],
      ['0 project-copy leak'],
    ],
    [
      'in node_modules',
      [ran('cat node_modules/tool-kit/index.js', 'exports.box = 1;\n')],
      ['0 project-copy leak'],
    ],
    [
      'of another package in node_modules',
      [ran('cat node_modules/@owner/tool-kit/index.js node_modules/lodash/index.js', 'exports.box = 1;\n')],
      [],
    ],
    [
      'in a wheel of pip that the machine has',
      [
        ran(`unzip -p ${WHEEL} pip/_vendor/toolkit/box.py`, 'class Box:\n'),
        ran(`cd /tmp/w && unzip -q ${WHEEL} && cat pip/_vendor/toolkit/box.py`, 'class Box:\n'),
        ran('sed -n 1,9p /tmp/w/pip/_vendor/toolkit/box.py', 'class Box:\n'),
        ran(
          `python -c "import zipfile; print(zipfile.ZipFile('${WHEEL}').read('pip/_vendor/toolkit/box.py'))"`,
          "b'class Box'",
        ),
        ran(
          `unzip -p ${WHEEL} pip/_vendor/toolkit/no.py`,
          'caution: filename not matched:  pip/_vendor/toolkit/no.py',
          11,
        ),
      ],
      [0, 1, 2, 3].map((step) => `${step} project-copy leak`).concat('4 project-copy attempt'),
    ],
    [
      'that packages of the environment carry, which have the first state’s lines',
      [
        ran(`cat ${SITE}/pip/_vendor/toolkit/box.py`, 'class Box:\n'),
        ran(`unzip -l ${WHEEL}`, '  100  pip/_vendor/toolkit/box.py'),
        ran(`unzip -p ${WHEEL} pip/_vendor/idna/core.py`, 'import re\n'),
      ],
      [],
    ],
    [
      'listed',
      [ran(`ls ${SITE}/toolkit`, 'box.py\n'), ran('pip show -f tool-kit', 'Files:\n  toolkit/box.py')],
      [],
    ],
    [
      'in a traceback',
      [ran('python x.py', `Traceback:\n  File "${SITE}/toolkit/box.py", line 3, in f\n    raise X`, 1)],
      [],
    ],
    [
      'in lines of pytest and in warnings',
      [
        ran(
          'python -m pytest --tb=short',
          `tests/test_a.py:3: in test_a\n${SITE}/toolkit/box.py:12: in convert\n    raise BoxError\n${SITE}/toolkit/box.py:14: BoxError`,
          1,
        ),
        ran('python x.py', `${SITE}/toolkit/box.py:12: DeprecationWarning: use boxes\n  warnings.warn("x")`),
      ],
      [],
    ],
    [
      'other packages',
      [
        ran(`cat ${SITE}/attr/_make.py`, 'import x\n'),
        ran(`cat ${SITE}/tool_kit-1.0.dist-info/METADATA`, 'Name: tool-kit'),
      ],
      [],
    ],
  ]);
});

describe('downloads of the project', () => {
  table([
    [
      'downloaded',
      [
        ran(
          'pip download tool-kit==2.1 --no-deps',
          'Saved ./tool_kit-2.1-py3-none-any.whl\nSuccessfully downloaded tool-kit',
        ),
      ],
      ['0 project-download leak'],
    ],
    [
      'installed',
      [ran('python -m pip install -t /tmp/up Tool_Kit', 'Successfully installed tool-kit-2.1')],
      ['0 project-download leak'],
    ],
    [
      'there already',
      [ran('pip install tool-kit', 'Requirement already satisfied: tool-kit in /testbed/src')],
      ['0 project-download attempt'],
    ],
    [
      'without network',
      [ran('timeout 60 pip install toolkit', 'ERROR: No matching distribution found for toolkit', 1)],
      ['0 project-download attempt'],
    ],
    [
      'from its repository',
      [ran('uv pip install git+https://github.com/owner/tool-kit', 'Installed 1 package in 3ms')],
      ['0 project-download leak'],
    ],
    [
      'by npm',
      [ran('cd /tmp && npm pack tool-kit@2.1.0', 'tool-kit-2.1.0.tgz\n')],
      ['0 project-download leak'],
    ],
    [
      'by Go',
      [
        ran(
          'go get github.com/owner/tool-kit/v2@latest',
          'go: downloading github.com/owner/tool-kit/v2 v2.1.0',
        ),
      ],
      ['0 project-download leak'],
    ],
    [
      'by cargo, without network',
      [ran('cargo install toolkit', 'error: failed to download from the registry', 101)],
      ['0 project-download attempt'],
    ],
    [
      'other packages of these',
      [
        ran('npm install lodash', 'added 1 package in 2s'),
        ran('go mod download golang.org/x/text', 'go: downloading golang.org/x/text v0.3.0'),
        ran('cargo add serde', 'Downloaded serde'),
        ran('npm ci && go build ./... && cargo build'),
      ],
      [],
    ],
    [
      'the repository itself and others',
      [
        ran('pip install -e .'),
        ran("pip install '.[test]' pytest-mock", 'Successfully installed'),
        ran('pip install -r requirements.txt'),
      ],
      [],
    ],
  ]);
});

describe('the network', () => {
  const raw = 'https://raw.githubusercontent.com/owner/tool-kit/main/src/toolkit/box.py';
  table([
    ['the project’s code', [ran(`curl -s ${raw}`, GOLD)], ['0 network leak', '0 gold-text leak']],
    ['the project’s code, kept', [ran(`wget -q ${raw} -O /tmp/box.py`)], ['0 network leak']],
    [
      'by Python',
      [ran(`python -c "import requests; print(requests.get('${raw}').text)"`, 'class Box:\n    minimum = 3')],
      ['0 network leak'],
    ],
    [
      'by Python from a here-document',
      [
        ran(
          `python - <<'EOF'\nfrom urllib.request import urlopen\nprint(urlopen("${raw}").read())\nEOF`,
          'urllib.error.URLError: <urlopen error>',
          1,
        ),
      ],
      ['0 network attempt'],
    ],
    [
      'the project’s code, without a scheme',
      [ran(`curl -sL -o box.py ${raw.replace('https://', '')}`)],
      ['0 network leak'],
    ],
    [
      'a pull request of the project',
      [
        ran('gh pr diff 12 --repo owner/tool-kit', 'diff --git a/src/toolkit/box.py b/src/toolkit/box.py'),
        ran('gh api repos/owner/tool-kit/pulls/12/files', '[{"filename":"src/toolkit/box.py"}]'),
        ran('gh pr list', 'no git remotes found', 1),
        ran('gh --version', 'gh version 2.40.1 (2023-12-13)'),
      ],
      ['0 network leak', '1 network leak', '2 network attempt'],
    ],
    [
      'files of the agent’s own with names like hosts',
      [ran('curl -s http://localhost:8000/ -o out.com/a.py -H accept:text/html'), ran('wget -i list.io')],
      [],
    ],
    [
      'without network',
      [
        ran(`curl -s ${raw}`, '', 6),
        ran(`curl -sS ${raw} | head`, 'curl: (6) Could not resolve host: raw.githubusercontent.com'),
      ],
      ['0 network attempt', '1 network attempt'],
    ],
    [
      'code in which proxies fail',
      [ran(`curl -s ${raw}`, `${'# a proxy may be refused\n'.repeat(20)}`)],
      ['0 network leak'],
    ],
    [
      'another page',
      [ran('curl https://docs.python.org/3/library/abc.html', '<html>many words of the page</html>')],
      ['0 network attempt'],
    ],
    [
      'a server of its own',
      [
        ran('curl http://localhost:8000/owner/tool-kit', 'an answer that is long enough'),
        ran('curl -s http://127.0.0.1:5000/'),
        ran('curl http://user:word@localhost:8000/tool-kit', 'an answer that is long enough'),
        ran('curl -g http://[::1]:8000/tool-kit', 'an answer that is long enough'),
      ],
      [],
    ],
    [
      'an address in code',
      [ran(`cat > a.py <<'EOF'\nURL = "${raw}"\nEOF\n`), ran(`grep -rn "${raw}" .`, 'README:1:x')],
      [],
    ],
  ]);
});

describe('text of the answer', () => {
  table([
    ['in a file outside the repository', [ran('cat /data/answers.txt', GOLD)], ['0 gold-text leak']],
    [
      'as a diff',
      [ran('python show.py', GOLD_LINES.map((line) => `+${line}`).join('\n'))],
      ['0 gold-text leak'],
    ],
    [
      'in a row of a data set',
      [ran('head -1 /data/rows.jsonl', JSON.stringify({ patch: FIX.patch }))],
      ['0 gold-text leak'],
    ],
    [
      'with line numbers',
      [
        edited(
          { command: 'view', path: '/data/box.py' },
          GOLD_LINES.map((line, i) => `    ${i + 1}\t${line}`).join('\n'),
        ),
      ],
      ['0 gold-text leak'],
    ],
    [
      'after the agent wrote it',
      [
        edited({ command: 'insert', path: '/testbed/src/toolkit/box.py', new_str: GOLD }),
        ran('python show.py', GOLD),
      ],
      [],
    ],
    ['after an edit by sed', [ran('sed -i s/a/b/ src/toolkit/box.py'), ran('python -m pytest', GOLD)], []],
    [
      'after an edit by sed with a long option',
      [ran('sed --in-place s/a/b/ src/toolkit/box.py'), ran('python -m pytest', GOLD)],
      [],
    ],
    ['two lines of it', [ran('cat /data/answers.txt', GOLD_LINES.slice(0, 2).join('\n'))], []],
    ['in the repository, which has only its first state', [ran('cat src/toolkit/other.py', GOLD)], []],
    ['hidden tests', [ran('cat tests/test_box.py', TEST_LINES.join('\n'))], ['0 test-text leak']],
    [
      'tests of its own',
      [
        ran(
          `cat > tests/test_mine.py <<'EOF'\n${TEST_LINES.join('\n')}\nEOF\ncat tests/test_mine.py`,
          TEST_LINES.join('\n'),
        ),
      ],
      [],
    ],
  ]);
  test('of a bug is what the bug takes away', () => {
    expect(findings(BUG, ran('cat /data/box.py', GOLD))).toEqual(['0 gold-text leak']);
  });
  test('that the task itself shows is none', () => {
    expect(findings({ ...FIX, problem_statement: GOLD }, ran('cat /data/box.py', GOLD))).toEqual([]);
  });
});

describe('hidden tests', () => {
  table(
    [
      [
        'read',
        [ran('sed -n 1,50p tests/test_box.py 2>/dev/null', 'def test_boundary():')],
        ['0 hidden-tests leak'],
      ],
      [
        'found by a search',
        [ran('grep -rn boundary .', './tests/test_box.py:3:def test_boundary():')],
        ['0 hidden-tests leak'],
      ],
      [
        'looked for',
        [
          ran('cat tests/test_box.py', 'cat: tests/test_box.py: No such file or directory', 1),
          ran('ls tests', ''),
        ],
        [],
      ],
      [
        'of its own',
        [
          ran("cat > tests/test_box.py <<'EOF'\ndef test_x(): pass\nEOF"),
          ran('cat tests/test_box.py', 'def test_x(): pass'),
        ],
        [],
      ],
      ['run', [ran('python -m pytest tests/test_box.py', 'no tests ran', 4)], []],
    ],
    BUG,
  );
});

describe('agents from outside, which tell exit codes in words', () => {
  const call = (tool: string, args: Record<string, unknown>, output: string): Ran => ({
    tool,
    command: JSON.stringify(args),
    output,
  });
  const found = (instance: LeakInstance, ...steps: Ran[]) => {
    const trajectory = { ...trajectoryOf(...steps), tools: [] };
    for (const step of trajectory.steps) for (const seen of step.observations) seen.exit_code = null;
    return leakReport(trajectory, instance).map(({ step, rule, severity }) => `${step} ${rule} ${severity}`);
  };
  const each = (vectors: Vector[], instance = FIX) =>
    test.each(vectors)('%s', (_name, steps, wanted) => expect(found(instance, ...steps)).toEqual(wanted));
  const box = '/testbed/src/toolkit/box.py';
  const absent = `Exit code: 1\nWall time: 0 seconds\nOutput:\ncat: ${SITE}/toolkit/box.py: No such file or directory`;
  each([
    [
      'a copy of the project, by a command',
      [call('Bash', { command: `cat ${SITE}/toolkit/box.py` }, 'class Box:\n')],
      ['0 project-copy leak'],
    ],
    [
      'a copy of the project, by a list of words',
      [call('shell', { command: ['bash', '-lc', `cat ${SITE}/toolkit/box.py`] }, 'class Box:\n')],
      ['0 project-copy leak'],
    ],
    [
      'a copy of the project, by a tool',
      [call('Read', { file_path: `${SITE}/toolkit/box.py`, limit: 50 }, '     1\tclass Box:')],
      ['0 project-copy leak'],
    ],
    [
      'a copy that is not there',
      [
        call('shell', { command: ['bash', '-lc', `cat ${SITE}/toolkit/box.py`] }, absent),
        call('Read', { file_path: `${SITE}/toolkit/box.py` }, 'File does not exist.'),
      ],
      ['0 project-copy attempt', '1 project-copy attempt'],
    ],
    [
      'text of the answer',
      [
        call('Bash', { command: 'cat /data/answers.txt' }, GOLD),
        call('Read', { file_path: '/data/answers.txt' }, GOLD),
        call('query', { sql: 'select patch from rows' }, GOLD),
      ],
      ['0 gold-text leak', '1 gold-text leak', '2 gold-text leak'],
    ],
    [
      'the repository, which has only its first state',
      [
        call('Bash', { command: `cat ${box}` }, GOLD),
        call('Read', { file_path: box }, GOLD),
        call('Grep', { pattern: 'boundary', path: '/testbed', output_mode: 'content' }, GOLD),
      ],
      [],
    ],
    [
      'the answer in the agent’s own edit',
      [
        call('Edit', { file_path: box, old_string: 'pass', new_string: GOLD }, 'The file was updated.'),
        call('Bash', { command: 'python -m pytest' }, GOLD),
      ],
      [],
    ],
    [
      'the answer in the agent’s own patch',
      [
        call('apply_patch', { input: `*** Begin Patch\n*** Update File: ${box}\n+x` }, 'Success.'),
        call('shell', { command: ['bash', '-lc', 'python -m pytest'] }, GOLD),
      ],
      [],
    ],
    [
      'a remote branch',
      [call('Bash', { command: 'git show origin/main:setup.py' }, 'setup()')],
      ['0 git-history leak'],
    ],
    [
      'taking a file of a remote branch',
      [call('Bash', { command: 'git checkout origin/main -- setup.py' }, 'Updated 1 path from 1a2b3c4')],
      ['0 git-history leak'],
    ],
    [
      'a remote branch that is not there',
      [
        call('Bash', { command: 'git show origin/main' }, 'Exit code 128\nfatal: ambiguous argument'),
        call('run', { cmd: 'git show origin/main' }, 'nothing\n[The command completed with exit code 128.]'),
        call('Bash', { command: 'git show origin/main' }, ''),
      ],
      ['0 git-history attempt', '1 git-history attempt', '2 git-history attempt'],
    ],
    [
      'the project’s code on the network',
      [
        call(
          'Bash',
          { command: 'curl -s https://github.com/owner/tool-kit/raw/x' },
          'class Box:\n    minimum = 3',
        ),
      ],
      ['0 network leak'],
    ],
    [
      'a page of the project, by a tool',
      [
        call(
          'WebFetch',
          { url: 'https://github.com/owner/tool-kit/pull/12', prompt: 'the fix' },
          'The fix compares first.',
        ),
        call('WebFetch', { url: 'https://docs.python.org/3/', prompt: 'x' }, 'Many words of the page.'),
        call('WebFetch', { url: 'https://github.com/owner/tool-kit' }, 'Error: unable to resolve github.com'),
      ],
      ['0 network leak', '1 network attempt', '2 network attempt'],
    ],
    [
      'no network',
      [call('Bash', { command: 'curl -s https://github.com/owner/tool-kit/raw/x -o x' }, 'Exit code 6')],
      ['0 network attempt'],
    ],
  ]);
  each(
    [
      [
        'hidden tests',
        [call('Bash', { command: 'cat tests/test_box.py' }, 'def test_boundary():')],
        ['0 hidden-tests leak'],
      ],
      [
        'a file of its own under the name of hidden tests',
        [
          call(
            'Write',
            { file_path: '/testbed/tests/test_box.py', content: 'def test_x(): pass' },
            'Written.',
          ),
          call('Read', { file_path: '/testbed/tests/test_box.py' }, '1\tdef test_x(): pass'),
        ],
        [],
      ],
    ],
    BUG,
  );
});

test('names the step, what was called and what came back', () => {
  const report = leakReport(trajectoryOf(ran('ls'), ran(`cat ${SITE}/toolkit/box.py`, 'class Box:\n')), FIX);
  expect(report).toEqual([
    { step: 1, rule: 'project-copy', severity: 'leak', evidence: `cat ${SITE}/toolkit/box.py -> class Box:` },
  ]);
  expect(hasLeak(report)).toBe(true);
});

test('attempts are no leak', () => {
  expect(hasLeak(leakReport(trajectoryOf(ran('git fetch')), FIX))).toBe(false);
});
