/** Services that tests could use, by the variable that names them. CI has them all. */
const SERVICES = {
  TEST_POSTGRES_URL: 'PostgreSQL',
  TEST_NATS_URL: 'clusters',
  CAUSEWAY_FRAMEWORKS: 'the code of game frameworks',
  CAUSEWAY_MYSQL: 'MariaDB',
};

export const teardown = (): void => {
  const left = Object.entries(SERVICES).filter(([name]) => process.env[name] === undefined);
  if (left.length === 0) return;
  process.stdout.write(`left out: ${left.map(([, what]) => what).join(', ')}; .ci/run has them\n`);
};
