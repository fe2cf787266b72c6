/** Errors of the operating system that are the machine's doing and not a bug of ours, in words. */

/** What a code means, said of the path that it happened at; those that say it themselves are empty. */
const WORDS: Readonly<Partial<Record<string, string>>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOTDIR: 'a part of this path is a file, where a folder is needed',
  EISDIR: 'it is a folder, where a file is needed',
  EEXIST: 'it is there already, and is not what is needed',
  ENOTEMPTY: 'the folder is not empty',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its links lead round in a circle',
  EBUSY: 'it is in use',
  ETXTBSY: 'it is in use',
  EXDEV: 'its parts lie on different file systems',
  EIO: 'the disk reports an error',
  ENXIO: 'the device is gone',
  EMFILE: 'too many files are open: raise ulimit -n',
  ENFILE: 'too many files are open on this machine',
  ENOMEM: 'out of memory',
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTSUP: '',
};

/** Node says of a recursive mkdir on a read-only file system that there is no such folder. */
const UNMAKEABLE = 'it cannot be made: the file system is read-only, or the folder above it is gone';

/** A compiled part of a package does not start. */
const TOO_OLD =
  'swemake needs glibc 2.34 and libstdc++ of GCC 11, or later, as Debian 12, Ubuntu 22.04 and RHEL 9 have them';

/** What went wrong on the machine; null for anything else. */
export function machineFault(error: unknown): string | null {
  const { code = '', message, path, dest, syscall } = error as NodeJS.ErrnoException & { dest?: string };
  if (code === 'ERR_DLOPEN_FAILED') return `${message.split('\n')[0]}; ${TOO_OLD}`;
  const words = code === 'ENOENT' && syscall === 'mkdir' ? UNMAKEABLE : (WORDS[code] ?? null);
  if (words === null) return null;
  // Errors that we make say it better than the table.
  if (words === '' || syscall === undefined) return message;
  const place = dest ?? path;
  return place === undefined ? `${words} (${message})` : `${place}: ${words} (${code})`;
}
