/** vLLM. */
import { addressWords, reference, revisionWords, type ServingEngine } from './kind.ts';

export const vllm: ServingEngine = {
  name: 'vllm',
  summary: 'vLLM, by `vllm serve`',
  ready: '/health',
  variables: ['VLLM_'],
  words: ({ name, weights, gpus, host }) => [
    ...['vllm', 'serve', reference(weights), ...revisionWords(weights)],
    ...(gpus > 0 ? ['--tensor-parallel-size', `${gpus}`] : []),
    ...['--served-model-name', name],
    ...addressWords(host),
  ],
};
