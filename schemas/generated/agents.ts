/** Generated from agents/*.yaml by scripts/programs.mjs; change those files instead. */
import type { NamedProgram } from '../../agent/kinds/outside/kind.ts';

export const PROGRAMS: readonly NamedProgram[] = [
  {
    name: 'claude-code',
    summary: "Anthropic's coding agent for terminals",
    licence: 'proprietary; to be run, not passed on',
    version: '2.1.330',
    program: {
      protocol: 'anthropic-messages',
      install: {
        npm: ['@anthropic-ai/claude-code@{{version}}'],
        platforms: ['linux-x64'],
        check: '/opt/agent/node_modules/.bin/claude --version',
      },
      env: {
        ANTHROPIC_BASE_URL: '{{url}}',
        ANTHROPIC_AUTH_TOKEN: '{{key}}',
        ANTHROPIC_MODEL: '{{model}}',
        ANTHROPIC_DEFAULT_OPUS_MODEL: '{{model}}',
        ANTHROPIC_DEFAULT_SONNET_MODEL: '{{model}}',
        ANTHROPIC_DEFAULT_HAIKU_MODEL: '{{model}}',
        CLAUDE_CODE_SUBAGENT_MODEL: '{{model}}',
        CLAUDE_CODE_MAX_CONTEXT_TOKENS: '{{context}}',
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: '{{max_tokens}}',
        CLAUDE_CODE_MAX_RETRIES: '0',
        API_TIMEOUT_MS: '86400000',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
        CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
        CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
        MCP_CONNECTION_NONBLOCKING: 'false',
        DISABLE_AUTOUPDATER: '1',
        IS_SANDBOX: '1',
      },
      run: 'exec /opt/agent/node_modules/.bin/claude --permission-mode bypassPermissions --no-session-persistence --disallowedTools "WebFetch,WebSearch" --output-format stream-json --verbose ${AGENT_TOOLS:+--tools "$AGENT_TOOLS"} "$@" -p "$(cat "$TASK_FILE")"',
      leaves: ['.claude/'],
      obeys: ['CLAUDE.md', 'CLAUDE.local.md', '.claude/', '.mcp.json'],
    },
  },
  {
    name: 'codex',
    summary: "OpenAI's coding agent for terminals",
    licence: 'Apache-2.0',
    version: '0.169.0',
    program: {
      protocol: 'openai-responses',
      install: {
        npm: ['@openai/codex@{{version}}'],
        platforms: ['linux-x64'],
        check:
          '/opt/agent/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex --version',
      },
      files: {
        '.codex/config.toml':
          'model = "{{model}}"\nmodel_provider = "swemake"\n{% if context %}model_context_window = {{context}}{% endif %}\nweb_search = "disabled"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n[history]\npersistence = "none"\n[model_providers.swemake]\nname = "swemake"\nbase_url = "{{url}}/v1"\nenv_key = "MODEL_KEY"\nwire_api = "responses"\nrequest_max_retries = 0\nstream_max_retries = 0\n[agents]\nenabled = false\n[features]\ngoals = false\nshell_snapshot = false\n',
      },
      run: 'exec /opt/agent/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex exec --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check "$@" "$(cat "$TASK_FILE")"',
      leaves: ['.codex/'],
      obeys: ['AGENTS.md', 'AGENTS.override.md', '.codex/', '.agents/'],
    },
  },
  {
    name: 'gemini-cli',
    summary: "Google's coding agent for terminals",
    licence: 'Apache-2.0',
    version: '0.61.0',
    program: {
      protocol: 'google-generate',
      install: {
        npm: ['@google/gemini-cli@{{version}}'],
        node: '22.19.0',
        platforms: ['linux-x64'],
        check: '/opt/agent/node/bin/node /opt/agent/node_modules/.bin/gemini --version',
      },
      files: {
        '.gemini/settings.json':
          '{\n  "telemetry": { "enabled": false },\n  "privacy": { "usageStatisticsEnabled": false },\n  "general": { "disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false, "checkpointing": { "enabled": false } },\n  "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },\n  "tools": { {% if tools %}"core": {{ tools | tojson }}, {% endif %}"exclude": ["web_fetch", "google_web_search"] },\n  "model": { "name": "{{model}}" }\n}\n',
      },
      env: {
        GOOGLE_GEMINI_BASE_URL: '{{url}}',
        GEMINI_API_KEY: '{{key}}',
        GEMINI_MODEL: '{{model}}',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
      run: 'exec /opt/agent/node/bin/node /opt/agent/node_modules/.bin/gemini --yolo --output-format stream-json --model "$MODEL_NAME" "$@" --prompt "$(cat "$TASK_FILE")"',
      leaves: ['.gemini/'],
      obeys: ['GEMINI.md', '.gemini/', '.geminiignore'],
    },
  },
  {
    name: 'mini-swe-agent',
    summary: 'the small agent of the makers of SWE-bench',
    licence: 'MIT',
    version: '2.4.6',
    bytes: 709000000,
    program: {
      protocol: 'openai-chat',
      install: {
        pip: ['mini-swe-agent=={{version}}', 'litellm==1.93.0'],
        python: '3.12',
        platforms: ['linux-x64'],
        check: 'MSWEA_SILENT_STARTUP=1 /opt/agent/venv/bin/mini --help',
      },
      env: {
        MSWEA_CONFIGURED: 'true',
        MSWEA_SILENT_STARTUP: '1',
        MSWEA_COST_TRACKING: 'ignore_errors',
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        LITELLM_TELEMETRY: 'False',
        OPENAI_API_KEY: '{{key}}',
      },
      run: 'exec /opt/agent/venv/bin/mini --yolo --exit-immediately --model-class litellm --model "$MODEL_NAME" -c mini -c "model.model_kwargs.api_base=$MODEL_URL/v1" -c model.model_kwargs.custom_llm_provider=openai -c model.cost_tracking=ignore_errors --output /tmp/mini-swe-agent.json "$@" --task "$(cat "$TASK_FILE")"',
    },
  },
  {
    name: 'opencode',
    summary: 'the open coding agent of SST',
    licence: 'MIT',
    version: '1.18.33',
    program: {
      protocol: 'openai-chat',
      install: {
        npm: ['opencode-ai@{{version}}'],
        platforms: ['linux-x64'],
        check: '/opt/agent/node_modules/.bin/opencode --version',
      },
      files: {
        '.config/opencode/opencode.json':
          '{\n  "model": "swemake/{{model}}",\n  "autoupdate": false,\n  "share": "disabled",\n  "snapshot": false,\n  "permission": { "*": {% if tools %}"deny"{% for tool in tools %}, "{{tool}}": "allow"{% endfor %}{% else %}"allow"{% endif %}, "webfetch": "deny", "websearch": "deny" },\n  "tools": { {% if tools %}"*": false, {% for tool in tools %}"{{tool}}": true, {% endfor %}{% endif %}"webfetch": false, "websearch": false },\n  "provider": {\n    "swemake": {\n      "npm": "@ai-sdk/openai-compatible",\n      "name": "swemake",\n      "options": { "baseURL": "{{url}}/v1", "apiKey": "{{key}}", "timeout": false },\n      "models": {\n        "{{model}}": {\n          "name": "{{model}}",\n          "tool_call": true,\n          "limit": { "context": {{ context or 1000000 }}, "output": {{max_tokens}} }\n        }\n      }\n    }\n  }\n}\n',
      },
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
      run: 'exec /opt/agent/node_modules/.bin/opencode run --format json --title task --model "swemake/$MODEL_NAME" "$@" "$(cat "$TASK_FILE")"',
      leaves: ['.opencode/'],
      obeys: [
        'AGENTS.md',
        'CLAUDE.md',
        'CONTEXT.md',
        'opencode.json',
        'opencode.jsonc',
        '.opencode/',
        '.claude/',
        '.agents/',
      ],
    },
  },
  {
    name: 'openhands',
    summary: 'the agent of OpenHands, without its user interface',
    licence: 'MIT',
    version: '1.16.0',
    bytes: 544000000,
    program: {
      protocol: 'openai-chat',
      install: {
        pip: ['openhands=={{version}}'],
        python: '3.12',
        platforms: ['linux-x64'],
        check: '/opt/agent/venv/bin/openhands --version',
      },
      env: {
        LLM_BASE_URL: '{{url}}/v1',
        LLM_API_KEY: '{{key}}',
        LLM_MODEL: 'openai/{{model}}',
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        OPENHANDS_SUPPRESS_BANNER: '1',
        DO_NOT_TRACK: '1',
      },
      run: 'exec /opt/agent/venv/bin/openhands --headless --json --override-with-envs "$@" -t "$(cat "$TASK_FILE")"',
      leaves: ['.openhands/'],
      obeys: ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.cursorrules', '.openhands/', '.agents/', '.claude/'],
    },
  },
  {
    name: 'qwen-code',
    summary: "Qwen's coding agent for terminals",
    licence: 'Apache-2.0',
    version: '0.24.4',
    program: {
      protocol: 'openai-chat',
      install: {
        npm: ['@qwen-code/qwen-code@{{version}}'],
        node: '22.19.0',
        platforms: ['linux-x64'],
        check: '/opt/agent/node/bin/node /opt/agent/node_modules/.bin/qwen --version',
      },
      files: {
        '.qwen/settings.json':
          '{\n  "telemetry": { "enabled": false },\n  "privacy": { "usageStatisticsEnabled": false },\n  "general": { "disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false, "checkpointing": { "enabled": false } },\n  "security": { "auth": { "selectedType": "openai" }, "folderTrust": { "enabled": false } },\n  "tools": { {% if tools %}"core": {{ tools | tojson }}, {% endif %}"exclude": ["web_fetch", "web_search"{% for one in ["agent", "get_goal", "list_agents", "skill", "tool_call", "tool_search", "update_goal", "enter_worktree", "exit_worktree", "record_artifact", "report_findings", "send_message", "task_stop"] if tools and one not in tools %}, "{{one}}"{% endfor %}] },\n  "model": { "name": "{{model}}" }\n}\n',
      },
      env: {
        OPENAI_BASE_URL: '{{url}}/v1',
        OPENAI_API_KEY: '{{key}}',
        OPENAI_MODEL: '{{model}}',
      },
      run: 'exec /opt/agent/node/bin/node /opt/agent/node_modules/.bin/qwen --yolo --auth-type openai --output-format stream-json "$@" -p "$(cat "$TASK_FILE")"',
      leaves: ['.qwen/'],
      obeys: ['QWEN.md', 'AGENTS.md', '.qwen/', '.mcp.json'],
    },
  },
  {
    name: 'swe-agent',
    summary: 'SWE-agent',
    licence: 'MIT',
    version: '1.1.0',
    source: 'https://github.com/SWE-agent/SWE-agent',
    bytes: 574000000,
    program: {
      protocol: 'openai-chat',
      install: {
        pip: ['/opt/agent/source', 'litellm==1.93.0'],
        python: '3.12',
        platforms: ['linux-x64'],
        check:
          '/opt/agent/venv/bin/python -c "import sys; sys.path.insert(0, \'/opt/agent/source\'); import sweagent.run.run"',
      },
      env: {
        OPENAI_API_KEY: '{{key}}',
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        PIP_RETRIES: '0',
        GIT_PYTHON_REFRESH: 'quiet',
      },
      run: 'exec /opt/agent/venv/bin/python -c "import sys; sys.path.insert(0, \'/opt/agent/source\'); from sweagent.run.run import main; main()" run --agent.model.name "openai/$MODEL_NAME" --agent.model.api_base "$MODEL_URL/v1" --agent.model.retry.retries 1 --agent.model.per_instance_cost_limit 0 --agent.model.total_cost_limit 0 ${MODEL_CONTEXT:+--agent.model.max_input_tokens $MODEL_CONTEXT} --env.deployment.type local --env.repo.type preexisting --env.repo.repo_name "${PWD#/}" --env.repo.reset False --problem_statement.path "$TASK_FILE" --output_dir /tmp/swe-agent "$@"',
    },
  },
];
