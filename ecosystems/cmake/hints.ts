/** What CMake, compilers and linkers say of a recipe. */
import { type Hint, SYSTEM } from '../hints.ts';

export const CMAKE_HINTS: readonly Hint[] = [
  [
    /CMake ([\d.]+) or higher is required/,
    'build (a way without CMake $1, which the base lacks; or the deployment takes another base)',
  ],
  [
    /Compatibility with CMake < ([\d.]+) has been removed/,
    'build (cmake with -DCMAKE_POLICY_VERSION_MINIMUM=$1)',
  ],
  [
    /Failed to clone repository: '(\S+)'|Each download failed![\s\S]*?(https?:\/\/\S+)/,
    'build (an option that takes the library of the base, or a copy in the repository: $1 cannot be fetched)',
  ],
  [
    /Failed to clone '([^']+)' a second time/,
    'submodules ($1, and a build that asks git for none: it has no network)',
  ],
  [/No CMAKE_C(?:XX)?_COMPILER could be found/, 'system (build-essential)'],
  [/REQUIRED packages have not been found:\s+\* ([\w.+-]+)/, SYSTEM],
  [
    /(?:CMake Error[^\n]*\n\s+|^)Could NOT find (\w+)|configuration\s+file provided by\s+"([\w.+-]+)"|No package '([\w.+-]+)' found/,
    SYSTEM,
  ],
  [/cannot find -l([\w.+-]+)/, 'system (the Debian package with the library $1)'],
  [/is only available from C\+\+(\d\d) onwards/, 'build (cmake with -DCMAKE_CXX_STANDARD=$1)'],
  [
    /\[-Werror(?:=([\w-]+))?\]|warnings being treated as errors/,
    'build (cmake with -DCMAKE_CXX_FLAGS=-Wno-error)',
  ],
];
