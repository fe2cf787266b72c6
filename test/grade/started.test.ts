/** What tests start runs as it would without the witness: it says nothing of its own, whatever it is called and wherever it runs. */
import { afterAll, describe, expect, test } from 'vitest';
import { runCheck } from '../../grading/run/check.ts';
import { goldPatch } from '../../patches/apply.ts';
import { GradedTask, gradingSandbox, pytestLayer } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const STARTS = String.raw`
import os, subprocess, sys, tempfile

def said(*words, python=[sys.executable], **options):
    command = [*python, '-c', 'print("ran")', *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    return done.returncode, done.stdout, done.stderr

QUIET = (0, b'ran\n', b'')

def test_letters():
    assert said('\u3053\u3093') == QUIET

def test_bytes():
    assert said(b'\xff\xfe') == QUIET

def test_plain_locale():
    assert said('\u3053', env={'LC_ALL': 'C', 'PATH': os.environ['PATH']}) == QUIET

def test_no_variables():
    assert said(env={}) == QUIET

def test_folder_is_gone():
    folder = tempfile.mkdtemp()
    gone = lambda: (os.chdir(folder), os.rmdir(folder))
    assert said(preexec_fn=gone) == QUIET

def test_all_warnings():
    assert said(python=[sys.executable, '-X', 'dev', '-X', 'warn_default_encoding', '-b']) == QUIET

def test_below_a_strange_name(tmp_path):
    tool = tmp_path / 'run \u3053) (\u3093.py'
    tool.write_text('import subprocess, sys; subprocess.run([sys.executable, "-c", "print(1)"])')
    done = subprocess.run([sys.executable, str(tool)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.stdout, done.stderr) == (b'1\n', b'')
`;
const NAMES = [
  'letters',
  'bytes',
  'plain_locale',
  'no_variables',
  'folder_is_gone',
  'all_warnings',
  'below_a_strange_name',
];

describe.skipIf(box === null)('what tests start', () => {
  test('says nothing of its own', async () => {
    const task = new GradedTask(box!.deployment, environment!, {
      files: { 'test_starts.py': STARTS, 'code.txt': 'a\n' },
      solution: { 'code.txt': 'b\n' },
      failToPass: ['test_starts.py::test_letters'],
      passToPass: [],
    });
    const ran = await runCheck(task.setup, 'gold', goldPatch(task.setup.instance));
    if (!ran.ok) throw new Error(JSON.stringify(ran.fault));
    const statuses = Object.fromEntries(ran.value.evidence.run.statusMap);
    expect(statuses).toEqual(
      Object.fromEntries(NAMES.map((name) => [`test_starts.py::test_${name}`, 'PASSED'])),
    );
  });
});
