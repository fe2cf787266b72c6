/** What the go command and compilers of C behind it say of a recipe. */
import type { Hint } from '../hints.ts';

export const GO_HINTS: readonly Hint[] = [
  [/requires go >= ([\d.]+) \(running go|note: module requires Go ([\d.]+)/, 'toolchain (go $1)'],
  [/package ([\w./-]+) is not in (?:GOROOT|std)\b/, 'toolchain (a newer go: this one has no package $1)'],
  [
    /C compiler "\S+" not found|cgo: exec \S+: exec: .* not found in \$PATH/,
    'system (build-essential, or CGO_ENABLED: "0" under env)',
  ],
  [
    /(?:module providing package|no required module provides package|cannot find module) (\S+?)[:;].*/,
    'packages (the go.mod of what imports $1)',
  ],
  [/module lookup disabled by GOPROXY=off/, 'packages (the go.mod of the tested module)'],
  [
    /missing go\.sum entry for (?:module providing package )?(\S+)/,
    'install (go mod download: go.sum lacks $1)',
  ],
];
