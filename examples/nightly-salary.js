// Pays the salary of a day to everyone with a job. Let cron run it each night, and again an hour later: it pays once.
import { createHub, HubProblem } from '@causewayhub/client';

const { HUB = 'http://127.0.0.1:8080', KEY, DAY = new Date().toISOString().slice(0, 10) } = process.env;
if (!KEY) throw new Error('Set KEY to an API key with players:read, commands:read, commands:money, commands:batch.');
const hub = createHub({ url: HUB, apiKey: KEY });

/** @type {Record<string, number>} */
const SALARIES = { police: 500, ambulance: 450, mechanic: 300 };

/**
 * Pays everyone with this job. Who is away gets the salary when they play the next time.
 * @param {string} job
 * @param {number} amount
 */
const pay = async (job, amount) => {
  const { data } = await hub.listPlayerIdentifiers({ serverId: 'main', job });
  if (data.length === 0) return;
  const batch = await hub.createBatch({
    serverId: 'main',
    name: 'money',
    params: { type: 'bank', amount, action: 'add', reason: `Salary of ${DAY}` },
    targets: data.map(({ identifier }) => identifier),
    label: `Salary ${job} ${DAY}`,
    deliver: 'when_online',
    key: `salary-${job}-${DAY}`,
  });
  if (batch.stored === 'yes') {
    console.log(job, 'gets', amount, 'for', DAY, 'players', batch.value.total);
    return;
  }
  // With "unknown", the next run finds out under the same key.
  console.error(job, batch.stored, batch.reason);
  process.exitCode = 1;
};

for (const [job, amount] of Object.entries(SALARIES)) {
  try {
    await pay(job, amount);
  } catch (error) {
    // The key of this day has made a batch: somebody has changed the job since, or the amount.
    const isPaid = error instanceof HubProblem && error.code === 'idempotency_mismatch';
    console.error(job, isPaid ? `was paid for ${DAY} before` : error);
    if (!isPaid) process.exitCode = 1;
  }
}
