/**
 * New files of a patch with names that programs and Python know: a program called `git`, where a test may put its folder
 * on PATH, and a module at the root called as one of Python's own or an installed package, which Python would load in
 * its place. Tests would then run them. A project without packages may have such a module for good reason, so it is a
 * doubt.
 */
import { baseName, folderOf } from '../../basics/repository-path.ts';
import { type Finding, findingAbout } from './findings.ts';
import { type TaskFiles, topName } from './task-files.ts';

/** Python's own modules, of all versions from 3.5 on. */
const MODULES = new Set(
  `
  abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect
  builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
  compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses
  dataclasses datetime dbm decimal difflib dis distutils doctest dummy_threading email encodings ensurepip
  enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc
  genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imghdr
  imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma macpath
  mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib
  nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle
  pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
  py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter
  runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket
  socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep
  struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios
  textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle
  turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg
  winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
  `
    .trim()
    .split(/\s+/),
);
/** Programs that tests and runners call by their names. */
const PROGRAMS = new Set(
  `
  ar as awk bash basename bzip2 cargo cat cc chmod clang cmake cmp conda cp curl cut diff docker env find
  g++ gcc git go grep gunzip gzip head hg java javac ld ln ls make md5sum mkdir mktemp mv ninja node npm
  npx nproc openssl patch perl pkg-config poetry ps py.test pytest rm rsync ruby rustc sed sh sha256sum
  sleep ssh sudo svn tail tar tee timeout touch tox tr uname unzip uv wc wget which xargs zip zsh
  `
    .trim()
    .split(/\s+/),
);
const PYTHON = /^(?:python|pypy|pip)[\d.]*$/;
const MODULE_ENDS = /(?:\.py|\.pyc|\.pyd|\.so)$/;
/** Folders of packages that some distributions install by mistake. */
const COMMON =
  /^(?:tests?|docs?|examples?|scripts?|tools?|benchmarks?|bin|build|dist|src|lib|samples?|utils?)$/;

export interface KnownNames {
  /** Names of programs that tests start in the gold runs. */
  programs: readonly string[];
  /** Modules and packages that are installed in the environment. */
  installed: readonly string[];
}

/** A finding if `added` files have such names; those that the task or its solution has are its own. */
export function nameFindings(
  added: readonly string[],
  { programs, installed }: KnownNames,
  files: TaskFiles,
  solution: Iterable<string>,
): Finding[] {
  const there = new Set([...files.paths, ...solution].map(moduleOf));
  const isModule = (name: string) => MODULES.has(name) || (installed.includes(name) && !COMMON.test(name));
  const found = added.filter((path) => {
    const name = baseName(path);
    if (PROGRAMS.has(name) || PYTHON.test(name) || (programs.includes(name) && !name.includes('.')))
      return !files.paths.has(path);
    const module = moduleOf(path);
    return module !== null && isModule(module) && !there.has(module);
  });
  return findingAbout('known-name', 'masked', found);
}

/** The top module that a file is of, if its folder is on the search path; null for what is no module. */
function moduleOf(path: string): string | null {
  if (!MODULE_ENDS.test(path)) return null;
  const folder = folderOf(path);
  const isTop = folder === '' || folder === 'src' || folder === 'lib';
  const isPackage = /\/__init__\.[^/]+$/.test(path) && path.split('/').length <= 3;
  return isTop || isPackage ? topName(path) : null;
}
