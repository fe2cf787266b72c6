/** Builders of torchtune 0.6.1 for models of the hub: the shape of a model is code there, and no file. */

export interface Builder {
  model: string;
  tokenizer: string;
  /** The files that the tokenizer's builder takes, below the model's folder. */
  files: Readonly<Record<string, string>>;
  /** Name in torchtune's enumeration of layouts. */
  layout: string;
}

const QWEN = /(?:^|\/)Qwen2\.5-(?:Coder-)?(0\.5|1\.5|3|7|14|32|72)B(-Instruct)?$/;
const LLAMA = /(?:^|\/)(?:Meta-)?Llama-3\.([12])-(1|3|8|70)B(?:-Instruct)?$/;
/** Those with two builders, one for the base model. */
const TWO = ['1.5', '7', '14', '32', '72'];

export const QWEN_FILES = { path: 'vocab.json', merges_file: 'merges.txt' };

/** null: torchtune has none that is known here. */
export function builderOf(id: string): Builder | null {
  const qwen = QWEN.exec(id);
  if (qwen !== null) {
    const [, size, instruct] = qwen;
    const kind = TWO.includes(size!) ? (instruct === undefined ? '_base' : '_instruct') : '';
    return {
      model: `torchtune.models.qwen2_5.qwen2_5_${size!.replace('.', '_')}b${kind}`,
      tokenizer: 'torchtune.models.qwen2_5.qwen2_5_tokenizer',
      files: QWEN_FILES,
      layout: 'QWEN2',
    };
  }
  const llama = LLAMA.exec(id);
  if (llama !== null) {
    const [, minor, size] = llama;
    const family = minor === '2' ? 'llama3_2' : 'llama3_1';
    return {
      model: `torchtune.models.${family}.${family}_${size}b`,
      tokenizer: 'torchtune.models.llama3.llama3_tokenizer',
      files: { path: 'original/tokenizer.model' },
      layout: minor === '2' ? 'LLAMA3_2' : 'LLAMA3',
    };
  }
  return null;
}

/** The builder of the same model with adapters: `lora_` stands before the builder's own name. */
export function loraBuilder(model: string): string {
  const at = model.lastIndexOf('.') + 1;
  return `${model.slice(0, at)}lora_${model.slice(at)}`;
}
