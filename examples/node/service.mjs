// The service as promises and streams: what a site would put into a module of its own.

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const { status } = grpc;
const ATTEMPTS = 4;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;
// A failed connection is tried again soon, so that the attempts below are not over before it.
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
    return call(this.rules, 'newDeal', { seed: freshSeed(), ...request }, timeoutMs);
  }

  replayDeal(request, timeoutMs) {
    return call(this.rules, 'replayDeal', request, timeoutMs);
  }

  recommendMove(request, timeoutMs) {
    return call(this.solver, 'recommendMove', { seed: freshSeed(), ...request }, timeoutMs);
  }

  // Calls look(response) for each response until it returns false or the analysis ends; resolves to whether it ended.
  analyze(request, look, timeoutMs = 60_000) {
    return new Promise((resolve, reject) => {
      const stream = this.solver.analyzePosition(request, { deadline: Date.now() + timeoutMs });
      let isEnough = false;
      stream.on('data', (response) => {
        if (isEnough || look(response) !== false) return;
        isEnough = true;
        stream.cancel(); // frees the server at once
      });
      stream.on('end', () => resolve(true));
      stream.on('error', (error) => (isEnough ? resolve(false) : reject(error)));
    });
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

// Makes a call, and again where that helps; the deadline holds for all attempts together.
async function call(client, method, request, timeoutMs = 10_000) {
  const deadline = Date.now() + timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await new Promise((resolve, reject) => {
        client[method](request, { deadline }, (error, answer) => (error ? reject(error) : resolve(answer)));
      });
    } catch (error) {
      const wait = waitAfter(error, attempt);
      if (wait === null || Date.now() + wait >= deadline) throw error;
      await sleep(wait);
    }
  }
}

// The milliseconds until the next attempt; null if none makes sense.
function waitAfter(error, attempt) {
  if (attempt >= ATTEMPTS) return null;
  const asked = retryDelayMs(error);
  // without a time it is not the queue that is full but a message that is too large
  if (error.code !== status.UNAVAILABLE && !(error.code === status.RESOURCE_EXHAUSTED && asked !== null)) return null;
  if ((asked ?? 0) > LONGEST_WAIT_MS) return null;
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS) * (1 - Math.random() / 2);
  return (asked ?? 0) + backoff;
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
      Violation: { fields: { field: field(1, 'string'), description: field(2, 'string'), reason: field(3, 'string') } },
      BadRequest: { fields: { fieldViolations: field(1, 'Violation', 'repeated') } },
      Reader: { methods: {
        status: { requestType: 'Status', responseType: 'Status' },
        retry: { requestType: 'RetryInfo', responseType: 'RetryInfo' },
        bad: { requestType: 'BadRequest', responseType: 'BadRequest' },
      } },
    },
  };
  const reader = loader.fromJSON(json, { longs: String, defaults: true, arrays: true }).Reader;
  const reading = (method) => ({ deserialize: method.responseDeserialize });
  return { Status: reading(reader.status), RetryInfo: reading(reader.retry), BadRequest: reading(reader.bad) };
}

// Drawn here, so that every attempt at a call asks for the same.
function freshSeed() {
  return randomBytes(8).readBigUInt64BE().toString();
}
