"""Records what tests read beside code: data files of the repository that code of tests opens, files that they hand to
programs, and the names of the programs that they start. Only runs with the gold patch are recorded: what they read is
part of the tests. It needs audit hooks, which Python has from 3.8 on.

Each entry is `kind path`. data: opened by code of tests. given: opened by code under test. handed: named to a program
that tests start, which may be that program. written: opened to be written. program: the name of such a program.
"""
_WRITES = posix.O_WRONLY | posix.O_RDWR
_CODE_FILES = ('.py', '.pyi', '.pyc', '.pyo', '.pyd', '.so')
_MOST_READS = 4000


class Reads(object):
    def __init__(self, write):
        self._write, self._told = write, set()
        if hasattr(sys, 'addaudithook'):
            sys.addaudithook(self._hook())

    def _hook(self):
        frame_of, opened, started = frame_at, self._opened, self._started

        def told(event, given):
            try:
                if event == 'open':
                    opened(frame_of(1), given)
                elif event == 'sqlite3.connect':
                    # It opens its file itself.
                    opened(frame_of(1), (given[0], 'r', 0))
                elif event in _STARTS:
                    started(frame_of(1), event, given)
            except RecursionError:
                raise
            except Exception:
                # What cannot be read is not part of the tests.
                pass

        return told

    def _tell(self, kind, name):
        entry = '%s %s' % (kind, name)
        if entry not in self._told and len(self._told) < _MOST_READS:
            self._told.add(entry)
            self._write('reads', entry)

    def _opened(self, frame, given):
        path, mode, flags = given
        path = self._own(path)
        if path is None:
            return
        if (flags or 0) & _WRITES or set(mode or '').intersection('wax+'):
            self._tell('written', path)
            return
        by_tests = _by_tests(frame)
        if by_tests is not None:
            self._tell('data' if by_tests else 'given', path)

    def _own(self, path, folder=None):
        """The path below the repository; None for code, and for what lies elsewhere."""
        path = text_of(path)
        path = _absolute(path if folder is None else '%s/%s' % (folder, path) if path[:1] != '/' else path)
        name = path[len(ROOT) + 1:]
        if not _below(path) or not name or path.endswith(_CODE_FILES) or name.startswith('.git/') or '\n' in name:
            return None
        return None if '__pycache__' in name else name

    def _started(self, frame, event, given):
        if not _by_tests(frame):
            return
        words, folder = words_of(event, given)
        for word, is_program in words:
            if is_program:
                self._tell('program', word.rpartition('/')[2])
            place = word if '/' in word or '.' in word else ''
            path = place and _absolute(place if folder is None or place[:1] == '/' else '%s/%s' % (folder, place))
            if path and _below(path) and os.path.isfile(path):
                self._tell('handed', path[len(ROOT) + 1:])


def _by_tests(frame):
    """Whether the nearest code of the repository is of tests; None where there is none."""
    while frame is not None and not frame.f_code.co_filename.startswith('<doctest ') \
            and not _is_of_repository(frame.f_code.co_filename):
        frame = frame.f_back
    name = None if frame is None else frame.f_code.co_filename
    return name and (name.startswith('<doctest ') or is_test_file(_absolute(name)))
