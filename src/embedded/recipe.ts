export interface Recipe {
  /** Name, version and platform, which identify the result in the cache. */
  key: string;
  /** Name of the program in the finished folder. */
  program: string;
  /** Fills the empty folder. Throws Unobtainable if this method is not available here; the next one is tried. */
  make(folder: string, onProgress: (line: string) => void): Promise<void>;
}

/** This method is not available on this machine. Any other error, such as a wrong hash, ends the search. */
export class Unobtainable extends Error {
  override readonly name = 'Unobtainable';
}

export const PLATFORM = `${process.platform}-${process.arch}`;
