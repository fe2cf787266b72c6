/** Files that tools which start tests look for by name. */

/** The names under which make looks for its rules, first come first served. */
export const MAKEFILES: readonly string[] = ['GNUmakefile', 'makefile', 'Makefile'];

/** In the folder in which they are started. */
const OPENED: readonly [tool: RegExp, files: readonly string[]][] = [
  [/^g?make$/, MAKEFILES],
  [/^just$/, ['justfile', 'Justfile', '.justfile', '.env']],
  [
    /^(?:task|go-task)$/,
    ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml'],
  ],
  [/^(?:npm|npx|yarn|pnpm|bun)$/, ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml']],
  [/^nox$/, ['noxfile.py']],
  [/^tox$/, ['tox.ini', 'tox.toml', 'setup.cfg', 'pyproject.toml']],
  [/^nose2$/, ['nose2.cfg', 'unittest.cfg']],
  [/^nosetests$|^nose$/, ['.noserc', 'nose.cfg']],
  [/^(?:invoke|inv)$/, ['tasks.py', 'invoke.yaml', 'invoke.yml', 'invoke.json', 'invoke.py']],
  [/^fab$/, ['fabfile.py']],
  [/^doit$/, ['dodo.py']],
  [/^paver$/, ['pavement.py']],
  [/^scons$/, ['SConstruct', 'SConstruct.py']],
  [/^waf$/, ['wscript']],
  [/^rake$/, ['Rakefile', 'rakefile']],
  [/^behave$/, ['behave.ini', '.behaverc', 'features']],
  [/^stestr$/, ['.stestr.conf']],
  [/^testr$/, ['.testr.conf']],
  [/^hatch$/, ['hatch.toml', 'pyproject.toml']],
  [/^(?:poe|poetry)$/, ['pyproject.toml']],
  [/^pixi$/, ['pixi.toml']],
  [/^pdm$/, ['pdm.toml', '.pdm.toml', 'pyproject.toml']],
  [/^(?:uv|uvx)$/, ['uv.toml', '.env']],
  [/^pipenv$/, ['Pipfile', '.env']],
  [/^(?:dotenv|honcho|foreman)$/, ['.env', 'Procfile']],
  [/^direnv$/, ['.envrc', '.env']],
  [/^coverage$/, ['.coveragerc']],
];

/** What `program` looks for; nothing when it is no such tool. */
export function filesOfTool(program: string): string[] {
  return OPENED.flatMap(([tool, files]) => (tool.test(program) ? files : []));
}
