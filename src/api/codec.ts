import type { PayloadCodec } from '@temporalio/common';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { z } from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { jsonParser } from './body.ts';
import { isLoopback } from './origins.ts';
import { validate } from './validate.ts';

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
const Payload = z.object({ metadata: z.record(z.string(), bytes).default({}), data: bytes.default(Buffer.of()) });
const Payloads = z.object({ payloads: z.array(Payload) });

const LOOPBACK_ADDRESS = /^(::ffff:)?127\.|^::1$/;

/** Decodes payloads for Temporal's UI, for this machine only. The Host check stops DNS rebinding by web pages. */
export function codecRoutes(codec: PayloadCodec, uiOrigin: string | null): Router {
  const router = express.Router();
  const decode = router.route('/internal/codec/decode');
  decode.all(onlyFromLoopback, allowUi(uiOrigin));
  decode.options((_request, response) => void response.status(204).end());
  decode.post(jsonParser(8 * 1_024), async (request, response) => {
    const { payloads } = validate(Payloads, request.body, 'body');
    const decoded = await codec.decode(payloads).catch((error: unknown) => {
      throw new ServiceError('invalid', error instanceof Error ? error.message : 'The payloads could not be decoded.');
    });
    response.json({ payloads: decoded.map(asJson) });
  });
  return router;
}

const onlyFromLoopback: RequestHandler = (request, _response, next) => {
  if (!isFromLoopback(request))
    throw new ServiceError('forbidden', 'Payloads are decoded for callers on this machine only.');
  next();
};

const isFromLoopback = (request: Request): boolean =>
  LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') &&
  isLoopback((request.get('host') ?? '').replace(/:\d+$/, ''));

const allowUi =
  (origin: string | null): RequestHandler =>
  (_request, response, next) => {
    if (origin !== null)
      response.set({
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Namespace',
        'Access-Control-Allow-Credentials': 'true',
      });
    next();
  };

type Decoded = Awaited<ReturnType<PayloadCodec['decode']>>[number];

const asJson = ({ metadata, data }: Decoded) => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
  data: base64(data ?? Buffer.of()),
});

const base64 = (value: Uint8Array): string => Buffer.from(value).toString('base64');
