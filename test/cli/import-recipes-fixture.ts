/** Packages that `import-recipes` reads, and what it made of them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { main } from '../../cli/main.ts';
import { loadProject } from '../../compiler/load.ts';
import { temporaryFolder } from '../rig/folder.ts';

export const root = temporaryFolder();

/** A package like swesmith, which imports what is not installed. */
export const SMITH = {
  'swesmith/__init__.py': '',
  'swesmith/profiles/__init__.py': 'from .base import registry\nfrom . import python\n',
  'swesmith/profiles/base.py': `
from dataclasses import dataclass
import docker
from ghapi.all import GhApi
from swebench.harness.constants import TestStatus
registry = {}
@dataclass
class RepoProfile:
    owner: str = ""
    repo: str = ""
    commit: str = ""
    test_cmd: str = ""
    def log_parser(self, log): raise NotImplementedError
`,
  'swesmith/profiles/python.py': `
from dataclasses import dataclass, field
from .base import RepoProfile
@dataclass
class PythonProfile(RepoProfile):
    python_version: str = "3.10"
    install_cmds: list = field(default_factory=lambda: ["python -m pip install -e ."])
    test_cmd: str = "source /opt/miniconda3/bin/activate; conda activate testbed; pytest --verbose"
    def log_parser(self, log): return {}
    def build_image(self): pass
@dataclass
class Plain(PythonProfile):
    owner: str = "mewwts"
    repo: str = "addict"
    commit: str = "75284f9593dfb929cadd900aff9e35e7c7aec54b"
@dataclass
class Tornado(PythonProfile):
    owner: str = "tornadoweb"
    repo: str = "tornado"
    commit: str = "d5ac65c1f1453c2aeddd089d8e68c159645c13e1"
    test_cmd: str = "source /opt/miniconda3/bin/activate; conda activate testbed; python -m tornado.test --verbose"
    def log_parser(self, log): return {}
@dataclass
class Apt(PythonProfile):
    owner: str = "tox-dev"
    repo: str = "pipdeptree"
    commit: str = "c31b641817f8235df97adf178ffd8e4426585f7a"
    python_version = "3.12"
    install_cmds: list = field(default_factory=lambda: [
        "apt-get update && apt-get install graphviz -y", "pip install -e .[test,graphviz]"])
@dataclass
class Twice(PythonProfile):
    owner: str = "a"
    repo: str = "b.c"
    commit: str = "1111111111111111111111111111111111111111"
@dataclass
class TwiceMore(PythonProfile):
    owner: str = "a"
    repo: str = "b.c"
    commit: str = "2222222222222222222222222222222222222222"
`,
};

/** An environment whose only packages are these files. */
export function environment(name: string, ...packages: Record<string, string>[]): string {
  const folder = join(root, name);
  execFileSync('python3', ['-m', 'venv', '--without-pip', folder]);
  const library = join(folder, 'lib', readdirSync(join(folder, 'lib'))[0]!, 'site-packages');
  for (const [path, text] of packages.flatMap((files) => Object.entries(files))) {
    mkdirSync(join(library, path, '..'), { recursive: true });
    writeFileSync(join(library, path), text);
  }
  return join(folder, 'bin', 'python');
}

/** What the command said. */
export async function run(...args: string[]) {
  const end = { code: 0, stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      end[name] += text;
    },
  });
  const io = { stdout: sink('stdout'), stderr: sink('stderr'), env: process.env, cwd: root, isTTY: false };
  end.code = await main(['import-recipes', ...args], io);
  return end;
}

/** The recipes of a file that it wrote. */
export const recipesIn = (yaml: string) => parse(yaml).environments.recipes as Record<string, unknown>[];

/** The diagnostics of a project that extends `file`, and its recipes. */
export async function extended(file: string) {
  const text = `version: 1\nname: p\nextends: ${file}\ndataset: { train: { source: a/b, format: swe-smith } }\n`;
  writeFileSync(join(root, 'p.yaml'), text);
  const loaded = await loadProject('p.yaml', { env: {}, cwd: root });
  if (!loaded.ok) throw new Error(loaded.fault.map((one) => `${one.code} ${one.message}`).join('\n'));
  return { warnings: loaded.value.warnings, recipes: loaded.value.config.environments.recipes };
}
