/** The contract of stages moved to contract/. */
export * from '../contract/stage.ts';
