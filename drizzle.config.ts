import { defineConfig } from 'drizzle-kit';

const dialect = process.env['DIALECT'];
if (dialect !== 'sqlite' && dialect !== 'postgres') throw new Error('Set DIALECT to sqlite or postgres.');

/** For `npm run db:generate` only: the hub applies the migrations itself. */
const config = defineConfig({
  dialect: dialect === 'sqlite' ? 'sqlite' : 'postgresql',
  schema: `./db/schema.${dialect}.ts`,
  out: `./db/migrations/${dialect}`,
});
export default config;
