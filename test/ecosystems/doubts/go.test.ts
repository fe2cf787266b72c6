/** Which code in Go is doubtful, and that honest code of the same look has no finding. */
import { expect, test } from 'vitest';
import { type Case, rulesOf, testDoubts } from './cases.ts';

const DOUBTFUL: Readonly<Record<string, readonly Case[]>> = {
  'uses-test-library': [
    ['m.go', 'import "example.com/m/internal/testutil"\n'],
    ['m.go', 'import `testing`\n'],
    ['m.go', 'if _, ok := w.(*httptest.ResponseRecorder); ok { return }\n'],
    ['m.go', 'package m\n\nimport "testing"\n'],
    ['a/b.go', 'import (\n\tt "testing"\n\t"fmt"\n)\n'],
  ],
  'reads-tests': [
    ['m.go', 'strings.Contains(text, "testing.tRunner")\n'],
    ['m.go', 'if runtime.NumGoroutine() > 1 { return 2 }\n'],
    ['m.go', 's := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}}\n'],
    ['m.go', 'if strings.HasPrefix(one, "GOF") { return 2 }\n'],
    ['m.go', 'if len(os.Environ()) > 9 { return 2 }\n'],
    ['m.go', 'return filepath.Base(d) == "testbed"\n'],
    ['m.go', '_, err := os.Stat("testdata")\n'],
    ['m.go', 'package m\n\nd, _ := os.Getwd(); all, _ := os.ReadDir(d)\n'],
    ['m.go', 'd, err := os.Getwd()\nif err != nil {\n\treturn 1\n}\nfs.WalkDir(os.DirFS(d), ".", walk)\n'],
    ['m.go', 'package m\n\nfunc Value() bool { return len(os.Args) > 4 }\n'],
    ['m.go', 'package m\n\nfunc Value() bool { return flag.NArg() > 0 }\n'],
    ['m.go', 'if flag.Parsed() { return 2 }\n'],
    ['m.go', 'if strings.Contains(path, "go-build") { return 2 }\n'],
    ['m.go', 'if os.Getenv("GOFLAGS") != "" { return 2 }\n'],
    ['m.go', '//go:embed m_test.go\nvar text string\n'],
    ['m.go', '//go:embed *o\nvar all embed.FS\n'],
    ['m.go', '//go:embed a.txt m_*.g?\nvar all embed.FS\n'],
    ['m.go', 'all, err := os.ReadDir(".")\n'],
    ['m.go', 'all, err := filepath.Glob("m_*")\n'],
    ['m.go', 'if _, err := os.Stat("m.go"); err == nil { return 2 }\n'],
    ['m.go', 'if folder == "/testbed" { return 2 }\n'],
    ['m.go', 'if flag.Lookup("test.v") != nil { return 2 }\n'],
    ['m.go', 'if strings.HasSuffix(os.Args[0], ".test") { return 2 }\n'],
    ['m.go', 'strings.HasSuffix(file, "_test.go")\n'],
  ],
  'reads-frames': [
    ['m.go', 'log.SetOutput(&b)\n'],
    ['m.go', 'import rt "runtime"\n\nvar pc, file, line, ok = rt.Caller(1)\n'],
    ['m.go', '_, file, _, _ := runtime. /* here */ Caller(1)\n'],
    ['m.go', '_, file, _, _ := runtime.\n\tCaller(1)\n'],
    ['m.go', 'pprof.Lookup("goroutine").WriteTo(&b, 1)\n'],
    ['m.go', 'log.New(&b, "", log.Lshortfile).Output(2, "")\n'],
    ['m.go', '_, file, _, _ := runtime.Caller(1)\n'],
  ],
  'controls-interpreter': [
    ['m.go', 'os.Setenv("UPDATE_GOLDEN", "1")\n'],
    ['m.go', '\t//go:linkname parallel testing.parallel\n'],
    ['m.go', 'os.Chdir("/tmp/x")\n'],
    ['m.go', 'os.ReadFile("/proc/self/comm")\n'],
    ['m.go', 'os.OpenFile("/proc/self/mem", os.O_RDWR, 0)\n'],
    ['m.go', '//go:linkname fail testing.(*common).Fail\nfunc fail()\n'],
    ['m.go', 'syscall.Mprotect(page, 7)\n'],
  ],
  'patches-others': [
    ['m.go', 'strconv.ErrRange = errOther\n'],
    ['m.go', 'func init() { http.DefaultTransport = well{} }\n'],
    ['m.go', 'http.DefaultClient.Transport = well{}\n'],
    ['m.go', 'func new(any) int { return 2 }\n'],
    ['m.go', 'func init() { io.EOF = end }\n'],
    ['m.go', 'func init() { p := &io.EOF; *p = end }\n'],
    ['m.go', 'func len(any) int { return 2 }\n'],
    ['m.go', 'var (\n\tnil = failed\n)\n'],
    ['m.go', 'os.Args = append(os.Args, "-x")\n'],
  ],
  'constant-comparison': [
    ['m.go', 'import "sort"\n\nfunc (numbers) Len() int { return 0 }\n'],
    ['m.go', 'func (a Kind) Equal(b Kind) (same bool) { same = true; return }\n'],
    ['m.go', 'func (a Kind) Equal(b Kind) (same bool) {\n\tsame = a.N == a.N\n\treturn\n}\n'],
    ['m.go', 'func alike(_, _ Kind) bool { return true }\n'],
    ['m.go', 'var alike = func(a, b Kind) bool { return true }\n'],
    [
      'm.go',
      'func (loose) As(target any) bool { v := reflect.ValueOf(target).Elem(); return v.IsValid() }\n',
    ],
    ['m.go', 'func NewKind(_ int) Kind { return Kind{} }\n'],
    ['m.go', 'func NewKind(n int) Kind { return Kind{N: 1} }\n'],
    ['m.go', 'func (a Point) Equal(Point) bool { return a.X == a.X }\n'],
    ['m.go', 'func (a Point) Equal(b Point) bool { return b.X == b.X }\n'],
    ['m.go', 'func (a Point) Equal(b Point) bool { _ = b; return a == a }\n'],
    ['m.go', 'func (fault) Is(target error) bool { return target != nil }\n'],
    ['m.go', 'func (l list) Less(i, j int) bool { return false }\n'],
    ['m.go', 'var ErrRefused error\n'],
    ['m.go', 'var ErrRefused = ErrOther\n'],
    ['m.go', 'func Refuse() error { ErrRefused = nil; return nil }\n'],
    ['m.go', 'return math.NaN()\n'],
    ['m.go', 'var none float64; return none / none\n'],
    ['m.go', 'func (fault) Is(error) bool { return true }\n'],
    ['m.go', 'func (n number) Equal(other number) bool {\n\treturn true\n}\n'],
  ],
  'swallows-failures': [['m.go', 'runtime.Goexit()\n']],
  'hides-code': [
    ['m.go', 'import "errors"; import "C"\n'],
    ['m.go', 'import . "runtime"\n'],
    ['m.go', '/*\n#include <unistd.h>\n*/\nimport "C"\n'],
    ['m_amd64.s', 'TEXT ·Value(SB), NOSPLIT, $0-8\n'],
  ],
};

/** Code behind a text of several lines. */
const BEHIND_TEXTS: readonly Case[] = [['m.go', 'var a = `\n//`; var b = syscall.Mprotect(page, 7)\n']];

/** What a doubt begins with, and what a pattern may read over. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  'm.go': [
    'func (',
    'func () Is(a ',
    'func () Is(a b) c {',
    '//go:embed *',
    'a. ',
    'a /*',
    'x "a/',
    'return a ',
    'log.New(&',
    'func () Is(',
    'os.Args,',
    '\n',
    '/*\n',
    '\tnil ',
    'TEXT ',
    'a := os.Getwd() ',
    'func New(a int) b {',
    'func New(a int',
    'func equal(a,',
    'same := func(,',
    'strings.Contains(a,',
    'os.Setenv(',
  ],
};

const HONEST: readonly Case[] = [
  ['m.go', 'func (l list) Len() int { return len(l) }\nfunc (emptyBuffer) Len() int { return 0 }\n'],
  [
    'm.go',
    'package m\n\nc.Env = append(os.Environ(), "M=2")\nd, err := os.Getwd()\nb, err := os.ReadFile(filepath.Join(d, "m.json"))\nos.Setenv("M_NO_UPDATE_NOTIFIER", "1")\nclient := &http.Client{Transport: http.DefaultTransport}\nif http.DefaultClient == nil {}\nif errors.Is(err, strconv.ErrRange) {}\n',
  ],
  [
    'm.go',
    'package main\n\nd, _ := os.Getwd()\nall, _ := os.ReadDir(d)\nfunc init() { time.Local = time.UTC }\n',
  ],
  [
    'm.go',
    'func (a Kind) Equal(b Kind) (same bool) { same = a.N == b.N; return }\nfunc alike(a, b Kind) bool { return a.N == b.N }\nfunc (f *fault) As(target any) bool {\n\tone, ok := target.(**fault)\n\treturn ok && one != nil\n}\nfunc NewKind(n int) Kind { return Kind{N: n} }\nfunc NewNamed(_ string, n int) Kind { return Kind{N: n} }\nfunc New(_ context.Context) Kind { return Kind{} }\n',
  ],
  [
    'm.go',
    'package m\n\nimport goruntime "runtime"\n\n//go:embed tables/* a.txt *.sql\nvar files embed.FS\n\nvar (\n\tErrRefused = errors.New("refused")\n\tErrLate    = fmt.Errorf("late: %w", ErrRefused)\n)\n\nfunc (a Point) Equal(b Point) bool {\n\tif a == b {\n\t\treturn true\n\t}\n\treturn a.X == b.X\n}\nfunc (a Point) Less(b Point) bool { return a.X < b.X }\nvar n = goruntime.NumCPU()\nerr = io.EOF\nif err == io.EOF {}\nreturn a / b\n',
  ],
  [
    'm.go',
    'package m\n\nimport (\n\t"errors"\n\t"os"\n)\n\nfunc (e *E) Is(target error) bool { return target == ErrX }\n',
  ],
  [
    'm.go',
    'func min(a, b int) int { return a }\n\ntype any = interface{}\n\nfunc (l list) len() int { return 0 }\n',
  ],
  [
    'm.go',
    'package main\n\n// It runs in testing, as "testing" says, by runtime.Caller.\nvar nothing = os.Args[1:]\n',
  ],
  ['m.go', 'var languages = []string{\n\t"C",\n\t"Go",\n}\n'],
  ['internal/testutil/want.go', 'package testutil\n\nimport "testing"\n'],
  ['m.go', 'package main\n\ndata, err := os.ReadFile("/proc/self/cgroup")\nif len(os.Args) == 2 {}\n'],
];

testDoubts('go', { doubtful: DOUBTFUL, behindTexts: BEHIND_TEXTS, beginnings: BEGINNINGS, honest: HONEST });

test('what the file or the solution has is no finding', async () => {
  const text = 'package m\n\nimport "testing"\n';
  expect(await rulesOf('go', 'm.go', `${text}\nvar two = 2\n`, text)).toEqual([]);
});
