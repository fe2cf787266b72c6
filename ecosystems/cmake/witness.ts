/**
 * The witness of GoogleTest and doctest: code behind the tests of each file, which CMake's launcher of the compiler adds. It listens to the
 * runner, and writes what each test came to where it is decided, whatever is printed. A test of its own says whether assertions of that file
 * still fail when they must. All of it is in the process of the code under test, so code that looks for it can forge it.
 */
import { shellWord } from '../../basics/shell.ts';
import { isStatus, recordWorst, type Status } from '../../parsers/status.ts';
import type { EcosystemWitness, Seen, WitnessRequest } from '../kind.ts';
import { DOCTEST } from './witness/doctest.ts';
import { GOOGLETEST } from './witness/googletest.ts';
import { CANARY, RECORD } from './witness/record.ts';

const PLACE = '/opt/env/cmake/witness';
export const LAUNCHER = `${PLACE}/launcher`;
export const CODE = `${PLACE}/witness.inc`;

/** Behind a file's own code, whose macros it uses. Its warnings, which a project may take for errors, are not the project's. */
const SOURCE = `#pragma GCC system_header
#if defined(GTEST_TEST_)
${RECORD}${GOOGLETEST}#elif defined(DOCTEST_TEST_CASE) && DOCTEST_VERSION >= 20305 && !defined(DOCTEST_CONFIG_DISABLE)
${RECORD}${DOCTEST}#endif
`;

/** The file itself is included, so all that it reads and says is the same. */
const SCRIPT = `#!/bin/bash
# Compiles files with tests with the witness behind them.
arguments=("$@") before= place= object=
for ((at = 0; at < $#; at++)); do
  one=\${arguments[at]}
  case $before:$one in
    -o:*) object=$one ;;
    -MF:* | -MT:* | -MQ:* | -include:* | -isystem:* | -I:*) ;;
    *:*.cc | *:*.cpp | *:*.cxx | *:*.C) place=$at ;;
  esac
  before=$one
done
[[ $place && $object ]] && grep -qE '^ *((TYPED_)?TEST(_F|_P)?|(DOCTEST_)?(TEST_CASE|SCENARIO)(_[A-Z_]+)?) *\\(' "\${arguments[place]}" || exec "$@"
source=$(realpath "\${arguments[place]}")
copy=$object.swemake.cc
printf '#include "%s"\\n#define SWEMAKE_FILE "%s"\\n#include "%s"\\n' "$source" "$source" ${CODE} > "$copy"
arguments[place]=$copy
exec "\${arguments[@]}"
`;

/** Bash that writes the launcher. */
export function placeLauncher(): string {
  return [
    `mkdir -p ${PLACE}`,
    `printf %s ${shellWord(SOURCE)} > ${CODE}`,
    `printf %s ${shellWord(SCRIPT)} > ${LAUNCHER}`,
    `chmod 755 ${LAUNCHER}`,
  ].join('\n');
}

/** Whether a file's text has tests, as the launcher looks for them. */
const HAS_TESTS = /^ *(?:(?:TYPED_)?TEST(?:_F|_P)?|(?:DOCTEST_)?(?:TEST_CASE|SCENARIO)(?:_[A-Z_]+)?) *\(/m;

export async function cmakeWitness(request: WitnessRequest): Promise<EcosystemWitness> {
  const { folder, nonce, command, testFiles, read, instance } = request;
  const wanted: string[] = [];
  for (const path of testFiles.filter((one) => /\.(?:cc|cpp|cxx|C)$/.test(one)))
    if (HAS_TESTS.test((await read(`/testbed/${path}`)) ?? '')) wanted.push(`/testbed/${path}`);
  return {
    files: { [`${folder}/made`]: '' },
    before: [`export SWEMAKE_WITNESS=${folder} SWEMAKE_SECRET=${nonce}`],
    command,
    watched: [],
    records: `${folder}/record-#`,
    seen: (records) => seenIn(records, nonce, wanted, [...instance.FAIL_TO_PASS, ...instance.PASS_TO_PASS]),
  };
}

/** One process of a test program. */
interface Process {
  statuses: Map<string, Status>;
  /** File with tests -> whether its assertions fail when they must. */
  canaries: Map<string, boolean>;
  ended: boolean;
}

function seenIn(
  records: readonly string[],
  secret: string,
  wanted: readonly string[],
  listed: readonly string[],
): Seen {
  const processes = records.map((record) => readProcess(record, secret));
  const sound = processes.filter((one) => one !== null);
  const statuses = new Map<string, Status>();
  for (const { statuses: own } of sound)
    for (const [name, status] of own) recordWorst(statuses, name, status);
  // CTest's names of programs are not known in them.
  for (const id of listed) {
    const status = statuses.get(id.replace(/^.+?::/, ''));
    if (status !== undefined) statuses.set(id, status);
  }
  const isSound = (path: string) => {
    const results = sound.flatMap(({ canaries }) => canaries.get(path) ?? []);
    return results.length > 0 && !results.includes(false);
  };
  const others = sound.flatMap(({ canaries }) => [...canaries.keys()]);
  const wrong = [...new Set([...wanted, ...others])].filter((path) => !isSound(path));
  const isWhole = sound.every(({ ended }) => ended);
  return {
    state: processes.includes(null) ? 'broken' : sound.length === 0 ? 'absent' : isWhole ? 'closed' : 'open',
    statuses,
    canaries:
      wrong.length === 0 ? null : `in ${wrong.map((path) => path.replace('/testbed/', '')).join(', ')}`,
    isCanary: (id) => id.includes(CANARY),
  };
}

/** null: a line is not the witness's. */
function readProcess(record: string, secret: string): Process | null {
  const found: Process = { statuses: new Map(), canaries: new Map(), ended: false };
  for (const line of record.split('\n').slice(0, -1)) {
    const [, own, kind = '', name = ''] = /^(\w+) (\w+) (.*)$/.exec(line) ?? [];
    if (own !== secret) return null;
    if (kind === 'end') found.ended = true;
    else if (kind === 'canary')
      found.canaries.set(name.replace(/ (?:un)?sound$/, ''), name.endsWith(' sound'));
    else if (isStatus(kind)) {
      if (!name.startsWith(`${CANARY}.`)) recordWorst(found.statuses, name, kind);
    } else if (kind !== 'begin') return null;
  }
  return found;
}
