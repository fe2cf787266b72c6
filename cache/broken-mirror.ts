/** In the name of a mirror that was damaged and is out of use; others may still be reading it. */
export const BROKEN_MIRROR = '.git.broken-';
