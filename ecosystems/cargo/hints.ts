/** What cargo, rustc and build scripts of crates say of a recipe. */
import { type Hint, SYSTEM } from '../hints.ts';

export const CARGO_HINTS: readonly Hint[] = [
  [/requires rustc (\d+\.\d+(?:\.\d+)?)/, 'toolchain (rust $1 or newer)'],
  [
    /feature `(edition\d+)` is required|older than the `(\d+)` edition|use of unstable library feature '?`?([\w-]+)/,
    'toolchain (a newer rust, for $1)',
  ],
  [/error\[E0554\]/, 'env (RUSTC_BOOTSTRAP: "1", since the code asks for unstable features)'],
  // time before 0.3.35 does not compile from 1.80 on.
  [
    /error\[E0282\]: type annotations needed for `Box<_>`/,
    'toolchain (an older rust, of the day of the commit)',
  ],
  [/linker `\S+` not found/, 'system (build-essential)'],
  [
    /Could not find directory of OpenSSL installation|build command for `openssl-sys/,
    'system (libssl-dev and pkg-config)',
  ],
  [
    /The system library `([\w.+-]+)` required by crate|is `([\w+-]+)` not installed\?|Could not find `(protoc)`|The (pkg-config) command could not be (?:found|run)/,
    SYSTEM,
  ],
  [
    /offline mode \(--offline\)|--offline was specified|you are in the offline mode/,
    'install (cargo test --no-run with the packages and features that test has)',
  ],
  [/no (?:test|bin|example|bench) target named `([\w-]+)`/, 'test (there is no target $1)'],
];
