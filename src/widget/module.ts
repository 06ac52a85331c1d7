import { createWidget, homeOf } from './widget.ts';

/** The module: `import { open } from '…/sdk/v1/widget.mjs'`. */
export const { open, close } = createWidget(homeOf(import.meta.url));
