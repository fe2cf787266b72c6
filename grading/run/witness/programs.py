"""Programs that tests start: which file each is, and with which variables that decide what runs. Code under test could offer
another one, by a folder on PATH, a file in the environment or a variable. The grader compares that with the gold runs.
"""
_STARTS = frozenset(['subprocess.Popen', 'os.exec', 'os.posix_spawn', 'os.system'])
_TEMPORARY = ('/tmp/', '/var/tmp/', '/dev/shm/')
# Variables of Python, pytest, the loader and shells by which other code runs in a program, or not all of it: assertions.
_DECIDING_VARIABLES = ('PYTHONPATH', 'PYTHONHOME', 'PYTHONSTARTUP', 'PYTHONINSPECT', 'PYTHONWARNINGS', 'PYTHONBREAKPOINT',
                       'PYTHONOPTIMIZE', 'PYTHONUSERBASE', 'PYTHONPYCACHEPREFIX', 'PYTHONPLATLIBDIR', 'PYTEST_ADDOPTS',
                       'PYTEST_PLUGINS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'BASH_ENV', 'ENV')
_MOST_WORDS = 50


def words_of(event, given):
    """The words of what is started, each with whether it is a program, and the folder in which."""
    if event == 'os.system':
        words, folder = given[0], None
    elif event == 'subprocess.Popen':
        words, folder = given[1], given[2]
    else:
        words, folder = given[1], None
    if event != 'os.system' and not isinstance(words, (str, bytes)):
        words = [text_of(word) for word in words]
        if given[0] is not None:
            words[:1] = [text_of(given[0])]
    else:
        words = [text_of(words)]
    # A shell's command, and programs in one word.
    words = [part for word in words[:_MOST_WORDS]
             for part in (word.replace('"', ' ').replace("'", ' ').split() if ' ' in word else [word])]
    found, is_next = [], True
    for word in words[:_MOST_WORDS]:
        found.append((word, bool(is_next and word and not word.startswith('-'))))
        is_next = word in ('-c', '&&', '||', '|', ';', 'env') or is_next and '=' in word
    return found, None if folder is None else _absolute(text_of(folder))


def text_of(word):
    word = os.fspath(word)
    return word.decode('utf-8', 'surrogateescape') if isinstance(word, bytes) else word


def changed_since(path, begun):
    """The digest of a file that was changed since then, '' for any other one. To the kernel a further link is a change, too, and the
    cache makes one when another environment has the same file: the grader looks whether the content is that of the environment."""
    if posix.stat(path).st_ctime <= begun:
        return ''
    reader, digest = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC), sha256()
    try:
        while True:
            part = posix.read(reader, 1 << 20)
            if not part:
                return digest.hexdigest()
            digest.update(part)
    finally:
        posix.close(reader)


class Programs(object):
    def __init__(self, tell):
        self._tell, self._begun = tell, posix.stat(PROGRAM).st_ctime

    def started(self, frame, event, given):
        while frame is not None and not _is_of_repository(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is None:
            return
        words, folder = words_of(event, given)
        if not is_test_file(_absolute(frame.f_code.co_filename)):
            self._shown(words, folder or posix.getcwd(), relative(frame.f_code.co_filename))
            return
        own = given[-1] if event != 'os.system' and isinstance(given[-1], dict) else os.environ
        variables = {text_of(name): text_of(value) for name, value in own.items()}
        for name in _DECIDING_VARIABLES:
            if name in variables:
                self._tell('variable', name, ' '.join(map(self._place, variables[name].split(':'))))
        for word, is_program in words:
            if is_program:
                name = word.rpartition('/')[2]
                self._tell('program', name, self._file(word, folder or posix.getcwd(), variables.get('PATH', '')))

    def _shown(self, words, folder, asks):
        """Tells if code under test hands tests to a program, or a folder with tests."""
        for word, is_program in words:
            path = os.path.realpath(os.path.join(folder, word))
            if is_program or word.startswith('-') or not _below(path):
                continue
            name = relative(path) if path != ROOT else ''
            below = name and name + '/'
            if is_of_tests(path) or any(one.startswith(below) for one in list(TEST_FILES) + list(TEST_FOLDERS)) and os.path.isdir(path):
                self._tell('read', name or 'the repository', asks)

    def _file(self, word, folder, path):
        places = [folder] if '/' in word else path.split(':')
        for place in places:
            try:
                found = os.path.join(place, word)
                if posix.access(found, posix.X_OK):
                    place = self._place(found.rpartition('/')[0] or '/')
                    if found[:1] != '/' or place == 'temporary' or _below(_absolute(found)):
                        return place
                    digest = changed_since(found, self._begun)
                    return '%s new %s' % (place, digest) if digest else place
            except (OSError, ValueError):
                pass
        return 'none'

    def _place(self, path):
        if path.startswith(_TEMPORARY) or path in ('/tmp', '/var/tmp', '/dev/shm'):
            return 'temporary'
        return relative(path) if path[:1] == '/' and _below(_absolute(path)) else path
