/** SWE-smith's profiles of other languages than Python. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { environment, extended, recipesIn, root, run, SMITH } from './import-recipes-fixture.ts';

/** They have Dockerfiles. */
const SMITH_LANGUAGES = {
  'swesmith/profiles/base.py': `
from abc import ABC, abstractmethod
from dataclasses import dataclass
from ghapi.all import GhApi
registry = {}
@dataclass
class RepoProfile(ABC):
    owner: str = ""
    repo: str = ""
    commit: str = ""
    test_cmd: str = ""
    @property
    def mirror_url(self): raise OSError("the network is asked")
    @abstractmethod
    def log_parser(self, log): pass
`,
  'swesmith/profiles/golang.py': `
from dataclasses import dataclass
from .base import RepoProfile
@dataclass
class GoProfile(RepoProfile):
    test_cmd: str = "go test -v ./..."
    @property
    def dockerfile(self):
        return f"FROM golang:1.24\\nRUN git clone {self.mirror_url} /testbed\\nWORKDIR /testbed\\nRUN go mod tidy\\nRUN go test -v -count=1 ./... || true\\n"
    def log_parser(self, log): return {log: log.split()}
@dataclass
class Gin(GoProfile):
    owner: str = "gin-gonic"
    repo: str = "gin"
    commit: str = "3c12d2a80e40930632fc4a4a4e1a45140f33fb12"
`,
  'swesmith/profiles/typescript.py': `
from dataclasses import dataclass
from .base import RepoProfile
def parse_log_jest(log): pass
class TypeScriptProfile(RepoProfile): pass
@dataclass
class Tree(TypeScriptProfile):
    owner: str = "a"
    repo: str = "tree"
    commit: str = "1111111111111111111111111111111111111111"
    test_cmd: str = "cd /testbed/pkg && pnpm test"
    dockerfile = """FROM node:22-slim
ENV CI=true PATH=/x LIBRARY=/opt/x
ENV STORE=postgres://a:hidden-word@localhost/b
RUN apt-get update && apt-get install -y git python3 \\\\
    g++ && rm -rf /var/lib/apt/lists/*
RUN npm install -g pnpm@9.2.0 && curl https://example.com/install | sh
RUN git clone https://example.com/mirror /testbed
WORKDIR /testbed
RUN pnpm install
RUN cd pkg && pnpm build
RUN BASE=postgres://a:hidden-word@localhost/b pnpm generate
CMD ["pnpm", "start"]
"""
    def log_parser(self, log): return parse_log_jest(log)
`,
  'swesmith/profiles/cpp.py': `
from dataclasses import dataclass
from .base import RepoProfile
def parse_log_ctest(log): pass
@dataclass
class Sums(RepoProfile):
    owner: str = "a"
    repo: str = "sums"
    commit: str = "1111111111111111111111111111111111111111"
    test_cmd: str = "cd build && ctest --verbose"
    dockerfile = "FROM gcc:11\\nRUN apt-get install -y cmake\\nRUN git clone x /testbed\\nRUN mkdir build && cd build && cmake .. && make\\n"
    def log_parser(self, log): return parse_log_ctest(log)
`,
  'swesmith/profiles/java.py': `
from dataclasses import dataclass
from .base import RepoProfile
@dataclass
class Own(RepoProfile):
    owner: str = "a"
    repo: str = "own"
    commit: str = "1111111111111111111111111111111111111111"
    test_cmd: str = "./mvnw test -B -T 1C"
    dockerfile = "FROM maven:3.9.6-eclipse-temurin-17\\nRUN git clone x /testbed\\nRUN ./mvnw install -DskipTests\\n"
    def log_parser(self, log): return {line: "PASSED" for line in log.splitlines()}
`,
  'swesmith/profiles/csharp.py': `
from dataclasses import dataclass
from .base import RepoProfile
@dataclass
class Net(RepoProfile):
    owner: str = "a"
    repo: str = "net"
    commit: str = "1111111111111111111111111111111111111111"
    dockerfile = "FROM dotnet"
    def log_parser(self, log): return {}
`,
};

test('profiles of swesmith for other languages, read from their Dockerfiles', async () => {
  const python = environment('languages', SMITH, SMITH_LANGUAGES);
  const end = await run('--python', python, '-o', 'languages.yaml');
  expect(end).toEqual({ code: 0, stdout: '', stderr: expect.stringContaining('9 recipes of swesmith') });
  const yaml = readFileSync(join(root, 'languages.yaml'), 'utf8');
  expect(yaml).toContain('no ecosystem that builds them: a/net.');
  expect(yaml).toContain('# left out, as it changes the system: curl https://example.com/install | sh');
  expect(yaml).toContain('# left out, as it is of the image: LIBRARY=/opt/x');
  expect(yaml).toContain('# left out, as it has a password: BASE=postgres:');
  expect(yaml).toContain('# left out, as it has a password: STORE\n');
  expect(yaml).not.toContain('hidden-word');
  expect(yaml).toContain('# its log parser is its own, and not imported: choose one under parser');
  expect(recipesIn(yaml).filter((one) => 'ecosystem' in one)).toEqual([
    {
      match: { repo: 'a/own' },
      ecosystem: 'maven',
      toolchain: { jdk: '17', maven: '3.9.6' },
      // Fetches what the build needs.
      pre_install: ['mvn verify -DskipTests'],
      build: ['mvn install -DskipTests'],
      test: 'mvn test -B',
    },
    {
      match: { repo: 'a/sums' },
      ecosystem: 'cmake',
      witness: 'none',
      system: ['cmake'],
      build: ['( mkdir -p build && cd build && cmake .. && make )'],
      test: 'cd build && ctest --verbose',
      parser: 'swe-smith-ctest',
    },
    {
      match: { repo: 'a/tree' },
      ecosystem: 'pnpm',
      toolchain: { node: '22.21.1', pnpm: '9.2.0' },
      system: ['python3', 'g++'],
      install: ['( cd pkg && pnpm build )'],
      env: { CI: 'true' },
      test: 'cd ./pkg && pnpm test',
      parser: 'swe-smith-jest',
    },
    {
      match: { repo: 'gin-gonic/gin' },
      ecosystem: 'go',
      toolchain: { go: '1.24.10' },
      test: 'go test -v ./...',
      parser: 'swe-smith-go',
    },
  ]);
  expect((await extended('languages.yaml')).warnings).toEqual([]);
});
