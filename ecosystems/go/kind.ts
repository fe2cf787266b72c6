/**
 * Go: a toolchain from a module proxy, modules of the repository's go.mod files, and the compiler's cache. The cache holds
 * what the project depends on, and nothing of the project, whose code at another state may be a task's solution.
 */
import { shellWord } from '../../basics/shell.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import type { EcosystemBuild, EcosystemKind, EcosystemStep } from '../kind.ts';
import { toolchainPlace } from '../kind.ts';
import { GO_HINTS } from './hints.ts';
import { proposeGo } from './propose.ts';
import { goTests } from './tests.ts';
import { OVERLAY, placeOverlay } from './witness.ts';

const CACHE = '/opt/env/go/cache';
const MODULES = '/opt/env/go/mod';

/** Go removes what seems unused for days, and files of layers are old: unless it thinks that it did so today. */
const FRESH = `mkdir -p ${CACHE} && date +%s > ${CACHE}/trim.txt`;

/** Of all modules of the repository: one may stand for another by `replace` or in a workspace. */
const MANIFESTS = /(?:^|\/)go\.(?:mod|sum|work|work\.sum)$/;

const FLAGS = '-modcacherw -buildvcs=false';
/** Commands may complete go.mod and go.sum. Go refuses it in a workspace. */
const MAY_CHANGE = '-mod=mod ';
const IN_WORKSPACE = `case $(go env GOWORK) in '' | off) ;; *) export GOFLAGS='${FLAGS}' ;; esac`;

/**
 * Files of the cache that differ between equal builds: when entries were made, and what is kept beside what was unpacked.
 */
const TIDY = [
  `find ${CACHE} -name '*-a' -print0 | xargs -0 -r sed -i -E 's/ +[0-9]+$/  1000000000000000000/'`,
  `rm -rf ${CACHE}/trim.txt ${CACHE}/testexpire.txt`,
  `[ ! -d ${MODULES}/cache ] || find ${MODULES}/cache \\( -name '*.zip' -o -name '*.lock' -o -name list -o -name '*.tmp' \\) -delete`,
].join('\n');

/** Packages that the project and its tests import from elsewhere. */
const IMPORTED = '{{if not .Standard}}{{with .Module}}{{if not .Main}}{{$.ImportPath}}{{end}}{{end}}{{end}}';

/** Compiles these, as they are and as tests with the witness need them. What does not compile is left to the tests. */
const WARM_UP = [
  `go list -e -deps -test -f '${IMPORTED}' ./... | sed 's/ \\[.*//' | sort -u > /tmp/imported`,
  `[ ! -s /tmp/imported ] || xargs go build -overlay= < /tmp/imported || echo 'note: some imported packages do not compile'`,
  `[ ! -s /tmp/imported ] || xargs go build -overlay=${OVERLAY} < /tmp/imported || true`,
].join('\n');

const build: EcosystemBuild = {
  steps({ packages, pre_install, install }: BuildRecipe): EcosystemStep[] {
    return [
      ...stepsOf('create', 'create', [
        'go build std',
        `${placeOverlay()}\ngo build -overlay=${OVERLAY} testing/...`,
      ]),
      ...stepsOf('dependencies', 'packages', packages.filter(isModule).map(download)),
      ...stepsOf('installation', 'pre_install', pre_install),
      ...stepsOf('installation', 'install', install),
    ];
  },
  afterPatch: ({ packages }) =>
    commandOf(
      packages
        .filter(isModule)
        .map((path) => `(cd ./${shellWord(folderOf(path))} && go mod download)`)
        .join('\n'),
    ),
  reads: (path) => MANIFESTS.test(path) && !/(?:^|\/)(?:vendor|testdata)\//.test(path),
  variables: ({ go: version = '' }, has) => ({
    PATH: `${toolchainPlace('go', version)}/bin:/opt/env/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    GOTOOLCHAIN: 'local',
    // No settings of the user, which code that runs as the user can write.
    GOENV: 'off',
    GOPATH: '/opt/env/go',
    GOMODCACHE: MODULES,
    GOCACHE: CACHE,
    GOFLAGS: `${has?.('go.work') === true ? '' : MAY_CHANGE}${FLAGS}`,
    GOPROXY: 'off',
    GOSUMDB: 'off',
    GOTELEMETRY: 'off',
  }),
  dialect: 'go',
  stepVariables: {},
  start: [FRESH],
  listCommand: `cd ${MODULES}/cache/download 2> /dev/null && find . -name '*.ziphash' | sed 's|^./||; s|/@v/|@|; s|\\.ziphash$||' | sort`,
};

function stepsOf(phase: EcosystemStep['phase'], name: string, commands: readonly string[]): EcosystemStep[] {
  return commands.map((command, index) => ({
    name: `${name}[${index}]`,
    phase,
    command: commandOf(command),
  }));
}

function commandOf(command: string): string {
  return ['set -e', FRESH, IN_WORKSPACE, '(', command, ')', TIDY].join('\n');
}

function isModule(path: string): boolean {
  return /(?:^|\/)go\.(?:mod|work)$/.test(path);
}

function download(path: string): string {
  return `cd ${shellWord(`/testbed/${folderOf(path)}`)} && go mod download`;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

export const goEcosystem: EcosystemKind = {
  name: 'go',
  summary: 'Go modules',
  sources: ['.go'],
  manifests: ['go.mod', 'go.work'],
  toolchains: { go: { from: 'go-proxy', oldest: '1.18' } },
  recipe: {
    pip: [],
    packages: ['go.mod?', 'go.sum?'],
    install: [WARM_UP],
    test: 'go test -json -count=1',
    parser: 'go-test',
  },
  propose: proposeGo,
  hints: GO_HINTS,
  build,
  tests: goTests,
};
