import { createElement as h, Fragment } from 'preact';
import { Domain, Working } from './notices.tsx';
import { Button, Heading, Icon, Notice, Spinner } from './parts.tsx';

/** Components of the script that the other files use, so that these contain neither the components nor Preact. */
export const shared = { h, Fragment, Button, Domain, Heading, Icon, Notice, Spinner, Working };
export type Shared = typeof shared;
