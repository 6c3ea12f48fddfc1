FROM node:24-bookworm AS install
WORKDIR /opt/causeway
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY server server
COPY panel panel
RUN npm run build:panel && npm prune --omit=dev --omit=optional

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATABASE_URL=file:/data/causeway.db
WORKDIR /opt/causeway
COPY --from=install /opt/causeway/node_modules node_modules
COPY package.json LICENSE ./
COPY bridge-protocol bridge-protocol
COPY bridge bridge
COPY conformance conformance
COPY db db
COPY server server
COPY simulator simulator
COPY --from=install /opt/causeway/dist dist
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "server/cli/causeway.js"]
CMD ["start"]
