/** One way to obtain a server: where the result is kept, and how it gets there. */
export interface Recipe {
  /** Name, version and platform: what tells one result from another in the cache. */
  key: string;
  /** The program inside the finished folder. */
  program: string;
  /** Fills the empty folder, or throws an Unobtainable when this way is closed here and another may be open. */
  make(folder: string, onProgress: (line: string) => void): Promise<void>;
}

/** This way does not work on this machine. Anything else that goes wrong (a wrong hash) ends the search. */
export class Unobtainable extends Error {
  override readonly name = 'Unobtainable';
}

export const PLATFORM = `${process.platform}-${process.arch}`;
