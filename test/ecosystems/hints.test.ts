/** What logs of languages other than Python complain of, and which key of the recipe would help. The logs are in the words of the tools. */
import { expect, test } from 'vitest';
import { firstHint } from '../../ecosystems/hints.ts';
import { HINTS } from '../../ecosystems/registry.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { excerptOf } from '../../stages/filter/excerpt.ts';

const OUTCOME: Outcome = { status: 'failed', reason: 'gold-fails', detail: 'it fails' };

test.each<[name: string, log: string, hint: string, complaint?: string]>([
  [
    'Go: a newer toolchain',
    'go: go.mod requires go >= 1.24 (running go 1.23.8; GOTOOLCHAIN=local)',
    '`toolchain` in the recipe: go 1.24',
    'go.mod requires go >= 1.24 (running go 1.23.8; GOTOOLCHAIN=local)',
  ],
  [
    'Go: a package of a newer one',
    'm.go:3:8: package slices is not in GOROOT (/opt/toolchains/go/1.20.14/src/slices)',
    '`toolchain` in the recipe: a newer go: this one has no package slices',
    'package slices is not in GOROOT (/opt/toolchains/go/1.20.14/src/slices)',
  ],
  [
    'Go: a module of another go.mod',
    'm.go:4:2: cannot find module providing package github.com/x/y: module lookup disabled by GOPROXY=off',
    '`packages` in the recipe: the go.mod of what imports github.com/x/y',
  ],
  [
    'Go: a compiler of C',
    '# runtime/cgo\ncgo: C compiler "gcc" not found: exec: "gcc": executable file not found in $PATH',
    '`system` in the recipe: build-essential, or CGO_ENABLED: "0" under env',
  ],
  [
    'JavaScript: the Yarn that the repository names',
    'error This project\'s package.json defines "packageManager": "yarn@3.5.0". However the current global version of Yarn is 1.22.22.',
    '`toolchain` in the recipe: yarn: "3.5.0"',
  ],
  [
    'Rust: a newer toolchain',
    'error: rustc 1.65.0 is not supported by the following packages:\n  m@0.1.0 requires rustc 1.99\n',
    '`toolchain` in the recipe: rust 1.99 or newer',
    'rustc 1.65.0 is not supported by the following packages:',
  ],
  [
    'Rust: an edition',
    'error: failed to parse manifest at `/testbed/Cargo.toml`\n\nCaused by:\n  failed to parse the `edition` key\n\nCaused by:\n  this version of Cargo is older than the `2030` edition, and only supports `2015` and `2018` editions.',
    '`toolchain` in the recipe: a newer rust, for 2030',
  ],
  [
    'Rust: what was not fetched',
    "error: no matching package named `libc` found\nlocation searched: crates.io index\nrequired by package `m v0.1.0 (/testbed)`\nAs a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures",
    '`install` in the recipe: cargo test --no-run with the packages and features that test has',
    'no matching package named `libc` found',
  ],
  [
    'Rust: a library of the system',
    'error: failed to run custom build command for `libudev-sys v0.1.4`\n  The system library `libudev` required by crate `libudev-sys` was not found.\n',
    '`system` in the recipe: the Debian package with libudev',
  ],
  [
    'Rust: what does not compile',
    'error[E0433]: failed to resolve: use of undeclared crate or module `x`\n --> src/lib.rs:1:5\nerror: could not compile `m` (lib) due to 1 previous error\nerror[E0554]: `#![feature]` may not be used on the stable release channel',
    '`env` in the recipe: RUSTC_BOOTSTRAP: "1", since the code asks for unstable features',
    '`#![feature]` may not be used on the stable release channel',
  ],
  [
    'Java: an old level',
    '[ERROR] COMPILATION ERROR : \n[ERROR] Source option 6 is no longer supported. Use 7 or later.\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.1:compile (default-compile) on project a: Compilation failure: Compilation failure: ',
    '`toolchain` in the recipe: an older jdk, that compiles for Java 6; or a later level by -D of the property that the pom has for it',
    'Source option 6 is no longer supported. Use 7 or later.',
  ],
  [
    'Java: a new level',
    '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.1:compile (default-compile) on project a: Fatal error compiling: error: invalid target release: 21 -> [Help 1]\n[ERROR] \n[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.',
    '`toolchain` in the recipe: jdk 21',
    'Fatal error compiling: error: invalid target release: 21',
  ],
  [
    'Java: classes of a newer one',
    'java.lang.UnsupportedClassVersionError: org/x/Y has been compiled by a more recent version of the Java Runtime (class file version 65.0), this version of the Java Runtime only recognizes class file versions up to 61.0',
    '`toolchain` in the recipe: jdk 21 or newer',
  ],
  [
    'Java: a package that Java 11 dropped',
    '[ERROR] /testbed/src/main/java/A.java:[1,32] package javax.xml.bind does not exist',
    '`toolchain` in the recipe: an older jdk, such as 8 or 11: javax.xml.bind',
    'package javax.xml.bind does not exist',
  ],
  [
    'Java: what was not fetched',
    '[ERROR] Plugin org.apache.maven.plugins:maven-resources-plugin:2.6 or one of its dependencies could not be resolved: Cannot access central (https://repo.maven.apache.org/maven2) in offline mode and the artifact org.apache.maven.plugins:maven-resources-plugin:jar:2.6 has not been downloaded from it before. -> [Help 1]',
    '`install` in the recipe: a command that runs the goals of test, so that org.apache.maven.plugins:maven-resources-plugin:jar:2.6 is fetched',
  ],
  [
    'Java: a snapshot that is gone',
    "[ERROR] [ERROR] Some problems were encountered while processing the POMs:\n[FATAL] Non-resolvable parent POM for a:b:2.17.4-SNAPSHOT: The following artifacts could not be resolved: c:d:pom:2.17.4-SNAPSHOT (absent): Could not find artifact c:d:pom:2.17.4-SNAPSHOT in x (http://example.com) and 'parent.relativePath' points at wrong local POM @ \n @ \n[ERROR] The build could not read 1 project -> [Help 1]",
    '`pre_install, build` in the recipe: sed -i of the pom to a release of c:d: 2.17.4-SNAPSHOT is not published, or not any more',
    'Non-resolvable parent POM for a:b:2.17.4-SNAPSHOT: The following artifacts could not be resolved: c:d:pom:2.17.4-SNAPSHOT (absent): Could not find artifact c:d:…',
  ],
  [
    'Java: the same by a Maven before 3.9',
    '[ERROR] Failed to execute goal a:b:2.5:clean: Could not transfer artifact org.codehaus.plexus:plexus-utils:pom:3.0 from/to central (https://repo.example.com/maven2): Transfer failed for https://repo.example.com/maven2/org/codehaus/plexus/plexus-utils/3.0/plexus-utils-3.0.pom: Unknown host repo.example.com: Temporary failure in name resolution -> [Help 1]',
    '`install` in the recipe: a command that runs the goals of test, so that org.codehaus.plexus:plexus-utils:pom:3.0 is fetched',
  ],
  [
    'Node: a package whose script did not run',
    'Error: esbuild: Failed to install correctly\n\nMake sure you don\'t have "npm_config_ignore_scripts" set to true.',
    '`install` in the recipe: "npm rebuild esbuild": scripts of packages are not run',
  ],
  [
    'Node: a file that such a script makes',
    "Error: Cannot find module '../build/safe-execute'\nRequire stack:\n- /testbed/node_modules/wd/lib/webdriver.js\n",
    '`install` in the recipe: "npm rebuild wd": scripts of packages are not run',
  ],
  [
    'Node: a binding that such a script compiles',
    'Error: Could not locate the bindings file. Tried:\n → /testbed/node_modules/better-sqlite3/build/better_sqlite3.node\n',
    '`install` in the recipe: "npm rebuild better-sqlite3": scripts of packages are not run',
  ],
  [
    'Node: a missing package',
    "Error: Cannot find module '@scope/zork/lib/x'\nRequire stack:\n- /testbed/test/a.js\n",
    '`packages, install` in the recipe: what has the module @scope/zork',
  ],
  [
    'Node: what is not built',
    "Error: Cannot find module '../dist/index.js'\nRequire stack:\n- /testbed/test/a.js\n",
    '`build` in the recipe: what makes dist/index.js',
  ],
  [
    'Node: what is not built, as jest says it',
    "    Cannot find module '../../dist/zork' from 'test/a.test.js'\n",
    '`build` in the recipe: what makes dist/zork',
  ],
  [
    'Node: peers that contradict each other',
    'npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error\nnpm error While resolving: x@1.0.0\nnpm error Found: react@17.0.2',
    '`env` in the recipe: npm_config_legacy_peer_deps: "true"',
    'ERESOLVE unable to resolve dependency tree',
  ],
  [
    'Node: a lock file of another npm',
    'npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update your lock file with `npm install` before continuing.\nnpm error\nnpm error Missing: is-odd@3.0.1 from lock file',
    '`toolchain` in the recipe: the npm that wrote the lock file',
    'Missing: is-odd@3.0.1 from lock file',
  ],
  [
    'Node: a version that the index has not',
    'npm error code ETARGET\nnpm error notarget No matching version found for left-pad@^9.9.9.',
    '`as_of` in the recipe: a later day: left-pad@^9.9.9 is not there yet',
  ],
  [
    'Node: another Node',
    'npm error code EBADENGINE\nnpm error engine Unsupported engine\nnpm error notsup Required: {"node":">=99"}',
    '`toolchain` in the recipe: node >=99',
  ],
  [
    'Node: hashes that OpenSSL 3 dropped',
    'Error: error:0308010C:digital envelope routines::unsupported\n    at new Hash (node:internal/crypto/hash:101:19)',
    '`toolchain` in the recipe: node 16, or NODE_OPTIONS: --openssl-legacy-provider under env',
  ],
  [
    'Node: a runner that is not installed',
    'sh: 1: jest: not found\n',
    '`packages, install` in the recipe: what has the program jest',
  ],
  [
    'C: a makefile that fetches submodules',
    "Failed to clone 'lib/a'. Retry scheduled\nFailed to clone 'lib/a' a second time, aborting\nmake: *** [mkrules.mk:243: submodules] Error 1\n",
    '`submodules` in the recipe: lib/a, and a build that asks git for none: it has no network',
  ],
  [
    'C++: another CMake',
    'CMake Error at CMakeLists.txt:1 (cmake_minimum_required):\n  CMake 3.99 or higher is required.  You are running version 3.25.1\n',
    '`build` in the recipe: a way without CMake 3.99, which the base lacks; or the deployment takes another base',
    'CMake 3.99 or higher is required.  You are running version 3.25.1',
  ],
  [
    'C++: a library',
    'CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find Boost (missing: Boost_INCLUDE_DIR)\nCall Stack (most recent call first):\n',
    '`system` in the recipe: the Debian package with Boost',
    'Could NOT find Boost (missing: Boost_INCLUDE_DIR)',
  ],
  [
    'C++: a library that a project calls required',
    '-- Could NOT find GMock (missing: GMOCK_LIBRARY)\n-- The following REQUIRED packages have not been found:\n\n * GMock, mocks, <https://example.org>\n\n--\nCMake Error at Features.cmake:464 (message):\n  feature_summary() Error: REQUIRED package(s) are missing, aborting CMake\n',
    '`system` in the recipe: the Debian package with GMock',
    'feature_summary() Error: REQUIRED package(s) are missing, aborting CMake',
  ],
  [
    'C++: what is fetched while it is configured',
    "CMake Error at x-gitclone.cmake:39 (message):\n  Failed to clone repository: 'https://example.com/google/googletest.git'\n",
    '`build` in the recipe: an option that takes the library of the base, or a copy in the repository: https://example.com/google/googletest.git cannot be fetched',
  ],
  [
    'C++: a library of the linker',
    '/usr/bin/ld: cannot find -lzork: No such file or directory\ncollect2: error: ld returned 1 exit status',
    '`system` in the recipe: the Debian package with the library zork',
  ],
  [
    'C++: another standard',
    '<stdin>:2:6: error: ‘optional’ in namespace ‘std’ does not name a template type\n<stdin>:2:1: note: ‘std::optional’ is only available from C++17 onwards',
    '`build` in the recipe: cmake with -DCMAKE_CXX_STANDARD=17',
    'error: ‘optional’ in namespace ‘std’ does not name a template type',
  ],
])('%s', (_name, log, hint, complaint) => {
  const found = excerptOf(`== build\n${log}\n`, OUTCOME);
  expect(found.hint).toBe(hint);
  if (complaint !== undefined) expect(found.complaint).toBe(complaint);
});

test('a library that may be missing is no hint', () => {
  const log =
    '-- Could NOT find Doxygen (missing: DOXYGEN_EXECUTABLE)\nm.cc:1:1: error: unknown type name ‘x’\n';
  expect(excerptOf(log, OUTCOME)).toMatchObject({ hint: null, complaint: 'error: unknown type name ‘x’' });
});

test('a long word takes no longer', () => {
  // In time that grows with the square of its length this would not end.
  for (const letter of ['x', '.', '/']) expect(firstHint(HINTS, letter.repeat(1_000_000))).toBe(null);
});
