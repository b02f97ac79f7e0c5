// The service as promises and streams: what a site would put into a module of its own.

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';
import { checkerOf, InvalidRequest } from './check.mjs';

export { InvalidRequest };

const { status } = grpc;
const TIMEOUT_MS = 60_000;
// How often a call is made that a busy server did not answer ...
const ATTEMPTS = 4;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;
// ... and for how long one that is restarted: nobody listens, or it refuses everything, so attempts do not count.
const PATIENCE_MS = 60_000;
const LONGEST_AWAY_WAIT_MS = 1000;
const SHORTEST_AWAY_WAIT_MS = 50;
const RESTARTING = ['WARMING_UP', 'DRAINING'];
// How long before the end the last attempt is made: one at a server that refuses has to be answered in time.
const LAST_KNOCK_MS = 25;
const LAST_QUESTION_MS = 500;
// A failed connection is tried again soon, so that the attempts find it.
const CHANNEL_OPTIONS = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 2000 };

const definition = loader.loadSync(
  ['rules', 'solver', 'review'].map((name) => `tarocchi/solver/v1/${name}_service.proto`),
  {
    includeDirs: [fileURLToPath(new URL('../../proto', import.meta.url))],
    longs: String, // seeds have 64 bits, more than a number of JavaScript can hold
    enums: String,
    defaults: true,
    arrays: true,
    oneofs: true, // message.action names the kind of a move
  },
);
const contract = grpc.loadPackageDefinition(definition).tarocchi.solver.v1;
const checkRequest = checkerOf(definition);

// What a failed call may carry beside its code.
const details = protoOfDetails();

export class Service {
  constructor(address, credentials = grpc.credentials.createInsecure()) {
    this.solver = new contract.SolverService(address, credentials, CHANNEL_OPTIONS);
    this.rules = new contract.RulesService(address, credentials, CHANNEL_OPTIONS);
    this.review = new contract.ReviewService(address, credentials, CHANNEL_OPTIONS);
  }

  close() {
    for (const client of [this.solver, this.rules, this.review]) client.close();
  }

  newDeal(request, timeoutMs) {
    return ask(this.rules, 'newDeal', { seed: freshSeed(), ...request }, timeoutMs);
  }

  replayDeal(request, timeoutMs) {
    return ask(this.rules, 'replayDeal', request, timeoutMs);
  }

  recommendMove(request, timeoutMs) {
    return ask(this.solver, 'recommendMove', { seed: freshSeed(), ...request }, timeoutMs);
  }

  // Calls look(response) for each response until it returns false or the analysis ends; resolves to whether it ended.
  async analyze(request, look, timeoutMs) {
    const asked = { seed: freshSeed(), ...request };
    checkRequest(contract.SolverService.service.AnalyzePosition, asked);
    let hasBegun = false; // then it is not begun again
    return persist(
      (deadline) =>
        new Promise((resolve, reject) => {
          const stream = this.solver.analyzePosition(asked, { deadline });
          let isEnough = false;
          stream.on('data', (response) => {
            hasBegun = true;
            if (isEnough) return;
            try {
              isEnough = look(response) === false;
            } catch (error) {
              isEnough = true;
              reject(error);
            }
            if (isEnough) stream.cancel(); // frees the server at once
          });
          stream.on('end', () => resolve(true));
          stream.on('error', (error) => (isEnough ? resolve(false) : reject(error)));
        }),
      timeoutMs,
      () => !hasBegun,
    );
  }
}

// The credentials of an encrypted channel: the root of the server's certificate, null for those of the system, and a
// token that is sent with every call.
export function encrypted({ ca = null, token } = {}) {
  const channel = grpc.credentials.createSsl(ca);
  if (!token) return channel;
  const sendToken = grpc.credentials.createFromMetadataGenerator((_, done) => {
    const metadata = new grpc.Metadata();
    metadata.set('authorization', `Bearer ${token}`);
    done(null, metadata);
  });
  return grpc.credentials.combineChannelCredentials(channel, sendToken);
}

// Makes a call, and again where that helps.
async function ask(client, method, request, timeoutMs) {
  checkRequest(Object.values(client.constructor.service).find(({ originalName }) => originalName === method), request);
  return persist(
    (deadline) =>
      new Promise((resolve, reject) => {
        client[method](request, { deadline }, (error, answer) => (error ? reject(error) : resolve(answer)));
      }),
    timeoutMs,
  );
}

// Makes attempts until one succeeds or none makes sense any more; the deadline holds for all of them together.
async function persist(attempt, timeoutMs = TIMEOUT_MS, mayRepeat = () => true) {
  if (!(timeoutMs > 0)) {
    const description = `${timeoutMs} will not do: give the milliseconds for the call, above 0`;
    throw new InvalidRequest([{ field: 'timeoutMs', description }]);
  }
  const started = Date.now();
  const deadline = started + timeoutMs;
  let reached = 0;
  let away = 0;
  let last = null;
  for (;;) {
    try {
      return await attempt(deadline);
    } catch (error) {
      // what has run into the deadline while it connected again says less than the attempt before it
      if (error.code === status.DEADLINE_EXCEEDED && last && isAway(last)) throw toldPlainly(last, started);
      last = error;
      let wait = null;
      if (isAway(error)) {
        away += 1;
        wait = waitForServer(error, away, Math.min(deadline, started + PATIENCE_MS) - Date.now());
      } else {
        reached += 1;
        wait = waitAfter(error, reached);
      }
      if (wait === null || !mayRepeat() || Date.now() + wait >= deadline) throw toldPlainly(error, started);
      await sleep(wait);
    }
  }
}

// Whether nobody listens at the address. What the server says itself comes with details, what grpc-js says does not.
function isUnreached(error) {
  const words = /No connection established|Name resolution failed|Failed to connect|ECONNREFUSED|ENOENT/i;
  return error.code === status.UNAVAILABLE && detailsOf(error).length === 0 && words.test(error.details);
}

// Whether the server is restarted: nobody listens, or it refuses every call until it is warm or gone.
function isAway(error) {
  return isUnreached(error) || (error.code === status.UNAVAILABLE && RESTARTING.includes(reasonOf(error)));
}

// The milliseconds until the next attempt at a server that is away, the last one just before the end; null after it.
function waitForServer(error, attempts, leftMs) {
  const asked = retryDelayMs(error) ?? 0;
  const lastMs = isUnreached(error) ? LAST_KNOCK_MS : LAST_QUESTION_MS;
  if (asked > LONGEST_WAIT_MS || leftMs <= 2 * lastMs) return null;
  const wait = Math.min(asked + backoffMs(attempts, LONGEST_AWAY_WAIT_MS), LONGEST_WAIT_MS);
  return Math.min(Math.max(wait, SHORTEST_AWAY_WAIT_MS), leftMs - lastMs);
}

// The milliseconds until the next attempt; null if none makes sense.
function waitAfter(error, attempts) {
  if (attempts >= ATTEMPTS) return null;
  const asked = retryDelayMs(error);
  // without a time it is not the queue that is full but a message that is too large
  if (error.code !== status.UNAVAILABLE && !(error.code === status.RESOURCE_EXHAUSTED && asked !== null)) return null;
  if ((asked ?? 0) > LONGEST_WAIT_MS) return null;
  return Math.min((asked ?? 0) + backoffMs(attempts, LONGEST_WAIT_MS), LONGEST_WAIT_MS);
}

// Grows with every attempt; chance takes up to half of it off, so that clients do not all come back at once.
function backoffMs(attempts, longest) {
  return Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), longest) * (1 - Math.random() / 2);
}

// Says how long was waited, and what to do, where the words are those of grpc-js.
function toldPlainly(error, started) {
  if (status[error.code] === undefined) return error;
  const spent = `${((Date.now() - started) / 1000).toFixed(1)} s`;
  if (isUnreached(error)) {
    error.details = `nobody listens at the address, after ${spent}: start the service, or mend the address (${error.details})`;
  } else if (error.code === status.DEADLINE_EXCEEDED && detailsOf(error).length === 0) {
    error.details = `no answer within ${spent}: give the call a longer timeout, or the server less to do (${error.details})`;
  }
  error.message = `${error.code} ${status[error.code]}: ${error.details}`;
  return error;
}

// What google.rpc.RetryInfo in the details of an error says, in milliseconds; null without it.
export function retryDelayMs(error) {
  for (const { typeUrl, value } of detailsOf(error)) {
    if (!typeUrl.endsWith('/google.rpc.RetryInfo')) continue;
    const { seconds, nanos } = details.RetryInfo.deserialize(value).retryDelay;
    return Number(seconds) * 1000 + nanos / 1e6;
  }
  return null;
}

// The stable name of what happened, such as QUEUE_FULL; empty where the error is not the service's own.
export function reasonOf(error) {
  const found = detailsOf(error).find(({ typeUrl }) => typeUrl.endsWith('/google.rpc.ErrorInfo'));
  return found ? details.ErrorInfo.deserialize(found.value).reason : '';
}

// Every fault of a refused request: its field, a stable reason and a sentence.
export function violationsOf(error) {
  return detailsOf(error)
    .filter(({ typeUrl }) => typeUrl.endsWith('/google.rpc.BadRequest'))
    .flatMap(({ value }) => details.BadRequest.deserialize(value).fieldViolations);
}

function detailsOf(error) {
  const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
  return bytes ? details.Status.deserialize(bytes).details : [];
}

// The few messages of google.rpc that errors are made of.
function protoOfDetails() {
  const field = (id, type, rule) => ({ id, type, ...(rule && { rule }) });
  const json = {
    nested: {
      Any: { fields: { typeUrl: field(1, 'string'), value: field(2, 'bytes') } },
      Status: { fields: { code: field(1, 'int32'), message: field(2, 'string'), details: field(3, 'Any', 'repeated') } },
      Duration: { fields: { seconds: field(1, 'int64'), nanos: field(2, 'int32') } },
      RetryInfo: { fields: { retryDelay: field(1, 'Duration') } },
      ErrorInfo: { fields: { reason: field(1, 'string') } },
      Violation: { fields: { field: field(1, 'string'), description: field(2, 'string'), reason: field(3, 'string') } },
      BadRequest: { fields: { fieldViolations: field(1, 'Violation', 'repeated') } },
      Reader: { methods: {
        status: { requestType: 'Status', responseType: 'Status' },
        retry: { requestType: 'RetryInfo', responseType: 'RetryInfo' },
        info: { requestType: 'ErrorInfo', responseType: 'ErrorInfo' },
        bad: { requestType: 'BadRequest', responseType: 'BadRequest' },
      } },
    },
  };
  const reader = loader.fromJSON(json, { longs: String, defaults: true, arrays: true }).Reader;
  const reading = (method) => ({ deserialize: method.responseDeserialize });
  return {
    Status: reading(reader.status),
    RetryInfo: reading(reader.retry),
    ErrorInfo: reading(reader.info),
    BadRequest: reading(reader.bad),
  };
}

// Drawn here, so that every attempt at a call asks for the same.
function freshSeed() {
  return randomBytes(8).readBigUInt64BE().toString();
}
