# The image of the service. It runs the api; the worker and the setup step are other commands of it
# (see docker-compose.yml).

# Node 22: its npm 10 takes a lock file that lists the optional packages of one platform only.
# Debian, not Alpine: Temporal's native module needs glibc.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY activities activities
COPY api api
COPY cli cli
COPY console console
COPY docs/migration.md docs/openapi.json docs/
COPY docs/reference docs/reference
COPY lib lib
COPY packages/client-ts packages/client-ts
COPY worker worker
COPY workflows workflows
RUN npm run build

FROM node:22-bookworm-slim AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
RUN npm ci --omit=dev

FROM node:22-bookworm-slim
# Temporal's native module checks TLS certificates against the system's list, not Node's own.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# A delivery makes much short-lived garbage; a larger nursery keeps most of it from being copied.
ENV NODE_ENV=production \
  NODE_OPTIONS=--max-semi-space-size=64 \
  PORT=3000 \
  HERALD_WORKFLOW_BUNDLE=/app/dist/workflow-bundle.js
COPY --from=modules /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
USER node
EXPOSE 3000
# Of the api: give the worker --no-healthcheck, or one on its HERALD_METRICS_PORT.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Run it with --init: as process 1 it would not end on SIGTERM until it is up.
CMD ["node", "--enable-source-maps", "dist/api/main.js"]
