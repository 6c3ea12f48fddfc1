/** Missing programs that tests could use: printed at the end, so that a reader knows which tests were left out. */
const SERVICES = {
  TEST_POSTGRES_URL: 'PostgreSQL was PGlite in this process: no pool, no other node; see .ci/postgres',
  TEST_NATS_URL: 'no cluster was run; nodes spoke to one another in this process only; see .ci/cluster',
  CAUSEWAY_FRAMEWORKS: 'frameworks of game servers were imitated; see docs/reference/frameworks.md',
  CAUSEWAY_MYSQL: 'the game’s MariaDB was imitated; see .ci/mariadb',
};

export const teardown = (): void => {
  for (const [name, meaning] of Object.entries(SERVICES)) {
    if (process.env[name] === undefined) process.stdout.write(`left out, without ${name}: ${meaning}\n`);
  }
};
