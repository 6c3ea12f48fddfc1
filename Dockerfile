# Not built by the project's CI, which has no Docker: a test copies the files that this file names, and runs the commands.
FROM node:24-bookworm AS build
WORKDIR /opt/causeway
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY LICENSE README.md tsconfig.json ./
COPY bridge bridge
COPY bridge-protocol bridge-protocol
COPY conformance conformance
COPY db db
COPY docs docs
COPY panel panel
COPY server server
COPY simulator simulator
RUN npm run build

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATABASE_URL=file:/data/causeway.db CAUSEWAY_COMMAND=causeway
WORKDIR /opt/causeway
COPY package.json LICENSE ./
COPY server/cli/causeway.js server/cli/
COPY db/migrations db/migrations
COPY db/sqlite/checkpoint-worker.js db/sqlite/reader-worker.js db/sqlite/
COPY --from=build /opt/causeway/node_modules/better-sqlite3 node_modules/better-sqlite3
COPY --from=build /opt/causeway/dist dist
RUN install -d -o node -g node /data /data/backups && ln -s /opt/causeway/server/cli/causeway.js /usr/local/bin/causeway
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "server/cli/causeway.js"]
CMD ["start"]
