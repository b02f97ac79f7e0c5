// Plays a whole deal with a bot on every seat, shows an analysis that is cancelled half-way, and the score.
//
//   node play_deal.mjs --address 127.0.0.1:50051 --variant bolognese --seed 1 --iterations 500
//
// --tls, or --ca FILE with the root of the server's certificate, encrypts; then the token in TAROCCHI_TOKEN is sent, if any.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import grpc from '@grpc/grpc-js';
import { encrypted, InvalidRequest, Service, violationsOf } from './service.mjs';

const { values: options } = parseArgs({
  options: {
    address: { type: 'string', default: '127.0.0.1:50051' },
    variant: { type: 'string', default: 'bolognese' },
    seed: { type: 'string' }, // of the deal and of the bots; drawn if left out
    iterations: { type: 'string' }, // of each decision
    level: { type: 'string' }, // such as LEVEL_CLUB, instead of iterations
    timeout: { type: 'string', default: '60' }, // seconds that a call may take, all its attempts together
    tls: { type: 'boolean', default: false },
    ca: { type: 'string' },
  },
});

const timeoutMs = Number(options.timeout) * 1000;
// What a decision may cost; full strength within the server's default if empty.
const effort = {
  ...(options.iterations && { budget: { iterations: Number(options.iterations) } }),
  ...(options.level && { level: options.level }),
};

const credentials =
  options.tls || options.ca
    ? encrypted({ ca: options.ca ? readFileSync(options.ca) : null, token: process.env.TAROCCHI_TOKEN })
    : undefined;
const service = new Service(options.address, credentials);
try {
  await playDeal();
} catch (error) {
  if (error instanceof InvalidRequest) console.error(`not sent: ${error.message}`);
  else if (grpc.status[error.code] === undefined) throw error;
  else console.error(`${grpc.status[error.code]}: ${error.details}`);
  for (const fault of violationsOf(error)) console.error(`  ${fault.field} ${fault.reason} ${fault.description}`);
  process.exitCode = 1;
} finally {
  service.close();
}

async function playDeal() {
  // `deal` and `events` are all that a site has to keep of a table.
  const { deal } = await service.newDeal({ variant: options.variant, ...seedOf(0) }, timeoutMs);
  let events = [];
  let isAnalysed = false;
  console.log(`${deal.variant}: dealer ${deal.dealer}, seed ${deal.seed}`);
  for (;;) {
    const table = await service.replayDeal({ deal, events }, timeoutMs);
    events = table.events; // in full: what was left out is filled in
    if (table.score) return showScore(table);
    const observation = table.observations[table.turn]; // all that this seat may know, and nothing else
    if (!isAnalysed && table.phase === 'PHASE_PLAY' && table.legalMoves.length > 2) {
      await showAnalysis(observation);
      isAnalysed = true;
    }
    const answer = await service.recommendMove({ observation, ...effort, ...seedOf(events.length) }, timeoutMs);
    console.log(`seat ${table.turn}: ${inWords(answer.move)}`);
    events = [...events, { seat: table.turn, ...answer.move }];
  }
}

// The seed of a call; left out, and so drawn for each call, unless the command line gives one.
function seedOf(number) {
  if (!options.seed) return {};
  if (!/^\d+$/.test(options.seed)) return { seed: options.seed }; // is refused
  return { seed: BigInt.asUintN(64, BigInt(options.seed) + BigInt(number)).toString() };
}

// Looks at three answers as they grow, then cancels.
async function showAnalysis(observation) {
  let count = 0;
  let reason;
  try {
    const request = { observation, interval: { seconds: 0, nanos: 50_000_000 }, budget: { iterations: 10_000_000 } };
    const hasEnded = await service.analyze(request, ({ recommendation, stopReason }) => {
      count += 1;
      reason = stopReason; // of the analysis, known with its final answer
      const { diagnostics, moves } = recommendation;
      const [best] = moves;
      console.log(
        `  analysis: ${inWords(best.move)} ${best.expectedScore.toFixed(1)} ± ${best.standardError.toFixed(1)}` +
          ` after ${diagnostics.iterations} iterations`,
      );
      return count < 3;
    }, timeoutMs);
    console.log(`  analysis: ${hasEnded ? `ended (${reason})` : 'cancelled'} after ${count} responses`);
  } catch (error) {
    if (error.code !== grpc.status.UNIMPLEMENTED) throw error;
    console.log('  analysis: this server has none');
  }
}

function showScore({ score, matchProgress }) {
  score.sides.forEach((side, index) => {
    console.log(`side ${index}: ${side.total} points, ${side.trickCount} tricks`);
  });
  const winner = score.winningSide === null || score.winningSide === undefined ? 'nobody' : `side ${score.winningSide}`;
  console.log(`${score.ending}: won by ${winner}, score ${matchProgress.standing.scores.join(' : ')}`);
}

function inWords(move) {
  const action = move[move.action];
  switch (move.action) {
    case 'play':
      return `plays ${action.card}${action.signal === 'SIGNAL_UNSPECIFIED' ? '' : ` with ${action.signal}`}`;
    case 'discard':
      return `lays away ${action.cards.join(' ') || 'cards'}`;
    case 'declare':
      return action.cards.length ? `shows ${action.cards.join(' ')}` : 'shows nothing';
    case 'monte':
      return action.throwsIn ? 'would throw in' : 'plays on';
    case 'callOut':
      return action.cards.length ? `calls out with ${action.cards.join(' ')}` : 'goes on';
    case 'bid':
      return `bids ${action.call}`;
    case 'give':
      return `gives ${action.card}`;
    default:
      throw new Error(`a kind of move that this example does not know: ${move.action}`);
  }
}
