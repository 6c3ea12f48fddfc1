const dialect = process.env['DIALECT'] === 'postgres' ? 'postgres' : 'sqlite';

/** For `npm run db:generate` only: the hub applies the migrations itself. */
const config = {
  dialect: dialect === 'sqlite' ? 'sqlite' : 'postgresql',
  schema: './tests/kit/drizzle-tables.ts',
  out: `./db/migrations/${dialect}`,
};
export default config;
