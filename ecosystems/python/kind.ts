/** Python: environments are made by the provider in tasks/python, and tests are judged by the rules in grading/. */
import type { EcosystemKind } from '../kind.ts';

export const pythonEcosystem: EcosystemKind = {
  name: 'python',
  summary: 'Python with pip, uv or conda',
  sources: ['.py'],
  manifests: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt'],
  toolchains: {},
  recipe: {},
  build: null,
  tests: null,
};
