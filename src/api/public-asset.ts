import type { RequestHandler } from 'express';

/**
 * For files that pages of any origin may load: scripts, styles, the API's document. Everything else keeps the policy under
 * which a browser hands an answer only to pages of this origin.
 */
export const publicAsset: RequestHandler = (_request, response, next) => {
  response.set({ 'Cross-Origin-Resource-Policy': 'cross-origin', 'Access-Control-Allow-Origin': '*' });
  next();
};
