/**
 * The part of the witness that knows doctest, from 2.3.5 on (its listeners had another form before): a listener beside the reporters. A test of its own in each file has to fail,
 * by each kind of assertion, and doctest takes that for its success.
 */
import { CANARY } from './record.ts';

/** Assertions of the canary, without the one that throws. */
const ASSERTIONS = ['(1 == 2)', '_FALSE(1 == 1)', '_EQ(1, 2)', '_NE(1, 1)', '_LT(2, 1)', '_UNARY(1 == 2)'];
const asserted = (macro: string) => ASSERTIONS.map((one) => `  ${macro}${one};`).join('\n');

/** C++, behind the tests of a file. Names are those of the parser: a test, and `test > subcase`. */
export const DOCTEST = `
#ifndef SWEMAKE_WITNESS
#define SWEMAKE_WITNESS
#include <vector>
#if defined(__cpp_exceptions)
#define SWEMAKE_FAILURES ${2 * ASSERTIONS.length + 1}
#else
#define SWEMAKE_FAILURES ${2 * ASSERTIONS.length}
#endif
struct SwemakeWitness : public ::doctest::IReporter, public SwemakeRecord {
  ::std::string test;
  ::std::vector< ::std::pair< ::std::string, bool> > open;
  int failed;
  SwemakeWitness(const ::doctest::ContextOptions&) : failed(0) {}
  static ::std::string text(const char* name) { return name; }
  static ::std::string text(const ::doctest::String& name) { return name.c_str(); }
  static ::std::string line(::std::string name) {
    for (::std::string::size_type at = 0; at < name.size(); at++)
      if (name[at] == '\\n' || name[at] == '\\r') name[at] = ' ';
    return name;
  }
  void fail() {
    failed++;
    for (::std::string::size_type at = 0; at < open.size(); at++) open[at].second = true;
  }
  void begin(const ::doctest::TestCaseData& data) {
    test = text(data.m_name);
    failed = 0;
  }
  void report_query(const ::doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const ::doctest::TestRunStats&) override { write("end", ""); }
  void test_case_start(const ::doctest::TestCaseData& data) override { begin(data); }
  void test_case_reenter(const ::doctest::TestCaseData&) override {}
  void test_case_end(const ::doctest::CurrentTestCaseStats& stats) override {
    namespace why = ::doctest::TestCaseFailureReason;
    const int wanted = why::ShouldHaveFailedAndDid | why::CouldHaveFailedAndDid | why::FailedExactlyNumTimes;
    if (test.compare(0, ${CANARY.length}, "${CANARY}") == 0) {
      const bool is_sound = failed == SWEMAKE_FAILURES && (stats.failure_flags & why::ShouldHaveFailedAndDid) != 0;
      write("canary", test.substr(${CANARY.length + 1}) + (is_sound ? " sound" : " unsound"));
    } else {
      const bool is_meant = (stats.failure_flags & wanted) != 0;
      write(is_meant || (stats.failure_flags == 0 && failed == 0) ? "PASSED" : "FAILED", line(test));
    }
    test.clear();
  }
  void test_case_exception(const ::doctest::TestCaseException&) override { fail(); }
  void subcase_start(const ::doctest::SubcaseSignature& subcase) override {
    open.push_back(::std::make_pair(text(subcase.m_name), false));
  }
  void subcase_end() override {
    if (open.empty()) return;
    write(open.back().second ? "FAILED" : "PASSED", line(test + " > " + open.back().first));
    open.pop_back();
  }
  void log_assert(const ::doctest::AssertData& data) override {
    if (data.m_failed && (data.m_at & ::doctest::assertType::is_warn) == 0) fail();
  }
  void log_message(const ::doctest::MessageData& data) override {
    if ((data.m_severity & ::doctest::assertType::is_warn) == 0) fail();
  }
  void test_case_skipped(const ::doctest::TestCaseData&) override {}
};
#endif
DOCTEST_REGISTER_LISTENER("swemake", 1, SwemakeWitness);
DOCTEST_TEST_CASE("${CANARY} " SWEMAKE_FILE * ::doctest::should_fail()) {
#if defined(DOCTEST_CONFIG_NO_SHORT_MACRO_NAMES)
${asserted('DOCTEST_CHECK')}
#else
${asserted('CHECK')}
#endif
${asserted('DOCTEST_CHECK')}
#if defined(__cpp_exceptions)
  DOCTEST_REQUIRE(1 == 2);
#endif
}
`;
