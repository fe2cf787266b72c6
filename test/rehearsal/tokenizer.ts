/** A tokenizer of bytes that merges letters across the borders of messages. */
import { mkdirSync, writeFileSync } from 'node:fs';

/** Between two messages there is no token of its own, and the last letter of one is one token with the border. */
const TEMPLATE = `{% for message in messages %}{{ message.role }}:\n{{ message.content }}\n{% endfor %}{% if add_generation_prompt %}assistant:\n{% endif %}`;

/** `merges`: pairs of letters, as byte-level tokenizers write them. */
export function writeTokenizer(folder: string, merges: readonly string[]): void {
  const isPrintable = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  const letters = Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPrintable(byte) ? byte : next++),
  );
  const vocab = Object.fromEntries(
    [...letters, ...merges.map((pair) => pair.replace(' ', ''))].map((token, id) => [token, id]),
  );
  const level = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  const file = {
    ...{ version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null },
    ...{ pre_tokenizer: level, post_processor: null, decoder: level, model: { type: 'BPE', vocab, merges } },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/tokenizer.json`, JSON.stringify(file));
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', chat_template: TEMPLATE };
  writeFileSync(`${folder}/tokenizer_config.json`, JSON.stringify(config));
}
