import { Metadata, status, type Interceptor, type InterceptingCall } from '@grpc/grpc-js';

/**
 * Ends a call that a retry begins after the connection was closed. grpc-js throws there, in the timer of Temporal's
 * retries, where no code catches it, so that a process that stops while Temporal is down would crash.
 */
export const endCallsAfterClose: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as InterceptingCall;
  } catch {
    return endedCall as InterceptingCall;
  }
};

const endedCall: Pick<
  InterceptingCall,
  | 'start'
  | 'cancelWithStatus'
  | 'getPeer'
  | 'sendMessage'
  | 'sendMessageWithContext'
  | 'startRead'
  | 'halfClose'
  | 'getAuthContext'
> = {
  start(_metadata, listener) {
    // The retry passes the message on together with the status, so it must have one.
    listener?.onReceiveMessage?.(null);
    const details = 'The connection to Temporal is closed.';
    listener?.onReceiveStatus?.({ code: status.CANCELLED, details, metadata: new Metadata() });
  },
  cancelWithStatus: () => undefined,
  getPeer: () => '',
  sendMessage: () => undefined,
  sendMessageWithContext: () => undefined,
  startRead: () => undefined,
  halfClose: () => undefined,
  getAuthContext: () => null,
};
