import type { Shared } from '../view/shared.ts';

/**
 * Components of the widget's script, for files that are loaded later. Without this indirection, each of these files
 * would contain its own copy of Preact. JSX compiles to `h`.
 */
export let h: Shared['h'];
export let Fragment: Shared['Fragment'];
export let Button: Shared['Button'];
export let Domain: Shared['Domain'];
export let Heading: Shared['Heading'];
export let Icon: Shared['Icon'];
export let Notice: Shared['Notice'];
export let Spinner: Shared['Spinner'];
export let Working: Shared['Working'];

/** Sets the components. Must run before the first of them is rendered. */
export function useShared(shared: Shared): void {
  ({ h, Fragment, Button, Domain, Heading, Icon, Notice, Spinner, Working } = shared);
}
