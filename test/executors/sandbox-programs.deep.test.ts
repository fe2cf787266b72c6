/** Compilers, runtimes, debuggers and test suites work under the filter of system calls. */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReadOnlyMount } from '../../executors/deployment.ts';
import { type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

interface Program {
  name: string;
  /** A file that must be there; what is in a home is shown at `to`. */
  needs: string;
  mount?: ReadOnlyMount;
  script: string;
  says: RegExp;
}

const file = (name: string, text: string) => `cat > ${name} <<'END'\n${text}\nEND\n`;
const RUST = join(homedir(), '.rustup/toolchains/stable-x86_64-unknown-linux-gnu');
const PYTHON = join(homedir(), '.pyenv/versions/3.13.0');
/** What of Python's own suite meets the kernel most. */
const SUITES = [
  ...[
    'test_signal',
    'test_threading',
    'test_selectors',
    'test_epoll',
    'test_mmap',
    'test_fcntl',
    'test_resource',
  ],
  ...['test_pty', 'test_ctypes', 'test_tempfile', 'test_concurrent_futures.test_thread_pool'],
];

const PROGRAMS: Program[] = [
  {
    name: 'C with threads, shared memory and queues, also linked statically',
    needs: '/usr/bin/gcc',
    script: `${file(
      'a.c',
      `#include <pthread.h>
#include <stdio.h>
#include <fcntl.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/mman.h>
void *same(void *p) { return p; }
int main() {
  pthread_t t;
  pthread_create(&t, 0, same, 0);
  pthread_join(t, 0);
  printf("%d%d%d\\n", epoll_create1(0) > 0, memfd_create("x", 0) > 0, sem_open("/s", O_CREAT, 0600, 1) != SEM_FAILED);
}`,
    )}gcc -D_GNU_SOURCE a.c -o a -lpthread && ./a && gcc -static -D_GNU_SOURCE a.c -o b -lpthread && ./b`,
    says: /^111\n111\n$/,
  },
  {
    name: 'the sanitizers of gcc',
    needs: '/usr/bin/gcc',
    script: `${file('s.c', 'int main() { return 0; }')}for s in address undefined thread; do gcc -fsanitize=$s s.c -o s && ./s && echo $s; done`,
    says: /^address\nundefined\nthread\n$/,
  },
  {
    name: 'C++ with tasks and folders',
    needs: '/usr/bin/g++',
    script: `${file(
      'b.cpp',
      `#include <filesystem>
#include <future>
#include <iostream>
int main() {
  auto f = std::async(std::launch::async, [] { return 4; });
  std::filesystem::create_directories("q/w");
  std::cout << f.get() << std::filesystem::exists("q/w") << std::endl;
}`,
    )}g++ -std=c++17 b.cpp -o b -lpthread && ./b`,
    says: /^41\n$/,
  },
  {
    name: 'Rust, its threads and tests',
    needs: join(RUST, 'bin/cargo'),
    mount: { from: RUST, to: '/opt/rust' },
    script: `mkdir -p src; ${file('Cargo.toml', '[package]\nname = "c"\nversion = "0.1.0"\nedition = "2021"')}${file(
      'src/lib.rs',
      '#[test]\nfn a() {\n  let h = std::thread::spawn(|| 5);\n  assert_eq!(h.join().unwrap(), 5);\n  assert!(std::process::Command::new("true").status().unwrap().success());\n}',
    )}PATH=/opt/rust/bin:$PATH cargo test --offline --lib 2>&1`,
    says: /test result: ok. 1 passed/,
  },
  {
    name: 'Go, its tests, network and processes',
    needs: '/usr/local/go/bin/go',
    mount: { from: '/usr/local/go', to: '/opt/go' },
    script: `export GOCACHE=/tmp/cache GOTOOLCHAIN=local; ${file('go.mod', 'module m\n\ngo 1.20')}${file(
      'a_test.go',
      'package m\n\nimport ("net"; "os/exec"; "testing")\n\nfunc TestA(t *testing.T) {\n  l, e := net.Listen("tcp", "127.0.0.1:0")\n  if e != nil { t.Fatal(e) }\n  l.Close()\n  if exec.Command("true").Run() != nil { t.Fatal() }\n}',
    )}/opt/go/bin/go test ./... 2>&1`,
    says: /^ok\s+m\s/,
  },
  {
    name: 'Java, its threads and processes',
    needs: '/usr/bin/javac',
    script: `${file(
      'A.java',
      `import java.util.concurrent.*;
public class A {
  public static void main(String[] a) throws Exception {
    ExecutorService e = Executors.newFixedThreadPool(4);
    System.out.println(e.submit(() -> 7).get());
    e.shutdown();
    new java.net.ServerSocket(0).close();
    System.out.println(new ProcessBuilder("true").start().waitFor());
  }
}`,
    )}javac A.java && java A && java -XX:+UseNUMA -XX:+UseParallelGC A`,
    says: /^7\n0\n7\n0\n$/,
  },
  {
    name: 'Node, its threads, processes, watchers and network',
    needs: '/usr/bin/node',
    script: `${file(
      'a.cjs',
      `const { Worker } = require('worker_threads');
new Worker('require("worker_threads").parentPort.postMessage(1)', { eval: true }).on('message', () => {
  require('fs').promises.readFile(__filename).then(() => {
    require('child_process').execFile('true', (fault) => {
      const server = require('net').createServer().listen(0, () => {
        server.close();
        require('fs').watch('.').close();
        console.log(fault);
      });
    });
  });
});`,
    )}node a.cjs`,
    says: /^null\n$/,
  },
  {
    name: 'strace',
    needs: '/usr/bin/strace',
    script: 'strace -f -o t true; echo $?; grep -c execve t',
    says: /^0\n1\n$/,
  },
  {
    name: 'gdb',
    needs: '/usr/bin/gdb',
    script: `${file('d.c', 'int main() { int x = 5; return x - 5; }')}gcc -g d.c -o d && gdb -q -batch -ex 'break main' -ex run -ex 'print 2 + 3' ./d 2>&1`,
    says: /\$1 = 5/,
  },
  {
    name: "lists of addresses and of open sockets, and the machine's own names, but no counters of the processor",
    needs: '/usr/bin/ss',
    script:
      'ss -ltn | head -1; ip addr | grep -c LOOPBACK; setarch -R true; echo $?; perf stat true 2>&1 | grep -c "No permission"; unshare -r true 2>&1; mount -t tmpfs x /tmp 2>&1',
    says: /^State[^\n]*\n1\n0\n/,
  },
  {
    name: "Python's own suite",
    needs: join(PYTHON, 'lib/python3.13/test/test_os.py'),
    mount: { from: PYTHON, to: '/opt/python/3.13' },
    script: `LD_LIBRARY_PATH=/opt/python/3.13/lib /opt/python/3.13/bin/python3 -m test --timeout 120 ${SUITES.join(' ')} 2>&1 | tail -20`,
    says: /Result: SUCCESS/,
  },
];

describe('under the filter of system calls', () => {
  let made: MadeSandbox;
  beforeAll(async () => {
    made = await makeSandbox({ name: 'as the user of the tests' });
  });
  afterAll(() => made.cleanup());

  for (const { name, needs, mount, script, says } of PROGRAMS) {
    const isMissing = !existsSync(needs);
    if (isMissing) console.log(`skipped: ${name}: ${needs} is missing`);
    test.skipIf(isMissing)(name, { timeout: 300_000 }, async () => {
      const mounts = mount === undefined ? [] : [{ from: realpathSync(mount.from), to: mount.to }];
      const end = await withWorkspace(
        made.deployment,
        (workspace) => workspace.exec(`mkdir -p /tmp/w && cd /tmp/w\n${script}`, { cwd: '/', timeout: 280 }),
        {},
        { mounts },
      );
      expect(end.ok && end.value.output).toMatch(says);
    });
  }
});
