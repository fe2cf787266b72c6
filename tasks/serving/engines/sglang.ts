/** SGLang. */
import { addressWords, reference, revisionWords, type ServingEngine } from './kind.ts';

export const sglang: ServingEngine = {
  name: 'sglang',
  summary: 'SGLang, by `python -m sglang.launch_server`',
  ready: '/health',
  variables: ['SGLANG_'],
  words: ({ name, weights, gpus, host }) => [
    ...['python', '-m', 'sglang.launch_server'],
    ...['--model-path', reference(weights), ...revisionWords(weights)],
    ...['--served-model-name', name],
    ...(gpus > 0 ? ['--tp', `${gpus}`] : []),
    ...addressWords(host),
  ],
};
