/** Build files of the small projects of other languages that tests make. */

/** Of Maven; `dependency`: group, artifact and version of the test library, as elements. */
export function pom(name: string, dependency: string): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ex</groupId>
  <artifactId>${name}</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>8</maven.compiler.source>
    <maven.compiler.target>8</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>${dependency}<scope>test</scope></dependency>
  </dependencies>
  <build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin></plugins></build>
</project>
`;
}

export const JUNIT_4_13 = '<groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>';
export const JUNIT_5_10 =
  '<groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.10.2</version>';

/** Of CMake, with GoogleTest: a library of `sources`, which may need `generated` lines before it, and its tests. */
export function cmakeLists(sources: string, ...generated: string[]): string {
  return [
    'cmake_minimum_required(VERSION 3.14)',
    'project(m CXX)',
    'set(CMAKE_CXX_STANDARD 17)',
    'enable_testing()',
    'find_package(GTest REQUIRED)',
    ...generated,
    `add_library(m ${sources})`,
    'target_include_directories(m PUBLIC src)',
    'add_executable(m-test test/m-test.cc)',
    'target_link_libraries(m-test m GTest::gtest_main)',
    'add_test(NAME m-test COMMAND m-test)',
    '',
  ].join('\n');
}

/** Of Cargo: a crate, and a crate of macros that it uses. */
export const WITH_MACROS = {
  'Cargo.toml':
    '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nmac = { path = "mac" }\n\n[workspace]\n',
  'Cargo.lock':
    'version = 3\n\n[[package]]\nname = "m"\nversion = "0.1.0"\ndependencies = [\n "mac",\n]\n\n[[package]]\nname = "mac"\nversion = "0.1.0"\n',
  'mac/Cargo.toml':
    '[package]\nname = "mac"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\nproc-macro = true\n',
};
