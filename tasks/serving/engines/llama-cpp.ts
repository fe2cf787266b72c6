/** llama.cpp. */
import { addressWords, reference, type ServingEngine } from './kind.ts';

/** More layers than any model has: all of them are put on GPUs. */
const ALL_LAYERS = '999';

export const llamaCpp: ServingEngine = {
  name: 'llama.cpp',
  summary: 'llama.cpp, by `llama-server`',
  ready: '/health',
  variables: ['LLAMA_'],
  words: ({ name, weights, gpus, host }) => [
    ...['llama-server', weights?.kind === 'hub' ? '--hf-repo' : '--model', reference(weights)],
    ...['--alias', name],
    ...(gpus > 0 ? ['--n-gpu-layers', ALL_LAYERS] : []),
    ...addressWords(host),
  ],
  file: '.gguf',
  fetchesNewest: true,
};
