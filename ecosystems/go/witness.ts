/**
 * The witness of Go's tests: the package `testing` with three calls added to it, by an overlay of the compiler. What a test
 * comes to is written where it is decided, whatever is printed. Each run adds two tests of its own to the packages with the
 * instance's tests, one that must pass and one that must fail. All of it is in the process of the code under test, so code
 * that looks for it can forge it.
 */

import { folderOf } from '../../basics/repository-path.ts';
import { isStatus, recordWorst, type Status } from '../../parsers/status.ts';
import type { EcosystemWitness, Seen, WitnessRequest } from '../kind.ts';
import { Sharing } from '../records.ts';
import { inFolder, moduleOf, withCanaries } from './packages.ts';

const PLACE = '/opt/env/go/witness';
export const OVERLAY = `${PLACE}/overlay.json`;

/**
 * Behind the package's own code, whose imports it uses. A process of a test binary writes one file, each of whose lines begins with the
 * run's secret.
 */
const SOURCE = `
var swemake struct {
	mutex  sync.Mutex
	file   *os.File
	folder string
	secret string
}

func init() {
	swemake.folder, swemake.secret = os.Getenv("SWEMAKE_WITNESS"), os.Getenv("SWEMAKE_SECRET")
	os.Unsetenv("SWEMAKE_WITNESS")
	os.Unsetenv("SWEMAKE_SECRET")
}

func swemakeBegin(name string) {
	for number := 0; swemake.folder != "" && swemake.file == nil && number < 100000; number++ {
		path := swemake.folder + "/record-" + strconv.Itoa(number)
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0600)
		if err == nil {
			swemake.file = file
		} else if !os.IsExist(err) {
			return
		}
	}
	swemakeWrite("begin", name)
}

func swemakeReport(t *T) {
	status := "PASSED"
	if t.Failed() {
		status = "FAILED"
	} else if t.Skipped() {
		status = "SKIPPED"
	}
	swemakeWrite(status, t.Name())
}

func swemakeWrite(kind string, name string) {
	if swemake.file == nil {
		return
	}
	swemake.mutex.Lock()
	defer swemake.mutex.Unlock()
	swemake.file.WriteString(swemake.secret + " " + kind + " " + strconv.Quote(name) + "\\n")
}
`;

/** Added to lines of testing.go, whose numbers stay as they are. */
const CALLS: readonly [line: string, call: string][] = [
  ['func (t \\*T) report() {', 'swemakeReport(t)'],
  [
    'func (m \\*M) Run() (code int) {',
    'swemakeBegin(m.deps.ImportPath()); defer func() { swemakeWrite("end", "") }()',
  ],
];

/** Bash that writes the overlay for the toolchain on PATH. */
export function placeOverlay(): string {
  const edits = CALLS.map(([line, call]) => `-e 's/^${line}$/& ${call}/'`).join(' ');
  return [
    `mkdir -p ${PLACE}; root=$(go env GOROOT)/src/testing`,
    `sed ${edits} "$root/testing.go" > ${PLACE}/testing.go`,
    `[ "$(grep -c swemake ${PLACE}/testing.go)" = ${CALLS.length} ] || { echo 'the package testing of this Go has another form'; exit 1; }`,
    `printf %s ${quoted(SOURCE)} >> ${PLACE}/testing.go`,
    // No new file: vet reads the package as it is without the overlay.
    `printf '{"Replace": {"%s/testing.go": "${PLACE}/testing.go"}}' "$root" > ${OVERLAY}`,
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export async function goWitness(request: WitnessRequest): Promise<EcosystemWitness> {
  const { folder, nonce, testFiles, read, command } = request;
  const [mark, secret] = [nonce.slice(0, 16), nonce.slice(16)];
  const canaries = { passes: `TestSwemake${mark}Passes`, fails: `TestSwemake${mark}Fails` };
  const files: Record<string, string> = { [`${folder}/made`]: '' };
  const packages = new Set<string>();
  const folders = new Set(testFiles.filter((path) => path.endsWith('_test.go')).map(folderOf));
  for (const at of folders) {
    const [first] = testFiles.filter((path) => folderOf(path) === at && path.endsWith('_test.go'));
    const clause = /^package\s+(\w+)/m.exec((await read(`/testbed/${first}`)) ?? '')?.[1];
    const module = await moduleOf(at, (path) => read(`/testbed/${path}`));
    if (clause === undefined || module === null) continue;
    packages.add(module);
    files[`/testbed/${inFolder(at, `swemake_${mark}_test.go`)}`] = canarySource(clause, canaries);
  }
  return {
    files,
    before: [
      `export SWEMAKE_WITNESS=${folder} SWEMAKE_SECRET=${secret} GOFLAGS="$GOFLAGS -overlay=${OVERLAY}"`,
    ],
    command: withCanaries(command, `^TestSwemake${mark}`),
    watched: [`${PLACE}/testing.go`, OVERLAY],
    records: `${folder}/record-#`,
    seen: (records) => seenIn(records, secret, canaries, packages),
  };
}

interface Canaries {
  passes: string;
  fails: string;
}

/** Ways of a test to fail, each of which must make a canary fail. */
const FAILURES = ['Fail', 'FailNow', 'Error', 'Errorf', 'Fatal', 'Fatalf'];

/** A package may declare names of Go's own anew, for its tests as well. */
function canarySource(clause: string, { passes, fails }: Canaries): string {
  return [
    `package ${clause}`,
    'import "testing"',
    `func ${passes}(t *testing.T) {`,
    '\tvar none error',
    '\tif holds := 1 == 1; holds != true || holds == false || none != nil || len("ab") != 2 { t.Fail() }',
    '}',
    `func ${fails}(t *testing.T) {`,
    ...FAILURES.map((name) => {
      const given = name.endsWith('f') ? '"must %s", "fail"' : /^Fail/.test(name) ? '' : '"must fail"';
      return `\tt.Run("${name}", func(t *testing.T) { t.${name}(${given}) })`;
    }),
    '}',
    '',
  ].join('\n');
}

/** One process: the package whose tests it has, and what they came to. */
interface Process {
  name: string;
  statuses: Map<string, Status>;
  ended: boolean;
}

function seenIn(
  records: readonly string[],
  secret: string,
  { passes, fails }: Canaries,
  packages: ReadonlySet<string>,
): Seen {
  const isCanary = (id: string) => id.includes(passes) || id.includes(fails);
  const nothing = { statuses: new Map<string, Status>(), canaries: null, isCanary };
  const processes = records.map((record) => readProcess(record, secret));
  if (processes.includes(null)) return { ...nothing, state: 'broken' };
  const sound = processes.filter((one) => one !== null);
  if (sound.length === 0) return { ...nothing, state: 'absent' };
  const statuses = new Map<string, Status>();
  const sharing = new Sharing();
  for (const { name, statuses: own } of sound) {
    for (const [test, status] of own) {
      if (isCanary(test)) continue;
      recordWorst(statuses, `${name}::${test}`, status);
      // Logs of -v have no package in their ids.
      recordWorst(statuses, test, status);
      sharing.add(test, name);
    }
  }
  const wrong = [...packages].filter((name) => {
    const own = sound.find((one) => one.name === name)?.statuses;
    const failing = [fails, ...FAILURES.map((way) => `${fails}/${way}`)];
    return own?.get(passes) !== 'PASSED' || failing.some((test) => own.get(test) !== 'FAILED');
  });
  return {
    state: sound.every(({ ended }) => ended) ? 'closed' : 'open',
    statuses,
    several: sharing.counts(),
    canaries: wrong.length === 0 ? null : `in ${wrong.join(', ')}`,
    isCanary,
  };
}

/** null: a line is not the witness's. */
function readProcess(record: string, secret: string): Process | null {
  const found: Process = { name: '', statuses: new Map(), ended: false };
  for (const line of record.split('\n').slice(0, -1)) {
    const [, own, kind, text] = /^(\w+) (\w+) (".*")$/.exec(line) ?? [];
    if (own !== secret || text === undefined) return null;
    const name = unquoted(text);
    if (kind === 'begin') found.name = name;
    else if (kind === 'end') found.ended = true;
    else if (isStatus(kind!)) recordWorst(found.statuses, name, kind);
    else return null;
  }
  return found;
}

/** As strconv.Quote writes it. */
function unquoted(text: string): string {
  const one = (_: string, code: string) =>
    code.length > 1
      ? characterOf(Number.parseInt(code.slice(1), 16))
      : ({ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }[code] ?? code);
  return text.slice(1, -1).replace(/\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)/g, one);
}

/** strconv.Quote writes no number beyond Unicode; only a forged record has one. */
function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
