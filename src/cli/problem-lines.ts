/** Something that is wrong, and below it what puts it right where somebody knows. */
export const problemLines = (message: string, fix: string | null): string[] => [
  `! ${message}`,
  ...(fix === null ? [] : [`  ${fix}`]),
];
