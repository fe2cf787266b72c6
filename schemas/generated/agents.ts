/** Generated from agents/*.yaml by scripts/programs.mjs; change those files instead. */
import type { NamedProgram } from '../../agent/kinds/outside/kind.ts';

export const PROGRAMS: readonly NamedProgram[] = [
  {
    name: 'codex',
    summary: "OpenAI's coding agent for terminals",
    licence: 'Apache-2.0',
    version: '0.169.0',
    program: {
      protocol: 'openai-responses',
      install: {
        npm: ['@openai/codex@{{version}}'],
      },
      files: {
        '.codex/config.toml':
          'model = "{{model}}"\nmodel_provider = "swemake"\nmodel_context_window = {{context}}\nweb_search = "disabled"\n[model_providers.swemake]\nname = "swemake"\nbase_url = "{{url}}/v1"\nenv_key = "MODEL_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n[features]\nmulti_agent = false\ngoals = false\nshell_snapshot = false\n',
      },
      run: 'exec /opt/agent/node_modules/.bin/codex exec --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check "$@" "$(cat "$TASK_FILE")"',
      leaves: ['.codex/'],
    },
  },
];
