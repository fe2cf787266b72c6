/**
 * The witness of GoogleTest: code behind the tests of each file, which CMake's launcher of the compiler adds. It listens to the runner, and
 * writes what each test came to where it is decided, whatever is printed. A test of its own says whether assertions of that file still fail
 * when they must. All of it is in the process of the code under test, so code that looks for it can forge it.
 */
import { shellWord } from '../../basics/shell.ts';
import { isStatus, recordWorst, type Status } from '../../parsers/status.ts';
import type { EcosystemWitness, Seen, WitnessRequest } from '../kind.ts';

const PLACE = '/opt/env/cmake/witness';
export const LAUNCHER = `${PLACE}/launcher`;
export const CODE = `${PLACE}/witness.inc`;
const SUITE = 'ZzzzSwemake';

/** Behind a file's own code, whose macros it uses; several files of one program share what is inline. */
const SOURCE = `
#if defined(GTEST_TEST_)
#include <gtest/gtest-spi.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifndef SWEMAKE_WITNESS
#define SWEMAKE_WITNESS
#if !defined(GTEST_SRC_GTEST_INTERNAL_INL_H_) && !defined(GOOGLETEST_SRC_GTEST_INTERNAL_INL_H_)
namespace testing {
namespace internal {
class TestResultAccessor {
 public:
  static void ClearTestPartResults(TestResult* result) { result->ClearTestPartResults(); }
};
}
}
#endif
struct SwemakeWitness : public ::testing::EmptyTestEventListener {
  int file;
  ::std::string secret;
  bool has_failed;
  /** Whether a failure is one for the runner; 0: not tried yet. */
  int is_taken;
  static SwemakeWitness& get() {
    static SwemakeWitness* one = new SwemakeWitness();
    return *one;
  }
  SwemakeWitness() : file(-1), has_failed(false), is_taken(0) {
    const char* folder = ::getenv("SWEMAKE_WITNESS");
    const char* given = ::getenv("SWEMAKE_SECRET");
    if (folder == 0 || given == 0) return;
    secret = given;
    for (int number = 0; file < 0 && number < 100000; number++) {
      ::std::string path = ::std::string(folder) + "/record-" + ::std::to_string(number);
      file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    }
    ::unsetenv("SWEMAKE_WITNESS");
    ::unsetenv("SWEMAKE_SECRET");
    write("begin", "");
    ::testing::UnitTest::GetInstance()->listeners().Append(this);
  }
  void write(const char* kind, const ::std::string& name) {
    ::std::string line = secret + " " + kind + " " + name + "\\n";
    if (file >= 0 && ::write(file, line.data(), line.size()) < 0) ::abort();
  }
  void OnTestStart(const ::testing::TestInfo&) override { has_failed = false; }
  void OnTestPartResult(const ::testing::TestPartResult& result) override { has_failed |= result.failed(); }
  bool takes() {
    if (is_taken == 0) {
      ADD_FAILURE() << "swemake: this failure is taken back";
      is_taken = ::testing::Test::HasFailure() && has_failed ? 1 : -1;
      const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
      ::testing::internal::TestResultAccessor::ClearTestPartResults(const_cast< ::testing::TestResult*>(info->result()));
      has_failed = false;
    }
    return is_taken > 0;
  }
  void OnTestEnd(const ::testing::TestInfo& info) override {
    const ::testing::TestResult& result = *info.result();
    ::std::string name = ::std::string(info.test_case_name()) + "." + info.name();
    write(result.Failed() || has_failed ? "FAILED" : result.Passed() ? "PASSED" : "SKIPPED", name);
  }
  void OnTestProgramEnd(const ::testing::UnitTest&) override { write("end", ""); }
};
#endif
namespace {
bool swemakeBegun = (SwemakeWitness::get(), true);
#if defined(ASSERT_EQ) && defined(ASSERT_TRUE)
void swemakeAsserts(int at) {
  if (at == 0) ASSERT_EQ(1, 2);
  if (at == 1) ASSERT_TRUE(1 == 2);
  if (at == 2) ASSERT_NE(1, 1);
  if (at == 3) ASSERT_FALSE(1 == 1);
}
#endif
void swemakeExpects(int at) {
  if (at == 0) EXPECT_EQ(1, 2);
  if (at == 1) EXPECT_TRUE(1 == 2);
  if (at == 2) EXPECT_NE(1, 1);
  if (at == 3) EXPECT_FALSE(1 == 1);
  if (at == 4) EXPECT_LT(2, 1);
  if (at == 5) EXPECT_STREQ("a", "b");
  if (at == 6) ADD_FAILURE();
  if (at == 7) EXPECT_EQ(::std::string("a"), ::std::string("b"));
}
TEST(${SUITE}, Canary) {
  ::testing::TestPartResultArray caught;
  int failing = 0;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &caught);
    for (int at = 0; at < 8; at++) swemakeExpects(at);
    for (int at = 0; at < 4; at++) swemakeAsserts(at);
  }
  for (int at = 0; at < caught.size(); at++) failing += caught.GetTestPartResult(at).failed() ? 1 : 0;
  SwemakeWitness::get().write("canary", ::std::string(SWEMAKE_FILE) + (failing == 12 && SwemakeWitness::get().takes() ? " sound" : " unsound"));
}
}
#endif
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
[[ $place && $object ]] && grep -qE '^ *(TYPED_)?TEST(_F|_P)? *\\(' "\${arguments[place]}" || exec "$@"
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
const HAS_TESTS = /^ *(?:TYPED_)?TEST(?:_F|_P)? *\(/m;

export async function gtestWitness(request: WitnessRequest): Promise<EcosystemWitness> {
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
    isCanary: (id) => id.includes(`${SUITE}.`),
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
      if (!name.startsWith(`${SUITE}.`)) recordWorst(found.statuses, name, kind);
    } else if (kind !== 'begin') return null;
  }
  return found;
}
