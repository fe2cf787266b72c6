/** The part of the witness that knows GoogleTest: it listens to the runner, and each file has a test that says whether assertions fail. */
import { CANARY } from './record.ts';

/** C++, behind the tests of a file, whose macros it uses; several files of one program share what is inline. */
export const GOOGLETEST = `#include <gtest/gtest-spi.h>
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
struct SwemakeWitness : public SwemakeRecord, public ::testing::EmptyTestEventListener {
  bool has_failed;
  /** Whether a failure is one for the runner; 0: not tried yet. */
  int is_taken;
  static SwemakeWitness& get() {
    static SwemakeWitness* one = new SwemakeWitness();
    return *one;
  }
  SwemakeWitness() : has_failed(false), is_taken(0) {
    if (is_placed()) ::testing::UnitTest::GetInstance()->listeners().Append(this);
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
TEST(${CANARY}, Canary) {
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
`;
