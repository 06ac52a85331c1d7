import { CommandError } from '../errors.ts';

/** Names of the members of an answer: the list of rows, and the object that describes its page. */
export interface AnswerShape {
  rows: string;
  info?: string;
}

export interface Piece {
  kind: 'row' | 'info';
  value: unknown;
}

/** Limit for one row, or for one page if the file is an array of pages. */
const MOST_CHARACTERS = 16 * 1_024 * 1_024;

/**
 * Reads the rows in answers of an API one at a time, so that a file of any size fits in memory. Answers may follow each
 * other, as a loop over the pages writes them. An array of answers, or of rows, works too.
 */
export async function* piecesIn(text: AsyncIterable<string>, file: string, shape: AnswerShape): AsyncGenerator<Piece> {
  const scanner = new Scanner(file, shape);
  for await (const chunk of text) yield* scanner.push(chunk);
  scanner.end();
}

type PieceKind = Piece['kind'] | 'element';

/** Finds where rows begin and end. JSON.parse reads the rows themselves. */
class Scanner {
  private depth = 0;
  private isString = false;
  private isEscaped = false;
  /** The newest string in the outer object: the key, when a value follows. */
  private key = '';
  private isInRows = false;
  private hasRows = false;
  private isArray = false;
  private isAnyRead = false;
  private piece: { kind: PieceKind; depth: number; text: string } | null = null;
  private readonly file: string;
  private readonly shape: AnswerShape;

  constructor(file: string, shape: AnswerShape) {
    this.file = file;
    this.shape = shape;
  }

  *push(chunk: string): Generator<Piece> {
    let begin = 0;
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk.charAt(at);
      if (this.isString) this.inString(character);
      else if (character === '"') this.beginString();
      else if (character === '{' || character === '[') {
        if (this.open(character)) begin = at;
      } else if (character === '}' || character === ']') {
        if (this.close()) yield* this.read(chunk.slice(begin, at + 1));
      } else if (this.piece === null && (this.depth === 0 || this.isInRows) && !/[\s,]/.test(character))
        throw this.unreadable();
    }
    if (this.piece !== null) this.keep(chunk.slice(begin));
  }

  end(): void {
    if (this.depth !== 0 || this.isString) throw new CommandError(`${this.file} ends in the middle. Export it again.`);
    if (!this.isAnyRead) throw this.unreadable();
  }

  private inString(character: string): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (character === '\\') this.isEscaped = true;
    else if (character === '"') this.isString = false;
    else if (this.depth === 1) this.key += character;
  }

  private beginString(): void {
    if (this.piece === null && (this.depth === 0 || this.isInRows || this.isArray)) throw this.unreadable();
    this.isString = true;
    if (this.depth === 1) this.key = '';
  }

  /** Returns whether a piece begins here. */
  private open(character: string): boolean {
    const kind = this.piece === null ? this.pieceAt(character) : null;
    if (this.depth === 0) this.isArray = this.isAnyRead = character === '[';
    if (this.depth === 1 && !this.isArray && this.piece === null && this.key === this.shape.rows) this.hasRows = true;
    this.isInRows ||= kind === null && this.piece === null && this.isList(character);
    if (kind !== null) this.piece = { kind, depth: this.depth, text: '' };
    this.depth++;
    return kind !== null;
  }

  private isList = (character: string): boolean =>
    character === '[' && this.depth === 1 && !this.isArray && this.key === this.shape.rows;

  private pieceAt(character: string): PieceKind | null {
    if (character !== '{') return null;
    if (this.isInRows && this.depth === 2) return 'row';
    if (this.depth !== 1) return null;
    if (this.isArray) return 'element';
    if (this.key === this.shape.rows) return 'row';
    return this.key === this.shape.info ? 'info' : null;
  }

  /** Returns whether a piece ends here. */
  private close(): boolean {
    this.depth--;
    if (this.depth < 0) throw this.unreadable();
    if (this.piece !== null) return this.depth === this.piece.depth;
    if (this.depth === 1) this.isInRows = false;
    if (this.depth === 0 && !this.isArray) {
      if (!this.hasRows) throw this.unreadable();
      this.isAnyRead = true;
      this.hasRows = false;
    }
    return false;
  }

  private keep(text: string): string {
    if (this.piece === null) return text;
    this.piece.text += text;
    if (this.piece.text.length > MOST_CHARACTERS) throw new CommandError(`${this.file} has a row that is too long.`);
    return this.piece.text;
  }

  private *read(text: string): Generator<Piece> {
    const kind = this.piece?.kind ?? 'row';
    const value = this.parsed(this.keep(text));
    this.piece = null;
    if (kind === 'element') yield* this.inElement(value);
    else yield { kind, value };
  }

  /** Reads an element of an array, which is an answer or a row. */
  private *inElement(value: object): Generator<Piece> {
    const { rows, info } = this.shape;
    const list: unknown = Reflect.get(value, rows);
    if (Array.isArray(list)) for (const row of list as unknown[]) yield { kind: 'row', value: row };
    else yield { kind: 'row', value };
    const page: unknown = info === undefined ? undefined : Reflect.get(value, info);
    if (Array.isArray(list) && page !== undefined) yield { kind: 'info', value: page };
  }

  private parsed(text: string): object {
    try {
      return JSON.parse(text) as object;
    } catch {
      throw this.unreadable();
    }
  }

  private unreadable = (): CommandError =>
    new CommandError(`${this.file} is no JSON with a list \`${this.shape.rows}\`, as the API returns it.`);
}
