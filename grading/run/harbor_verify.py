"""Grades the patch of a Harbor trial, in a fresh container of the task: 1 or 0 into reward.txt.

The patch is what the collect command of task.toml left in /logs/artifacts. It is applied to the task's first state,
the files that decide the verdict are put back, and the tests are run. What is no verdict leaves no reward: Harbor
then reports a fault.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LOGS = os.environ.get('HARBOR_LOGS', '/logs')
ARTIFACTS, VERIFIER = os.path.join(LOGS, 'artifacts'), os.path.join(LOGS, 'verifier')
ROOT = '/testbed'
START, END = '>>>>> Start Test Output', '>>>>> End Test Output'
# The shell's exit code when a service of the task did not become ready.
NOT_READY = 98
# The worst comes last.
STATUSES = ['PASSED', 'RERUN', 'SKIPPED', 'XFAIL', 'XPASS', 'ERROR', 'FAILED']


class Fault(Exception):
    """There is no verdict on the patch."""


class Refused(Exception):
    """The patch earns no reward."""


def git(*words):
    ran = subprocess.run(['git', '-C', ROOT, '-c', 'safe.directory=*', *words], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    return ran.returncode, ran.stdout.decode('utf-8', 'replace')


def must(*words):
    code, said = git(*words)
    if code != 0:
        raise Fault('git %s: %s' % (words[0], said.strip()))
    return said


def collected(task):
    """The path of the patch."""
    path = os.path.join(ARTIFACTS, 'patch.diff')
    try:
        with open(os.path.join(ARTIFACTS, 'patch.code')) as file:
            code = file.read().strip()
    except OSError:
        raise Fault('no patch was collected')
    if code != '0' or not os.path.isfile(path):
        raise Refused('git could not say what the agent changed (exit code %s)' % code)
    if os.path.getsize(path) == 0:
        raise Refused('the patch is empty')
    if os.path.getsize(path) > task['max_patch']:
        raise Refused('the patch is larger than %d bytes' % task['max_patch'])
    return path


def apply(task):
    patch = collected(task)
    # The files are those of the commit and have other times.
    git('update-index', '-q', '--refresh')
    code, said = git('apply', '--index', '--whitespace=nowarn', patch)
    if code != 0:
        raise Refused('the patch does not apply: ' + said.strip())
    fields = must('diff', '--cached', '--raw', '--no-renames', '--no-abbrev', '-z', 'HEAD').split('\0')
    for told, path in zip(fields[0::2], fields[1::2]):
        mode = told.split(' ')[1]
        if path in task['solution']:
            continue
        if is_protected(path, task):
            print('put back: ' + path)
            put_back(path)
        elif mode in ('120000', '160000'):
            raise Refused('%s is a link' % path)


def is_protected(path, task):
    """True for files that decide the verdict, and for new ones that would be read in their place."""
    new = task['new']
    name = path.rsplit('/', 1)[-1]
    stem = re.sub(r'(\.py|\.[^/]*\.?(so|pyd))$', '', path)
    parents = [path[:at] for at, letter in enumerate(path) if letter == '/']
    return (path in task['protected'] or name in new['names'] or bool(re.search(new['pattern'], path))
            or any(path.startswith(folder) or path == folder[:-1] for folder in new['folders'])
            or stem in new['stems'] or any(parent in new['stems'] for parent in parents))


def put_back(path):
    remove(path)
    must('reset', '-q', 'HEAD', '--', path)
    if git('cat-file', '-e', 'HEAD:' + path)[0] == 0:
        must('checkout', '-q', 'HEAD', '--', path)


def remove(path):
    whole = os.path.join(ROOT, path)
    if os.path.isdir(whole) and not os.path.islink(whole):
        shutil.rmtree(whole)
    elif os.path.lexists(whole):
        os.remove(whole)


def bring_tests(task):
    """Hidden tests, which the first state does not have, and the test patch."""
    for path in task['hidden']:
        parts = path.split('/')
        for depth in range(1, len(parts)):
            parent = os.path.join(ROOT, *parts[:depth])
            if os.path.islink(parent) or os.path.isfile(parent):
                os.remove(parent)
        remove(path)
    archive = os.path.join(HERE, 'hidden.tar.gz')
    if os.path.exists(archive):
        subprocess.run(['tar', '-xzf', archive, '-C', ROOT, '--no-same-owner'], check=True)
    patch = os.path.join(HERE, 'test.patch')
    if os.path.exists(patch):
        code, said = git('apply', '--whitespace=nowarn', patch)
        if code != 0:
            raise Refused('the tests do not fit the patch: ' + said.strip())
    for path, copy in task['copies']:
        shutil.copyfile(os.path.join(ROOT, path), copy)


def run_tests(task):
    """The exit code of the tests, and what they wrote."""
    path = os.path.join(VERIFIER, 'tests.log')
    with open(path, 'wb') as log:
        tests = subprocess.Popen(['bash', os.path.join(HERE, 'run-tests.sh')], stdin=subprocess.DEVNULL, stdout=log,
                                 stderr=subprocess.STDOUT, cwd=ROOT, start_new_session=True)
        try:
            code = tests.wait(task['timeout'])
        except subprocess.TimeoutExpired:
            raise Refused('the tests ran into their time limit')
        finally:
            try:
                os.killpg(tests.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    with open(path, encoding='utf-8', errors='replace') as log:
        text = log.read()
    if START not in text:
        raise Fault('the tests were not begun; exit code %s' % code)
    if code == NOT_READY and END not in text:
        raise Fault('a service did not become ready')
    return code, text.partition(START)[2].rpartition(END)[0]


def statuses(log, parser):
    """The worst status of each test that the log names. Only what the runner itself writes is read."""
    lines = re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', log).replace('\r\n', '\n').split('\n')
    found = {}

    def record(test, status):
        if STATUSES.index(status) > STATUSES.index(found.get(test, 'PASSED')) or test not in found:
            found[test] = status

    rename = RENAMED.get(parser)
    for test, status in (read_unittest if parser == 'unittest' else read_pytest)(lines):
        record(test, status)
        if rename:
            record(rename(test), status)
    return found


def short_option(test):
    """A parameter that is an absolute path is listed by its last part."""
    name, _, rest = test.partition('[')
    option = rest.rpartition(']')[0]
    if not option.startswith('/') or option.startswith('//') or '*' in option:
        return test
    return '%s[%s]' % (name, option[option.rindex('/'):])


def numbered_buttons(test):
    return test.replace('MouseButton.LEFT', '1').replace('MouseButton.RIGHT', '3')


# How some datasets write the ids in their lists.
RENAMED = {'pytest-options': short_option, 'matplotlib': numbered_buttons}


def read_pytest(lines):
    summary = [at for at, line in enumerate(lines) if re.match(r'=+ short test summary info =+$', line)]
    first = next((at for at, line in enumerate(lines)
                  if re.match(r'=+ (ERRORS|FAILURES|PASSES|XFAILURES|XPASSES|warnings summary) =+', line)),
                 summary[0] if summary else len(lines))
    for line in lines[:first]:
        told = re.match(r'(\S+::.*?) (%s)\b' % '|'.join(STATUSES), line)
        if told:
            yield told.group(1), told.group(2)
        told = re.match(r'\[gw\d+\] \[ *\d+%%\] (%s) (\S+::.*?)\s*$' % '|'.join(STATUSES), line)
        if told:
            yield told.group(2), told.group(1)
    for line in lines[summary[-1] + 1:] if summary else []:
        word, _, rest = line.partition(' ')
        if word not in STATUSES or '::' not in rest:
            continue
        # Where an id ends and a reason begins cannot be told from the line alone; each end is a possible id.
        for at in [match.start() for match in re.finditer(' - ', rest)] + [len(rest)]:
            yield rest[:at].rstrip(), word


def read_unittest(lines):
    test = re.compile(r'\w+ \([\w.<>]+\)')
    words = {'ok': 'PASSED', 'FAIL': 'FAILED', 'ERROR': 'ERROR', 'expected failure': 'XFAIL',
             'unexpected success': 'XPASS'}

    def status_of(text):
        return 'SKIPPED' if re.match("skipped ['\"]", text) else words.get(text)

    is_open, in_list = None, False
    for line in lines:
        if re.match('={70}$', line):
            is_open, in_list = None, True
        elif in_list:
            told = re.match(r'(ERROR|FAIL|UNEXPECTED SUCCESS): ', line)
            name = test.match(line[told.end():]) if told else None
            if name:
                yield name.group(), {'FAIL': 'FAILED', 'ERROR': 'ERROR'}.get(told.group(1), 'XPASS')
        else:
            rest, name = line, test.match(line)
            while name:
                is_open = name.group()
                rest = rest[name.end():]
                if not rest.startswith(' ... '):
                    break
                rest = rest[len(' ... '):]
                name = test.match(rest)
            if name is None and rest == line and ' ... ' in line:
                rest = line[line.rindex(' ... ') + len(' ... '):]
            status = status_of(rest)
            if is_open and status:
                yield is_open, status
                is_open = None
            elif is_open and any(line.endswith(word) for word in words):
                yield is_open, next(status for word, status in words.items() if line.endswith(word))


def found_as(listed, found):
    """The statuses of the tests that a listed id stands for; several where it is cut off inside its brackets."""
    unittest = re.match(r'(\w+) \(([\w.]+)\)$', listed)
    names = [listed]
    if unittest:
        name, owner = unittest.groups()
        longer = '%s (%s.%s)' % (name, owner, name)
        names.append('%s (%s)' % (name, owner[:-len(name) - 1]) if owner.endswith('.' + name) else longer)
    for name in names:
        if name in found:
            return {name: found[name]}
    if listed.count('[') <= listed.count(']'):
        return {}
    return {test: status for test, status in found.items() if test.startswith(listed)}


def holds(listed, found, gold):
    """Whether the tests of an id are what they are with the solution: `gold` names them where they do not just pass."""
    told = found_as(listed, found)
    if gold is None:
        return bool(told) and set(told.values()) <= {'PASSED'}
    return bool(told) and set(gold) <= set(told) and all(
        status in ('PASSED', gold.get(test)) for test, status in told.items())


def grade(task):
    apply(task)
    bring_tests(task)
    code, log = run_tests(task)
    found = statuses(log, task['parser'])
    if code != 0 and not {'FAILED', 'ERROR'} & set(found.values()):
        raise Refused('the tests exited with %s, but no test failed' % code)
    left = [listed for listed in task['tests'] if not holds(listed, found, task['gold'].get(listed))]
    if left:
        raise Refused('%d of %d tests do not pass: %s' % (len(left), len(task['tests']), ', '.join(left[:10])))


def main():
    with open(os.path.join(HERE, 'task.json'), encoding='utf-8') as file:
        task = json.load(file)
    os.makedirs(VERIFIER, exist_ok=True)
    reward = os.path.join(VERIFIER, 'reward.txt')
    if os.path.exists(reward):
        os.remove(reward)
    try:
        grade(task)
        text, why = '1', 'resolved'
    except Refused as error:
        text, why = '0', str(error)
    except (Fault, OSError, subprocess.SubprocessError) as error:
        sys.exit('fault: %s' % error)
    with open(reward, 'w') as file:
        file.write(text + '\n')
    print('reward %s: %s' % (text, why))


if __name__ == '__main__':
    main()
