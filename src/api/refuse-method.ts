import type { Request, Response } from 'express';
import { ServiceError } from '../domain/errors.ts';
import type { Route } from './route.ts';

/** Returns the last handler of a path, which refuses every method that the path does not have. */
export const refuseMethod = (methods: readonly Route['method'][]) => (_request: Request, response: Response) => {
  response.set('Allow', methods.map((method) => method.toUpperCase()).join(', '));
  throw new ServiceError('method_not_allowed', 'This path does not support that method. See the Allow header.');
};
